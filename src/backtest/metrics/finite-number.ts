import type { Units } from '../../domain/money.ts';

/** What a number of the summary is: a finite one, or null where its formula has no value (a division by nothing, or too few points). */
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
