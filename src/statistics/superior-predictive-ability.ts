import {
  forEachBootstrapMean,
  type BootstrapDraws,
  drawsOf,
  type BootstrapOptions,
} from './stationary-bootstrap.ts';
import { known, unknown, type Estimate, lack, checkTrials, NOISE_SHARE, productSum } from './estimate.ts';
import { inDigits } from '../language/fact.ts';

/** Three p values, each above 0 to 1: `lower <= consistent <= upper`. */
export interface PredictiveAbility {
  /** P value as if no trial were worse than the benchmark: too small if some are. */
  readonly lower: number;
  /** P value without the trials that are clearly worse: the one to use. */
  readonly consistent: number;
  /** P value as if all trials were as good as the benchmark: too large if some are bad. */
  readonly upper: number;
  /** Largest mean over its deviation, at least 0. */
  readonly statistic: number;
  /** Index of the trial with the largest one. */
  readonly best: number;
  readonly draws: number;
  readonly meanBlock: number;
}

/**
 * Computes Hansen's test for superior predictive ability: White's reality check with each mean over its own
 * deviation, and without the trials that are clearly worse than the benchmark, which only weaken the check.
 * Each column of `trials` has returns less those of the benchmark, one for each period, of the same periods;
 * for a benchmark of cash, the returns as they are. The statistic is `max(0, sqrt(n) mean / deviation)`; a
 * draw uses `mean of the draw - g(mean)` instead, with `g` the mean (upper), the mean or 0 below `-deviation
 * sqrt(2 ln ln n / n)` (consistent), and the mean or 0 below 0 (lower). A trial that never varies, or whose
 * mean does not vary in draws, is left out. The p value is `(1 + draws as good) / (1 + draws)`, which is
 * never 0.
 *
 * Unknown without a trial that varies, and below 20 periods. Throws `InvalidSample` at a number that is not
 * finite, at columns of different lengths, and at options out of range. Hansen, "A Test for Superior
 * Predictive Ability", Journal of Business and Economic Statistics 23 (2005).
 */
export function superiorPredictiveAbility(
  trials: readonly Float64Array[],
  options: BootstrapOptions,
): Estimate<PredictiveAbility> {
  const centred = centredTrials(trials, 'own');
  if (centred.kind === 'unknown') return centred;
  const drawn = drawsOf(trials, options);
  const { draws, meanBlock } = drawn;
  const test = predictiveTest(centred.value, meanBlock);
  if (test.trials.length === 0)
    return unknown('no-variance', lack('lack.noVaryingTrial', { found: inDigits(trials.length) }));
  const counts = countDraws(test, drawn);
  const pValue = (count: number): number => (1 + count) / (1 + draws);
  return known({
    lower: pValue(counts.lower),
    consistent: pValue(counts.consistent),
    upper: pValue(counts.upper),
    statistic: test.statistic,
    best: test.best,
    draws,
    meanBlock,
  });
}

/** Trials in units of their deviation, about their means, times `sqrt(n)`; with what is added to a draw. */
interface PredictiveTest {
  readonly trials: readonly Float64Array[];
  readonly statistic: number;
  readonly best: number;
  /** Shifts added to the mean of a draw for the lower and the consistent p value; nothing for the upper. */
  readonly lowerShift: Float64Array;
  readonly consistentShift: Float64Array;
}

/** Computes the values that the draws are compared with. */
function predictiveTest(centred: readonly CentredTrial[], meanBlock: number): PredictiveTest {
  const periods = centred[0]?.centred.length ?? 0;
  const trials: Float64Array[] = [];
  const studentized: number[] = [];
  let best = 0;
  let most = -Infinity;
  for (const { index, mean, centred: trial } of centred) {
    const deviation = bootstrapDeviation(trial, meanBlock);
    if (deviation <= NOISE_SHARE) continue;
    const factor = Math.sqrt(periods) / deviation;
    trials.push(trial.map((value) => value * factor));
    studentized.push(mean * factor);
    if (mean * factor > most) {
      most = mean * factor;
      best = index;
    }
  }
  const clearlyWorse = -Math.sqrt(2 * Math.log(Math.log(periods)));
  return {
    trials,
    statistic: Math.max(0, most),
    best,
    lowerShift: Float64Array.from(studentized, (ratio) => Math.min(0, ratio)),
    consistentShift: Float64Array.from(studentized, (ratio) => (ratio < clearlyWorse ? ratio : 0)),
  };
}

/** Counts the draws in which each statistic is at least as large as the observed one. */
function countDraws(
  test: PredictiveTest,
  draws: BootstrapDraws,
): { readonly lower: number; readonly consistent: number; readonly upper: number } {
  const { statistic, lowerShift, consistentShift } = test;
  let [lower, consistent, upper] = [0, 0, 0];
  forEachBootstrapMean(test.trials, draws, (means) => {
    let [byLower, byConsistent, byUpper] = [0, 0, 0];
    for (let index = 0; index < means.length; index += 1) {
      const mean = means[index] ?? 0;
      byUpper = Math.max(byUpper, mean);
      byConsistent = Math.max(byConsistent, mean + (consistentShift[index] ?? 0));
      byLower = Math.max(byLower, mean + (lowerShift[index] ?? 0));
    }
    if (byLower >= statistic) lower += 1;
    if (byConsistent >= statistic) consistent += 1;
    if (byUpper >= statistic) upper += 1;
  });
  return { lower, consistent, upper };
}

