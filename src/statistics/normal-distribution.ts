import jstat from 'jstat';
import { checkNumber } from './check-sample.ts';

/**
 * The probability that a standard normal variable is at most `x`, 0 to 1. Right to 1e-15. Below -5 that is an
 * absolute and no relative error. Throws `InvalidSample` unless `x` is finite.
 */
export function normalCdf(x: number): number {
  checkNumber(x, 'x');
  return jstat.normal.cdf(x, 0, 1);
}

/** Beyond it the library's quantiles lose more than nine digits. */
const LEAST_TAIL = 1e-9;

/**
 * The value that a standard normal variable does not exceed with this probability. Right to 1e-12 of itself
 * while both tails are at least 1e-5, and to 1e-9 at the ends of its range. Throws `InvalidSample` outside of
 * 1e-9 to 1 - 1e-9.
 */
export function normalQuantile(probability: number): number {
  checkNumber(probability, 'probability', { least: LEAST_TAIL, most: 1 - LEAST_TAIL });
  return jstat.normal.inv(probability, 0, 1);
}
