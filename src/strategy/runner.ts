import { SarrafError } from '../domain/errors.ts';
import { CandleSeries } from './candle-series.ts';
import { checkedData, type DataEntry } from './check-data.ts';
import { strayHandler, whatIsWrong } from './check-definition.ts';
import { expectedMarket } from './check-subscriptions.ts';
import { dataSetup } from './data.ts';
import type { AnyHandler, LifeName, StrategyDefinition } from './definition.ts';
import { routeOfEvent, routeOfSubscription } from './event-route.ts';
import { HandlerCall } from './handler-call.ts';
import { HandlerContext } from './handler-context.ts';
import type { IndicatorValue } from './indicator-specs.ts';
import type { Indicator } from './indicators.ts';
import type { Intent } from './intents.ts';
import { readOnlyFields } from './read-only-fields.ts';
import { addIndicators, checkedParameters } from './runner-setup.ts';
import { candleFor, eventFor, NOTHING_SHOWN, wrongAnswer } from './shown-event.ts';
import type { ClosedCandle, EngineView, StrategyEvent } from './strategy-event.ts';
import { faultOf, sayFault, type StrategyFault, type StrategySource } from './strategy-fault.ts';
import { StrategyLog, type StrategyLogLine } from './strategy-log.ts';
import type { StrategyPort } from './strategy-port.ts';
import { StrategyState } from './strategy-state.ts';
import type { MarketNames } from '../domain/market-symbol.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import type { CandleSubscription, Subscription } from './subscriptions.ts';
import { paceOf, type TrailPace } from './trailing.ts';

export interface RunnerSetup {
  /**
   * The name of this instance; the definition's without it. A strategy may run more than once, under names of
   * their own.
   */
  readonly name?: string;
  readonly market: string;
  readonly marketNames: MarketNames;
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

/** A handler with its data; those of the strategy's life have none. */
interface Handler {
  readonly name: string;
  readonly data: DataEntry | null;
  readonly handle: AnyHandler;
}

const NO_INTENTS: readonly Intent[] = Object.freeze([]);
const NO_HANDLERS: readonly Handler[] = [];

/**
 * One strategy at work in one market: owns its parameters, state and indicators, and calls its handlers. A
 * handler that throws stops the strategy: `failure` says which one and why, and it gets no further events.
 */
export class StrategyRunner implements StrategyPort {
  readonly name: string;
  readonly market: string;
  readonly subscriptions: readonly Subscription[];
  readonly params: unknown;
  readonly trailing: TrailPace | null;
  failure: string | null = null;
  fault: StrategyFault | null = null;
  readonly isBeyondRepair = false;
  /** The same as `wants('candle')`. */
  readonly wantsCandles: boolean;
  private readonly definition: StrategyDefinition;
  private readonly source: StrategySource | null;
  private readonly log = new StrategyLog();
  private readonly state: StrategyState;
  private readonly call: HandlerCall;
  private readonly context: HandlerContext;
  /** Indicators without which handlers of data are not called. */
  private readonly awaited: readonly Indicator[];
  /** Handlers by what brings them about. */
  private readonly handlers = new Map<string, Handler[]>();
  private readonly candles: readonly {
    readonly series: CandleSeries;
    readonly handlers: readonly Handler[];
  }[];
  /** Kinds of events that there is a handler for, or that indicators live on. */
  private readonly wanted: ReadonlySet<StrategyEvent['kind']>;

  /**
   * Throws `INVALID_STRATEGY` when a part of the strategy is not what it should be; what the author throws,
   * too.
   */
  constructor(definition: StrategyDefinition, setup: RunnerSetup) {
    const { market, timeframe, marketNames, knownMarkets, hasBooks = true } = setup;
    const wrong = whatIsWrong(definition);
    if (wrong !== null) throw new SarrafError('INVALID_STRATEGY', wrong);
    this.definition = definition;
    this.name = setup.name ?? definition.name;
    this.market = market;
    this.source = setup.source ?? null;
    if (knownMarkets?.has(market) === false) {
      throw new SarrafError(
        'INVALID_STRATEGY',
        `market of ${this.name}: ${expectedMarket(market, knownMarkets)}`,
      );
    }
    const params = checkedParameters(definition, this.name, setup.params ?? {});
    this.params = params;
    const declared = definition.data(dataSetup({ market, params, timeframe, hasBooks, marketNames }));
    const entries = checkedData(declared, knownMarkets);
    const indicators = addIndicators(definition.indicators?.(declared, { params, timeframe }), entries);
    const stray = strayHandler(
      definition.on,
      entries.map(({ name }) => name),
    );
    if (stray !== null) throw new SarrafError('INVALID_STRATEGY', stray);
    this.subscriptions = [...new Set(entries.map(({ subscription }) => subscription))];
    this.trailing = paceOf(definition.trailing, this.subscriptions);
    this.awaited = definition.beforeWarm === 'call' ? [] : [...indicators.values()];
    this.state = new StrategyState(this.name, definition);
    this.call = new HandlerCall(marketNames, knownMarkets);
    const shared = {
      market,
      params,
      entries,
      knownMarkets,
      state: this.state,
      call: this.call,
      log: this.log.add,
    };
    this.context = new HandlerContext({ ...shared, indicators: shownValues(indicators) });
    for (const [name, handle] of Object.entries(definition.on)) {
      if (handle !== undefined) this.addHandler(name, handle, entries);
    }
    const series = [...new Set(entries.flatMap((entry) => entry.series ?? []))];
    this.candles = series.map((one) => ({
      series: one,
      handlers: this.handlers.get(routeOfSubscription(one.subscription)) ?? NO_HANDLERS,
    }));
    this.wanted = wantedKinds(this.handlers, series);
    this.wantsCandles = this.wanted.has('candle');
  }

