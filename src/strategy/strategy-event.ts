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
import type { LockKind } from '../domain/lock-kind.ts';
import { formatUnits, parseUnits } from '../domain/money.ts';

/** A lock that refuses orders of this strategy which add risk; those that reduce its position pass. */
export interface ShownLock {
  /** As refusals and the log call it. */
  readonly name: string;
  readonly kind: LockKind;
  /** The one market that it is about; null for all. */
  readonly market: string | null;
  /** This strategy, where the lock is about it alone; null for all strategies. */
  readonly strategy: string | null;
  /** Reason for the lock. */
  readonly reason: string;
  /** In ms since 1970. */
  readonly beganAtMs: number;
  /** In ms since 1970; not in it. A rule or an operator may make it longer. */
  readonly endsAtMs: number;
  /** Treatment of resting orders that add risk at the start of the lock. */
  readonly entries: 'cancel' | 'keep';
}

/**
 * State of an own order. `unknown`: there was no clear answer, so the order may exist. `settling`: closed,
 * and some of its fills are still to be read.
 */
export type OwnOrderState = OrderState;

/** An order of this strategy that is not at its end. */
export interface OwnOrder
  extends
    OrderLabels,
    Pick<OrderWith<DecimalText>, 'market' | 'side' | 'execution' | 'price' | 'stopPrice' | 'exit'> {
  /** Id that `cancel` and `replace` accept. The stop leg of a pair has its limit leg's id with `/2`. */
  readonly clientOrderId: string;
  /** As fitted to the steps of the market, so it may be a little less than what was wished. */
  readonly amount: DecimalText;
  readonly matchedAmount: DecimalText;
  readonly state: OwnOrderState;
  /** Since it was decided, in ms. */
  readonly ageMs: number;
}

/**
 * A fill of one of this strategy's orders. `total` is before the fee; the fee is in the currency received.
 */
export interface FillEvent
  extends
    Pick<OrderRecord, 'tag'>,
    Pick<FillWith<DecimalText>, 'market' | 'side' | 'price' | 'amount' | 'total' | 'fee'> {
  readonly clientOrderId: string;
  /** In ms since 1970. */
  readonly timeMs: number;
  /** Kind of bracket exit; null for any other order. */
  readonly exit: ExitKind | null;
}

/**
 * A change of one of this strategy's orders. `status` is `filled` or `cancelled` once it is at its end and
 * all its fills were delivered, and the exchange's word before (`Active`, or `Done` while fills are still to
 * be read).
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
 * Status of a transfer: `done`; `unknown`, which nobody may send again; or `accepted`, once a person has
 * checked the balances after that.
 */
export type TransferStatus = 'done' | 'unknown' | 'accepted';

/** Outcome of a transfer. A transfer that was not made comes as a rejection. */
export interface TransferEvent {
  /** Of its intent. */
  readonly id: string;
  /** Lower case. */
  readonly currency: string;
  readonly amount: DecimalText;
  readonly from: WalletSide;
  readonly to: WalletSide;
  readonly status: TransferStatus;
}

/** A candle that has closed: it will not change any more. */
export type ClosedCandle = Candle & {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** End of the candle, which is the start of the next one: a day can have 23 or 25 hours. */
  readonly closeTimeMs: number;
  /** Time at which it was read. */
  readonly seenAtMs: number;
  /**
   * Bars missing directly before it: the exchange gave none, because nothing was traded or because they could
   * not be read.
   */
  readonly missedBefore: number;
};

/** An intent, or an order that served one, that came to nothing. */
export interface Rejection {
  /** Null where the order was not this strategy's alone, such as a leg of an algorithm. */
  readonly intent: Intent | null;
  readonly clientOrderId: string | null;
  readonly market: string | null;
  readonly side: Side | null;
  /** That of the order; null without one. */
  readonly tag: string | null;
  /** Kind of bracket exit; null for any other order. */
  readonly exit: ExitKind | null;
  /** `risk` with the check's name, `fit`, `funds`, `data`, or the exchange's code. */
  readonly code: string;
  /** One sentence with the numbers. */
  readonly reason: string;
}

