import {
  checkSample,
  known,
  unknown,
  type Estimate,
  lack,
  checkCount,
  checkNumber,
  InvalidSample,
  checkTrials,
  NOISE_SHARE,
  type SharpeSample,
  sampleMoments,
  type SampleMoments,
} from './estimate.ts';
import { inDigits } from '../language/fact.ts';
import { effectiveTrials, type EffectiveTrials } from './effective-trials.ts';
import { present } from '../domain/errors.ts';
import jstat from 'jstat';

/**
 * Returns `mean / sampleDeviation` of returns, of one period and above a risk-free rate of 0: multiply it by
 * the root of the periods in a year for the usual figure. Unknown below two returns, and if they do not vary.
 * Throws `InvalidSample` at a number that is not finite. Sharpe, "The Sharpe Ratio", Journal of Portfolio
 * Management 21 (1994).
 */
export function observedSharpe(returns: Float64Array): Estimate<number> {
  checkSample(returns, 'returns');
  const count = returns.length;
  if (count < 2)
    return unknown(
      'too-few-observations',
      lack('lack.returns', { least: inDigits(2), found: inDigits(count) }),
    );
  const scale = returns.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = returns.reduce((sum, value) => sum + value / scale, 0) / count;
  const squares = returns.reduce((sum, value) => sum + (value / scale - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (count - 1));
  if (deviation <= NOISE_SHARE)
    return unknown('no-variance', lack('lack.oneReturn', { times: inDigits(count) }));
  return known(mean / deviation);
}

/** Largest valid Sharpe ratio of one period, and skewness. */
const MOST_RATIO = 1e6;

/** Tolerance for errors of floats, since measured moments may touch the bound. */
const ROUNDING = 1e-9;

/** Variance below which it counts as 0, because of such errors. */
const LEAST_VARIANCE = 1e-9;

/**
 * Returns the variance of an estimated Sharpe ratio, times `count - 1`: `1 - skewness SR + (kurtosis - 1) / 4
 * SR^2`, which is 1 + SR^2 / 2 for normal returns. Unknown if it is 0, as returns of two values can make it.
 * Throws `InvalidSample` at moments that no returns have: `kurtosis < 1 + skewness^2`. Mertens, "Comments on
 * Variance of the IID Estimator in Lo" (2002); Bailey and Lopez de Prado, "The Sharpe Ratio Efficient
 * Frontier", Journal of Risk 15 (2012), eq. 8.
 */
function sharpeVariance({ count, sharpe, skewness, kurtosis }: SharpeSample): Estimate<number> {
  checkCount(count, 'count', { least: 2 });
  checkNumber(sharpe, 'sharpe', { least: -MOST_RATIO, most: MOST_RATIO });
  checkNumber(skewness, 'skewness', { least: -MOST_RATIO, most: MOST_RATIO });
  checkNumber(kurtosis, 'kurtosis');
  if (kurtosis < (1 + skewness * skewness) * (1 - ROUNDING))
    throw new InvalidSample(
      `expected a kurtosis (3 of a normal distribution) of at least 1 + skewness^2 = ${1 + skewness ** 2}, ` +
        `was ${kurtosis}`,
    );
  const variance = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe;
  if (variance <= LEAST_VARIANCE * (1 + Math.abs(skewness * sharpe)))
    return unknown('no-variance', lack('lack.variance', { found: inDigits(variance) }));
  return known(variance);
}

/**
 * Returns the probability that the true Sharpe ratio is above a benchmark, 0 to 1, given the number of
 * returns and their distribution: `normalCdf((SR - benchmark) sqrt(count - 1) / sqrt(variance))`. Both ratios
 * are of one period. It assumes that returns are independent, and that no other trial was made. Unknown if
 * the moments leave the ratio no variance. Throws `InvalidSample` at moments that no returns have. Bailey and
 * Lopez de Prado, "The Sharpe Ratio Efficient Frontier", Journal of Risk 15 (2012), eq. 11.
 */
export function probabilisticSharpe(sample: SharpeSample, benchmark = 0): Estimate<number> {
  checkNumber(benchmark, 'benchmark', { least: -MOST_RATIO, most: MOST_RATIO });
  const variance = sharpeVariance(sample);
  if (variance.kind === 'unknown') return variance;
  const errors = (sample.sharpe - benchmark) * Math.sqrt((sample.count - 1) / variance.value);
  return known(normalCdf(errors));
}

export interface TrackRecordOptions {
  /** Sharpe ratio of one period to exceed. */
  readonly benchmark?: number;
  /** Accepted chance of being wrong, 1e-9 to 0.5; 0.05 is usual. */
  readonly significance?: number;
}

/**
 * Returns the number of such returns that are needed until the probabilistic Sharpe ratio is `1 -
 * significance`: `1 + variance (quantile(1 - significance) / (SR - benchmark))^2`. A fraction; compare it
 * with `count`. Unknown unless the Sharpe ratio is above the benchmark: no length proves what is not there.
 * Throws `InvalidSample` at moments that no returns have. Bailey and Lopez de Prado, "The Sharpe Ratio
 * Efficient Frontier", Journal of Risk 15 (2012), eq. 13.
 */
export function minimumTrackRecord(sample: SharpeSample, options: TrackRecordOptions = {}): Estimate<number> {
  const { benchmark = 0, significance = 0.05 } = options;
  checkNumber(benchmark, 'benchmark', { least: -MOST_RATIO, most: MOST_RATIO });
  checkNumber(significance, 'significance', { least: 1e-9, most: 0.5 });
  const variance = sharpeVariance(sample);
  if (variance.kind === 'unknown') return variance;
  const { sharpe } = sample;
  // It uses the significance itself, since 1 - significance loses digits.
  const length = 1 + variance.value * (normalQuantile(significance) / (sharpe - benchmark)) ** 2;
  if (sharpe > benchmark && length <= Number.MAX_SAFE_INTEGER) return known(length);
  return unknown(
    'not-above-benchmark',
    lack('lack.benchmark', {
      benchmark: inDigits(benchmark),
      found: inDigits(Number(sharpe.toPrecision(3))),
    }),
  );
}

const EULER_MASCHERONI = 0.577_215_664_901_532_9;

/** Maximum number of trials: more need quantiles that are not exact. */
const MOST_TRIALS = 100_000_000;

export interface TrialSpread {
  /** Number of independent trials; need not be whole. 2 to 1e8. */
  readonly trials: number;
  /** Variance of the Sharpe ratios of all trials, of one period. */
  readonly variance: number;
}

/**
 * Returns the best Sharpe ratio to expect of N trials without skill: `sqrt(variance) ((1 - g) quantile(1 - 1
 * / N) + g quantile(1 - 1 / (N e)))`, g the Euler-Mascheroni constant. It is of one period, as the variance
 * is. Unknown below two trials, of which nothing was chosen. Throws `InvalidSample` at a negative variance.
 * Bailey and Lopez de Prado, "The Deflated Sharpe Ratio", Journal of Portfolio Management 40 (2014), eq. 1.
 */
export function expectedMaximumSharpe({ trials, variance }: TrialSpread): Estimate<number> {
  checkNumber(trials, 'trials', { least: 0, most: MOST_TRIALS });
  checkNumber(variance, 'variance', { least: 0 });
  if (trials < 2)
    return unknown('too-few-trials', lack('lack.trials', { least: inDigits(2), found: inDigits(trials) }));
  const best =
    (1 - EULER_MASCHERONI) * -normalQuantile(1 / trials) +
    EULER_MASCHERONI * -normalQuantile(1 / (trials * Math.E));
  return known(Math.sqrt(variance) * best);
}

/**
 * Returns the probability that the true Sharpe ratio of the chosen trial is above the best that as many
 * trials without skill would show, 0 to 1: the probabilistic Sharpe ratio against `expectedMaximumSharpe`.
 * All ratios are of one period. Unknown below two trials. Throws `InvalidSample` as its two parts do. Bailey
 * and Lopez de Prado, "The Deflated Sharpe Ratio", Journal of Portfolio Management 40 (2014), eq. 2.
 */
export function deflatedSharpe(sample: SharpeSample, spread: TrialSpread): Estimate<number> {
  const best = expectedMaximumSharpe(spread);
  return best.kind === 'unknown' ? best : probabilisticSharpe(sample, best.value);
}

export interface ChosenTrial {
  /** Returns of each trial, one for each period, all of the same periods. */
  readonly trials: readonly Float64Array[];
  /** Index of the chosen trial. */
  readonly chosen: number;
  /** Number of trials ever run on this data, at least that of `trials`; absent if these are all. */
  readonly counted?: number;
}

/** Deflated Sharpe ratio for one way to count the trials. */
export interface Deflation {
  readonly trials: number;
  /** Variance of the Sharpe ratios of these trials, of one period. */
  readonly variance: number;
  /** Best Sharpe ratio to expect from luck alone, of one period. */
  readonly expectedMaximum: number;
  /** Deflated Sharpe ratio, 0 to 1. */
  readonly probability: number;
}

export interface DeflatedTrials {
  readonly chosen: SampleMoments;
  /** Result if every trial counts as one. */
  readonly raw: Estimate<Deflation>;
  /** Result if trials that are nearly equal count together as one. */
  readonly effective: Estimate<Deflation>;
  readonly method: EffectiveTrials['method'];
}

/**
 * Computes the deflated Sharpe ratio of a chosen trial, for the raw and for the effective number of trials.
 * The variance is that of all Sharpe ratios, or that of the clusters if there are clusters (Lopez de Prado
 * and Lewis 2019). Trials that never vary have no Sharpe ratio: they are counted, but are in no variance.
 * Unknown if the chosen one has no moments, or fewer than two trials vary. Throws `InvalidSample` at a number
 * that is not finite, at columns of different lengths, and at an index or a count out of range.
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
 * Returns each cluster's returns as one trial: the mean of its trials, weighted by inverse variance, so that
 * a volatile trial does not dominate. Lopez de Prado and Lewis, "Detection of False Investment Strategies
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
    const weight = 1 / Math.max(varianceOf(trial), LEAST_WEIGHED_VARIANCE);
    weights[label] = (weights[label] ?? 0) + weight;
    for (let period = 0; period < length; period += 1)
      sum[period] = (sum[period] ?? 0) + weight * (trial[period] ?? 0);
  }
  return sums.map((sum, label) => sum.map((value) => value / (weights[label] ?? 0)));
}

/** Smallest variance whose inverse is still a float. */
const LEAST_WEIGHED_VARIANCE = 1e-300;

function varianceOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/**
 * Returns the probability that a standard normal variable is at most `x`, 0 to 1. The error is below 1e-15,
 * which below -5 is absolute, not relative. Throws `InvalidSample` unless `x` is finite.
 */
export function normalCdf(x: number): number {
  checkNumber(x, 'x');
  return jstat.normal.cdf(x, 0, 1);
}

/** Smallest tail for which the library's quantiles have nine correct digits. */
const LEAST_TAIL = 1e-9;

/**
 * Returns the value that a standard normal variable does not exceed with this probability. The relative error
 * is below 1e-12 if both tails are at least 1e-5, and below 1e-9 at the ends of its range. Throws
 * `InvalidSample` outside of 1e-9 to 1 - 1e-9.
 */
export function normalQuantile(probability: number): number {
  checkNumber(probability, 'probability', { least: LEAST_TAIL, most: 1 - LEAST_TAIL });
  return jstat.normal.inv(probability, 0, 1);
}
