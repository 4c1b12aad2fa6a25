import { forEachBootstrapMean } from './bootstrap-means.ts';
import { drawsOf, type BootstrapOptions } from './bootstrap-options.ts';
import { centredTrials } from './centred-trials.ts';
import { known, type Estimate } from './estimate.ts';

export interface RealityCheck {
  /** Probability that luck alone would show a best trial as good as this one, above 0 to 1. */
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
 * the means that were found. A trial that never varies is left out. The p value is `(1 + draws as good) / (1
 * + draws)` (Davison and Hinkley, "Bootstrap Methods and their Application", 1997, eq. 4.11), which is never
 * 0.
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
