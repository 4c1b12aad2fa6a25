import { checkSample } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';
import { NOISE_SHARE } from './sample-moments.ts';

/**
 * `mean / sampleDeviation` of returns, of one period: multiply it by the root of the periods of a year for
 * the usual figure. Above a risk-free rate of 0. Unknown below two returns, and where they do not vary.
 * Throws `InvalidSample` at a number that is not finite. Sharpe, "The Sharpe Ratio", Journal of Portfolio
 * Management 21 (1994).
 */
export function observedSharpe(returns: Float64Array): Estimate<number> {
  checkSample(returns, 'returns');
  const count = returns.length;
  if (count < 2)
    return unknown(
      'too-few-observations',
      lack('lack.returns', { least: inDigits(2), found: inDigits(count) }),
    );
  const scale = returns.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = returns.reduce((sum, value) => sum + value / scale, 0) / count;
  const squares = returns.reduce((sum, value) => sum + (value / scale - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (count - 1));
  if (deviation <= NOISE_SHARE)
    return unknown('no-variance', lack('lack.oneReturn', { times: inDigits(count) }));
  return known(mean / deviation);
}
