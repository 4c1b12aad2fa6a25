import { finite, quotient, withoutNoise, type Statistic } from '../statistics.ts';
import { dayOfJalali, jalaliOf } from '../../domain/time-text.ts';
import { tehranDay, tehranInstant } from '../../domain/zone-time.ts';
import type { EquityCurve } from '../backtest-run.ts';

/** Length of a year in ms for markets that are always open: 365 days of 24 hours, without leap days. */
export const YEAR_MS = 31_536_000_000;

/**
 * Returns the number of returns per year, for annualised figures. If bars are missing it is the number of
 * existing bars over the time they cover, `count x year / span`: a return over a gap is one return, and
 * variance grows with time (Bacon 2008, 4.1), so whole bars would count the gaps again and again.
 */
export function returnsPerYear(of: {
  readonly barMs: number;
  readonly count: number;
  readonly spanMs: number;
}): number {
  const { barMs, count, spanMs } = of;
  return count + HALF < spanMs / barMs ? (count * YEAR_MS) / spanMs : YEAR_MS / barMs;
}

/** Half a bar, since a run may end in the middle of one. */
const HALF = 0.5;

/** Values of an account at both ends of a span of time, and the length of the span. */
interface Growth {
  readonly initialEquity: number;
  readonly finalEquity: number;
  readonly spanMs: number;
}

/** Total return: `final / initial - 1`. Null if the initial equity is 0. */
export function totalReturn({ initialEquity, finalEquity }: Growth): Statistic {
  return initialEquity > 0 ? finite(finalEquity / initialEquity - 1) : null;
}

/**
 * Compound annual growth rate: `(final / initial)^(year / span) - 1`. A span below a year is extrapolated,
 * which says little for short spans. Null without a span or if it exceeds a float. Bacon (2008), 2.7.
 */
export function compoundAnnualGrowth({ initialEquity, finalEquity, spanMs }: Growth): Statistic {
  if (initialEquity <= 0 || spanMs <= 0) return null;
  return finite(Math.max(finalEquity / initialEquity, 0) ** (YEAR_MS / spanMs) - 1);
}

/**
 * Calmar ratio: `CAGR / maxDrawdown`, both of the whole run instead of its last three years. Null without a
 * drawdown. Young, "Calmar Ratio: A Smoother Tool", Futures 20 (1991).
 */
export function calmarRatio(growth: Statistic, maxDrawdown: number): Statistic {
  return quotient(growth, maxDrawdown);
}

/** Statistics of the returns of all bars of a run, and the number of returns per year. */
interface Returns {
  readonly mean: Statistic;
  /** Deviation about the mean; `downsideDeviation` is that below zero. */
  readonly deviation: Statistic;
  readonly downsideDeviation: Statistic;
  /** Sum of the gains, `sum(max(return, 0))`; `losses` is `sum(max(-return, 0))`. */
  readonly gains: number;
  readonly losses: number;
  readonly perYear: number;
}

/**
 * Computes statistics of the simple returns of each bar, `equity[i] / equity[i - 1] - 1`; the first return is
 * from the initial equity. After a total loss a return is 0. To save memory the returns are not stored but
 * computed twice: for the mean and for the deviation.
 */
export function returnsOf(initialEquity: number, equity: Float64Array, perYear: number): Returns {
  const { length } = equity;
  let sum = 0;
  let losses = 0;
  let gains = 0;
  let squaresBelow = 0;
  for (let index = 0, before = initialEquity; index < length; index += 1) {
    const now = equity[index] ?? 0;
    const change = before > 0 ? now / before - 1 : 0;
    sum += change;
    if (change > 0) gains += change;
    else {
      losses -= change;
      squaresBelow += change * change;
    }
    before = now;
  }
  const mean = sum / length;
  let squares = 0;
  for (let index = 0, before = initialEquity; index < length; index += 1) {
    const now = equity[index] ?? 0;
    const distance = (before > 0 ? now / before - 1 : 0) - mean;
    squares += distance * distance;
    before = now;
  }
  return {
    mean: finite(mean),
    deviation: length < 2 ? null : withoutNoise(Math.sqrt(squares / (length - 1))),
    downsideDeviation: length === 0 ? null : withoutNoise(Math.sqrt(squaresBelow / length)),
    gains,
    losses,
    perYear,
  };
}

