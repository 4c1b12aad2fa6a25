import { checkNumber } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { normalCdf } from './normal-distribution.ts';
import type { SharpeSample } from './sample-moments.ts';
import { sharpeVariance } from './sharpe-variance.ts';

/**
 * The probability that the true Sharpe ratio is above a benchmark, 0 to 1, in view of how many returns there
 * are and how they are shaped: `normalCdf((SR - benchmark) sqrt(count - 1) / sqrt(variance))`. Both ratios
 * are of one period. It takes returns as independent, and the one that is looked at as the only one that was
 * tried. Unknown where the moments leave the ratio no variance. Throws `InvalidSample` at moments that no
 * returns have. Bailey and Lopez de Prado, "The Sharpe Ratio Efficient Frontier", Journal of Risk 15 (2012),
 * eq. 11.
 */
export function probabilisticSharpe(sample: SharpeSample, benchmark = 0): Estimate<number> {
  checkNumber(benchmark, 'benchmark');
  const variance = sharpeVariance(sample);
  if (variance <= 0)
    return unknown('no-variance', `expected a Sharpe ratio with a variance above 0, was ${variance}`);
  return known(normalCdf((sample.sharpe - benchmark) * Math.sqrt((sample.count - 1) / variance)));
}
