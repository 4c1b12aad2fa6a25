import type { Engine } from '../engine/engine.ts';
import { placeText } from '../strategy/strategy-port.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import { type CandleColumns, grown } from '../domain/candle-columns.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { Market } from '../domain/market.ts';
import type { Units } from '../domain/money.ts';
import type { LockRecord } from '../engine/lock.ts';
import type { RefusalCount } from '../engine/intent-tally.ts';
import type { MemberHistory } from '../engine/universe-manager.ts';
import type { StrategyInstance, LoggedLine } from '../engine/strategy-instance.ts';
import type { FillRecord } from '../records/fill.ts';
import { type OrderRecord, isFinal } from '../records/order.ts';
import { factsOf, type Fact } from '../language/fact.ts';
import type { Sentence } from '../language/sentence.ts';
import type { ENGLISH_FIDELITY, ENGLISH_WARNINGS } from './report/texts/fidelity-texts.ts';
import type { MirrorChange } from '../engine/mirror-change.ts';
import type { EquityValuer } from '../venues/equity-valuer.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import type { PlotSeries, PlotSink } from '../strategy/plots.ts';

/** Text of a fidelity statement, independent of language: a rule, its setting or a caveat. */
export type FidelityFact = Fact<keyof typeof ENGLISH_FIDELITY>;

export const fidelityFact = factsOf<typeof ENGLISH_FIDELITY>();

/** Description of how a run made its fills; every result has it, so that nobody overrates the figures. */
export interface FidelityStatement {
  /**
   * `candles`: bars only. `poll`: the whole live bot against recorded books and trades. `live`: fills of an
   * exchange, from the mirror of the bot that made them.
   */
  readonly kind: 'candles' | 'poll' | 'live';
  /** Each rule that decided a fill, by name and setting, such as `market orders`: `the open, as taker`. */
  readonly rules: readonly { readonly rule: FidelityFact; readonly setting: FidelityFact }[];
  /** Limits of these rules: what they cannot know, one sentence each. */
  readonly caveats: readonly FidelityFact[];
}

/** Returns a statement with more caveats added. */
export function withCaveats(
  statement: FidelityStatement,
  more: readonly FidelityFact[] = [],
): FidelityStatement {
  return more.length === 0 ? statement : { ...statement, caveats: [...statement.caveats, ...more] };
}

/** Value of the account over time: at the end of each bar, or every `barMs` where there are no bars. */
export interface EquityCurve {
  readonly length: number;
  readonly timeMs: Float64Array;
  /** Equity in the quote currency, for statistics and charts. `BacktestRun.finalEquity` is the exact one. */
  readonly equity: Float64Array;
  /** 1 where a position was held at that moment, else 0. */
  readonly isExposed: Uint8Array;
}

/** One market of a run: its terms, its first and last price, and its bars. */
export interface TradedMarket {
  readonly market: Market;
  /** Price at which a strategy could first have bought; `lastPrice` is that at which positions are valued. */
  readonly firstPrice: Units;
  readonly lastPrice: Units;
  /** Bars that the report draws: those of the run, or bars built from its trades or books. */
  readonly candles: CandleColumns;
}

/** Record of how the bars of a run were loaded. */
export interface Loading {
  readonly loadMs: number;
  /** True if all bars came from the cache of converted columns. */
  readonly fromCache: boolean;
}

/** Time spent in each part of a run. */
interface RunTiming extends Loading {
  readonly runMs: number;
  /** Number of events processed: bars, or polls, trades and books. */
  readonly events: number;
}

/** Number of intents of a strategy, and its refusals by reason, the most frequent reason first. */
export interface StrategyIntents {
  readonly strategy: string;
  readonly count: number;
  readonly refusals: readonly RefusalCount[];
  /** Indicators that had fewer bars than the `first` that they need; left out if that is not known. */
  readonly shortOfBars?: readonly { readonly name: string; readonly first: number }[];
}

/** Locks of a run that are listed, and how many more there were. */
export interface LocksOfRun {
  readonly records: readonly LockRecord[];
  readonly more: number;
}

/** Outcome of a run at either fidelity: the account, and the records of the engine. */
export interface EngineOutcome extends Pick<
  BacktestRun,
  'initialEquity' | 'finalEquity' | 'curve' | 'intents' | 'locks' | 'members' | 'orders' | 'fills'
> {
  /** Reason for which each failed strategy stopped, by strategy name. */
  readonly failures: ReadonlyMap<string, string>;
  /** Last log lines of each strategy, by strategy name. */
  readonly logs: ReadonlyMap<string, readonly LoggedLine[]>;
}

/** Returns the records of an engine. `past`: strategies of engines that ran before it in the same run. */
export function engineRecord(
  engine: Engine,
  past: readonly StrategyInstance[] = [],
): Pick<EngineOutcome, 'failures' | 'logs' | 'intents' | 'locks' | 'members'> {
  const failures = new Map<string, string>();
  const logs = new Map<string, readonly LoggedLine[]>();
  const instances = [...past, ...engine.instances];
  for (const instance of instances) {
    const { name, runner } = instance;
    if (runner.failure !== null) failures.set(name, runner.failure);
    logs.set(name, [...(logs.get(name) ?? []), ...instance.storedLog()]);
  }
  const intents = instances.map(({ name, tally, runner }) => ({
    strategy: name,
    count: tally.intents,
    refusals: tally.refusals(),
    shortOfBars: runner instanceof StrategyRunner ? runner.shortOfBars() : [],
  }));
  return { failures, logs, intents, locks: engine.locks.history(), members: engine.universes.history() };
}