  warmUpLength({ market, timeframe }: CandleSubscription): number {
    // What was not declared needs no bars.
    return this.candlesOf(market, timeframe)?.series.warmUpLength ?? 0;
  }

  warmUp(candle: ClosedCandle): void {
    this.candlesOf(candle.market, candle.timeframe)?.series.add(candle);
  }

  wants(kind: StrategyEvent['kind']): boolean {
    return this.wanted.has(kind);
  }

  /** The first handler of an event, such as `on.bars`; null where there is no handler for it. */
  handlerOf(route: string): string | null {
    const [first] = this.handlers.get(route) ?? NO_HANDLERS;
    return first === undefined ? null : `on.${first.name}`;
  }

  /** What brings its handlers about. */
  get routes(): readonly string[] {
    return [...this.handlers.keys()];
  }

  handle(event: StrategyEvent, view: EngineView): readonly Intent[] {
    if (event.kind === 'candle') {
      const { candle } = event;
      return this.handleCandle(candle, view, this.candlePlace(candle.market, candle.timeframe));
    }
    if (this.failure !== null) return NO_INTENTS;
    const handlers = this.handlers.get(routeOfEvent(event));
    if (handlers === undefined) return NO_INTENTS;
    this.begin(view);
    for (const handler of handlers) {
      if (handler.data !== null && !this.isWarm()) continue;
      if (!this.ask(handler, eventFor, event)) return NO_INTENTS;
    }
    return this.end();
  }

  candlePlace(market: string, timeframe: Timeframe): number {
    return this.candles.findIndex(({ series }) => series.isOf(market, timeframe));
  }

  handleCandle(candle: ClosedCandle, view: EngineView, place: number): readonly Intent[] {
    const found = this.candles[place];
    if (found === undefined) return NO_INTENTS;
    found.series.add(candle);
    if (this.failure !== null || found.handlers.length === 0 || !this.isWarm()) return NO_INTENTS;
    this.begin(view);
    for (const handler of found.handlers) {
      if (!this.ask(handler, candleFor, candle)) return NO_INTENTS;
    }
    return this.end();
  }

  takeLog(): readonly StrategyLogLine[] {
    return this.log.take();
  }

  stateJson(): string {
    return this.state.toJson();
  }

  takeChangedState(): string | null {
    return this.state.takeChanged();
  }

  restore(json: string): void {
    this.state.restore(json);
  }

  clearFailure(): void {
    this.failure = null;
    this.fault = null;
  }

  private addHandler(name: string, handle: AnyHandler, entries: readonly DataEntry[]): void {
    const of = entries.filter((entry) => entry.name === name);
    for (const data of of.length === 0 ? [null] : of) {
      const route = data === null ? name : routeOfSubscription(data.subscription);
      this.handlers.set(route, [...(this.handlers.get(route) ?? []), { name, data, handle }]);
    }
  }

  private begin(view: EngineView): void {
    this.log.begin(view.nowMs);
    this.call.begin(view);
  }

  /**
   * Calls one handler of an event with what it is shown of it; answers whether it ended well. What they
   * wanted and changed is taken only where all do. An event that can not be shown stops this strategy alone.
   */
  private ask<Event>(
    { name, data, handle }: Handler,
    show: (data: DataEntry | null, event: Event) => unknown,
    event: Event,
  ): boolean {
    try {
      const shown = show(data, event);
      if (shown === NOTHING_SHOWN) return true;
      const answer = handle.call(this.definition.on, this.context, shown);
      if (answer !== undefined) throw wrongAnswer(answer);
      return true;
    } catch (error) {
      this.fail(name, error);
      return false;
    }
  }

  /** All handlers of an event ended well. */
  private end(): readonly Intent[] {
    this.state.keep();
    return this.call.end();
  }

  private isWarm(): boolean {
    for (const indicator of this.awaited) if (!indicator.hasValue) return false;
    return true;
  }

  private fail(name: string, error: unknown): void {
    this.state.drop();
    this.call.end();
    if (error instanceof SarrafError && error.code === 'INVARIANT') throw error;
    this.fault = faultOf(`on.${name}`, error, this.source);
    this.failure = sayFault(this.fault);
  }

  private candlesOf(market: string, timeframe: Timeframe): StrategyRunner['candles'][number] | undefined {
    return this.candles[this.candlePlace(market, timeframe)];
  }
}

function wantedKinds(
  handlers: ReadonlyMap<string, readonly Handler[]>,
  series: readonly CandleSeries[],
): ReadonlySet<StrategyEvent['kind']> {
  const kinds = [...handlers.values()].flatMap((some) =>
    some.map(({ name, data }) => {
      if (data === null) return name as LifeName;
      const { kind } = data.subscription;
      return kind === 'candles' ? 'candle' : kind;
    }),
  );
  // Declared bars are looked at from other handlers, too.
  return new Set([...kinds, ...(series.length > 0 ? ['candle' as const] : [])]);
}

/** What a strategy sees of its indicators: their values as of now, in an object that can not be changed. */
function shownValues(
  indicators: ReadonlyMap<string, Indicator>,
): Readonly<Record<string, IndicatorValue | null>> {
  return readOnlyFields(indicators);
}
