import { productSum } from './product-sum.ts';

/** Lags with a weight below it add nothing that a float can hold. */
const LEAST_WEIGHT = 1e-17;

/**
 * The deviation that `sqrt(n) mean` has under the stationary bootstrap, without drawing: the root of `c[0] +
 * 2 sum over lags of kappa[lag] c[lag]`, with `kappa[i] = (n - i) / n (1 - q)^i + i / n (1 - q)^(n - i)` and
 * `q = 1 / meanBlock`. `centred` are values less their mean. Politis and Romano (1994), lemma 1; Hansen, "A
 * Test for Superior Predictive Ability", Journal of Business and Economic Statistics 23 (2005), 2.3.
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
