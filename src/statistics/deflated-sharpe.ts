import { type Estimate } from './estimate.ts';
import { expectedMaximumSharpe, type TrialSpread } from './expected-maximum-sharpe.ts';
import { probabilisticSharpe } from './probabilistic-sharpe.ts';
import type { SharpeSample } from './sample-moments.ts';

/**
 * The probability that the true Sharpe ratio of the chosen trial is above the best that so many trials
 * without skill would show, 0 to 1: the probabilistic Sharpe ratio against `expectedMaximumSharpe`. All
 * ratios are of one period. Unknown below two trials. Throws `InvalidSample` as its two parts do. Bailey and
 * Lopez de Prado, "The Deflated Sharpe Ratio", Journal of Portfolio Management 40 (2014), eq. 2.
 */
export function deflatedSharpe(sample: SharpeSample, spread: TrialSpread): Estimate<number> {
  const best = expectedMaximumSharpe(spread);
  return best.kind === 'unknown' ? best : probabilisticSharpe(sample, best.value);
}
