import { forEachBootstrapMean, type BootstrapDraws } from './bootstrap-means.ts';
import { drawsOf, type BootstrapOptions } from './bootstrap-options.ts';
import { centredTrials } from './centred-trials.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { NOISE_SHARE } from './sample-moments.ts';

export interface RealityCheck {
  /** How often luck alone would show a best trial as good as this one, above 0 to 1. */
  readonly pValue: number;
  /** The place of the trial with the largest mean. */
  readonly best: number;
  readonly draws: number;
  readonly meanBlock: number;
}

/**
 * White's reality check: is the best of many trials better than the benchmark, in view of how many were
 * tried? Each column of `trials` has returns less those of the benchmark, one a period, of the same periods;
 * as they are for a benchmark of cash. Compares the largest mean with the largest mean of each draw, about
 * the means that were found. The p value is `(1 + draws as good) / (1 + draws)` (Davison and Hinkley,
 * "Bootstrap Methods and their Application", 1997, eq. 4.11), which is never 0.
 *
 * Unknown without a trial, below 20 periods, and where none varies. Throws `InvalidSample` at a number that
 * is not finite, at columns of different lengths, and at options out of range. White, "A Reality Check for
 * Data Snooping", Econometrica 68 (2000).
 */
export function realityCheck(
  trials: readonly Float64Array[],
  options: BootstrapOptions,
): Estimate<RealityCheck> {
  const centred = centredTrials(trials);
  if (centred.kind === 'unknown') return centred;
  const { means } = centred.value;
  const varies = centred.value.centred.some((trial) => trial.some((value) => Math.abs(value) > NOISE_SHARE));
  if (!varies) return unknown('no-variance', 'expected a trial whose returns vary, was none');
  const drawn = drawsOf(trials, options);
  const found = largestOf(means);
  const asGood = drawsAbove(centred.value.centred, found, drawn);
  const { draws, meanBlock } = drawn;
  return known({ pValue: (1 + asGood) / (1 + draws), best: means.indexOf(found), draws, meanBlock });
}

/** In how many draws the largest mean of centred trials is at least as large as what was found. */
function drawsAbove(centred: readonly Float64Array[], found: number, draws: BootstrapDraws): number {
  let count = 0;
  forEachBootstrapMean(centred, draws, (means) => {
    if (largestOf(means) >= found) count += 1;
  });
  return count;
}

function largestOf(values: Float64Array): number {
  let most = -Infinity;
  for (let index = 0; index < values.length; index += 1) most = Math.max(most, values[index] ?? 0);
  return most;
}
