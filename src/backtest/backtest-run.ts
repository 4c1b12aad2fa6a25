import type { Engine } from '../engine/engine.ts';
import { placeText } from '../strategy/strategy-port.ts';
import type { CandleColumns } from '../domain/candle-columns.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { Market } from '../domain/market.ts';
import type { Units } from '../domain/money.ts';
import type { LockRecord } from '../engine/lock-records.ts';
import type { RefusalCount } from '../engine/intent-tally.ts';
import type { MemberHistory } from '../engine/member-records.ts';
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

/** A rule of filling, what it was set to, or what it can not know, in no language. */
export type FidelityFact = Fact<keyof typeof ENGLISH_FIDELITY>;

export const fidelityFact = factsOf<typeof ENGLISH_FIDELITY>();

/**
 * Statement of how a backtest made its fills. Every result contains it, so that nobody overrates its numbers.
 */
export interface FidelityStatement {
  /**
   * `candles`: bars only. `poll`: the whole live bot against recorded books and trades. `live`: fills of an
   * exchange, from the mirror of the bot that made them.
   */
  readonly kind: 'candles' | 'poll' | 'live';
  /**
   * Each rule that decided a fill, as a name and what it was set to: `market orders`, `the open, as taker`.
   */
  readonly rules: readonly { readonly rule: FidelityFact; readonly setting: FidelityFact }[];
  /** Facts that these rules cannot know, one sentence each. */
  readonly caveats: readonly FidelityFact[];
}

/** A statement with what else a run can not know. */
export function withCaveats(
  statement: FidelityStatement,
  more: readonly FidelityFact[] = [],
): FidelityStatement {
  return more.length === 0 ? statement : { ...statement, caveats: [...statement.caveats, ...more] };
}

/**
 * Money over time: what the account was worth at the end of each bar, or each `barMs` where there are no
 * bars.
 */
export interface EquityCurve {
  readonly length: number;
  readonly timeMs: Float64Array;
  /**
   * In the quote currency, as a number: for statistics and pictures only. The exact last one is
   * `BacktestRun.finalEquity`.
   */
  readonly equity: Float64Array;
  /** 1 where a position was held at that moment, else 0. */
  readonly isExposed: Uint8Array;
}

/** One market of a run: its terms, and what it cost at the ends. */
export interface TradedMarket {
  readonly market: Market;
  /** The first price that a strategy could have bought at, and the last that positions are valued at. */
  readonly firstPrice: Units;
  readonly lastPrice: Units;
  /** The bars that the report draws: those of the run, or bars made of its trades or books. */
  readonly candles: CandleColumns;
}

/** Record of how the bars of a run were loaded. */
export interface Loading {
  readonly loadMs: number;
  /** True if all bars came from the cache of columns that were read before. */
  readonly fromCache: boolean;
}

/** Time spent in each part of a run. */
interface RunTiming extends Loading {
  readonly runMs: number;
  /** Bars, or polls, trades and books, that went through. */
  readonly events: number;
}

/** Number of intents of a strategy, and of those refused, the most frequent reason first. */
export interface StrategyIntents {
  readonly strategy: string;
  readonly count: number;
  readonly refusals: readonly RefusalCount[];
}

/** The locks that there were, and how many more than are listed. */
export interface LocksOfRun {
  readonly records: readonly LockRecord[];
  readonly more: number;
}

/** Record of a run that both fidelities make: the account, and what the engine leaves behind. */
export interface EngineOutcome extends Pick<
  BacktestRun,
  'initialEquity' | 'finalEquity' | 'curve' | 'intents' | 'locks' | 'members' | 'orders' | 'fills'
> {
  /** Reasons that strategies stopped for, by their names. */
  readonly failures: ReadonlyMap<string, string>;
  /** Log lines of strategies by their names: the last lines of each. */
  readonly logs: ReadonlyMap<string, readonly LoggedLine[]>;
}

/** Record of what an engine leaves behind, with the strategies of its lives before. */
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
  const intents = instances.map(({ name, tally }) => ({
    strategy: name,
    count: tally.intents,
    refusals: tally.refusals(),
  }));
  return { failures, logs, intents, locks: engine.locks.history(), members: engine.universes.history() };
}

/** Strategies of a run, as its result has them. */
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

