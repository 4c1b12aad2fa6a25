import { DAY_MS } from '../domain/time-text.ts';

/** The returns of a run, one a day of UTC, from its first day to its last one. */
export interface DailyReturns {
  /** Days since 1970-01-01. */
  readonly firstDay: number;
  /** 0.01 is 1 %. */
  readonly returns: Float64Array;
}

/** Values of an account at rising moments. */
interface Curve {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly equity: Float64Array;
}

/**
 * `equity at the end of the day / equity at the end of the day before - 1`; the first one is from the initial
 * equity. A bar counts to the day that it closes in, midnight to the day that it ends. A day without bars
 * returned 0, and so does one after a total loss.
 */
export function dailyReturns(curve: Curve, initialEquity: number): DailyReturns {
  const { length, timeMs, equity } = curve;
  const dayOf = (index: number): number => Math.floor(((timeMs[index] ?? 0) - 1) / DAY_MS);
  if (length === 0) return { firstDay: 0, returns: new Float64Array(0) };
  const firstDay = dayOf(0);
  const returns = new Float64Array(dayOf(length - 1) - firstDay + 1);
  let before = initialEquity;
  for (let index = 0; index < length; index += 1) {
    const day = dayOf(index);
    if (index + 1 < length && dayOf(index + 1) === day) continue;
    const now = equity[index] ?? 0;
    returns[day - firstDay] = before > 0 ? now / before - 1 : 0;
    before = now;
  }
  return { firstDay, returns };
}
