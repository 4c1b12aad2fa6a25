import { SarrafError } from '../domain/errors.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import { CandleSeries } from './candle-series.ts';
import { callHandler, HANDLERS, wrongAnswer } from './call-handler.ts';
import { checkedIntents } from './check-intents.ts';
import { checkState } from './check-state.ts';
import { expectedMarket } from './check-subscriptions.ts';
import { plainCandle } from './column-candle.ts';
import type { ClosedCandle, StrategyDefinition } from './definition.ts';
import { HandlerContext, type HandlerSetup } from './handler-context.ts';
import type { IndicatorValue } from './indicator-specs.ts';
import type { Intent } from './intents.ts';
import { checkedParameters, checkedSetup } from './runner-setup.ts';
import type { EngineView, StrategyEvent } from './strategy-event.ts';
import { faultOf, sayFault, type StrategyFault, type StrategySource } from './strategy-fault.ts';
import { StrategyLog, type StrategyLogLine } from './strategy-log.ts';
import type { StrategyPort } from './strategy-port.ts';
import type { CandleSubscription, Subscription } from './subscriptions.ts';

export interface RunnerSetup {
  /** The name of this instance; the definition's without it. A strategy may run more than once, under names of their own. */
  readonly name?: string;
  readonly market: string;
  /** The candle length that the run offers. */
  readonly timeframe: Timeframe;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Whether the run has books, trades of others and statistics; true without it. */
  readonly hasBooks?: boolean;
  /** Symbols that there are; without them any market is believed. */
  readonly knownMarkets?: ReadonlySet<string>;
  /** Where its code is, for what is said when it fails. */
  readonly source?: StrategySource;
}

const NO_INTENTS: readonly Intent[] = [];

/**
 * One strategy at work in one market: owns its parameters, state and indicators, and calls its handlers. A handler that throws, whose
 * state is no JSON or whose intents are none, stops the strategy: `failure` says which one and why, and it gets no further events.
 */
export class StrategyRunner implements StrategyPort {
  readonly name: string;
  readonly market: string;
  readonly subscriptions: readonly Subscription[];
  failure: string | null = null;
  fault: StrategyFault | null = null;
  readonly isBeyondRepair = false;
  private readonly definition: StrategyDefinition;
  private readonly setup: HandlerSetup;
  private readonly values: Record<string, IndicatorValue | null> = {};
  private readonly knownMarkets: ReadonlySet<string> | undefined;
  private readonly source: StrategySource | null;
  private readonly log = new StrategyLog();
  /** Kinds of events that there is a handler for, and those that indicators live on besides. */
  private readonly handled: ReadonlySet<StrategyEvent['kind']>;
  private readonly wanted: ReadonlySet<StrategyEvent['kind']>;
  private readonly handlesCandles: boolean;
  /** The same as `wants('candle')`. */
  readonly wantsCandles: boolean;
  private state: unknown;
  /** The state as JSON, once somebody asked for it. */
  private json: string | null = null;
  /** The JSON that was taken last, or that the state began with. */
  private takenJson: string;

  /** Throws `INVALID_STRATEGY` when the name, the parameters, a subscription or an indicator is not what it should be; what the author throws, too. */
  constructor(definition: StrategyDefinition, setup: RunnerSetup) {
    const { market, timeframe, knownMarkets, hasBooks = true } = setup;
    this.definition = definition;
    this.name = setup.name ?? definition.name;
    this.market = market;
    this.knownMarkets = knownMarkets;
    this.source = setup.source ?? null;
    if (knownMarkets?.has(market) === false) {
      throw new SarrafError('INVALID_STRATEGY', `market of ${this.name}: ${expectedMarket(market, knownMarkets)}`);
    }
    const params = checkedParameters(definition, this.name, setup.params ?? {});
    const { subscriptions, series, indicators } = checkedSetup({
      wanted: definition.subscribe({ market, params, timeframe, hasBooks }),
      specs: definition.indicators?.({ params, market }) ?? {},
      knownMarkets,
    });
    this.subscriptions = subscriptions;
    for (const name of indicators) this.values[name] = null;
    this.setup = { params, market, indicators: shownValues(this.values), series, log: this.log.add };
    const isFed = series.some(({ warmUpLength }) => warmUpLength > 0);
    const kinds = Object.keys(HANDLERS) as StrategyEvent['kind'][];
    this.handled = new Set(kinds.filter((kind) => definition[HANDLERS[kind]] !== undefined));
    this.handlesCandles = this.handled.has('candle');
    this.wanted = new Set([...this.handled, ...(isFed ? ['candle' as const] : [])]);
    this.wantsCandles = this.wanted.has('candle');
    this.state = definition.init({ params, market });
    checkState(this.state);
    this.takenJson = JSON.stringify(this.state);
    this.json = this.takenJson;
  }

