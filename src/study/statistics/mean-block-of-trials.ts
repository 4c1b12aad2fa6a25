import { blockLength } from './block-length.ts';
import { sampleQuantile } from './sample-quantile.ts';

/**
 * One mean block for all trials, since they share their drawn periods: the median of the block lengths of
 * those that vary, at least 1. One trial alone then does not decide. 1 where none has a length.
 */
export function meanBlockOfTrials(trials: readonly Float64Array[]): number {
  const lengths = trials
    .map(blockLength)
    .flatMap((one) => (one.kind === 'known' ? [one.value.stationary] : []));
  return lengths.length === 0 ? 1 : sampleQuantile(Float64Array.from(lengths).sort(), 1 / 2);
}
