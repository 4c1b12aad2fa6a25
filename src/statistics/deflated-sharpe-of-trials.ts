import { checkTrials, checkCount } from './check-sample.ts';
import { deflatedSharpe } from './deflated-sharpe.ts';
import { effectiveTrials, type EffectiveTrials } from './effective-trials.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';
import { expectedMaximumSharpe } from './expected-maximum-sharpe.ts';
import { observedSharpe } from './observed-sharpe.ts';
import { sampleMoments, type SampleMoments } from './sample-moments.ts';
import { present } from '../domain/invariant.ts';

export interface ChosenTrial {
  /** The returns of each trial, one a period, all of the same periods. */
  readonly trials: readonly Float64Array[];
  /** The place of the one that was chosen. */
  readonly chosen: number;
  /** All that were ever tried on this data, where those given are not all of them. At least their number. */
  readonly counted?: number;
}

/** One way to count the trials, and what follows from it. */
export interface Deflation {
  readonly trials: number;
  /** Of the Sharpe ratios of these trials, of one period. */
  readonly variance: number;
  /** The best Sharpe ratio that luck alone would show, of one period. */
  readonly expectedMaximum: number;
  /** The deflated Sharpe ratio, 0 to 1. */
  readonly probability: number;
}

export interface DeflatedTrials {
  readonly chosen: SampleMoments;
  /** Every trial counts as one. */
  readonly raw: Estimate<Deflation>;
  /** Trials that are nearly the same count as one. */
  readonly effective: Estimate<Deflation>;
  readonly method: EffectiveTrials['method'];
}

/**
 * The deflated Sharpe ratio of a chosen trial among all, by the raw and by the effective number of trials.
 * The variance is that of all Sharpe ratios, and that of the clusters where there are clusters (Lopez de
 * Prado and Lewis 2019). Trials that never varied have no Sharpe ratio: they are counted, and are in no
 * variance. Unknown where the chosen one has no moments, or fewer than two trials vary. Throws
 * `InvalidSample` at a number that is not finite, at columns of different lengths, and at a place or a count
 * out of range.
 */
export function deflatedSharpeOfTrials(of: ChosenTrial): Estimate<DeflatedTrials> {
  const { trials, chosen, counted = trials.length } = of;
  checkTrials(trials);
  checkCount(chosen, 'chosen', { least: 0, most: trials.length - 1 });
  checkCount(counted, 'counted', { least: trials.length });
  const moments = sampleMoments(trials[chosen] ?? new Float64Array());
  if (moments.kind === 'unknown') return moments;
  const varied = trials.filter((trial) => observedSharpe(trial).kind === 'known');
  if (varied.length < 2)
    return unknown(
      'too-few-trials',
      lack('lack.varyingTrials', { least: inDigits(2), found: inDigits(varied.length) }),
    );
  const effective = effectiveTrials(varied);
  if (effective.kind === 'unknown') return effective;
  const { count, method, labels } = effective.value;
  const apart = method === 'clusters' ? clusterReturns(varied, labels) : varied;
  return known({
    chosen: moments.value,
    raw: deflation(moments.value, counted, varied),
    effective: deflation(moments.value, count, apart),
    method,
  });
}

function deflation(
  moments: SampleMoments,
  trials: number,
  returns: readonly Float64Array[],
): Estimate<Deflation> {
  const ratios = returns.map(observedSharpe).flatMap((one) => (one.kind === 'known' ? [one.value] : []));
  if (ratios.length < 2)
    return unknown(
      'too-few-trials',
      lack('lack.ratios', { least: inDigits(2), found: inDigits(ratios.length) }),
    );
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / (ratios.length - 1);
  const best = expectedMaximumSharpe({ trials, variance });
  if (best.kind === 'unknown') return best;
  const probability = deflatedSharpe(moments, { trials, variance });
  if (probability.kind === 'unknown') return probability;
  return known({ trials, variance, expectedMaximum: best.value, probability: probability.value });
}

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
