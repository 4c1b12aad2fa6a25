import { bestClustering } from './best-clustering.ts';
import { known, type Estimate, unknown } from './estimate.ts';
import { checkTrials } from './check-sample.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';
import { productSum } from './product-sum.ts';
import { NOISE_SHARE } from './sample-moments.ts';

/** Number of trials that are not copies of each other. */
export interface EffectiveTrials {
  /** 1 to the number of trials. */
  readonly count: number;
  /**
   * `clusters`: trials fall into groups, which are counted. `mean-correlation`: they do not, or are more than
   * 1,000, and the count comes from their mean correlation.
   */
  readonly method: 'clusters' | 'mean-correlation';
  /** Of each trial its cluster, 0 to `count - 1`; by `mean-correlation` each trial is its own. */
  readonly labels: Int32Array;
  /** Of the best clusters, -1 to 1; null where none were looked for. */
  readonly silhouette: number | null;
}

/** Above it clustering takes more than seconds. */
const MOST_CLUSTERED = 1_000;

/** Below it there is no substantial structure: Kaufman and Rousseeuw, "Finding Groups in Data" (1990), 2. */
const LEAST_SILHOUETTE = 0.25;

/**
 * The effective number of trials, by their returns. The distance of two trials is `sqrt((1 - correlation) /
 * 2)` (Mantegna, European Physical Journal B 11, 1999). They are clustered by average linkage, and the cut
 * with the largest mean silhouette counts (Rousseeuw 1987). Where that is below 0.25 there are no groups to
 * count: the number is then `r + (1 - r) N`, rounded up, with r the mean correlation (Bailey and Lopez de
 * Prado, "The Deflated Sharpe Ratio", 2014, appendix 3), which is N for independent trials and 1 for copies.
 * No random numbers are used, so that the same trials always have the same clusters. Unknown below two
 * trials, and where one does not vary. Throws `InvalidSample` at a number that is not finite, and at columns
 * of different lengths.
 */
export function effectiveTrials(trials: readonly Float64Array[]): Estimate<EffectiveTrials> {
  const standardized = standardizedTrials(trials);
  if (standardized.kind === 'unknown') return standardized;
  const count = trials.length;
  let silhouette: number | null = null;
  if (count > 2 && count <= MOST_CLUSTERED) {
    const distances = correlationMatrix(standardized.value).map((correlation) =>
      Math.sqrt((1 - correlation) / 2),
    );
    const clustering = bestClustering(distances, count);
    ({ silhouette } = clustering);
    if (silhouette >= LEAST_SILHOUETTE)
      return known({ count: clustering.clusters, method: 'clusters', labels: clustering.labels, silhouette });
  }
  const correlation = Math.max(0, meanCorrelation(standardized.value));
  return known({
    count: Math.ceil((correlation + (1 - correlation) * count) * (1 - ROUNDING)),
    method: 'mean-correlation',
    labels: Int32Array.from({ length: count }, (_, index) => index),
    silhouette,
  });
}

/** A count that is whole but for the noise of floats is not rounded up. */
const ROUNDING = 1e-12;

/**
 * The columns of trials with mean 0 and length 1, so that the product of two is their correlation (Pearson).
 * Unknown below two trials or three periods, and where one of them does not vary. Throws `InvalidSample` at a
 * number that is not finite, and at columns of different lengths.
 */
export function standardizedTrials(trials: readonly Float64Array[]): Estimate<Float64Array[]> {
  const length = checkTrials(trials);
  if (trials.length < 2)
    return unknown(
      'too-few-trials',
      lack('lack.trials', { least: inDigits(2), found: inDigits(trials.length) }),
    );
  if (length < 3)
    return unknown(
      'too-few-observations',
      lack('lack.returns', { least: inDigits(3), found: inDigits(length) }),
    );
  const standardized: Float64Array[] = [];
  for (const [index, trial] of trials.entries()) {
    const column = standardizedTrial(trial);
    if (column === null)
      return unknown('no-variance', lack('lack.oneReturnInTrial', { trial: inDigits(index) }));
    standardized.push(column);
  }
  return known(standardized);
}

function standardizedTrial(trial: Float64Array): Float64Array | null {
  const scale = trial.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = trial.reduce((sum, value) => sum + value / scale, 0) / trial.length;
  const squares = trial.reduce((sum, value) => sum + (value / scale - mean) ** 2, 0);
  if (Math.sqrt(squares / (trial.length - 1)) <= NOISE_SHARE) return null;
  const length = Math.sqrt(squares);
  return trial.map((value) => (value / scale - mean) / length);
}

/**
 * The correlation of each pair of standardized trials, -1 to 1: row by row, `[i * trials + j]`. It takes
 * `trials^2` numbers of memory.
 */
export function correlationMatrix(standardized: readonly Float64Array[]): Float64Array {
  const { length } = standardized;
  const matrix = new Float64Array(length * length);
  for (const [row, one] of standardized.entries()) {
    matrix[row * length + row] = 1;
    for (let column = row + 1; column < length; column += 1) {
      const correlation = Math.max(-1, Math.min(1, productSum(one, standardized[column] ?? one)));
      matrix[row * length + column] = correlation;
      matrix[column * length + row] = correlation;
    }
  }
  return matrix;
}

/**
 * The mean correlation of all pairs of standardized trials, -1 to 1, from the length of their sum: `(|sum|^2
 * - N) / (N (N - 1))`. It needs no matrix.
 */
export function meanCorrelation(standardized: readonly Float64Array[]): number {
  const count = standardized.length;
  const sum = new Float64Array(standardized[0]?.length ?? 0);
  for (const trial of standardized) {
    for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] ?? 0) + (trial[index] ?? 0);
  }
  return (productSum(sum, sum) - count) / (count * (count - 1));
}
