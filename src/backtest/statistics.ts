import type { Units } from '../domain/money.ts';
import { DAY_MS } from '../domain/time-text.ts';

/**
 * Number of the summary: finite, or null if its formula has no value (a division by zero, or too few points).
 */
export type Statistic = number | null;

/** A quotient, or null where it is not a finite number. */
export function quotient(dividend: number | null, divisor: number | null): Statistic {
  if (dividend === null || divisor === null) return null;
  return finite(dividend / divisor);
}

/** A number, or null where it is not finite. */
export function finite(value: number): Statistic {
  return Number.isFinite(value) ? value : null;
}

/** Money as a number: for statistics only, right to fifteen digits. */
export function numberOf(units: Units): number {
  return Number(units) / 1e10;
}

/** Below it a deviation of returns is the noise of floats: a return has an error of about 2e-16. */
const NOISE = 1e-15;

/** The arithmetic mean; null of nothing. */
export function mean(values: readonly number[]): Statistic {
  return meanOfColumn(new Float64Array(values));
}

/** The same of a typed column: one kind of array alone is read several times as fast. */
export function meanOfColumn(values: Float64Array): Statistic {
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += values[index] ?? 0;
  return values.length === 0 ? null : sum / values.length;
}

/**
 * The sample standard deviation, `sqrt(sum((x - mean)^2) / (n - 1))`; null below two values. What is only
 * noise is 0.
 */
export function sampleDeviation(values: readonly number[]): Statistic {
  const centre = mean(values);
  if (centre === null || values.length < 2) return null;
  let squares = 0;
  for (let index = 0; index < values.length; index += 1) squares += ((values[index] ?? 0) - centre) ** 2;
  return withoutNoise(Math.sqrt(squares / (values.length - 1)));
}

/** A deviation, or 0 where it is only noise. */
export function withoutNoise(deviation: number): number {
  return deviation < NOISE ? 0 : deviation;
}

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