  get params(): unknown {
    return this.setup.params;
  }

  warmUpLength(subscription: CandleSubscription): number {
    return this.seriesOf(subscription)?.warmUpLength ?? 0;
  }

  warmUp(candle: ClosedCandle): void {
    this.seriesOf(candle)?.add(candle, this.values);
  }

  wants(kind: StrategyEvent['kind']): boolean {
    return this.wanted.has(kind);
  }

  handle(event: StrategyEvent, view: EngineView): readonly Intent[] {
    if (event.kind === 'candle') return this.handleCandle(event.candle, view);
    if (this.failure !== null || !this.handled.has(event.kind)) return NO_INTENTS;
    try {
      return this.ask(event, view);
    } catch (error) {
      return this.fail(event.kind, error);
    }
  }

  handleCandle(candle: ClosedCandle, view: EngineView): readonly Intent[] {
    this.warmUp(candle);
    if (this.failure !== null || !this.handlesCandles) return NO_INTENTS;
    try {
      return this.askOfCandle(candle, view);
    } catch (error) {
      return this.fail('candle', error);
    }
  }

  takeLog(): readonly StrategyLogLine[] {
    return this.log.take();
  }

  stateJson(): string {
    this.json ??= JSON.stringify(this.state);
    return this.json;
  }

  takeChangedState(): string | null {
    if (this.json === this.takenJson) return null;
    const json = this.stateJson();
    if (json === this.takenJson) return null;
    this.takenJson = json;
    return json;
  }

  restore(json: string): void {
    let state: unknown;
    try {
      state = JSON.parse(json);
    } catch (error) {
      const message = `expected the stored state of ${this.name} as JSON, was ${JSON.stringify(json.slice(0, 60))}`;
      throw new SarrafError('INVALID_STRATEGY', message, { cause: error });
    }
    checkState(state);
    this.state = state;
    this.json = JSON.stringify(state);
    this.takenJson = this.json;
  }

  clearFailure(): void {
    this.failure = null;
    this.fault = null;
  }

  private fail(kind: StrategyEvent['kind'], error: unknown): readonly Intent[] {
    if (error instanceof SarrafError && error.code === 'INVARIANT') throw error;
    this.fault = faultOf(HANDLERS[kind], error, this.source);
    this.failure = sayFault(this.fault);
    return NO_INTENTS;
  }

  private ask(event: Exclude<StrategyEvent, { kind: 'candle' }>, view: EngineView): readonly Intent[] {
    this.log.begin(view.nowMs);
    return this.take(callHandler(this.definition, event, new HandlerContext(this.setup, this.state, view)));
  }

  private askOfCandle(candle: ClosedCandle, view: EngineView): readonly Intent[] {
    this.log.begin(view.nowMs);
    const context = new HandlerContext(this.setup, this.state, view);
    return this.take(this.definition.onCandle?.(context, plainCandle(candle)));
  }

  /** Checks what a handler answered. The state is taken over last, so that an answer that is wrong changes nothing. */
  private take(answer: unknown): readonly Intent[] {
    if (answer === undefined) return NO_INTENTS;
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer) || 'then' in answer) {
      throw wrongAnswer(answer);
    }
    const { state, intents } = answer as { readonly state?: unknown; readonly intents?: unknown };
    const checked = intents === undefined ? NO_INTENTS : checkedIntents(intents, this.knownMarkets);
    if (state !== undefined && state !== this.state) {
      checkState(state);
      this.state = state;
      this.json = null;
    }
    return checked;
  }

  private seriesOf({
    market,
    timeframe,
  }: {
    readonly market: string;
    readonly timeframe: Timeframe;
  }): CandleSeries | undefined {
    for (const series of this.setup.series) if (series.isOf(market, timeframe)) return series;
    return undefined;
  }
}

/** What a strategy sees of its indicators: their values as of now, in an object that can not be changed. */
function shownValues(
  values: Readonly<Record<string, IndicatorValue | null>>,
): Readonly<Record<string, IndicatorValue | null>> {
  const shown = {};
  for (const name of Object.keys(values)) {
    Object.defineProperty(shown, name, { get: () => values[name], enumerable: true });
  }
  return Object.freeze(shown);
}
