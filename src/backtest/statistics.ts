import type { Units } from '../domain/money.ts';
import { DAY_MS } from '../domain/time-text.ts';

/** Figure of the summary: finite, or null if its formula has no value (division by zero, too few points). */
export type Statistic = number | null;

/** Returns a quotient; null if it is not a finite number. */
export function quotient(dividend: number | null, divisor: number | null): Statistic {
  if (dividend === null || divisor === null) return null;
  return finite(dividend / divisor);
}

/** Returns a number; null if it is not finite. */
export function finite(value: number): Statistic {
  return Number.isFinite(value) ? value : null;
}

/** Converts money into a number with about fifteen correct digits; for statistics only. */
export function numberOf(units: Units): number {
  return Number(units) / 1e10;
}

/** Deviations of returns below it are noise of floats: a return has an error of about 2e-16. */
const NOISE = 1e-15;

/** Returns the arithmetic mean; null without values. */
export function mean(values: readonly number[]): Statistic {
  return meanOfColumn(new Float64Array(values));
}

/** Returns the mean of a column; null without values. It is faster since it reads one array type only. */
export function meanOfColumn(values: Float64Array): Statistic {
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += values[index] ?? 0;
  return values.length === 0 ? null : sum / values.length;
}

/** Returns the sample standard deviation (by n - 1); null below two values, 0 if it is only noise. */
export function sampleDeviation(values: readonly number[]): Statistic {
  const centre = mean(values);
  if (centre === null || values.length < 2) return null;
  let squares = 0;
  for (let index = 0; index < values.length; index += 1) squares += ((values[index] ?? 0) - centre) ** 2;
  return withoutNoise(Math.sqrt(squares / (values.length - 1)));
}

/** Returns a deviation; 0 if it is only noise. */
export function withoutNoise(deviation: number): number {
  return deviation < NOISE ? 0 : deviation;
}

/** Daily returns of a run (UTC), from its first to its last day. */
export interface DailyReturns {
  /** Number of the first day since 1970-01-01. */
  readonly firstDay: number;
  /** Return of each day as a fraction: 0.01 is 1 %. */
  readonly returns: Float64Array;
}

/** Values of an account at rising moments. */
interface Curve {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly equity: Float64Array;
}

/**
 * Returns `equity at the end of the day / equity at the end of the day before - 1` for each day; the first
 * one is from the initial equity. A bar belongs to the day in which it closes, midnight to the day that it
 * ends. A day without bars returns 0, and so does a day after a total loss.
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
