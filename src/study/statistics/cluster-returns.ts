import { present } from '../../domain/invariant.ts';

/**
 * The returns of each cluster of trials as one: their mean by the inverse of their variance, so that a wild
 * trial does not speak for its cluster. Lopez de Prado and Lewis, "Detection of False Investment Strategies
 * Using Unsupervised Learning Methods", Quantitative Finance 19 (2019), 4. All trials must vary.
 */
export function clusterReturns(trials: readonly Float64Array[], labels: Int32Array): Float64Array[] {
  const length = trials[0]?.length ?? 0;
  const clusters = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  const sums = Array.from({ length: clusters }, () => new Float64Array(length));
  const weights = new Float64Array(clusters);
  for (const [index, trial] of trials.entries()) {
    const label = present(labels[index], () => `a label of trial ${index}`);
    const sum = present(sums[label], () => `a cluster ${label}`);
    const weight = 1 / Math.max(varianceOf(trial), LEAST_VARIANCE);
    weights[label] = (weights[label] ?? 0) + weight;
    for (let period = 0; period < length; period += 1)
      sum[period] = (sum[period] ?? 0) + weight * (trial[period] ?? 0);
  }
  return sums.map((sum, label) => sum.map((value) => value / (weights[label] ?? 0)));
}

/** Its inverse is still a float. */
const LEAST_VARIANCE = 1e-300;

function varianceOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
