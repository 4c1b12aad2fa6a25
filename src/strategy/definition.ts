import type { z } from 'zod';
import type { Candle } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Side } from '../domain/order.ts';
import type { IndicatorSpec } from './indicators.ts';
import type { Intent } from './intents.ts';
import type { Span, Subscription } from './subscriptions.ts';

/** An open order of this strategy. */
export interface OwnOrder {
  readonly clientOrderId: string;
  readonly market: string;
  readonly side: Side;
  /** Null for a market order. */
  readonly price: DecimalText | null;
  readonly amount: DecimalText;
  readonly matchedAmount: DecimalText;
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
}

/** A change of one of this strategy's orders: `status` is the exchange's word, or `Refused` with the exchange's code. */
export interface OrderEvent {
  readonly clientOrderId: string;
  readonly market: string;
  readonly status: string;
  readonly code: string | null;
}

/** A candle that has closed: it will not change any more. */
export type ClosedCandle = Candle & { readonly span: Span };

/** What every handler gets. Everything is as the bot has seen it, which is a little behind the exchange. */
export interface StrategyContext<Params, State> {
  readonly params: Params;
  readonly state: State;
  readonly market: string;
  readonly nowMs: number;
  /** The strategy's own holding of the source currency: what its fills bought less what they sold, fees taken off. */
  readonly position: DecimalText;
  /** Free balances of the account, by lower-case currency. */
  readonly free: Readonly<Record<string, DecimalText>>;
  readonly orders: readonly OwnOrder[];
  readonly book: OrderBook | null;
  /** Values of the declared indicators; null until each has seen enough candles. */
  readonly indicators: Readonly<Record<string, number | null>>;
}

/** The next state and what is wanted. What is left out stays as it is. */
export interface HandlerResult<State> {
  readonly state?: State;
  readonly intents?: readonly Intent[];
}

/**
 * A strategy: pure handlers from what happened to what is wanted. State is JSON. A handler that throws stops this strategy and nothing else.
 */
export interface StrategyDefinition<ParamsSchema extends z.ZodType = z.ZodType, State = unknown> {
  /** Letters, digits and hyphens, lower case, at most twelve: it becomes part of the clientOrderId. */
  readonly name: string;
  readonly params: ParamsSchema;
  /** `span` is the candle length that the run offers by default. */
  subscribe(setup: {
    readonly market: string;
    readonly params: z.output<ParamsSchema>;
    readonly span: Span;
  }): readonly Subscription[];
  /** Indicators of the closes of the subscribed candles. */
  indicators?(setup: { readonly params: z.output<ParamsSchema> }): Readonly<Record<string, IndicatorSpec>>;
  init(setup: { readonly params: z.output<ParamsSchema> }): State;
  onCandle?(context: StrategyContext<z.output<ParamsSchema>, State>, candle: ClosedCandle): HandlerResult<State>;
  onBook?(context: StrategyContext<z.output<ParamsSchema>, State>, seen: OrderBook): HandlerResult<State>;
  onFill?(context: StrategyContext<z.output<ParamsSchema>, State>, fill: FillEvent): HandlerResult<State>;
  onOrder?(context: StrategyContext<z.output<ParamsSchema>, State>, order: OrderEvent): HandlerResult<State>;
}

/** Declares a strategy, keeping the types of its parameters and its state. */
export function defineStrategy<ParamsSchema extends z.ZodType, State>(
  definition: StrategyDefinition<ParamsSchema, State>,
): StrategyDefinition<ParamsSchema, State> {
  return definition;
}
