import { fieldsOf } from '../fields.ts';
import type { Candle } from '../../domain/candle.ts';
import { SarrafError } from '../../domain/errors.ts';
import { ohlcvOf, closeNumber } from '../column-candle.ts';
import type { IndicatorValue, CheckedIndicator, IndicatorFeed, IndicatorEntry } from './declare-indicator.ts';
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

/** One running indicator: is fed with closed candles in order, and has a value after each. */
export interface Indicator {
  /**
   * Number of candles after which its value no longer depends on its start: less than a thousandth of earlier
   * values is left in it.
   */
  readonly settledAfter: number;
  /**
   * Value as of the last candle. Null before it has seen enough candles, and if its formula divides by zero.
   * An indicator with a memory beyond its window then starts again, so that the fault does not stay in it.
   */
  readonly value: IndicatorValue | null;
  /** True if `value` is not null. */
  readonly hasValue: boolean;
  add(candle: Candle): void;
}

/**
 * Creates a running indicator. Throws `INVALID_STRATEGY` for a value that is no indicator, for a parameter
 * out of its range, or for more candles than the exchange gives at once.
 */
export function createIndicator(spec: unknown): Indicator {
  const { kind, params, of } = fieldsOf(spec);
  const entry = typeof kind === 'string' ? INDICATORS.get(kind) : undefined;
  if (typeof kind !== 'string' || entry === undefined) {
    const was = JSON.stringify(spec);
    throw new SarrafError('INVALID_STRATEGY', `expected an indicator such as sma(bars, 20), was ${was}`);
  }
  if (!isCandles(of)) {
    const was = JSON.stringify(of);
    throw new SarrafError(
      'INVALID_STRATEGY',
      `expected declared candles as the first argument of ${kind}, was ${was}: take them by the name that data gives them, such as indicators: ({ bars }) => …`,
    );
  }
  return new RunningIndicator(entry.check(params));
}

function isCandles(of: unknown): boolean {
  const { kind, from } = fieldsOf(of);
  return (kind === 'candles' || kind === 'member-candles') && typeof from === 'object' && from !== null;
}

class RunningIndicator implements Indicator {
  readonly settledAfter: number;
  /** Value if it is a number, else NaN. A field of numbers alone can be written without a new object. */
  private number = Number.NaN;
  /** Value if it is a record; null if it is a number or none. */
  private record: object | null = null;
  private readonly rules: CheckedIndicator;
  private feed: IndicatorFeed<IndicatorValue>;
  private seen = 0;

  constructor(rules: CheckedIndicator) {
    this.rules = rules;
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

function isFinite(value: object): boolean {
  return Object.values(value).every((part) => typeof part !== 'number' || Number.isFinite(part));
}
