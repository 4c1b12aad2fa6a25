import { checkTrials } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';
import { NOISE_SHARE } from './sample-moments.ts';

/** A trial less its mean, and the mean, both in units that keep every sum within the range of floats. */
export interface CentredTrial {
  /** Its place among all that were given. */
  readonly index: number;
  readonly mean: number;
  readonly centred: Float64Array;
}

/** `own`: in units of the largest return of each trial. `common`: in units of the largest of all. */
type TrialUnit = 'own' | 'common';

/** Fewer have no days to draw from. */
const LEAST_PERIODS = 20;

/**
 * Returns the trials that vary, at least one: the input of the tests of many trials. A trial that never
 * varies would be as good in every draw as it was. Unknown without a trial that varies, and below 20 periods.
 * Throws `InvalidSample` at a number that is not finite, and at columns of different lengths.
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

function largestOf(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