/**
 * Annual volatility: `sampleDeviation(returns) x sqrt(returns per year)`. Bacon, "Practical Portfolio
 * Performance Measurement and Attribution" (2008), 4.1.
 */
export function volatility({ deviation, perYear }: Returns): Statistic {
  return annualised(deviation, perYear);
}

/**
 * Sharpe ratio: `mean(returns) / sampleDeviation(returns) x sqrt(returns per year)`, for a risk-free rate of
 * 0. Sharpe, "The Sharpe Ratio", Journal of Portfolio Management 21 (1994).
 */
export function sharpeRatio({ mean, deviation, perYear }: Returns): Statistic {
  return annualised(quotient(mean, deviation), perYear);
}

/**
 * Sortino ratio: `mean(returns) / downsideDeviation(returns) x sqrt(returns per year)`, for a target of 0.
 * Sortino and Price, "Performance Measurement in a Downside Risk Framework", Journal of Investing 3 (1994).
 */
export function sortinoRatio({ mean, downsideDeviation, perYear }: Returns): Statistic {
  return annualised(quotient(mean, downsideDeviation), perYear);
}

/**
 * Omega ratio: `sum(max(return, 0)) / sum(max(-return, 0))`, for a threshold of 0. Null without a losing bar.
 * Keating and Shadwick, "A Universal Performance Measure", Journal of Performance Measurement 6 (2002).
 */
export function omegaRatio({ gains, losses }: Returns): Statistic {
  return quotient(gains, losses);
}

function annualised(ratio: Statistic, perYear: number): Statistic {
  return ratio === null ? null : finite(ratio * Math.sqrt(perYear));
}

interface Drawdown {
  /** Largest loss from a peak as a fraction of the peak, 0 to 1. */
  readonly depth: number;
  /** Length of the deepest drawdown in ms: from its peak until that was reached again, or to the end. */
  readonly lengthMs: number;
  /** Longest time below any peak in ms; this may be another drawdown. */
  readonly longestMs: number;
}

/**
 * Returns the deepest drawdown, `max over t of (peak before t - value at t) / peak before t`, and its length.
 * Magdon-Ismail and Atiya, "Maximum Drawdown", Risk 17 (2004).
 */
export function maximumDrawdown(curve: ValuesOverTime): Drawdown {
  let deepest = 0;
  let lengthMs = 0;
  let longestMs = 0;
  forEachDrawdown(curve, ({ depth, peakMs, endMs }) => {
    longestMs = Math.max(longestMs, endMs - peakMs);
    if (depth <= deepest) return;
    deepest = depth;
    lengthMs = endMs - peakMs;
  });
  return { depth: deepest, lengthMs, longestMs };
}

/** Computes the drawdown at each moment of a curve, 0 to 1. */
export class DrawdownMeter {
  #peak: number;

  constructor(startValue: number) {
    this.#peak = startValue;
  }

