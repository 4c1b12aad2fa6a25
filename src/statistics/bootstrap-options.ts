import type { RandomSource } from '../domain/random.ts';
import type { BootstrapDraws } from './bootstrap-means.ts';
import { checkCount } from './check-sample.ts';
import { stationaryBootstrap } from './stationary-bootstrap.ts';
import { blockLength } from './block-length.ts';
import { sampleQuantile } from './sample-quantile.ts';

export interface BootstrapOptions {
  readonly random: RandomSource;
  /** 1 to 1,000,000; 1,000 is usual. */
  readonly draws?: number;
  /** The mean length of a block in periods; else by `blockLength`, the median of all trials. */
  readonly meanBlock?: number;
}

/** The draws of a test of trials, and the mean block that they have. */
export function drawsOf(
  trials: readonly Float64Array[],
  options: BootstrapOptions,
): BootstrapDraws & { readonly meanBlock: number } {
  const { random, draws = 1_000, meanBlock = meanBlockOfTrials(trials) } = options;
  checkCount(draws, 'draws', { least: 1, most: 1_000_000 });
  const length = trials[0]?.length ?? 0;
  return { draws, meanBlock, resample: stationaryBootstrap({ length, meanBlock, random }) };
}

/**
 * One mean block for all trials, since they share their drawn periods: the median of the block lengths of
 * those that vary, at least 1. One trial alone then does not decide. 1 where none has a length.
 */
function meanBlockOfTrials(trials: readonly Float64Array[]): number {
  const lengths = trials
    .map(blockLength)
    .flatMap((one) => (one.kind === 'known' ? [one.value.stationary] : []));
  return lengths.length === 0 ? 1 : sampleQuantile(Float64Array.from(lengths).sort(), 1 / 2);
}