/** Smallest weight of a lag: lower ones add nothing that a float can hold. */
const LEAST_WEIGHT = 1e-17;

/**
 * Returns the deviation of `sqrt(n) mean` under the stationary bootstrap, without drawing: the root of `c[0]
 * + 2 sum over lags of kappa[lag] c[lag]`, with `kappa[i] = (n - i) / n (1 - q)^i + i / n (1 - q)^(n - i)`
 * and `q = 1 / meanBlock`. `centred` are values less their mean. Politis and Romano (1994), lemma 1; Hansen,
 * "A Test for Superior Predictive Ability", Journal of Business and Economic Statistics 23 (2005), 2.3.
 */
export function bootstrapDeviation(centred: Float64Array, meanBlock: number): number {
  const count = centred.length;
  const stays = 1 - 1 / meanBlock;
  let sum = productSum(centred, centred);
  for (let lag = 1; lag < count; lag += 1) {
    const share = lag / count;
    const weight = (1 - share) * stays ** lag + share * stays ** (count - lag);
    if (weight > LEAST_WEIGHT) sum += 2 * weight * productSum(centred, centred, lag);
  }
  return Math.sqrt(Math.max(0, sum / count));
}

export interface RealityCheck {
  /** Probability that luck alone would show a best trial as good as this one, above 0 to 1. */
  readonly pValue: number;
  /** Index of the trial with the largest mean. */
  readonly best: number;
  readonly draws: number;
  readonly meanBlock: number;
}

/**
 * Computes White's reality check: whether the best of many trials is better than the benchmark, given their
 * number. Each column of `trials` has returns less those of the benchmark, one for each period, of the same
 * periods; for a benchmark of cash, the returns as they are. It compares the largest mean with the largest
 * mean of each draw, centred on the observed means. A trial that never varies is left out. The p value is `(1
 * + draws as good) / (1 + draws)` (Davison and Hinkley, "Bootstrap Methods and their Application", 1997, eq.
 * 4.11), which is never 0.
 *
 * Unknown without a trial that varies, and below 20 periods. Throws `InvalidSample` at a number that is not
 * finite, at columns of different lengths, and at options out of range. White, "A Reality Check for Data
 * Snooping", Econometrica 68 (2000).
 */
export function realityCheck(
  trials: readonly Float64Array[],
  options: BootstrapOptions,
): Estimate<RealityCheck> {
  const centred = centredTrials(trials, 'common');
  if (centred.kind === 'unknown') return centred;
  const drawn = drawsOf(trials, options);
  const best = centred.value.reduce((one, other) => (other.mean > one.mean ? other : one));
  const columns = centred.value.map((trial) => trial.centred);
  let asGood = 0;
  forEachBootstrapMean(columns, drawn, (means) => {
    if (means.some((mean) => mean >= best.mean)) asGood += 1;
  });
  const { draws, meanBlock } = drawn;
  return known({ pValue: (1 + asGood) / (1 + draws), best: best.index, draws, meanBlock });
}

/** Trial less its mean, with the mean, in units that keep every sum within the range of floats. */
interface CentredTrial {
  /** Index among all given trials. */
  readonly index: number;
  readonly mean: number;
  readonly centred: Float64Array;
}

/** Unit of returns: `own` is the largest return of each trial, `common` the largest of all. */
type TrialUnit = 'own' | 'common';

/** Minimum number of periods to draw from. */
const LEAST_PERIODS = 20;

/**
 * Returns the trials that vary, at least one, as the tests of many trials need them. A trial that never
 * varies would be as good in every draw as observed. Unknown without a trial that varies, and below 20
 * periods. Throws `InvalidSample` at a number that is not finite, and at columns of different lengths.
 */
export function centredTrials(trials: readonly Float64Array[], unit: TrialUnit): Estimate<CentredTrial[]> {
  const periods = checkTrials(trials);
  if (trials.length === 0) return unknown('too-few-trials', lack('lack.noTrial'));
  if (periods < LEAST_PERIODS)
    return unknown(
      'too-few-observations',
      lack('lack.returns', { least: inDigits(LEAST_PERIODS), found: inDigits(periods) }),
    );
  const common = trials.reduce((most, trial) => Math.max(most, largestOf(trial)), 0);
  const centred = trials.flatMap((trial, index) => {
    const own = largestOf(trial);
    if (own === 0) return [];
    const scale = unit === 'own' ? own : common;
    const mean = trial.reduce((sum, value) => sum + value / scale, 0) / periods;
    const distances = trial.map((value) => value / scale - mean);
    return largestOf(distances) > NOISE_SHARE * (own / scale) ? [{ index, mean, centred: distances }] : [];
  });
  if (centred.length === 0)
    return unknown('no-variance', lack('lack.noVaryingTrial', { found: inDigits(trials.length) }));
  return known(centred);
}

const largestOf = (values: Float64Array): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