  /** Returns the drawdown at the next moment, whose value is given. */
  next(value: number): number {
    if (value > this.#peak) this.#peak = value;
    return fractionLost(this.#peak, value);
  }
}

/** Values over time, with a start value. Both arrays have the same length. */
export interface ValuesOverTime {
  readonly startMs: number;
  readonly startValue: number;
  readonly timeMs: Float64Array;
  readonly value: Float64Array;
}

/** One period below a peak. */
interface DrawdownPeriod {
  /** Largest loss from the peak as a fraction of it, above 0 and at most 1. */
  readonly depth: number;
  readonly peakMs: number;
  /** Time of the first lowest point. */
  readonly troughMs: number;
  /** Time at which the peak was reached again, or the end of the curve. */
  readonly endMs: number;
  readonly isOver: boolean;
}

/** Calls `onPeriod` for each period below a peak, oldest first. A rise from peak to peak is no period. */
function forEachDrawdown(curve: ValuesOverTime, onPeriod: (period: DrawdownPeriod) => void): void {
  const { value, timeMs } = curve;
  let peak = curve.startValue;
  let peakMs = curve.startMs;
  let depth = 0;
  let troughMs = 0;
  for (let index = 0; index < value.length; index += 1) {
    const now = value[index] ?? 0;
    const atMs = timeMs[index] ?? 0;
    const lost = fractionLost(peak, now);
    if (lost > depth) {
      depth = lost;
      troughMs = atMs;
    }
    const isOver = now >= peak;
    if (depth > 0 && (isOver || index === value.length - 1)) {
      onPeriod({ depth, peakMs, troughMs, endMs: atMs, isOver });
      depth = 0;
    }
    if (isOver) {
      peak = now;
      peakMs = atMs;
    }
  }
}

/** Returns at most `most` drawdowns, the deepest first; of equal ones the older first. */
export function deepestDrawdowns(curve: ValuesOverTime, most: number): readonly DrawdownPeriod[] {
  const deepest: DrawdownPeriod[] = [];
  forEachDrawdown(curve, (period) => {
    const place = deepest.findIndex(({ depth }) => depth < period.depth);
    if (place === -1 && deepest.length >= most) return;
    deepest.splice(place === -1 ? deepest.length : place, 0, period);
    if (deepest.length > most) deepest.pop();
  });
  return deepest;
}

/** Returns the loss from a peak: `(peak - now) / peak`, 0 to 1; 0 if the peak is not above 0. */
function fractionLost(peak: number, now: number): number {
  if (peak <= 0) return 0;
  return Math.min(1, Math.max(0, (peak - now) / peak));
}

/** Return of one calendar month (UTC), or of the part of it that the run covers. */
export interface MonthlyReturn {
  readonly year: number;
  /** Number of the month, 1 to 12. */
  readonly month: number;
  readonly change: number;
}

/**
 * Returns the return of each month: `equity at its end / equity at the end of the month before - 1`. A moment
 * at midnight belongs to the day and month that it ends. After a total loss a month returns 0.
 */
export function monthlyReturns(
  initialEquity: number,
  curve: EquityCurve,
  monthAt = utcMonth,
): MonthlyReturn[] {
  const months: MonthlyReturn[] = [];
  let before = initialEquity;
  let index = 0;
  while (index < curve.length) {
    const { year, month, endMs } = monthAt((curve.timeMs[index] ?? 0) - 1);
    while (index < curve.length && (curve.timeMs[index] ?? 0) <= endMs) index += 1;
    const last = curve.equity[index - 1] ?? 0;
    months.push({ year, month, change: before > 0 ? last / before - 1 : 0 });
    before = last;
  }
  return months;
}

/** Month of a calendar: its number, 1 to 12, and the midnight that ends it. */
interface Month {
  readonly year: number;
  readonly month: number;
  readonly endMs: number;
}

function utcMonth(atMs: number): Month {
  const at = new Date(atMs);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { year, month: month + 1, endMs: Date.UTC(year, month + 1, 1) };
}

/** Returns the Jalali month of a time, by Tehran's clock. */
export function jalaliMonth(atMs: number): Month {
  const { year, month } = jalaliOf(tehranDay(atMs));
  const next = month === 12 ? { year: year + 1, month: 1, day: 1 } : { year, month: month + 1, day: 1 };
  return { year, month, endMs: tehranInstant(dayOfJalali(next), 0) };
}

/** Number of values from `from` to below `to`; the first and last column count all beyond them too. */
export interface HistogramColumn {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const COLUMNS = 24;
const NICE = [1, 2, 2.5, 5, 10];

/**
 * Counts values in columns of one round width. An edge at zero separates gains from losses. The middle 98 %
 * of the values decide the width; the outermost columns count the rest. Empty without values.
 */
export function returnHistogram(values: readonly number[]): HistogramColumn[] {
  if (values.length === 0) return [];
  const ordered = values.toSorted((left, right) => left - right);
  const low = Math.min(0, ordered[Math.floor(ordered.length * 0.01)] ?? 0);
  const high = Math.max(0, ordered[Math.ceil(ordered.length * 0.99) - 1] ?? 0);
  const width = roundWidth((high - low) / COLUMNS);
  const first = Math.floor(low / width);
  const last = Math.max(first, Math.floor(high / width));
  const counts = Array.from({ length: last - first + 1 }, () => 0);
  for (const value of ordered) {
    const column = Math.min(last, Math.max(first, Math.floor(value / width))) - first;
    counts[column] = (counts[column] ?? 0) + 1;
  }
  return counts.map((count, index) => ({
    from: (first + index) * width,
    to: (first + index + 1) * width,
    count,
  }));
}

/** Returns the next round width: 1, 2, 2.5 or 5 times a power of ten; 0.001 if all values are alike. */
function roundWidth(least: number): number {
  if (!(least > 1e-12)) return 0.001;
  const power = 10 ** Math.floor(Math.log10(least));
  return (NICE.find((nice) => nice * power >= least) ?? 10) * power;
}