/** Returns the strategies of a run in the form of its result. */
export function ranStrategies(
  instances: readonly Pick<StrategyInstanceSettings, 'runner'>[],
  { failures, logs }: Pick<EngineOutcome, 'failures' | 'logs'>,
): BacktestRun['strategies'] {
  return instances.map(({ runner }) => ({
    name: runner.name,
    market: placeText(runner),
    params: runner.params,
    failure: failures.get(runner.name) ?? null,
    log: logs.get(runner.name) ?? [],
  }));
}

/** Raw record of a backtest, before any statistics. Times: ms since 1970; money: units of 1e-10. */
export interface BacktestRun {
  readonly fidelity: FidelityStatement;
  /** Currency of all money of the result. */
  readonly quote: Currency;
  /** First moment at which a strategy could act, in ms since 1970; `toMs` is the close of the last bar. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Time between two points of the curve where none is missing, in ms. */
  readonly barMs: number;
  readonly initialEquity: Units;
  readonly finalEquity: Units;
  readonly curve: EquityCurve;
  readonly markets: readonly TradedMarket[];
  readonly strategies: readonly {
    readonly name: string;
    readonly market: string;
    readonly params: unknown;
    /** Reason it stopped; null if it ran to the end. */
    readonly failure: Sentence | null;
    /** Reason for its status in a live session. */
    readonly reason?: Sentence | null;
    /** The last lines that it logged, oldest first. */
    readonly log: readonly LoggedLine[];
  }[];
  /** Series that strategies plotted; empty if no report is drawn. */
  readonly plots: readonly PlottedSeries[];
  /** Number of intents, and of refused ones, for each strategy. */
  readonly intents: readonly StrategyIntents[];
  /** Locks in the order in which they began. */
  readonly locks: LocksOfRun;
  /** Markets that entered and left universes. */
  readonly members: MemberHistory;
  /** Orders in the order in which they were planned. */
  readonly orders: readonly OrderRecord[];
  /**
   * Fills in the order in which the engine received them: by time, but market by market where bars of several
   * markets close together.
   */
  readonly fills: readonly FillRecord[];
  /** Number of requests that the bot sent to the exchange; null for a run on bars, which sends none. */
  readonly requests: number | null;
  /** Warnings about the figures of the run. */
  readonly warnings: readonly RunWarning[];
  /** The configuration as it was read, as JSON without secrets. */
  readonly config: unknown;
  readonly timing: RunTiming;
}

/** Warning for the reader of the figures of a run, independent of language. */
export type RunWarning = Fact<keyof typeof ENGLISH_WARNINGS>;

export const runWarning = factsOf<typeof ENGLISH_WARNINGS>();

/** Joins warnings one after the other into one sentence, such as `A and B`. */
export function joinedBy(
  key: 'warning.and' | 'warning.then',
  [first, ...others]: readonly [RunWarning, ...RunWarning[]],
): RunWarning {
  return others.reduce((one, other) => runWarning(key, { one, other }), first);
}

/** Collects the orders and fills of a run from the changes that the engine would write to its mirror. */
export class RunRecords {
  /** Last known state of each order, in the order in which they were planned. */
  readonly orders: OrderRecord[] = [];
  readonly fills: FillRecord[] = [];
  /** Index in `orders` of each unfinished order, except the newest one. */
  private readonly places = new Map<string, number>();
  /** Key of the newest unfinished order, kept apart since it usually ends first; empty if there is none. */
  private newestKey = '';
  private newestPlace = -1;

  note(changes: readonly MirrorChange[]): void {
    for (const change of changes) {
      if (change.kind === 'order') this.noteOrder(change.order);
      else if (change.kind === 'fill') this.fills.push(change.fill);
    }
  }

  /** Stores the current state of an order at the place where it was planned. */
  noteOrder(order: OrderRecord): void {
    const { key } = order;
    const place = this.placeOf(key);
    if (place !== undefined) this.orders[place] = order;
    else if (isFinal(order)) this.orders.push(order);
    else this.begin(key, this.orders.push(order) - 1);
    if (place !== undefined && isFinal(order)) this.end(key);
  }

  private placeOf(key: string): number | undefined {
    if (key === this.newestKey) return this.newestPlace;
    return this.places.size === 0 ? undefined : this.places.get(key);
  }

  private begin(key: string, place: number): void {
    if (this.newestKey !== '') this.places.set(this.newestKey, this.newestPlace);
    this.newestKey = key;
    this.newestPlace = place;
  }

  private end(key: string): void {
    if (key === this.newestKey) this.newestKey = '';
    else this.places.delete(key);
  }
}

