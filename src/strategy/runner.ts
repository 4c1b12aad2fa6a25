import { SarrafError, invalidStrategy } from '../domain/errors.ts';
import { checkedData, type DataEntry } from './checks/check-data.ts';
import { SLEEP, strayHandler, type StrategyDefinition, paceOf, type TrailPace } from './definition.ts';
import { expectedMarket } from './decimal-input.ts';
import { ColumnCandle, type BarRows } from './column-candle.ts';
import type { CandleSeries } from './data/candle-series.ts';
import { dataSetup } from './data/data.ts';
import {
  routeOfEvent,
  withUniverses,
  type CandleSubscription,
  type OtherVenueAges,
  type Subscription,
} from './subscriptions.ts';
import {
  HandlerCall,
  candlePlacesOf,
  handlersByRoute,
  NO_HANDLERS,
  wantedKinds,
  type CandlePlace,
  type Handler,
  candleFor,
  eventFor,
  NOTHING_SHOWN,
  wrongAnswer,
  type ShownAs,
} from './handlers/handler-call.ts';
import {
  HandlerContext,
  memberValues,
  readOnlyFields,
  type FieldReader,
} from './handlers/handler-context.ts';
import type { Indicator } from './indicators/declare-indicator.ts';
import type { Intent } from './intents.ts';
import { StrategyPlots, type PlotSink } from './plots.ts';
import { addIndicators, checkedParameters, definitionFor } from './runner-setup.ts';
import { payloadProblem, type SignalObjection } from './signal.ts';
import type { ClosedCandle, EngineView, FeedingEvent, StrategyEvent } from './strategy-event.ts';
import {
  faultOf,
  faultText,
  type StrategyFault,
  type StrategySource,
  type StrategyPort,
  StrategyLog,
  type StrategyLogLine,
} from './strategy-port.ts';
import { StrategyState } from './strategy-state.ts';
import type { MarketNames } from '../domain/market-symbol.ts';
import type { Timeframe } from '../domain/candle.ts';
import type { Candidate, MemberSet } from './universe/member-set.ts';
import type { UniverseWish } from './universe-rules.ts';

export interface RunnerSetup {
  /** Name of this instance; if left out, the definition's. One strategy may run under several names. */
  readonly name?: string;
  readonly market: string;
  readonly marketNames: MarketNames;
  /** Timeframe of the run's candles. */
  readonly timeframe: Timeframe;
  readonly params?: Readonly<Record<string, unknown>>;
  /** True if the run has books, public trades and statistics; true if left out. */
  readonly hasBooks?: boolean;
  /** True if the markets come from a data set, which lacks some of the exchange's markets. */
  readonly isDataSet?: boolean;
  /** Symbols that exist; if left out, any market is accepted. */
  readonly knownMarkets?: ReadonlySet<string>;
  /** Other venues of the configuration; if left out, any name is accepted. */
  readonly venues?: OtherVenueAges;
  /** Rule for the markets in which a strategy of one market runs instead of `market`; null for none. */
  readonly universe?: UniverseWish | null;
  /** Where the strategy's code is, for error messages. */
  readonly source?: StrategySource;
}

const NO_INTENTS: readonly Intent[] = Object.freeze([]);
type UniverseChange = Extract<StrategyEvent, { kind: 'universe' }>;

