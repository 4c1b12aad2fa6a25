import { checkSample } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';

/** Inputs from returns for the formulas of the Sharpe ratio. */
export interface SharpeSample {
  /** Number of returns. */
  readonly count: number;
  /** Mean by sample deviation (n - 1), of one period: not annualised. */
  readonly sharpe: number;
  /** `m3 / m2^1.5`, 0 of a normal distribution. Below 0, large losses are more frequent than large gains. */
  readonly skewness: number;
  /** `m4 / m2^2`, not the excess: 3 of a normal distribution. */
  readonly kurtosis: number;
}

export interface SampleMoments extends SharpeSample {
  readonly mean: number;
  /** The sample deviation (n - 1). */
  readonly deviation: number;
}

/** Fewer have no shape. */
const LEAST_RETURNS = 4;

/** A deviation below this part of the largest value is the noise of floats. */
export const NOISE_SHARE = 1e-12;

/**
 * The moments of returns, one a period. `m2`, `m3` and `m4` are central and divided by n (Fisher's g1 and g2
 * + 3; Joanes and Gill, "Comparing Measures of Sample Skewness and Kurtosis", The Statistician 47, 1998).
 * Unknown below four returns, and where they do not vary. Throws `InvalidSample` at a number that is not
 * finite.
 */
export function sampleMoments(returns: Float64Array): Estimate<SampleMoments> {
  checkSample(returns, 'returns');
  const count = returns.length;
  if (count < LEAST_RETURNS)
    return unknown(
      'too-few-observations',
      lack('lack.returns', { least: inDigits(LEAST_RETURNS), found: inDigits(count) }),
    );
  // Squares and fourth powers of tiny or huge numbers leave the range of floats.
  const scale = returns.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (scale === 0) return noVariance(count);
  const mean = returns.reduce((sum, value) => sum + value / scale, 0) / count;
  let [second, third, fourth] = [0, 0, 0];
  for (let index = 0; index < count; index += 1) {
    const distance = (returns[index] ?? 0) / scale - mean;
    const square = distance * distance;
    second += square;
    third += square * distance;
    fourth += square * square;
  }
  const deviation = Math.sqrt(second / (count - 1));
  if (deviation <= NOISE_SHARE) return noVariance(count);
  const variance = second / count;
  return known({
    count,
    mean: mean * scale,
    deviation: deviation * scale,
    sharpe: mean / deviation,
    skewness: third / count / variance ** 1.5,
    kurtosis: fourth / count / (variance * variance),
  });
}

const noVariance = (count: number): Estimate<never> =>
  unknown('no-variance', lack('lack.oneReturn', { times: inDigits(count) }));
