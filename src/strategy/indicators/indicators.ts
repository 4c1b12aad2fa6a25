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
 * Every indicator that a strategy can declare. Left out of the library are:
 *
 * - those whose formula is not the published one: `ER` (divides by the range, not by the way), `PGO`
 *   (averages the true range twice), `ProjectionOscillator` (one slope for both bands), `PSAR` (bounds by one
 *   bar where Wilder has two, and moves by 0.01 whatever the price), `REI` (sums over all bars since the
 *   start and keeps them), `RandomWalkIndex` (counts one bar less), `VolatilityStop` (another rule than
 *   Wilder's), `GannHiLo` (its line stands still between breaks);
 * - those that have a value only where a pattern completes, so that no warm-up gives them one:
 *   `BreakoutBarLow`, `HigherLowTrail`, `SwingHigh`, `SwingLow`, `TDS`, `ZigZag`;
 * - levels that depend on where they began, and can not be a sum over a window: `NVI`, `PVI`; those that can
 *   (`AD`, `AccumulativeSwingIndex`, `OBV`, `PVT`, `VWAP`, `WAD`) are in as such;
 * - `QQE`, whose trailing line was never published as a formula;
 * - what another one is: `DMA` (two `sma`), `RMA` (`wsma`, begun otherwise), `EMA` and `MACD` (begun with the
 *   first close; ours begin with the simple average), `TRIX` (divides by the newer value), `AC` and
 *   `StochasticRSI` (skip values of 0; ours are made of their parts).
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

/** One running indicator: takes closed candles in order, and answers its value as of each. */
export interface Indicator {
  /**
   * Candles after which its value no longer depends on where it began: less than a thousandth of what came
   * before is left in it.
   */
  readonly settledAfter: number;
  /**
   * As of the last candle. Null until it has seen enough of them, and where its formula divides by zero. What
   * remembers more than its window begins anew after that, since it would carry the fault along.
   */
  readonly value: IndicatorValue | null;
  /** True if `value` is not null. */
  readonly hasValue: boolean;
  add(candle: Candle): void;
}

/**
 * Throws `INVALID_STRATEGY` for what is no indicator, has a parameter out of its range, or looks back over
 * more candles than the exchange gives at once.
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
  /** NaN while its value is another, or none. A field of numbers alone is written without a new object. */
  private number = Number.NaN;
  /** Null while its value is another, or none. */
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
      // The library may read its own record again, so it stays its own.
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
