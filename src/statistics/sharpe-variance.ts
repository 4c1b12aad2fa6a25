import { checkCount, checkNumber } from './check-sample.ts';
import { InvalidSample, known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';
import type { SharpeSample } from './sample-moments.ts';

/** More of a Sharpe ratio of one period, or of a skewness, is no data. */
export const MOST_RATIO = 1e6;

/** Moments that were measured touch the bound with an error of floats. */
const ROUNDING = 1e-9;

/** A variance below it is what such errors leave of none. */
const LEAST_VARIANCE = 1e-9;

/**
 * The variance of an estimated Sharpe ratio, times `count - 1`: `1 - skewness SR + (kurtosis - 1) / 4 SR^2`.
 * It is 1 + SR^2 / 2 of normal returns. Unknown where it is 0, as returns of two values can make it. Throws
 * `InvalidSample` at moments that no returns have: `kurtosis < 1 + skewness^2`. Mertens, "Comments on
 * Variance of the IID Estimator in Lo" (2002); Bailey and Lopez de Prado, "The Sharpe Ratio Efficient
 * Frontier", Journal of Risk 15 (2012), eq. 8.
 */
export function sharpeVariance({ count, sharpe, skewness, kurtosis }: SharpeSample): Estimate<number> {
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
