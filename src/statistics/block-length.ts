import { checkSample } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';
import { productSum } from './product-sum.ts';
import { NOISE_SHARE } from './sample-moments.ts';

export interface BlockLength {
  /** For the stationary bootstrap: the mean length of a block. At least 1. */
  readonly stationary: number;
  /** For blocks of one length on a circle. At least 1. */
  readonly circular: number;
}

/** Fewer have no lags to look at. */
const LEAST_VALUES = 20;

/**
 * Returns the block lengths of a bootstrap at which the error of the variance of a mean is least. The more a
 * value predicts the next ones, the longer. `2 g^2 / D`, to the power 1/3, times `n^(1/3)`: `g` sums lags
 * times autocovariances, and `D` is 2 (stationary) or 4/3 (circular) times the square of the long-run
 * variance, both with a flat-top window. The window is twice the first lag from which on five
 * autocorrelations in a row (more beyond a million values) are within `2 sqrt(log10(n) / n)`. It is as in the
 * authors' own program: that lag is the first of the five. Lengths are at most `3 sqrt(n)` and `n / 3`. A
 * result below 1 is 1, a block of one period.
 *
 * Unknown below 20 values, and if they do not vary. Throws `InvalidSample` at a number that is not finite.
 * Politis and White, "Automatic Block-Length Selection for the Dependent Bootstrap", Econometric Reviews 23
 * (2004), with the correction of Patton, Politis and White, Econometric Reviews 28 (2009).
 */
export function blockLength(values: Float64Array): Estimate<BlockLength> {
  checkSample(values, 'values');
  const count = values.length;
  if (count < LEAST_VALUES)
    return unknown(
      'too-few-observations',
      lack('lack.values', { least: inDigits(LEAST_VALUES), found: inDigits(count) }),
    );
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = values.reduce((sum, value) => sum + value / scale, 0) / count;
  const distances = values.map((value) => value / scale - mean);
  if (Math.sqrt(productSum(distances, distances) / count) <= NOISE_SHARE)
    return unknown('no-variance', lack('lack.oneValue', { times: inDigits(count) }));
  const inARow = Math.max(5, Math.floor(Math.log10(count)));
  const mostLags = Math.ceil(Math.sqrt(count)) + inARow;
  const window = Math.min(mostLags, 2 * firstQuietLag(distances, { inARow, mostLags }));
  let weighted = 0;
  let variance = productSum(distances, distances) / count;
  for (let lag = 1; lag <= window; lag += 1) {
    const share = Math.min(1, 2 * (1 - lag / window));
    const covariance = productSum(distances, distances, lag) / count;
    weighted += 2 * share * lag * covariance;
    variance += 2 * share * covariance;
  }
  const most = Math.ceil(Math.min(3 * Math.sqrt(count), count / 3));
  const lengthBy = (factor: number): number => {
    // No long-run variance: what falls is made up for by what rises, and only the longest blocks hold both.
    if (variance === 0) return most;
    const length = Math.cbrt((2 * weighted * weighted * count) / (factor * variance * variance));
    return Math.max(1, Math.min(most, length));
  };
  return known({ stationary: lengthBy(2), circular: lengthBy(4 / 3) });
}

/** From it on so many autocorrelations in a row are small; the last lag where there is none. At least 1. */
function firstQuietLag(
  distances: Float64Array,
  { inARow, mostLags }: { readonly inARow: number; readonly mostLags: number },
): number {
  const count = distances.length;
  const small = 2 * Math.sqrt(Math.log10(count) / count);
  let quiet = 0;
  for (let lag = 1; lag < mostLags; lag += 1) {
    quiet = Math.abs(partCorrelation(distances, lag)) < small ? quiet + 1 : 0;
    if (quiet === inARow) return lag - inARow + 1;
  }
  return mostLags;
}

/** The correlation by the squares of the two parts that overlap, without the value before each. */
function partCorrelation(distances: Float64Array, lag: number): number {
  const late = distances.subarray(lag + 1);
  const early = distances.subarray(0, distances.length - lag - 1);
  const squares = productSum(late, late) * productSum(early, early);
  return squares === 0 ? 0 : productSum(distances, distances, lag) / Math.sqrt(squares);
}
