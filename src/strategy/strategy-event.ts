import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Side } from '../domain/order.ts';
import type { PublicTrade } from '../domain/trade.ts';
import type { ClosedCandle, FillEvent, OrderUpdate, OwnOrder } from './definition.ts';
import type { Intent } from './intents.ts';
import type { MarketRules } from './market-rules.ts';

/** An intent, or an order that served one, that came to nothing. */
export interface Rejection {
  /** Null where the order was not this strategy's alone, such as a leg of an algorithm. */
  readonly intent: Intent | null;
  readonly clientOrderId: string | null;
  readonly market: string | null;
  readonly side: Side | null;
  readonly tag: string | null;
  /** `risk` with the check's name, `fit`, `data`, or the exchange's code. */
  readonly code: string;
  /** One sentence with the numbers. */
  readonly reason: string;
}

/** What happened, for one strategy. `seenAtMs` is when the bot read it; what the exchange says of its own time is in the data. */
export type StrategyEvent =
  | { readonly kind: 'start'; readonly isRestart: boolean }
  | { readonly kind: 'stop'; readonly reason: string }
  | { readonly kind: 'candle'; readonly candle: ClosedCandle }
  | { readonly kind: 'book'; readonly market: string; readonly book: OrderBook; readonly seenAtMs: number }
  | {
      readonly kind: 'trades';
      readonly market: string;
      /** New ones only, oldest first. */
      readonly trades: readonly PublicTrade[];
      /** Whether some may have been missed before these. */
      readonly hasGap: boolean;
      readonly seenAtMs: number;
    }
  | { readonly kind: 'stats'; readonly stats: MarketStats; readonly seenAtMs: number }
  | { readonly kind: 'timer'; readonly name: string; readonly dueMs: number }
  | { readonly kind: 'fill'; readonly fill: FillEvent }
  | { readonly kind: 'order'; readonly order: OrderUpdate }
  | { readonly kind: 'reject'; readonly rejection: Rejection };

/** What the engine knows and a strategy may look at. Methods, so that only what is looked at is worked out. */
export interface EngineView {
  readonly nowMs: number;
  /** The strategy's own holding of a market's source currency over all its markets: what its fills bought less what they sold, fees taken off. */
  position(market: string): DecimalText;
  /** Free balances of the account, by lower-case currency. */
  free(): Readonly<Record<string, DecimalText>>;
  /** The strategy's own orders that are not at their end. */
  orders(): readonly OwnOrder[];
  book(market: string): OrderBook | null;
  stats(market: string): MarketStats | null;
  /** Null for a market that the engine does not follow. */
  rules(market: string): MarketRules | null;
  /** All that the strategy has, each asset valued once in the market's quote currency, by its own fills and its capital; null without a price. */
  equity(market: string): DecimalText | null;
  /** How long ago it was read, in ms; null before the first. */
  ageMs(what: 'book' | 'stats' | 'trades' | 'candles', market: string): number | null;
  accountAgeMs(what: 'orders' | 'fills' | 'balances'): number | null;
}
