import type { RequestClass } from '../domain/rate-limit.ts';
import type { VenueCallKind } from '../venues/port.ts';

/** Kind of a feed's request; its time and cursor are filled in at the request. */
type FeedKind = Exclude<
  VenueCallKind,
  'place' | 'place-oco' | 'cancel' | 'cancel-old' | 'order' | 'transfer'
>;

/** Something that is asked for again and again. */
export interface Feed {
  /**
   * Unique, such as `book BTCIRT`, `books`, `stats`, `trades BTCIRT`, `candles BTCIRT 1h`, `orders`, `fills`,
   * `wallets`, `transactions`, `options`, `pools`, `margin-wallets`, `delegation-limit btc`.
   */
  readonly key: string;
  /** Candles are asked for at the close of each bar, so that their pace can not be changed. */
  readonly kind: FeedKind;
  /** Null for what is of the account, or of all markets. */
  readonly market: string | null;
  /** Currency of a delegation limit; left out of all else. */
  readonly currency?: string;
  /** The budget it is counted in. */
  readonly budget: string;
  readonly requestClass: RequestClass;
  /**
   * Polling interval if there were no other feed, and the age at which its data is no longer worth having.
   */
  readonly wantedAgeMs: number;
  readonly longestAgeMs: number;
  /** Longest age while no order is open. */
  readonly idleAgeMs: number;
  /** Requesters, as text for people: names of strategies, or parts of the bot itself. */
  readonly askers: readonly string[];
  /** The exchange's own cache: its answer can be this old. */
  readonly cacheMs: number;
  /**
   * Requests until all of it was seen once: wallets are asked for one after another, a bar now and then
   * twice.
   */
  readonly turns: number;
  /** Of a candidate of a universe: it is asked for while that market is followed, and not else. */
  readonly isPooled?: true;
}

/** A feed with its place in the plan. */
export interface PlannedFeed extends Feed {
  /**
   * From one question to the next while orders are open, and while none is. Bars are asked for at their
   * close: then it is their length.
   */
  readonly intervalMs: number;
  readonly idleIntervalMs: number;
  /**
   * The oldest its data can be when it is used: interval, wait for a slot, reply and the exchange's own
   * cache.
   */
  readonly worstAgeMs: number;
  /** Longest time after its close until a bar is there; null for other feeds. */
  readonly latestAfterCloseMs: number | null;
}