/**
 * Raw record of a backtest, before any number is made of it. Times in ms since 1970, money in units of 1e-10.
 */
export interface BacktestRun {
  readonly fidelity: FidelityStatement;
  /** All money of the result is in it. */
  readonly quote: Currency;
  /** From the first moment at which a strategy could act to the last bar's close. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Time between two points of the curve if none is missing. */
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
    /** Reason of its status in a live session. */
    readonly reason?: Sentence | null;
    /** The last lines that it logged, oldest first. */
    readonly log: readonly LoggedLine[];
  }[];
  /** Series that strategies plotted; empty if nobody draws them. */
  readonly plots: readonly PlottedSeries[];
  /** Number of intents of each strategy, and of those refused. */
  readonly intents: readonly StrategyIntents[];
  /** In the order in which they began. */
  readonly locks: LocksOfRun;
  /** Markets that entered and left universes. */
  readonly members: MemberHistory;
  /** In the order in which they were planned. */
  readonly orders: readonly OrderRecord[];
  /**
   * In the order in which the engine got them: by time, but one market after the other where their
   * bars close together.
   */
  readonly fills: readonly FillRecord[];
  /** Requests that the bot sent to the exchange; null on bars, where nothing is requested. */
  readonly requests: number | null;
  /** Warnings for the reader of the numbers. */
  readonly warnings: readonly RunWarning[];
  /** The configuration as it was read, without secrets. JSON. */
  readonly config: unknown;
  readonly timing: RunTiming;
}

/** Warning for the reader of the figures of a run, independent of language. */
export type RunWarning = Fact<keyof typeof ENGLISH_WARNINGS>;

export const runWarning = factsOf<typeof ENGLISH_WARNINGS>();

/** Several one after the other in one sentence, such as `A and B`; there is at least one. */
export function joinedBy(
  key: 'warning.and' | 'warning.then',
  [first, ...others]: readonly [RunWarning, ...RunWarning[]],
): RunWarning {
  return others.reduce((one, other) => runWarning(key, { one, other }), first);
}

/** The orders and fills of a run, taken from what the engine would write to its mirror. */
export class RunRecords {
  /** In the order in which they were planned, each as it was last. */
  readonly orders: OrderRecord[] = [];
  readonly fills: FillRecord[] = [];
  /** Indices in the list of the orders that have not ended, except the newest. */
  private readonly places = new Map<string, number>();
  /** The one that was planned last and has not ended: mostly it is the next that does. Empty without one. */
  private newestKey = '';
  private newestPlace = -1;

  note(changes: readonly MirrorChange[]): void {
    for (const change of changes) {
      if (change.kind === 'order') this.noteOrder(change.order);
      else if (change.kind === 'fill') this.fills.push(change.fill);
    }
  }

  /** Keeps an order as it is now, at the place of its plan. */
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
 * The equity after each moment at which bars close, in columns with room for more: how many moments there
 * are is not known before, since bars of several markets may close at one.
 */
export class EquityRecorder {
  private readonly valuer: EquityOfNow;
  private timeMs: Float64Array;
  private equity: Float64Array;
  private isExposed: Uint8Array;
  private length = 0;

  /** `moments`: how many there will probably be. */
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
  /** In ms since 1970, mostly rising; a bar's value has the time of its close. */
  readonly atMs: Float64Array;
  /** NaN for a gap. */
  readonly value: Float64Array;
  /** One of so many values was kept. */
  readonly every: number;
}

/** Values of a series that are kept; with more, every second one goes, and so on. */
export const MOST_VALUES = 65_536;
const FIRST_VALUES = 1_024;

/** Keeps what one strategy plots, in columns. Of several values of one moment the last one stays. */
export class PlotRecorder implements PlotSink {
  private readonly columns = new Map<PlotSeries, PlotColumn>();
  /** By market and name: after a restart a strategy begins its series anew, and they go on here. */
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

/** The values of one series, thinned as they come. */
class PlotColumn {
  private atMs = new Float64Array(FIRST_VALUES);
  private value = new Float64Array(FIRST_VALUES);
  private length = 0;
  private every = 1;
  /** Values that came since the last one that was kept. */
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
      // Keeps every second value. The one that found no room counts as left out.
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

function grown(column: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** Keeps what strategies plot from now on. Answers what gives it in the end. */
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
