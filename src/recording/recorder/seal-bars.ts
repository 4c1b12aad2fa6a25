import type { Candle, Resolution } from '../../domain/candle.ts';
import { SarrafError } from '../../domain/errors.ts';
import { appendRows } from '../append-rows.ts';
import type { FolderKey } from '../folder-key.ts';
import { readCandles } from '../read-candles.ts';
import { partitionsWithin } from '../read-partitions.ts';
import { CANDLE_SHAPE } from '../table-shapes.ts';
import { segmentRows, type Segment } from './read-segment.ts';
import type { SealTarget } from './seal-target.ts';

/**
 * Adds the bars of a segment to the catalogue, those of each resolution to its own folder: a bar that was seen twice as it was seen last. One that is there already
 * stays as it is, so that neither the bars of the past, which every run sees anew, nor a second try can come into conflict. Throws `DATA_UNUSABLE` where another
 * process writes to the folder.
 */
export async function sealBars(segment: Segment<'candles'>, target: SealTarget): Promise<void> {
  const { market } = segment;
  const bars = new Map<Resolution, Map<number, Candle>>();
  for await (const part of segmentRows(segment)) {
    for (const { resolution, candle } of part) {
      const of = bars.get(resolution) ?? new Map<number, Candle>();
      bars.set(resolution, of);
      of.set(candle.openTimeMs, candle);
    }
  }
  for (const [resolution, of] of bars) {
    const key = { market, kind: 'candles', resolution } as const;
    for (const openTimeMs of await timesThere(target.root, key, [...of.keys()])) of.delete(openTimeMs);
    if (of.size === 0) continue;
    const outcome = await appendRows<Candle>({ ...target, key, shape: CANDLE_SHAPE, rows: [[...of.values()]] });
    if (outcome.kind === 'added') continue;
    throw new SarrafError('DATA_UNUSABLE', `expected to write bars of ${market} alone, another process did too`);
  }
}

/** When bars begin that are there, of the stretch that some reach over. */
async function timesThere(
  root: string,
  key: FolderKey & { readonly kind: 'candles' },
  times: readonly number[],
): Promise<readonly number[]> {
  const fromMs = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const toMs = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY) + 1;
  if (partitionsWithin(root, key, { fromMs, toMs }).length === 0) return [];
  try {
    const { openTimeMs, length } = await readCandles(root, { ...key, fromMs, toMs });
    return [...openTimeMs.subarray(0, length)];
  } catch (error) {
    // A file that reaches over the stretch may have a hole there.
    if (error instanceof SarrafError && error.code === 'INVALID_OPTIONS') return [];
    throw error;
  }
}
