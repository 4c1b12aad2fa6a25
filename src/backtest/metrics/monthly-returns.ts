import type { EquityCurve } from '../backtest-run.ts';

/** The return of one calendar month (UTC), or of that part of it which the run covers. */
export interface MonthlyReturn {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly change: number;
}

/**
 * `equity at the end of the month / equity at the end of the one before - 1`. A moment at midnight closes the day before it, so it belongs to that
 * day's month. After a total loss a month returns 0.
 */
export function monthlyReturns(initialEquity: number, curve: EquityCurve): MonthlyReturn[] {
  const months: MonthlyReturn[] = [];
  let before = initialEquity;
  let index = 0;
  while (index < curve.length) {
    const first = new Date((curve.timeMs[index] ?? 0) - 1);
    const year = first.getUTCFullYear();
    const month = first.getUTCMonth();
    const endMs = Date.UTC(year, month + 1, 1);
    while (index < curve.length && (curve.timeMs[index] ?? 0) <= endMs) index += 1;
    const last = curve.equity[index - 1] ?? 0;
    months.push({ year, month: month + 1, change: before > 0 ? last / before - 1 : 0 });
    before = last;
  }
  return months;
}
