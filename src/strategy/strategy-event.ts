import { type DecimalText, ZERO } from '../domain/decimal-text.ts';
import type { SeenMargin, WalletSide } from '../records/margin.ts';
import type { MarketStats, OrderBook } from '../domain/order-book.ts';
import type { ExitKind, Side } from '../domain/order.ts';
import type { PublicTrade } from '../domain/trade.ts';
import type { Candle, Timeframe } from '../domain/candle.ts';
import type { Intent } from './intents.ts';
import type { UniverseState } from './rank-markets.ts';
import type { OrderWith, OrderLabels, OrderState, OrderRecord } from '../records/order.ts';
import type { FillWith } from '../records/fill.ts';
import type { LockKind } from '../records/field.ts';
import { formatUnits, parseUnits } from '../domain/money.ts';

/** A lock that refuses orders of this strategy which add risk; orders that reduce its position pass. */
export interface ShownLock {
  /** Name of the lock in refusals and in the log. */
  readonly name: string;
  readonly kind: LockKind;
  /** The market that is locked; null for all markets. */
  readonly market: string | null;
  /** Name of this strategy if only this strategy is locked; null if all strategies are. */
  readonly strategy: string | null;
  /** Reason that the lock was made. */
  readonly reason: string;
  /** Start time, in ms since 1970. */
  readonly beganAtMs: number;
  /** End time (exclusive), in ms since 1970. A rule or an operator may extend it. */
  readonly endsAtMs: number;
  /** Policy for resting orders that add risk when the lock starts. */
  readonly entries: 'cancel' | 'keep';
}

/**
 * State of an own order. `unknown`: the reply was not clear, so the order may exist. `settling`: it is
 * closed, but not all of its fills are read.
 */
export type OwnOrderState = OrderState;

/** An order of this strategy that is not final. */
export interface OwnOrder
  extends
    OrderLabels,
    Pick<OrderWith<DecimalText>, 'market' | 'side' | 'execution' | 'price' | 'stopPrice' | 'exit'> {
  /** Id that `cancel` and `replace` accept. The stop leg of a pair has its limit leg's id with `/2`. */
  readonly clientOrderId: string;
  /** Amount after rounding to the market's steps, so it may be a little less than requested. */
  readonly amount: DecimalText;
  readonly matchedAmount: DecimalText;
  readonly state: OwnOrderState;
  /** Time since the strategy decided on the order, in ms. */
  readonly ageMs: number;
}

/**
 * A fill of one of this strategy's orders. `total` is before the fee, which is in the received currency, or
 * in the one that `feeCurrency` names.
 */
export interface FillEvent
  extends
    Pick<OrderRecord, 'tag'>,
    Pick<FillWith<DecimalText>, 'market' | 'side' | 'price' | 'amount' | 'total' | 'fee' | 'feeCurrency'> {
  readonly clientOrderId: string;
  /** Time of the trade, in ms since 1970. */
  readonly timeMs: number;
  /** Kind of bracket exit; null for any other order. */
  readonly exit: ExitKind | null;
}

/**
 * A change of one of this strategy's orders. `status` is `filled` or `cancelled` once the order is final and
 * all its fills were delivered. Before that it is the exchange's own status: `Active`, or `Done` while fills
 * are still to be read.
 */
export interface OrderUpdate {
  readonly clientOrderId: string;
  readonly market: string;
  readonly status: string;
  readonly code: string | null;
  readonly tag: string | null;
  /** Kind of bracket exit; null for any other order. */
  readonly exit: ExitKind | null;
}

/**
 * Status of a transfer: `done`; `unknown`, which must not be sent again; or `accepted`, once a person has
 * checked the balances of an unknown one.
 */
export type TransferStatus = 'done' | 'unknown' | 'accepted';

/** Outcome of a transfer. A transfer that was not made comes as a rejection. */
export interface TransferEvent {
  /** Id of the intent that requested the transfer. */
  readonly id: string;
  /** Currency in lower case. */
  readonly currency: string;
  readonly amount: DecimalText;
  readonly from: WalletSide;
  readonly to: WalletSide;
  readonly status: TransferStatus;
}

