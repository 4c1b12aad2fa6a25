import {
  checkSample,
  known,
  unknown,
  type Estimate,
  lack,
  checkNumber,
  InvalidSample,
  checkCount,
} from './estimate.ts';
import { inDigits } from '../language/fact.ts';

/** Inputs from returns for the formulas of the Sharpe ratio. */
export interface SharpeSample {
  /** Number of returns. */
  readonly count: number;
  /** Mean by sample deviation (n - 1), of one period: not annualised. */
  readonly sharpe: number;
  /** `m3 / m2^1.5`, 0 of a normal distribution. Below 0, large losses are more frequent than large gains. */
  readonly skewness: number;
  /** `m4 / m2^2`, not the excess: 3 of a normal distribution. */
  readonly kurtosis: number;
}

export interface SampleMoments extends SharpeSample {
  readonly mean: number;
  /** The sample deviation (n - 1). */
  readonly deviation: number;
}

/** Fewer have no shape. */
const LEAST_RETURNS = 4;

/** A deviation below this part of the largest value is the noise of floats. */
export const NOISE_SHARE = 1e-12;

/**
 * The moments of returns, one a period. `m2`, `m3` and `m4` are central and divided by n (Fisher's g1 and g2
 * + 3; Joanes and Gill, "Comparing Measures of Sample Skewness and Kurtosis", The Statistician 47, 1998).
 * Unknown below four returns, and where they do not vary. Throws `InvalidSample` at a number that is not
 * finite.
 */
export function sampleMoments(returns: Float64Array): Estimate<SampleMoments> {
  checkSample(returns, 'returns');
  const count = returns.length;
  if (count < LEAST_RETURNS)
    return unknown(
      'too-few-observations',
      lack('lack.returns', { least: inDigits(LEAST_RETURNS), found: inDigits(count) }),
    );
  // Squares and fourth powers of tiny or huge numbers leave the range of floats.
  const scale = returns.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (scale === 0) return noVariance(count);
  const mean = returns.reduce((sum, value) => sum + value / scale, 0) / count;
  let [second, third, fourth] = [0, 0, 0];
  for (let index = 0; index < count; index += 1) {
    const distance = (returns[index] ?? 0) / scale - mean;
    const square = distance * distance;
    second += square;
    third += square * distance;
    fourth += square * square;
  }
  const deviation = Math.sqrt(second / (count - 1));
  if (deviation <= NOISE_SHARE) return noVariance(count);
  const variance = second / count;
  return known({
    count,
    mean: mean * scale,
    deviation: deviation * scale,
    sharpe: mean / deviation,
    skewness: third / count / variance ** 1.5,
    kurtosis: fourth / count / (variance * variance),
  });
}

const noVariance = (count: number): Estimate<never> =>
  unknown('no-variance', lack('lack.oneReturn', { times: inDigits(count) }));

/**
 * `sum(one[t + lag] other[t])` over all `t` that both have. Four sums side by side: one alone waits for each
 * addition to end before the next. They are declared one by one: numbers out of an array literal stay boxed,
 * which takes three times as long.
 */
export function productSum(one: Float64Array, other: Float64Array, lag = 0): number {
  const count = Math.min(one.length - lag, other.length);
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let at = 0;
  for (; at + 3 < count; at += 4) {
    first += (one[at + lag] ?? 0) * (other[at] ?? 0);
    second += (one[at + lag + 1] ?? 0) * (other[at + 1] ?? 0);
    third += (one[at + lag + 2] ?? 0) * (other[at + 2] ?? 0);
    fourth += (one[at + lag + 3] ?? 0) * (other[at + 3] ?? 0);
  }
  for (; at < count; at += 1) first += (one[at + lag] ?? 0) * (other[at] ?? 0);
  return first + second + (third + fourth);
}

/**
 * The value below which a share of sorted values lies, 0 to 1, between two values in proportion (type 7 of
 * Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50, 1996). Throws
 * `InvalidSample` of no values, and at a share out of range. The values must rise.
 */
export function sampleQuantile(sorted: Float64Array, share: number): number {
  checkNumber(share, 'share', { least: 0, most: 1 });
  if (sorted.length === 0) throw new InvalidSample('expected values for a quantile, was none');
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (place - below) * (high - low);
}

/** Values that so many of a hundred do not exceed. */
export interface Quantiles {
  readonly p05: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
}

/** Of values in any order. Throws `InvalidSample` of none. */
export function quantilesOf(values: Float64Array): Quantiles {
  const sorted = values.toSorted();
  return {
    p05: sampleQuantile(sorted, 0.05),
    p25: sampleQuantile(sorted, 0.25),
    p50: sampleQuantile(sorted, 0.5),
    p75: sampleQuantile(sorted, 0.75),
    p95: sampleQuantile(sorted, 0.95),
  };
}

/**
 * Returns the autocorrelation with the value `lag` periods later, -1 to 1: `sum((x[t] - mean) (x[t + lag] -
 * mean)) / sum((x[t] - mean)^2)`. Unknown unless there are two values more than the lag, and if they do not
 * vary. Throws `InvalidSample` at a number that is not finite, and at a lag that is not a whole number from
 * 0. Box, Jenkins and Reinsel, "Time Series Analysis" (2008), 2.1.6.
 */
export function autocorrelation(values: Float64Array, lag: number): Estimate<number> {
  checkSample(values, 'values');
  checkCount(lag, 'lag', { least: 0 });
  const count = values.length;
  if (count < lag + 2)
    return unknown(
      'too-few-observations',
      lack('lack.values', { least: inDigits(lag + 2), found: inDigits(count) }),
    );
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = values.reduce((sum, value) => sum + value / scale, 0) / count;
  const distances = values.map((value) => value / scale - mean);
  const squares = productSum(distances, distances);
  if (Math.sqrt(squares / count) <= NOISE_SHARE)
    return unknown('no-variance', lack('lack.oneValue', { times: inDigits(count) }));
  return known(productSum(distances, distances, lag) / squares);
}
