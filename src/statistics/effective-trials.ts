import { known, type Estimate, unknown, checkTrials, lack, productSum, NOISE_SHARE } from './estimate.ts';
import { inDigits } from '../language/fact.ts';

/** Number of trials that are not copies of each other. */
export interface EffectiveTrials {
  /** Count, from 1 to the number of trials. */
  readonly count: number;
  /**
   * Method of the count. `clusters`: trials form groups, which are counted. `mean-correlation`: they do not,
   * or are more than 1,000, and the count comes from their mean correlation.
   */
  readonly method: 'clusters' | 'mean-correlation';
  /** Cluster of each trial, 0 to `count - 1`; with `mean-correlation` each trial is its own. */
  readonly labels: Int32Array;
  /** Silhouette of the best clusters, -1 to 1; null if none were searched for. */
  readonly silhouette: number | null;
}

/** Maximum number of trials that are clustered: more take too many seconds. */
const MOST_CLUSTERED = 1_000;

/** Minimum silhouette of a real structure: Kaufman and Rousseeuw, "Finding Groups in Data" (1990), 2. */
const LEAST_SILHOUETTE = 0.25;

/**
 * Estimates the effective number of trials from their returns. The distance of two trials is `sqrt((1 -
 * correlation) / 2)` (Mantegna, European Physical Journal B 11, 1999). They are clustered by average linkage,
 * and the number of clusters with the largest mean silhouette counts (Rousseeuw 1987). If that is below 0.25,
 * there are no groups to count: the result is then `r + (1 - r) N`, rounded up, with r the mean correlation
 * (Bailey and Lopez de Prado, "The Deflated Sharpe Ratio", 2014, appendix 3), which is N for independent
 * trials and 1 for copies. No random numbers are used, so that the same trials always have the same clusters.
 * Unknown below two trials, and if one does not vary. Throws `InvalidSample` at a number that is not finite,
 * and at columns of different lengths.
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

/** Excess over a whole number that counts as noise of floats, and is not rounded up. */
const ROUNDING = 1e-12;

/**
 * Scales trials to mean 0 and length 1, so that the product of two is their correlation (Pearson). Unknown
 * below two trials or three periods, and if one of them does not vary. Throws `InvalidSample` at a number
 * that is not finite, and at columns of different lengths.
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

/** Returns the correlation of each pair of standardized trials, row by row: `[i * trials + j]`. */
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
 * Returns the mean correlation of all pairs of standardized trials, -1 to 1, from the length of their sum:
 * `(|sum|^2 - N) / (N (N - 1))`. It needs no matrix.
 */
export function meanCorrelation(standardized: readonly Float64Array[]): number {
  const count = standardized.length;
  const sum = new Float64Array(standardized[0]?.length ?? 0);
  for (const trial of standardized) {
    for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] ?? 0) + (trial[index] ?? 0);
  }
  return (productSum(sum, sum) - count) / (count * (count - 1));
}

interface Clustering {
  /** Cluster of each point, 0 to `clusters - 1`, numbered by their first points. */
  readonly labels: Int32Array;
  readonly clusters: number;
  /** Mean over all points of how much nearer a point is to its own cluster than to the next one, -1 to 1. */
  readonly silhouette: number;
}

/**
 * Returns the clustering with the largest mean silhouette, among those by average linkage with 2 to `count -
 * 1` clusters; of equal ones the one with more clusters. A point alone has silhouette 0. `distances` has
 * `count^2` numbers, row by row. It takes `count^3 / 2` steps, and needs at least three points. Rousseeuw,
 * "Silhouettes", Journal of Computational and Applied Mathematics 20 (1987).
 */
export function bestClustering(distances: Float64Array, count: number): Clustering {
  const merges = averageLinkage(distances, count);
  const state = startOf(distances, count);
  let best = { silhouette: -Infinity, merged: 0 };
  for (let merged = 1; merged <= count - 2; merged += 1) {
    apply(state, merges[merged - 1]);
    const silhouette = meanSilhouette(state);
    if (silhouette > best.silhouette) best = { silhouette, merged };
  }
  const chosen = startOf(distances, count);
  for (const merge of merges.slice(0, best.merged)) apply(chosen, merge);
  return { ...labelled(chosen.owner), silhouette: best.silhouette };
}

interface Grouping {
  readonly count: number;
  /** Sum of distances from each point to the members of each cluster: `[cluster * count + point]`. */
  readonly sums: Float64Array;
  readonly sizes: Int32Array;
  /** Cluster of each point, named by one of its members. */
  readonly owner: Int32Array;
  /** Smallest mean distance of each point to another cluster. */
  readonly other: Float64Array;
}

function startOf(distances: Float64Array, count: number): Grouping {
  return {
    count,
    sums: distances.slice(),
    sizes: new Int32Array(count).fill(1),
    owner: Int32Array.from({ length: count }, (_, index) => index),
    other: new Float64Array(count),
  };
}

