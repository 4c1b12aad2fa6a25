import type { Units } from '../domain/money.ts';

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
