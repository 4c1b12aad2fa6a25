import { checkNumber } from './check-sample.ts';
import { known, type Estimate } from './estimate.ts';
import { normalCdf } from './normal-distribution.ts';
import type { SharpeSample } from './sample-moments.ts';
import { MOST_RATIO, sharpeVariance } from './sharpe-variance.ts';

/**
 * The probability that the true Sharpe ratio is above a benchmark, 0 to 1, in view of how many returns there
 * are and how they are shaped: `normalCdf((SR - benchmark) sqrt(count - 1) / sqrt(variance))`. Both ratios
 * are of one period. It takes returns as independent, and the one that is looked at as the only one that was
 * tried. Unknown where the moments leave the ratio no variance. Throws `InvalidSample` at moments that no
 * returns have. Bailey and Lopez de Prado, "The Sharpe Ratio Efficient Frontier", Journal of Risk 15 (2012),
 * eq. 11.
 */
export function probabilisticSharpe(sample: SharpeSample, benchmark = 0): Estimate<number> {
  checkNumber(benchmark, 'benchmark', { least: -MOST_RATIO, most: MOST_RATIO });
  const variance = sharpeVariance(sample);
  if (variance.kind === 'unknown') return variance;
  const errors = (sample.sharpe - benchmark) * Math.sqrt((sample.count - 1) / variance.value);
  return known(normalCdf(errors));
}