/** A closed candle: it will not change any more. */
export type ClosedCandle = Candle & {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** End of the candle, in ms since 1970: the start of the next one. A day can have 23 or 25 hours. */
  readonly closeTimeMs: number;
  /** Time at which the bot read it, in ms since 1970. */
  readonly seenAtMs: number;
  /** Number of bars missing directly before it: without trades, or unreadable. */
  readonly missedBefore: number;
};

/** A refused or failed intent, or a failed order that served one. */
export interface Rejection {
  /** The intent; null if the order was not this strategy's alone, such as a leg of an algorithm. */
  readonly intent: Intent | null;
  readonly clientOrderId: string | null;
  readonly market: string | null;
  readonly side: Side | null;
  /** Tag of the order; null if it has none. */
  readonly tag: string | null;
  /** Kind of bracket exit; null for any other order. */
  readonly exit: ExitKind | null;
  /** `risk` with the name of the check, `fit`, `funds`, `data`, or the exchange's code. */
  readonly code: string;
  /** Reason in one sentence, with the numbers. */
  readonly reason: string;
}

/**
 * An event for one strategy. `seenAtMs` is the time at which the bot read it, in ms since 1970; times of the
 * exchange are in the data.
 */
export type StrategyEvent =
  | { readonly kind: 'start'; readonly isRestart: boolean }
  | { readonly kind: 'stop'; readonly reason: string }
  | { readonly kind: 'candle'; readonly candle: ClosedCandle }
  | { readonly kind: 'book'; readonly market: string; readonly book: OrderBook; readonly seenAtMs: number }
  | {
      readonly kind: 'trades';
      readonly market: string;
      /** New trades only, oldest first. */
      readonly trades: readonly PublicTrade[];
      /** True if trades may be missing before these. */
      readonly hasGap: boolean;
      readonly seenAtMs: number;
    }
  | { readonly kind: 'stats'; readonly stats: MarketStats; readonly seenAtMs: number }
  | { readonly kind: 'margin'; readonly seen: SeenMargin }
  | { readonly kind: 'timer'; readonly name: string; readonly dueMs: number }
  | {
      readonly kind: 'signal';
      /** Name of the declared signal. */
      readonly name: string;
      readonly id: string;
      /** Payload as it was sent: plain JSON that fits the schema. */
      readonly payload: unknown;
      /** Time at which it was sent, in ms since 1970; null if the sender gives none. */
      readonly sentAtMs: number | null;
      readonly seenAtMs: number;
      readonly source: string;
    }
  | {
      readonly kind: 'universe';
      readonly name: string;
      /** New members and former members; both are empty if the strategy need not be notified. */
      readonly entered: readonly string[];
      readonly left: readonly string[];
      readonly universe: UniverseState;
      /** Markets whose data is delivered from now on: members whose past is loaded, and markets in `kept`. */
      readonly follows: readonly string[];
      /** Past bars of the markets that are followed from now on, oldest first. */
      readonly past: readonly ClosedCandle[];
    }
  | { readonly kind: 'fill'; readonly fill: FillEvent }
  | { readonly kind: 'order'; readonly order: OrderUpdate }
  | { readonly kind: 'transfer'; readonly transfer: TransferEvent }
  | { readonly kind: 'reject'; readonly rejection: Rejection };

/** Events that indicators need: candles, and changes of the followed members of universes. */
export type FeedingEvent = Extract<StrategyEvent, { kind: 'candle' | 'universe' }>;

