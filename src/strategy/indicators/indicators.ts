import { fieldsOf, isFields } from '../fields.ts';
import { LONGEST_WARM_UP, type Candle } from '../../domain/candle.ts';
import { SarrafError, invalidStrategy } from '../../domain/errors.ts';
import { decimalText, type DecimalText } from '../../domain/decimal-text.ts';
import { ColumnCandle, MOST_AHEAD, ohlcvOf, closeNumber } from '../column-candle.ts';
import {
  OWN_ENTRIES,
  type Indicator,
  type IndicatorValue,
  type CheckedIndicator,
  type IndicatorFeed,
  type IndicatorEntry,
  type IndicatorSpec,
  type MemberIndicatorSpec,
} from './declare-indicator.ts';
import { RuleSpec, type Peers } from '../rules/program.ts';
import * as averages from './averages.ts';
import * as momentum from './momentum.ts';
import * as oscillators from './oscillators.ts';
import * as trends from './trends.ts';
import * as volatility from './volatility.ts';
import * as volume from './volume.ts';

/**
 * All indicators that a strategy can declare. These indicators of the library are left out:
 *
 * - formulas that differ from the published ones: `ER` (divides by the range, not by the path), `PGO`
 *   (averages
 *   the true range twice), `ProjectionOscillator` (one slope for both bands), `PSAR` (bounded by one bar, not
 *   by two as Wilder has it, and moves by 0.01 at any price), `REI` (sums over all bars since the start,
 * which
 *   it keeps), `RandomWalkIndex` (counts one bar less), `VolatilityStop` (another rule than Wilder's), and
 *   `GannHiLo` (its line does not move between breaks);
 * - indicators with a value only where a pattern completes, so that no warm-up gives them one:
 *   `BreakoutBarLow`, `HigherLowTrail`, `SwingHigh`, `SwingLow`, `TDS`, `ZigZag`;
 * - lines that depend on their start and are no sum of steps: `NVI`, `PVI`. Lines that are (`AD`,
 *   `AccumulativeSwingIndex`, `OBV`, `PVT`, `VWAP`, `WAD`) are included as sums over a window;
 * - `QQE`, whose trailing line was never published as a formula;
 * - duplicates: `DMA` (two `sma`), `RMA` (`wsma` with another start), `EMA` and `MACD` (start with the first
 *   close; ours start with the simple average), `TRIX` (divides by the newer value), `AC` and `StochasticRSI`
 *   (skip values of 0; ours are made of their parts).
 */
export const INDICATORS: ReadonlyMap<string, IndicatorEntry> = new Map(
  Object.values({
    ...averages,
    ...trends,
    ...oscillators,
    ...momentum,
    ...volatility,
    ...volume,
  }).map(({ entry }) => [entry.kind, entry]),
);

/**
 * Creates a running indicator. Throws `INVALID_STRATEGY` for a value that is no indicator, for a parameter
 * out of its range, or for more candles than the exchange gives at once. `peers`: the other indicators of the
 * same market, which rules read.
 */
export function createIndicator(spec: unknown, peers: Peers = () => undefined): Indicator {
  if (spec instanceof RuleSpec) return spec.start(peers);
  const { kind, params, of } = fieldsOf(spec);
  const own = isFields(spec) ? OWN_ENTRIES.get(spec) : undefined;
  const entry = own ?? (typeof kind === 'string' ? INDICATORS.get(kind) : undefined);
  if (typeof kind !== 'string' || entry === undefined) {
    const was = JSON.stringify(spec);
    throw invalidStrategy(`expected an indicator such as sma(bars, 20), was ${was}`);
  }
  if (!isCandles(of)) {
    const was = JSON.stringify(of);
    throw invalidStrategy(
      `expected declared candles as the first argument of ${kind}, was ${was}: take them by the name that data gives them, such as indicators: ({ bars }) => …`,
    );
  }
  const checked = entry.check(params);
  if (own === undefined) return new RunningIndicator(checked, `${kind} ${JSON.stringify(params)}`);
  refuseUnlike(kind, checked);
  return new RunningIndicator(checked);
}

/** Creates something of an indicator; an error names the indicator. */
export function ofIndicator<Value>(name: string, create: () => Value): Value {
  try {
    return create();
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    throw new SarrafError(error.code, `indicators.${name}: ${error.message}`, { cause: error });
  }
}

/** Refuses an indicator of an author that has other values when it sees the same bars again. */
function refuseUnlike(kind: string, checked: CheckedIndicator): void {
  const [once, again] = [new RunningIndicator(checked), new RunningIndicator(checked)];
  for (let bar = 0; bar < checked.first + TRIAL_BARS; bar += 1) {
    for (const running of [once, again]) running.add(trialBar(bar));
    const values = [once, again].map(({ value }) => JSON.stringify(value));
    if (values[0] !== values[1])
      throw invalidStrategy(
        `next of ${kind}: expected the same value for the same bars, was ${values.join(', then ')}: it may use its state, the bar and its parameters, and no time, random number or other variable`,
      );
  }
}