/**
 * An event for one strategy. `seenAtMs` is the time at which the bot read it; times given by the exchange are
 * in the data.
 */
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
      /** True if trades may be missing before these. */
      readonly hasGap: boolean;
      readonly seenAtMs: number;
    }
  | { readonly kind: 'stats'; readonly stats: MarketStats; readonly seenAtMs: number }
  | { readonly kind: 'margin'; readonly seen: SeenMargin }
  | { readonly kind: 'timer'; readonly name: string; readonly dueMs: number }
  | {
      readonly kind: 'signal';
      /** Of its data. */
      readonly name: string;
      readonly id: string;
      /** As it was sent: plain JSON that the schema accepts. */
      readonly payload: unknown;
      /** Null where the sender says nothing. */
      readonly sentAtMs: number | null;
      readonly seenAtMs: number;
      readonly source: string;
    }
  | {
      readonly kind: 'universe';
      readonly name: string;
      /** New members and former members; both empty if there is nobody to notify. */
      readonly entered: readonly string[];
      readonly left: readonly string[];
      readonly universe: UniverseState;
      /** Markets whose data comes from now on: members with a loaded past, and those in `kept`. */
      readonly follows: readonly string[];
      /** Bars of the past of those that are followed from now on, in order. */
      readonly past: readonly ClosedCandle[];
    }
  | { readonly kind: 'fill'; readonly fill: FillEvent }
  | { readonly kind: 'order'; readonly order: OrderUpdate }
  | { readonly kind: 'transfer'; readonly transfer: TransferEvent }
  | { readonly kind: 'reject'; readonly rejection: Rejection };

/** Events that indicators live on, and the followed members of universes. */
export type FeedingEvent = Extract<StrategyEvent, { kind: 'candle' | 'universe' }>;

/** The engine's data that a strategy may read. Methods, so that only the data read is computed. */
export interface EngineView {
  readonly nowMs: number;
  /**
   * The strategy's own holding of a market's source currency over all its markets: what its fills bought less
   * what they sold, fees taken off, and what it was given. At least zero.
   */
  position(market: string): DecimalText;
  /** The same as a number. */
  positionNumber(market: string): number;
  /** Amount given to the strategy of a market's source currency to sell. */
  inventory(market: string): DecimalText;
  /** Amounts it may spend, by lower-case currency: free balances less reserved amounts. */
  free(): Readonly<Record<string, DecimalText>>;
  /** One of them as a number; 0 for a currency that the account has no line for. */
  freeNumber(currency: string): number;
  /** The strategy's own orders that are not at their end. */
  orders(): readonly OwnOrder[];
  book(market: string): OrderBook | null;
  stats(market: string): MarketStats | null;
  /** The last reading of margin, by its topic (`marginTopic`); null before the first. */
  margin(topic: string): SeenMargin | null;
  /** Null for a market that the engine does not follow. */
  rules(market: string): MarketRules | null;
  /** Locks that refuse new risk of the strategy in a market, the one that ends last first; frozen. */
  locks(market: string): readonly ShownLock[];
  /** A universe of the strategy, by the name of its data; null before the first ranking. */
  universe(name: string): UniverseState | null;
  /**
   * All that the strategy has, each asset valued once in the market's quote currency, by its own fills and
   * its capital; null without a price.
   */
  equity(market: string): DecimalText | null;
  /** Time since it was last read, in ms; null before the first reading. */
  ageMs(what: 'book' | 'stats' | 'trades' | 'candles', market: string): number | null;
  accountAgeMs(what: 'orders' | 'fills' | 'balances'): number | null;
}

/** The exchange's requirements for orders of one market, as last read. They change now and then. */
export interface MarketRules {
  readonly priceStep: DecimalText;
  readonly amountStep: DecimalText;
  /** Value that an order must exceed, in the quote currency. */
  readonly minOrderValue: DecimalText;
}

/** The same as a strategy is shown them. */
export interface Rules {
  /** Prices are whole multiples of it, in the quote currency. */
  readonly priceStep: number;
  /** Amounts are whole multiples of it, in the base currency. */
  readonly amountStep: number;
  /** Value that an order must exceed, in the quote currency. */
  readonly minOrderValue: number;
  /** The same numbers with every digit. */
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

/**
 * An order of this strategy that is not at its end. Prices are in the quote currency, amounts in the base
 * currency.
 */
export interface Order extends Omit<OwnOrder, 'price' | 'stopPrice' | 'amount' | 'matchedAmount'> {
  /** Limit price, in the quote currency; null for a market order. */
  readonly price: number | null;
  /** In the quote currency; null without one. */
  readonly stopPrice: number | null;
  /** In the base currency, as fitted to the market's step: at most what was wished. */
  readonly amount: number;
  /** Filled amount, in the base currency. */
  readonly matchedAmount: number;
  /** Amount not filled yet, in the base currency. */
  readonly remainingAmount: number;
  /** The same numbers with every digit. */
  readonly exact: Pick<OwnOrder, 'price' | 'stopPrice' | 'amount' | 'matchedAmount'> & {
    readonly remainingAmount: DecimalText;
  };
}

type FillNumbers = 'price' | 'amount' | 'total' | 'fee';

/** A trade of one of this strategy's orders. */
export interface Fill extends Omit<FillEvent, FillNumbers>, Pick<FillWith<number>, FillNumbers> {
  /** The same numbers with every digit. */
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

function numberOf(text: DecimalText | null): number | null {
  return text === null ? null : Number(text);
}
