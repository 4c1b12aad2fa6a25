import { bestClustering } from './best-clustering.ts';
import { correlationMatrix, meanCorrelation, standardizedTrials } from './correlation-matrix.ts';
import { known, type Estimate } from './estimate.ts';

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
