import { SarrafError } from '../domain/errors.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type {
  ClosedCandle,
  FillEvent,
  HandlerResult,
  OrderEvent,
  StrategyContext,
  StrategyDefinition,
} from './definition.ts';
import { createIndicator, type Indicator } from './indicators.ts';
import { checkedIntents } from './check-intents.ts';
import { checkedState } from './check-state.ts';
import { checkedSubscriptions } from './check-subscriptions.ts';
import type { Intent } from './intents.ts';
import type { Span, Subscription } from './subscriptions.ts';

/** What happened, for one strategy. */
export type StrategyEvent =
  | { readonly kind: 'candle'; readonly candle: ClosedCandle }
  | { readonly kind: 'book'; readonly book: OrderBook }
  | { readonly kind: 'fill'; readonly fill: FillEvent }
  | { readonly kind: 'order'; readonly order: OrderEvent };

/** What the runner can not know by itself. */
export type StrategyView = Pick<StrategyContext<unknown, unknown>, 'nowMs' | 'position' | 'free' | 'orders' | 'book'>;

/**
 * One strategy at work in one market: owns its parameters, state and indicators, and calls its handlers. A handler that throws, whose
 * state is no JSON or whose intents are none, stops the strategy: `failure` says why, and it gets no further events.
 */
export class StrategyRunner {
  readonly name: string;
  readonly market: string;
  readonly subscriptions: readonly Subscription[];
  failure: string | null = null;
  private readonly definition: StrategyDefinition;
  private readonly params: unknown;
  private readonly indicators: readonly (readonly [name: string, indicator: Indicator])[];
  private readonly values: Record<string, number | null> = {};
  private state: unknown;

  /** Throws `INVALID_STRATEGY` when the name or the parameters are not what the definition asks for. */
  constructor(
    definition: StrategyDefinition,
    setup: { readonly market: string; readonly span: Span; readonly params?: Readonly<Record<string, unknown>> },
  ) {
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(definition.name) || definition.name.length > 12) {
      const message = `expected a strategy name of at most twelve lower-case letters, digits and hyphens, was ${JSON.stringify(definition.name)}`;
      throw new SarrafError('INVALID_STRATEGY', message);
    }
    const params = definition.params.safeParse(setup.params ?? {});
    if (!params.success) {
      const problems = params.error.issues.map((issue) => `${issue.path.join('.') || 'params'}: ${issue.message}`);
      throw new SarrafError('INVALID_STRATEGY', `parameters of ${definition.name}: ${problems.join('; ')}`);
    }
    this.definition = definition;
    this.name = definition.name;
    this.market = setup.market;
    this.params = params.data;
    this.subscriptions = checkedSubscriptions(
      definition.subscribe({ market: setup.market, params: params.data, span: setup.span }),
    );
    const specs = Object.entries(definition.indicators?.({ params: params.data }) ?? {});
    this.indicators = specs.map(([name, spec]) => [name, createIndicator(spec)] as const);
    for (const [name] of this.indicators) this.values[name] = null;
    this.state = checkedState(definition.init({ params: params.data }));
  }

  /** Candles that the longest indicator needs before it has a value. */
  get warmUpLength(): number {
    const specs = Object.values(this.definition.indicators?.({ params: this.params }) ?? {});
    return specs.reduce((longest, { length }) => Math.max(longest, length), 0);
  }

  /** Feeds the indicators with a candle of the past, without asking the strategy. */
  warmUp(candle: ClosedCandle): void {
    for (const [name, indicator] of this.indicators) this.values[name] = indicator.add(Number(candle.close));
  }

  /** Tells the strategy what happened; answers what it wants. */
  handle(event: StrategyEvent, view: StrategyView): readonly Intent[] {
    if (this.failure !== null) return [];
    if (event.kind === 'candle') this.warmUp(event.candle);
    const context: StrategyContext<unknown, unknown> = {
      ...view,
      params: this.params,
      state: this.state,
      market: this.market,
      indicators: this.values,
    };
    try {
      const result = this.call(event, context);
      if (!isResult(result)) {
        throw new SarrafError(
          'INVALID_STRATEGY',
          `expected { state, intents } from a handler that does not wait, was ${result instanceof Promise ? 'a promise' : JSON.stringify(result)}`,
        );
      }
      const intents = checkedIntents(result?.intents ?? []);
      if (result?.state !== undefined) this.state = checkedState(result.state);
      return intents;
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      return [];
    }
  }

  private call(event: StrategyEvent, context: StrategyContext<unknown, unknown>): HandlerResult<unknown> | undefined {
    switch (event.kind) {
      case 'candle':
        return this.definition.onCandle?.(context, event.candle);
      case 'book':
        return this.definition.onBook?.(context, event.book);
      case 'fill':
        return this.definition.onFill?.(context, event.fill);
      case 'order':
        return this.definition.onOrder?.(context, event.order);
    }
  }
}

/** Whether a handler returned what it may; nothing at all is fine. */
function isResult(result: unknown): boolean {
  return (
    result === undefined ||
    (typeof result === 'object' && result !== null && !Array.isArray(result) && !(result instanceof Promise))
  );
}
