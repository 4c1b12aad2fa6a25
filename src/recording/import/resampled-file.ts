import { candleAt } from '../../domain/candle-columns.ts';
import type { Candle } from '../../domain/candle.ts';
import { NotPlain, type CandleBlock, type CandleBlocks } from '../candle-blocks.ts';
import { resampledBars } from './resampled-bars.ts';

/**
 * Bars put together of the bars of a file: of its columns where it is plain and each bar is there once, else
 * of its rows. Throws as `resampledBars` does.
 */
export async function* resampledFile(
  from: { readonly blocks: CandleBlocks | null; readonly rows: AsyncIterable<readonly Candle[]> },
  of: Parameters<typeof resampledBars>[1],
): AsyncGenerator<readonly Candle[]> {
  const { blocks, rows } = from;
  try {
    if (blocks !== null) {
      // They come all at once at the end, so nothing has come where the file is not plain.
      yield* resampledBars(candlesOf(blocks.read()), of);
      return;
    }
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error;
  }
  yield* resampledBars(rows, of);
}

/** The bars of blocks one by one. Throws `NotPlain` where they neither rise nor fall: one may come twice. */
async function* candlesOf(blocks: AsyncIterable<CandleBlock>): AsyncGenerator<readonly Candle[]> {
  let beforeMs = Number.NaN;
  let direction = 0;
  for await (const block of blocks) {
    for (const timeMs of block.openTimeMs) {
      const step = Math.sign(timeMs - beforeMs);
      beforeMs = timeMs;
      if (Number.isNaN(step)) continue;
      if (direction === 0) direction = step;
      if (step === 0 || step !== direction) throw new NotPlain('expected each bar once, in order');
    }
    yield Array.from({ length: block.length }, (_, index) => candleAt(block, index));
  }
}
