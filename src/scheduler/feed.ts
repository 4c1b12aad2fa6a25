import type { RequestClass } from '../domain/request-class.ts';
import type { VenueCall } from '../venues/port.ts';

/** Something that is asked for again and again. */
export interface Feed {
  /** Unique, such as `book BTCIRT`, `books`, `stats`, `trades BTCIRT`, `candles BTCIRT 1h`, `orders`, `fills`, `wallets`, `transactions`, `options`. */
  readonly key: string;
  /** What it asks; its time and cursor are filled in when it is asked. */
  readonly kind: VenueCall['kind'];
  readonly market: string | null;
  /** The budget it is counted in. */
  readonly budget: string;
  readonly requestClass: RequestClass;
  /** How often it would be asked if nothing else were, and the age at which its data is no longer worth having. */
  readonly wantedAgeMs: number;
  readonly longestAgeMs: number;
}

/** What the plan gives one feed. */
export interface PlannedFeed extends Feed {
  /** From one question to the next while orders are open, and while none is. Bars are asked for at their close: then it is their length. */
  readonly intervalMs: number;
  readonly idleIntervalMs: number;
  /** The oldest its data can be when it is used: interval, wait for a slot, reply and the exchange's own cache. */
  readonly worstAgeMs: number;
}
