import { checkNumber } from './check-sample.ts';
import { known, unknown, type Estimate } from './estimate.ts';
import { lack } from './english-lacks.ts';
import { inDigits } from '../language/fact.ts';
import { normalQuantile } from './normal-distribution.ts';
import type { SharpeSample } from './sample-moments.ts';
import { MOST_RATIO, sharpeVariance } from './sharpe-variance.ts';

export interface TrackRecordOptions {
  /** The Sharpe ratio of one period that is to be beaten. */
  readonly benchmark?: number;
  /** The chance of being wrong, 1e-9 to 0.5; 0.05 is usual. */
  readonly significance?: number;
}

/**
 * Returns the number of returns of this kind needed until the probabilistic Sharpe ratio is `1 -
 * significance`: `1 + variance (quantile(1 - significance) / (SR - benchmark))^2`. A fraction; compare it
 * with `count`. Unknown unless the Sharpe ratio is above the benchmark: no length proves what is not there.
 * Throws `InvalidSample` at moments that no returns have. Bailey and Lopez de Prado, "The Sharpe Ratio
 * Efficient Frontier", Journal of Risk 15 (2012), eq. 13.
 */
export function minimumTrackRecord(sample: SharpeSample, options: TrackRecordOptions = {}): Estimate<number> {
  const { benchmark = 0, significance = 0.05 } = options;
  checkNumber(benchmark, 'benchmark', { least: -MOST_RATIO, most: MOST_RATIO });
  checkNumber(significance, 'significance', { least: 1e-9, most: 0.5 });
  const variance = sharpeVariance(sample);
  if (variance.kind === 'unknown') return variance;
  const { sharpe } = sample;
  // From significance itself, since 1 - 1e-9 has lost digits of it.
  const length = 1 + variance.value * (normalQuantile(significance) / (sharpe - benchmark)) ** 2;
  if (sharpe > benchmark && length <= Number.MAX_SAFE_INTEGER) return known(length);
  return unknown(
    'not-above-benchmark',
    lack('lack.benchmark', {
      benchmark: inDigits(benchmark),
      found: inDigits(Number(sharpe.toPrecision(3))),
    }),
  );
}