type EquityOfNow = Pick<EquityValuer, 'number' | 'isExposed'>;

/**
 * Records the equity after each moment at which bars close. The columns grow: the number of moments is not
 * known before, since bars of several markets may close at the same one.
 */
export class EquityRecorder {
  private readonly valuer: EquityOfNow;
  private timeMs: Float64Array;
  private equity: Float64Array;
  private isExposed: Uint8Array;
  private length = 0;

  /** `moments`: the expected number of moments. */
  constructor(moments: number, valuer: EquityOfNow) {
    this.valuer = valuer;
    this.timeMs = new Float64Array(moments);
    this.equity = new Float64Array(moments);
    this.isExposed = new Uint8Array(moments);
  }

  get curve(): EquityCurve {
    const { length, timeMs, equity, isExposed } = this;
    return { length, timeMs, equity, isExposed };
  }

  /** Adds the current value of the account, at the close of a bar. */
  add(closeMs: number): void {
    const { length, valuer } = this;
    if (length === this.timeMs.length) this.grow();
    this.timeMs[length] = closeMs;
    this.equity[length] = valuer.number();
    if (valuer.isExposed()) this.isExposed[length] = 1;
    this.length = length + 1;
  }

  private grow(): void {
    const room = 2 * this.length + 1;
    const [timeMs, equity, isExposed] = [
      new Float64Array(room),
      new Float64Array(room),
      new Uint8Array(room),
    ];
    timeMs.set(this.timeMs);
    equity.set(this.equity);
    isExposed.set(this.isExposed);
    this.timeMs = timeMs;
    this.equity = equity;
    this.isExposed = isExposed;
  }
}

export interface PlottedSeries extends PlotSeries {
  readonly strategy: string;
  readonly length: number;
  /** Time of each value in ms since 1970, mostly rising; the value of a bar has the time of its close. */
  readonly atMs: Float64Array;
  /** The values; NaN is a gap. */
  readonly value: Float64Array;
  /** Thinning factor: one value out of `every` was kept. */
  readonly every: number;
}

/** Maximum number of values that are kept of one series; when it is full, every second value is dropped. */
export const MOST_VALUES = 65_536;
const FIRST_VALUES = 1_024;

/** Records what one strategy plots, in columns. Of several values at one moment the last one is kept. */
export class PlotRecorder implements PlotSink {
  private readonly columns = new Map<PlotSeries, PlotColumn>();
  /** Columns by market and name: after a restart a strategy creates its series anew; they go on here. */
  private readonly named = new Map<string, { readonly series: PlotSeries; readonly column: PlotColumn }>();

  add(series: PlotSeries, atMs: number, value: number): void {
    const column = this.columns.get(series) ?? this.columnOf(series);
    column.add(atMs, value);
  }

  series(strategy: string): readonly PlottedSeries[] {
    return [...this.named.values()].map(({ series, column }) => ({ ...series, strategy, ...column.data() }));
  }

  private columnOf(series: PlotSeries): PlotColumn {
    const key = `${series.market} ${series.name}`;
    const { column } = this.named.get(key) ?? { column: new PlotColumn() };
    if (!this.named.has(key)) this.named.set(key, { series, column });
    this.columns.set(series, column);
    return column;
  }
}

/** Values of one series, thinned while they arrive. */
class PlotColumn {
  private atMs = new Float64Array(FIRST_VALUES);
  private value = new Float64Array(FIRST_VALUES);
  private length = 0;
  private every = 1;
  /** Number of values that came since the last one that was kept. */
  private skipped = 0;

  add(atMs: number, value: number): void {
    if (this.length > 0 && this.atMs[this.length - 1] === atMs) {
      this.value[this.length - 1] = value;
      return;
    }
    this.skipped += 1;
    if (this.skipped < this.every) return;
    this.skipped = 0;
    if (this.length === MOST_VALUES) {
      // Keeps every second value. The value that found no room counts as skipped.
      this.skipped = this.every;
      this.every *= 2;
      this.length /= 2;
      for (let index = 0; index < this.length; index += 1) {
        this.atMs[index] = this.atMs[2 * index + 1] ?? 0;
        this.value[index] = this.value[2 * index + 1] ?? 0;
      }
      return;
    }
    if (this.length === this.atMs.length) {
      this.atMs = grown(this.atMs);
      this.value = grown(this.value);
    }
    this.atMs[this.length] = atMs;
    this.value[this.length] = value;
    this.length += 1;
  }

  data(): Pick<PlottedSeries, 'length' | 'atMs' | 'value' | 'every'> {
    const { length, every } = this;
    return { length, every, atMs: this.atMs.subarray(0, length), value: this.value.subarray(0, length) };
  }
}

/** Starts to record what strategies plot. Returns a function that gives the recorded series. */
export function recordPlots(
  instances: readonly Pick<StrategyInstanceSettings, 'runner'>[],
): () => readonly PlottedSeries[] {
  const recorders = instances.map(({ runner }) => {
    const recorder = new PlotRecorder();
    runner.plots = recorder;
    return { name: runner.name, recorder };
  });
  return () => recorders.flatMap(({ name, recorder }) => recorder.series(name));
}