/**
 * One running strategy in one market: owns its parameters, state and indicators, and calls its handlers. A
 * handler that throws stops the strategy: `failure` says which one and why, and no more events are delivered.
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
  /** True if `wants('candle')` is true. */
  readonly wantsCandles: boolean;
  readonly maySleep: boolean;
  private readonly definition: StrategyDefinition;
  private readonly source: StrategySource | null;
  private readonly log = new StrategyLog();
  private readonly drawn = new StrategyPlots(this.log.add);
  private readonly state: StrategyState;
  private readonly call: HandlerCall;
  private readonly context: HandlerContext;
  /** Indicators that must have a value before handlers of data are called. */
  private readonly awaited: readonly Indicator[];
  private readonly indicators: ReadonlyMap<string, Indicator>;
  /** Handlers by the route of their events. */
  private readonly handlers: ReadonlyMap<string, readonly Handler[]>;
  private readonly candles: readonly CandlePlace[];
  /** Index of each of these candles, by market and timeframe. */
  private readonly places: ReadonlyMap<string, number>;
  private readonly universes: readonly MemberSet[];
  private readonly entries: readonly DataEntry[];
  /** Kinds of events that have a handler or feed indicators. */
  private readonly wanted: ReadonlySet<StrategyEvent['kind']>;

  /** Throws `INVALID_STRATEGY` if a part of the strategy is invalid, and what its author's code throws. */
  constructor(written: StrategyDefinition, setup: RunnerSetup) {
    const { market, timeframe, marketNames, knownMarkets, hasBooks = true, isDataSet = false } = setup;
    const listedMarkets = isDataSet ? undefined : knownMarkets;
    const definition = definitionFor(written, {
      universe: setup.universe ?? null,
      marketNames,
      listedMarkets,
    });
    this.definition = definition;
    this.name = setup.name ?? definition.name;
    this.market = market;
    this.source = setup.source ?? null;
    if (knownMarkets?.has(market) === false)
      throw invalidStrategy(`market of ${this.name}: ${expectedMarket(market, knownMarkets)}`);
    const params = checkedParameters(definition, this.name, setup.params ?? {});
    this.params = params;
    const declared = definition.data(
      dataSetup({
        market,
        params,
        timeframe,
        hasBooks,
        marketNames,
        knownMarkets: listedMarkets,
        venues: setup.venues,
      }),
    );
    const checked = checkedData(declared, { marketNames, hasBooks, knownMarkets });
    const { entries, universes, emptyLists } = checked;
    this.universes = universes;
    this.entries = entries;
    const indicators = addIndicators(definition.indicators?.(declared, { params, timeframe }), checked);
    const stray = strayHandler(definition.on, Object.keys(declared));
    if (stray !== null) throw invalidStrategy(stray);
    const plain = [...new Set(entries.map(({ subscription }) => subscription))];
    this.subscriptions =
      universes.length === 0
        ? plain
        : withUniverses(
            plain,
            universes.map(({ subscription }) => subscription),
          );
    this.trailing = paceOf(definition.trailing, this.subscriptions);
    this.indicators = indicators;
    this.awaited = definition.beforeWarm === 'call' ? [] : [...indicators.values()];
    this.state = new StrategyState(this.name, definition);
    this.call = new HandlerCall(marketNames, { knownMarkets, plots: this.drawn });
    const shared = {
      market,
      params,
      entries,
      universes,
      emptyLists,
      knownMarkets,
      state: this.state,
      call: this.call,
      log: this.log.add,
    };
    this.context = new HandlerContext({
      ...shared,
      indicators: shownValues(indicators, universes, this.call),
    });
    this.handlers = handlersByRoute(definition.on, { entries, universes });
    const routes = this.handlers;
    this.candles = candlePlacesOf(this.subscriptions, { entries, universes, routes });
    this.places = new Map(
      this.candles.map(({ market: of, timeframe: length }, place) => [`${of} ${length}`, place] as const),
    );
    this.wanted = wantedKinds(this.handlers.keys(), {
      candles: this.candles.length > 0,
      universes: universes.length > 0,
    });
    this.wantsCandles = this.wanted.has('candle');
    this.maySleep = definition[SLEEP] !== undefined;
  }

  warmUpLength({ market, timeframe, warmUp, isPooled }: CandleSubscription): number {
    // Candles that were not declared need no bars.
    const own = this.candles[this.candlePlace(market, timeframe)]?.series?.warmUpLength ?? 0;
    return isPooled === true ? Math.max(own, warmUp) : own;
  }

  /** Returns the indicators that had fewer bars than they need for their first value, which is at `first`. */
  shortOfBars(): readonly { readonly name: string; readonly first: number }[] {
    return [...this.indicators].flatMap(([name, { added, first }]) =>
      added < first ? [{ name, first }] : [],
    );
  }

  warmUp(candle: ClosedCandle): void {
    const found = this.candles[this.candlePlace(candle.market, candle.timeframe)];
    if (found === undefined) return;
    this.add(found.series, candle);
    for (const series of found.ofMembers) this.add(series, candle);
  }

  wants(kind: StrategyEvent['kind']): boolean {
    return this.wanted.has(kind);
  }

  /** Returns the name of an event's first handler, such as `on.bars`; null if it has none. */
  handlerOf(route: string): string | null {
    const [first] = this.handlers.get(route) ?? NO_HANDLERS;
    return first === undefined ? null : `on.${first.name}`;
  }

  get routes(): readonly string[] {
    return [...this.handlers.keys()];
  }

  handle(event: StrategyEvent, view: EngineView): readonly Intent[] {
    if (event.kind === 'candle') {
      const { candle } = event;
      return this.handleCandle(candle, view, this.candlePlace(candle.market, candle.timeframe));
    }
    if (event.kind === 'universe' && !this.applyMembers(event)) return NO_INTENTS;
    if (this.failure !== null) return NO_INTENTS;
    const handlers = this.handlers.get(routeOfEvent(event));
    if (handlers === undefined) return NO_INTENTS;
    this.begin(view, null);
    for (const handler of handlers) {
      if (handler.data !== null && !this.isWarm()) continue;
      if (handler.candidate !== null && !this.isReady(handler.candidate)) continue;
      if (!this.ask(handler, eventFor, event)) return NO_INTENTS;
    }
    return this.end();
  }

  objectionTo({
    name,
    payload,
  }: {
    readonly name: string;
    readonly payload: unknown;
  }): SignalObjection | null {
    const schema =
      this.entries.find((entry) => entry.kind === 'signal' && entry.name === name)?.schema ?? null;
    if (schema === null)
      return { outcome: 'refused', code: 'invalid', reason: `no signal ${name} is declared` };
    if (!this.handlers.has(`signal ${name}`))
      return { outcome: 'refused', code: 'invalid', reason: `the strategy has no handler on.${name}` };
    const problem = payloadProblem(schema, payload);
    if (problem !== null) return { outcome: 'refused', code: 'invalid', reason: problem };
    if (this.isWarm()) return null;
    return { outcome: 'dropped', code: 'not-ready', reason: 'its indicators have no values yet' };
  }

  /** Sets the markets that a universe follows from now on. New ones begin without bars. */
  follow(name: string, markets: readonly string[]): void {
    this.universes.find((universe) => universe.name === name)?.follow(markets);
  }

  /** Feeds past bars of markets that a universe follows. */
  warmUpMembers(name: string, past: readonly ClosedCandle[]): void {
    this.universes.find((universe) => universe.name === name)?.warmUp(past);
  }

  candlePlace(market: string, timeframe: Timeframe): number {
    return this.places.get(`${market} ${timeframe}`) ?? -1;
  }

  isUnfollowed(place: number): boolean {
    const found = this.candles[place];
    return found?.series === null && found.ofMembers.every(({ candles }) => candles === null);
  }

  handleCandle(candle: ClosedCandle, view: EngineView, place: number): readonly Intent[] {
    const found = this.candles[place];
    if (found === undefined) return NO_INTENTS;
    this.add(found.series, candle);
    // True if a followed member gets it as a new bar, not as a bar of the past.
    let isOfMember = false;
    for (const series of found.ofMembers) if (this.add(series, candle)) isOfMember = true;
    if (this.failure !== null || found.handlers.length === 0 || !this.isWarm()) return NO_INTENTS;
    if (found.series === null && !isOfMember) return NO_INTENTS;
    this.begin(view, candle);
    for (const handler of found.handlers) {
      const { candidate } = handler;
      if (candidate !== null && !(isOfMember && this.isReady(candidate))) continue;
      if (!this.ask(handler, candleFor, candle)) return NO_INTENTS;
    }
    return this.end();
  }

  sleepsUntil(bars: BarRows, view: EngineView, place: number): number {
    const found = this.candles[place];
    const { [SLEEP]: sleep } = this.definition;
    if (sleep === undefined || found === undefined || found.series === null || this.failure !== null)
      return bars.from;
    const read = found.series.readAhead(bars);
    if (found.handlers.length === 0) return read.to;
    this.begin(view, null);
    const until = sleep.until(this.context, read);
    this.call.end();
    return until;
  }

  sleepThrough(bars: BarRows, view: EngineView, place: number): void {
    const { series = null, handlers = NO_HANDLERS } = this.candles[place] ?? {};
    if (series === null) return;
    if (handlers.length === 0 || this.drawn.sink === null) series.addAll(bars);
    else
      for (let row = bars.from; row < bars.to; row += 1) {
        const candle = new ColumnCandle(bars.source, row);
        series.add(candle);
        this.begin(view, candle);
        this.definition[SLEEP]?.draw(this.context);
        this.call.end();
      }
  }

  feed(event: FeedingEvent): void {
    if (event.kind === 'universe') this.applyMembers(event);
    else this.warmUp(event.candle);
  }

  get plots(): PlotSink | null {
    return this.drawn.sink;
  }

  set plots(sink: PlotSink | null) {
    this.drawn.sink = sink;
  }

  drainLog(): readonly StrategyLogLine[] {
    return this.log.drain();
  }

  stateJson(): string {
    return this.state.toJson();
  }

  drainChangedState(): string | null {
    return this.state.drainChanged();
  }

  restore(json: string): void {
    this.state.restore(json);
  }

  clearFailure(): void {
    this.failure = null;
    this.fault = null;
  }

  /** Applies which markets are followed from now on. Returns true if the strategy must be notified. */
  private applyMembers({ name, entered, left, follows, past }: UniverseChange): boolean {
    this.follow(name, follows);
    this.warmUpMembers(name, past);
    return entered.length > 0 || left.length > 0;
  }

  /** Adds a bar; returns true if it is new. An author's indicator that throws stops this strategy alone. */
  private add(series: Pick<CandleSeries, 'add'> | null, candle: ClosedCandle): boolean {
    try {
      return series?.add(candle) ?? false;
    } catch (error) {
      this.fail('indicators', error);
      return false;
    }
  }

  private begin(view: EngineView, candle: ClosedCandle | null): void {
    this.log.begin(view.nowMs);
    this.drawn.begin(candle);
    this.call.begin(view);
  }

  /**
   * Calls one handler of an event; returns true if it did not throw. Intents and changes of state are kept
   * only if all handlers of the event succeed. An event that can not be shown stops this strategy alone.
   */
  private ask<Event>(
    { name, data, handle }: Handler,
    show: (data: ShownAs | null, event: Event) => unknown,
    event: Event,
  ): boolean {
    try {
      const shown = show(data, event);
      if (shown === NOTHING_SHOWN) return true;
      const answer = handle.call(this.definition.on, this.context, shown);
      if (answer !== undefined) throw wrongAnswer(answer);
      return true;
    } catch (error) {
      this.fail(`on.${name}`, error);
      return false;
    }
  }

  /** Ends an event whose handlers all succeeded: keeps the state and returns the intents. */
  private end(): readonly Intent[] {
    this.state.persist();
    return this.call.end();
  }

  /**
   * True if the strategy gets data of a member: once its indicators have values, or, with `beforeWarm:
   * 'call'`, as soon as it is followed.
   */
  private isReady(candidate: Candidate): boolean {
    return this.definition.beforeWarm === 'call' ? candidate.isFollowed : candidate.isWarm;
  }

  private isWarm(): boolean {
    for (const indicator of this.awaited) if (!indicator.hasValue) return false;
    return true;
  }

  private fail(place: string, error: unknown): void {
    this.state.drop();
    this.call.end();
    if (error instanceof SarrafError && error.code === 'INVARIANT') throw error;
    this.fault = faultOf(place, error, this.source);
    this.failure = faultText(this.fault);
  }
}

/** Returns the current indicator values for the strategy, in an object that cannot be changed. */
function shownValues(
  indicators: ReadonlyMap<string, Indicator>,
  universes: readonly MemberSet[],
  call: HandlerCall,
): Readonly<Record<string, unknown>> {
  const readers = new Map<string, FieldReader<unknown>>(indicators);
  for (const { feeds } of universes) {
    for (const feed of feeds) for (const [name, read] of memberValues(feed, call)) readers.set(name, read);
  }
  return readOnlyFields(readers, call);
}