function isCandles(of: unknown): boolean {
  const { kind, from } = fieldsOf(of);
  return (kind === 'candles' || kind === 'member-candles') && typeof from === 'object' && from !== null;
}

/** Shape of an indicator's values. */
export interface ValueShape {
  /** Names of the numbers in a value that is a record; null for one that is a number. */
  readonly fields: readonly string[] | null;
  /** True if they are prices, which are drawn over the bars. */
  readonly isPrice: boolean;
}

/** Bars after the first value on which an author's indicator is tried. */
const TRIAL_BARS = 20;

/** Shapes of the bundled indicators by their kind, and of an author's by their row. */
const shapes = new Map<string | IndicatorEntry, ValueShape>();

/** Prices of the bars by which shapes are found: far from the values of indicators that are no prices. */
const TRIAL_PRICE = 1_000_000;

/** Returns the shape of an indicator's values, which is that of its first one on bars made up for it. */
export function valueShapeOf(spec: IndicatorSpec | MemberIndicatorSpec): ValueShape {
  const key = OWN_ENTRIES.get(spec) ?? spec.kind;
  const known = shapes.get(key);
  if (known !== undefined) return known;
  const indicator = createIndicator(spec);
  for (let bar = 0; bar < 2 * LONGEST_WARM_UP && !indicator.hasValue; bar += 1) indicator.add(trialBar(bar));
  const { value } = indicator;
  const parts = Object.entries(typeof value === 'object' && value !== null ? value : { value });
  const numbers = parts.flatMap(([name, part]) => (typeof part === 'number' ? [[name, part] as const] : []));
  const shape = {
    fields: typeof value === 'object' && value !== null ? numbers.map(([name]) => name) : null,
    isPrice: numbers.every(([, part]) => part > TRIAL_PRICE / 2 && part < 2 * TRIAL_PRICE),
  };
  shapes.set(key, shape);
  return shape;
}

/** Returns a bar of prices that rise and fall. */
function trialBar(bar: number): Candle {
  const at = (phase: number): DecimalText =>
    decimalText(String(Math.round(TRIAL_PRICE * (1 + 0.01 * Math.sin(bar / 3 + phase)))));
  const prices = [at(0), at(1)] as const;
  const [low, high] = prices[0] < prices[1] ? prices : [prices[1], prices[0]];
  return { openTimeMs: bar, open: prices[0], high, low, close: prices[1], volume: decimalText('10') };
}

/** Values of an indicator at the bars from the first one that it was fed; NaN where it has none. */
interface SharedValues {
  readonly numbers: Float64Array;
  /** Frozen values of an indicator whose values are records; null until the first. */
  records: object[] | null;
  /** Number of values that are computed. */
  length: number;
  bytes: number;
}

/** Maximum size of all shared values together, in bytes. Those that were not used longest are dropped. */
const MOST_SHARED_BYTES = 64 * 1_024 * 1_024;

/** Size that a record counts, in bytes: an object of four fields with its reference. */
const RECORD_BYTES = 128;

/** Shared values by the columns of their bars, the first bar in them, and the indicator. */
const sharedValues = new Map<string, SharedValues>();

/** Numbers of the memories of columns, for keys. */
const memories = new WeakMap<object, number>();
let memoryCount = 0;

/** Returns the place of a cell in memory that threads share, as text; null for other memory. */
function sharedPlace({ buffer, byteOffset }: Float64Array, row: number): string | null {
  if (!(buffer instanceof SharedArrayBuffer)) return null;
  let memory = memories.get(buffer);
  if (memory === undefined) memories.set(buffer, (memory = memoryCount += 1));
  return `${memory}:${byteOffset / Float64Array.BYTES_PER_ELEMENT + row}`;
}

/**
 * Returns the values that the trials of a study share of an indicator, which most of them compute alike, from
 * a candle on. Bars of a study are in memory that threads share; null for others.
 */
function sharedValuesOf(indicator: string, candle: Candle) {
  const place = ColumnCandle.placeOf(candle);
  if (place === null) return null;
  const { source, row } = place;
  const { open, high, low, close, volume, length, priceDecimals, volumeDecimals } = source.columns;
  const places = [open, high, low, close, volume].map((column) => sharedPlace(column, row));
  if (places.includes(null)) return null;
  const key = [...places, length - row, priceDecimals, volumeDecimals, indicator].join(' ');
  const known = sharedValues.get(key);
  const found = known ?? { numbers: new Float64Array(length - row), records: null, length: 0, bytes: 0 };
  // Moved to the end of the map, whose first entries are dropped first.
  sharedValues.delete(key);
  sharedValues.set(key, found);
  if (known === undefined) countShared(found, found.numbers.byteLength);
  return { values: found, source, first: row };
}

