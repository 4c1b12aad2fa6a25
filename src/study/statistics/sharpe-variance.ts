import { checkNumber, checkCount } from './check-sample.ts';
import { InvalidSample } from './estimate.ts';
import type { SharpeSample } from './sample-moments.ts';

/**
 * The variance of an estimated Sharpe ratio, times `count - 1`: `1 - skewness SR + (kurtosis - 1) / 4 SR^2`.
 * It is 1 + SR^2 / 2 of normal returns. Throws `InvalidSample` at moments that no returns have: `kurtosis <
 * 1 + skewness^2`. Mertens, "Comments on Variance of the IID Estimator in Lo" (2002); Bailey and Lopez de
 * Prado, "The Sharpe Ratio Efficient Frontier", Journal of Risk 15 (2012), eq. 8.
 */
export function sharpeVariance({ count, sharpe, skewness, kurtosis }: SharpeSample): number {
  checkCount(count, 'count', { least: 2 });
  checkNumber(sharpe, 'sharpe');
  checkNumber(skewness, 'skewness');
  checkNumber(kurtosis, 'kurtosis');
  if (kurtosis < (1 + skewness * skewness) * (1 - ROUNDING))
    throw new InvalidSample(
      `expected a kurtosis (3 of a normal distribution) of at least 1 + skewness^2 = ${1 + skewness ** 2}, ` +
        `was ${kurtosis}`,
    );
  return 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe;
}

/** Moments that were measured touch the bound with an error of floats. */
const ROUNDING = 1e-9;
