import { dayOfJalali, jalaliOf } from '../../domain/time-text.ts';
import { tehranDay, tehranInstant } from '../../domain/zone-time.ts';
import type { EquityCurve } from '../backtest-run.ts';

/** The return of one calendar month (UTC), or of that part of it which the run covers. */
export interface MonthlyReturn {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly change: number;
}

/**
 * `equity at the end of the month / equity at the end of the one before - 1`. A moment at midnight closes the
 * day before it, so it belongs to that day's month. After a total loss a month returns 0.
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

/** A month of a calendar: its number, 1 to 12, and the midnight that ends it. */
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

/** The Jalali month on Tehran's clock. */
export function jalaliMonth(atMs: number): Month {
  const { year, month } = jalaliOf(tehranDay(atMs));
  const next = month === 12 ? { year: year + 1, month: 1, day: 1 } : { year, month: month + 1, day: 1 };
  return { year, month, endMs: tehranInstant(dayOfJalali(next), 0) };
}

/**
 * Number of values at or above `from` and below `to`; the first and the last column also count all values
 * beyond them.
 */
export interface HistogramColumn {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const COLUMNS = 24;
const NICE = [1, 2, 2.5, 5, 10];

/**
 * Values in columns of one round width, with an edge at zero so that gains and losses are never mixed. The
 * middle 98 % decide the width; what lies outside is in the outermost columns. Empty of nothing.
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

/**
 * The next width that people count in: 1, 2, 2.5 or 5 of some power of ten. Where all values are as good as
 * the same, a thousandth.
 */
function roundWidth(least: number): number {
  if (!(least > 1e-12)) return 0.001;
  const power = 10 ** Math.floor(Math.log10(least));
  return (NICE.find((nice) => nice * power >= least) ?? 10) * power;
}
