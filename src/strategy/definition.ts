import type { z } from 'zod';
import type { Candle } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Execution, Side } from '../domain/order.ts';
import type { PublicTrade } from '../domain/trade.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import type { StrategyContext } from './context.ts';
import type { IndicatorSpec } from './indicator-specs.ts';
import type { Intent } from './intents.ts';
import type { Rejection } from './strategy-event.ts';
import type { Subscription } from './subscriptions.ts';

export type { StrategyContext } from './context.ts';

/** Where an own order stands. `unknown`: there was no clear answer, so it may be there; `settling`: closed, and some of its fills are still to be read. */
export type OwnOrderState =
  | 'planned'
  | 'sending'
  | 'unknown'
  | 'open'
  | 'cancelling'
  | 'settling'
  | 'filled'
  | 'cancelled'
  | 'rejected';

/** An order of this strategy that is not at its end. */
export interface OwnOrder {
  /** What `cancel` and `replace` take. The stop leg of a pair has its limit leg's with `/2`. */
  readonly clientOrderId: string;
  readonly market: string;
  readonly side: Side;
  readonly execution: Execution;
  /** Null for a market order. */
  readonly price: DecimalText | null;
  readonly stopPrice: DecimalText | null;
  /** As fitted to the steps of the market, so it may be a little less than what was wished. */
  readonly amount: DecimalText;
  readonly matchedAmount: DecimalText;
  readonly tag: string | null;
  readonly state: OwnOrderState;
  /** Since it was decided. */
  readonly ageMs: number;
}

/** A fill of one of this strategy's orders. `total` is before the fee; the fee is in the currency received. */
export interface FillEvent {
  readonly clientOrderId: string;
  readonly market: string;
  readonly timeMs: number;
  readonly side: Side;
  readonly price: DecimalText;
  readonly amount: DecimalText;
  readonly total: DecimalText;
  readonly fee: DecimalText;
  readonly tag: string | null;
}

/**
 * A change of one of this strategy's orders. `status` is `filled` or `cancelled` once it is at its end and all its fills were told, and the exchange's word
 * before (`Active`, or `Done` while fills are still to be read).
 */
export interface OrderUpdate {
  readonly clientOrderId: string;
  readonly market: string;
  readonly status: string;
  readonly code: string | null;
  readonly tag: string | null;
}

/** A candle that has closed: it will not change any more. */
export type ClosedCandle = Candle & {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** When it was read. */
  readonly seenAtMs: number;
  /** Bars missing directly before it: the exchange gave none, because nothing was traded or because they could not be read. */
  readonly missedBefore: number;
};

/** A book, with when the exchange says it was so (`updatedAtMs`) and when it was read. */
export type SeenBook = OrderBook & { readonly market: string; readonly seenAtMs: number };

/** New trades of the public tape, oldest first. */
export interface SeenTrades {
  readonly market: string;
  readonly trades: readonly PublicTrade[];
  /** Whether some may have been missed before these. */
  readonly hasGap: boolean;
  readonly seenAtMs: number;
}

export type SeenStats = MarketStats & { readonly seenAtMs: number };

/** A timer that has come. `dueMs` is when it should have; the context's `nowMs` is when it did. */
export interface TimerEvent {
  readonly name: string;
  readonly dueMs: number;
}

/** The next state and what is wanted. What is left out stays as it is. */
export interface HandlerResult<State> {
  readonly state?: State;
  readonly intents?: readonly Intent[];
}

/** Indicators by the name that the author gives them. */
export type IndicatorSpecs = Readonly<Record<string, IndicatorSpec>>;

/** What a handler may return; nothing at all leaves everything as it is. */
type Answer<State> = HandlerResult<State> | undefined | void;

/**
 * A strategy: pure handlers from what happened to what is wanted. State is JSON, and frozen. A handler that throws stops this strategy and nothing else.
 */
export interface StrategyDefinition<
  ParamsSchema extends z.ZodType = z.ZodType,
  State = unknown,
  Specs extends IndicatorSpecs = IndicatorSpecs,
  Context = StrategyContext<z.output<ParamsSchema>, State, Specs>,
> {
  /** Letters, digits and hyphens, lower case, at most twelve: it becomes part of the clientOrderId. */
  readonly name: string;
  readonly params: ParamsSchema;
  /**
   * `timeframe` is the candle length that the run offers by default. `hasBooks` is false in a backtest on candles, which holds no books, no trades of others and no
   * statistics, and refuses a strategy that subscribes to them.
   */
  subscribe(setup: {
    readonly market: string;
    readonly params: z.output<ParamsSchema>;
    readonly timeframe: Timeframe;
    readonly hasBooks: boolean;
  }): readonly Subscription[];
  /** Indicators of the subscribed candles. */
  indicators?(setup: { readonly params: z.output<ParamsSchema>; readonly market: string }): Specs;
  init(setup: { readonly params: z.output<ParamsSchema>; readonly market: string }): State;
  /** The strategy begins: warmed up, and with its state of before when it is a restart. */
  onStart?(context: Context, start: { readonly isRestart: boolean }): Answer<State>;
  /** The run ends. Intents are refused by now; the state is kept. */
  onStop?(context: Context, stop: { readonly reason: string }): Answer<State>;
  onCandle?(context: Context, candle: ClosedCandle): Answer<State>;
  onBook?(context: Context, book: SeenBook): Answer<State>;
  onTrades?(context: Context, tape: SeenTrades): Answer<State>;
  onStats?(context: Context, stats: SeenStats): Answer<State>;
  onTimer?(context: Context, timer: TimerEvent): Answer<State>;
  onFill?(context: Context, fill: FillEvent): Answer<State>;
  onOrder?(context: Context, order: OrderUpdate): Answer<State>;
  /** An intent, or an order that served one, came to nothing. */
  onReject?(context: Context, rejection: Rejection): Answer<State>;
}

/** Declares a strategy, keeping the types of its parameters, its state and its indicators. */
export function defineStrategy<ParamsSchema extends z.ZodType, State, Specs extends IndicatorSpecs = IndicatorSpecs>(
  definition: StrategyDefinition<ParamsSchema, State, Specs>,
): StrategyDefinition<ParamsSchema, State, Specs> {
  return definition;
}
