import { checkTrials } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';

/** Trials less their means, in units of the largest return of all: no sum leaves the range of floats. */
export interface CentredTrials {
  readonly periods: number;
  readonly means: Float64Array;
  readonly centred: readonly Float64Array[];
}

/** Fewer have no days to draw from. */
const LEAST_PERIODS = 20;

/**
 * What the tests of many trials begin with. Unknown without a trial, below 20 periods, and where all returns
 * are 0. Throws `InvalidSample` at a number that is not finite, and at columns of different lengths.
 */
export function centredTrials(trials: readonly Float64Array[]): Estimate<CentredTrials> {
  const periods = checkTrials(trials);
  if (trials.length === 0) return unknown('too-few-trials', 'expected at least one trial, was none');
  if (periods < LEAST_PERIODS)
    return unknown('too-few-observations', `expected at least ${LEAST_PERIODS} returns, was ${periods}`);
  let scale = 0;
  for (const trial of trials) for (const value of trial) scale = Math.max(scale, Math.abs(value));
  if (scale === 0) return unknown('no-variance', 'expected a trial whose returns vary, was none');
  const means = new Float64Array(trials.length);
  const centred = trials.map((trial, index) => {
    const mean = trial.reduce((sum, value) => sum + value / scale, 0) / periods;
    means[index] = mean;
    return trial.map((value) => value / scale - mean);
  });
  return known({ periods, means, centred });
}