function apply({ count, sums, sizes, owner }: Grouping, merge: Merge | undefined): void {
  if (merge === undefined) return;
  const [into, from] = [owner[merge.into] ?? 0, owner[merge.from] ?? 0];
  for (let point = 0; point < count; point += 1) {
    sums[into * count + point] = (sums[into * count + point] ?? 0) + (sums[from * count + point] ?? 0);
    if (owner[point] === from) owner[point] = into;
  }
  sizes[into] = (sizes[into] ?? 0) + (sizes[from] ?? 0);
  sizes[from] = 0;
}

function meanSilhouette({ count, sums, sizes, owner, other }: Grouping): number {
  other.fill(Infinity);
  for (let cluster = 0; cluster < count; cluster += 1) {
    const size = sizes[cluster] ?? 0;
    if (size === 0) continue;
    const first = cluster * count;
    const share = 1 / size;
    for (let point = 0; point < count; point += 1) {
      const distance = (sums[first + point] ?? 0) * share;
      // The distance is compared first, since few are nearer: the owner is then read rarely.
      if (distance < (other[point] ?? 0) && owner[point] !== cluster) other[point] = distance;
    }
  }
  let total = 0;
  for (let point = 0; point < count; point += 1) {
    const cluster = owner[point] ?? 0;
    const size = sizes[cluster] ?? 0;
    if (size < 2) continue;
    const own = (sums[cluster * count + point] ?? 0) / (size - 1);
    const next = other[point] ?? 0;
    const most = Math.max(own, next);
    if (most > 0) total += (next - own) / most;
  }
  return total / count;
}

function labelled(owner: Int32Array): Pick<Clustering, 'labels' | 'clusters'> {
  const names = new Map<number, number>();
  const labels = owner.map((cluster) => {
    const label = names.get(cluster) ?? names.size;
    names.set(cluster, label);
    return label;
  });
  return { labels, clusters: names.size };
}

/** Merge of two clusters, each named by one of its members, at their mean distance. */
interface Merge {
  readonly into: number;
  readonly from: number;
  readonly distance: number;
}

/**
 * Clusters points hierarchically by average linkage (UPGMA), and returns all merges from single points to one
 * cluster, the nearest first. `distances` has `count^2` numbers, row by row, and is not changed. It uses
 * chains of nearest neighbours, in `count^2` steps (Murtagh, "A Survey of Recent Advances in Hierarchical
 * Clustering Algorithms", The Computer Journal 26, 1983). The distance is that of Sokal and Michener (1958).
 */
export function averageLinkage(distances: Float64Array, count: number): Merge[] {
  const between = distances.slice();
  const sizes = new Int32Array(count).fill(1);
  const alive = Int32Array.from({ length: count }, (_, index) => index);
  const merges: Merge[] = [];
  const chain: number[] = [];
  for (let left = count; left > 1;) {
    const tip = chain.at(-1) ?? alive[0] ?? 0;
    if (chain.length === 0) chain.push(tip);
    const before = chain.at(-2) ?? -1;
    const next = nearest({ between, count, alive, left }, tip, before);
    if (next !== before) {
      chain.push(next);
      continue;
    }
    chain.length -= 2;
    merges.push({ into: tip, from: next, distance: between[tip * count + next] ?? 0 });
    left -= 1;

    alive[alive.indexOf(next)] = alive[left] ?? 0;
    alive[left] = next;
    join({ between, count, alive, left, sizes }, tip, next);
  }
  // Chains find merges in another order. The sort is stable, so parts still come before their merges.
  return merges.toSorted((one, other) => one.distance - other.distance);
}

interface Clusters {
  readonly between: Float64Array;
  readonly count: number;
  /** Clusters, of which the first `left` still exist. */
  readonly alive: Int32Array;
  readonly left: number;
}

/** Returns the nearest other cluster; of equal ones the previous one of the chain, so that a chain ends. */
function nearest({ between, count, alive, left }: Clusters, tip: number, before: number): number {
  let best = before;
  let least = before === -1 ? Infinity : (between[tip * count + before] ?? Infinity);
  for (let index = 0; index < left; index += 1) {
    const other = alive[index] ?? 0;
    const distance = between[tip * count + other] ?? Infinity;
    if (other !== tip && distance < least) {
      least = distance;
      best = other;
    }
  }
  return best;
}

/** Merges two clusters: the distance to others is the mean of both, weighted by size (Lance and Williams). */
function join(clusters: Clusters & { readonly sizes: Int32Array }, into: number, from: number): void {
  const { between, count, alive, left, sizes } = clusters;
  const [one, other] = [sizes[into] ?? 0, sizes[from] ?? 0];
  for (let index = 0; index < left; index += 1) {
    const to = alive[index] ?? 0;
    if (to === into) continue;
    const distance =
      (one * (between[into * count + to] ?? 0) + other * (between[from * count + to] ?? 0)) / (one + other);
    between[into * count + to] = distance;
    between[to * count + into] = distance;
  }
  sizes[into] = one + other;
}