/** Adds to the size of shared values, and drops those that were not used longest above the maximum. */
function countShared(values: SharedValues, bytes: number): void {
  values.bytes += bytes;
  let total = 0;
  for (const { bytes: size } of sharedValues.values()) total += size;
  for (const [oldest, { bytes: size }] of sharedValues) {
    if (total <= MOST_SHARED_BYTES) break;
    sharedValues.delete(oldest);
    total -= size;
  }
}

class RunningIndicator implements Indicator {
  readonly first: number;
  readonly settledAfter: number;
  /** A field of numbers alone can be written without a new object. */
  number = Number.NaN;
  /** Value if it is a record; null if it is a number or none. */
  private record: object | null = null;
  private readonly rules: CheckedIndicator;
  private feed: IndicatorFeed<IndicatorValue>;
  private seen = 0;
  /** Stored values by slot: numbers, and records once there is one. */
  private numbers: Float64Array | null = null;
  private records: (object | null)[] | null = null;
  /** Its kind and parameters as text; null for one of an author, whose code may change. */
  private readonly name: string | null;
  /** Shared values with the bars that they are of; null if it has none. */
  private shared: ReturnType<typeof sharedValuesOf> = null;
  /** Bars that were added, and those of them that the formula was fed with. */
  added = 0;
  private fed = 0;

  constructor(rules: CheckedIndicator, name: string | null = null) {
    this.rules = rules;
    this.name = name;
    this.first = rules.first;
    this.settledAfter = rules.settledAfter;
    this.feed = rules.start();
  }

  get value(): IndicatorValue | null {
    if (this.record !== null) return this.record;
    return Number.isNaN(this.number) ? null : this.number;
  }

  get hasValue(): boolean {
    return this.record !== null || !Number.isNaN(this.number);
  }

  add(candle: Candle): void {
    if (this.added === 0 && this.name !== null) this.shared = sharedValuesOf(this.name, candle);
    const { shared, added } = this;
    this.added += 1;
    if (shared === null) {
      this.feedWith(candle);
      return;
    }
    const { values, source, first } = shared;
    const isNext = ColumnCandle.rowOf(candle, source) === first + added;
    if (isNext && added < values.length) {
      this.set(values.numbers[added] ?? Number.NaN, values.records?.[added] ?? null);
      return;
    }
    for (; this.fed < added; this.fed += 1) this.feedWith(new ColumnCandle(source, first + this.fed));
    this.feedWith(candle);
    this.fed += 1;
    // What comes after other bars or a new start is not shared.
    if (!isNext || this.seen < this.added) this.shared = null;
    else {
      values.numbers[added] = this.number;
      if (this.record !== null) this.shareRecord(values, this.record);
      values.length = this.added;
    }
  }

  private shareRecord(values: SharedValues, record: object): void {
    if (values.records === null) {
      values.records = [];
      countShared(values, values.numbers.length * RECORD_BYTES);
    }
    values.records[this.added - 1] = record;
  }

  private feedWith(candle: Candle): void {
    const { feed, rules } = this;
    this.seen += 1;
    const value =
      feed.reads === 'closes'
        ? feed.series.update(closeNumber(candle), false)
        : feed.series.update(ohlcvOf(candle), false);
    if (this.seen < rules.first || value === null) this.set(Number.NaN, null);
    else if (typeof value === 'number') {
      if (Number.isFinite(value)) this.set(value, null);
      else this.beginAnew();
    } else if (isFinite(value)) {
      // The library may read its own record again, so a copy is frozen.
      this.set(Number.NaN, Object.freeze({ ...value }));
    } else this.beginAnew();
  }

  store(slot: number): void {
    this.numbers ??= new Float64Array(MOST_AHEAD + 1);
    this.numbers[slot] = this.number;
    if (this.record !== null) this.records ??= Array.from({ length: MOST_AHEAD + 1 }, () => null);
    if (this.records !== null) this.records[slot] = this.record;
  }

  show(slot: number): void {
    this.set(this.numbers?.[slot] ?? Number.NaN, this.records?.[slot] ?? null);
  }

  private set(number: number, record: object | null): void {
    this.number = number;
    this.record = record;
  }

  private beginAnew(): void {
    this.set(Number.NaN, null);
    if (this.rules.settledAfter <= this.rules.first) return;
    this.feed = this.rules.start();
    this.seen = 0;
  }
}

const isFinite = (value: object): boolean =>
  Object.values(value).every((part) => typeof part !== 'number' || Number.isFinite(part));
