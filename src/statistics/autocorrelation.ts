import { checkSample, checkCount } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';
import { productSum } from './product-sum.ts';
import { NOISE_SHARE } from './sample-moments.ts';

/**
 * Returns the autocorrelation with the value `lag` periods later, -1 to 1: `sum((x[t] - mean) (x[t + lag] -
 * mean)) / sum((x[t] - mean)^2)`. Unknown unless there are two values more than the lag, and if they do not
 * vary. Throws `InvalidSample` at a number that is not finite, and at a lag that is not a whole number from
 * 0. Box, Jenkins and Reinsel, "Time Series Analysis" (2008), 2.1.6.
 */
export function autocorrelation(values: Float64Array, lag: number): Estimate<number> {
  checkSample(values, 'values');
  checkCount(lag, 'lag', { least: 0 });
  const count = values.length;
  if (count < lag + 2)
    return unknown(
      'too-few-observations',
      lack('lack.values', { least: inDigits(lag + 2), found: inDigits(count) }),
    );
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = values.reduce((sum, value) => sum + value / scale, 0) / count;
  const distances = values.map((value) => value / scale - mean);
  const squares = productSum(distances, distances);
  if (Math.sqrt(squares / count) <= NOISE_SHARE)
    return unknown('no-variance', lack('lack.oneValue', { times: inDigits(count) }));
  return known(productSum(distances, distances, lag) / squares);
}