/** The engine's data that a strategy may read. It has methods, so that only what is read is computed. */
export interface EngineView {
  readonly nowMs: number;
  /**
   * Returns the strategy's own holding of a market's base currency, over all its markets: what its fills
   * bought less what they sold and less fees, plus its inventory. At least zero.
   */
  position(market: string): DecimalText;
  /** Returns `position` as a number. */
  positionNumber(market: string): number;
  /** Returns the amount of a market's base currency that the configuration gave the strategy to sell. */
  inventory(market: string): DecimalText;
  /** Returns the amounts it may spend, by lower-case currency: free balances less reserved amounts. */
  free(): Readonly<Record<string, DecimalText>>;
  /** Returns one of the `free` amounts as a number; 0 for a currency without a balance. */
  freeNumber(currency: string): number;
  /** Returns the strategy's own orders that are not final. */
  orders(): readonly OwnOrder[];
  book(market: string): OrderBook | null;
  stats(market: string): MarketStats | null;
  /** Returns the last reading of margin data, by its topic (`marginTopic`); null before the first. */
  margin(topic: string): SeenMargin | null;
  /** Returns the rules of a market; null if the engine does not follow it. */
  rules(market: string): MarketRules | null;
  /** Returns the locks that refuse new risk of the strategy in a market, the last to end first; frozen. */
  locks(market: string): readonly ShownLock[];
  /** Returns a universe of the strategy, by the name of its data; null before the first ranking. */
  universe(name: string): UniverseState | null;
  /**
   * Returns the worth of all that the strategy has, in the market's quote currency, by its capital and its
   * own fills. Each asset counts once. Null without a price.
   */
  equity(market: string): DecimalText | null;
  /** Returns the time since this data was last read, in ms; null before the first reading. */
  ageMs(what: 'book' | 'stats' | 'trades' | 'candles', market: string): number | null;
  accountAgeMs(what: 'orders' | 'fills' | 'balances'): number | null;
}

/** The exchange's requirements for orders of one market, as last read. They change sometimes. */
export interface MarketRules {
  readonly priceStep: DecimalText;
  readonly amountStep: DecimalText;
  /** Least value of an order, in the quote currency: it must be exceeded. */
  readonly minOrderValue: DecimalText;
}

/** Rules of a market as a strategy sees them. */
export interface Rules {
  /** Price step, in the quote currency: each price is a whole multiple of it. */
  readonly priceStep: number;
  /** Amount step, in the base currency: each amount is a whole multiple of it. */
  readonly amountStep: number;
  /** Least value of an order, in the quote currency: it must be exceeded. */
  readonly minOrderValue: number;
  /** These numbers as exact decimals. */
  readonly exact: MarketRules;
}

export function rulesOf({ priceStep, amountStep, minOrderValue }: MarketRules): Rules {
  return Object.freeze({
    priceStep: Number(priceStep),
    amountStep: Number(amountStep),
    minOrderValue: Number(minOrderValue),
    exact: Object.freeze({ priceStep, amountStep, minOrderValue }),
  });
}

/** An order of this strategy that is not final. */
export interface Order extends Omit<OwnOrder, 'price' | 'stopPrice' | 'amount' | 'matchedAmount'> {
  /** Limit price, in the quote currency; null for a market order. */
  readonly price: number | null;
  /** Stop price, in the quote currency; null without one. */
  readonly stopPrice: number | null;
  /** Amount in the base currency, rounded to the market's step: at most what was requested. */
  readonly amount: number;
  /** Filled amount, in the base currency. */
  readonly matchedAmount: number;
  /** Amount not filled yet, in the base currency. */
  readonly remainingAmount: number;
  /** These numbers as exact decimals. */
  readonly exact: Pick<OwnOrder, 'price' | 'stopPrice' | 'amount' | 'matchedAmount'> & {
    readonly remainingAmount: DecimalText;
  };
}

type FillNumbers = 'price' | 'amount' | 'total' | 'fee';

/** A trade of one of this strategy's orders. */
export interface Fill extends Omit<FillEvent, FillNumbers>, Pick<FillWith<number>, FillNumbers> {
  /** These numbers as exact decimals. */
  readonly exact: Pick<FillEvent, FillNumbers>;
}

export function orderOf(order: OwnOrder): Order {
  const { price, stopPrice, amount, matchedAmount } = order;
  const remainingAmount =
    matchedAmount === ZERO ? amount : formatUnits(parseUnits(amount) - parseUnits(matchedAmount));
  return Object.freeze({
    ...order,
    price: numberOf(price),
    stopPrice: numberOf(stopPrice),
    amount: Number(amount),
    matchedAmount: Number(matchedAmount),
    remainingAmount: Number(remainingAmount),
    exact: Object.freeze({ price, stopPrice, amount, matchedAmount, remainingAmount }),
  });
}

export function fillOf(fill: FillEvent): Fill {
  const { price, amount, total, fee } = fill;
  return Object.freeze({
    ...fill,
    price: Number(price),
    amount: Number(amount),
    total: Number(total),
    fee: Number(fee),
    exact: Object.freeze({ price, amount, total, fee }),
  });
}

const numberOf = (text: DecimalText | null): number | null => (text === null ? null : Number(text));
