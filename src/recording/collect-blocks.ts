import { SarrafError } from '../domain/errors.ts';
import { present } from '../domain/invariant.ts';
import {
  BLOCK_COLUMNS,
  NotPlain,
  scaleFactor,
  type BlockColumn,
  type CandleBlock,
  type CandleBlocks,
} from './candle-blocks.ts';
import { MOST_CANDLES } from './read-candles.ts';
import { FIRST_ROOM, grown } from './volume-column.ts';

/**
 * All bars of a file in one block, oldest first. Throws `NotPlain` where some are neither in the order of
 * time nor in the opposite one or do not fit a column, and `INVALID_OPTIONS` beyond what can be read at once.
 */
export async function collectBlocks(blocks: CandleBlocks): Promise<CandleBlock> {
  const all = new GrowingBlock(blocks.expectedRows);
  for await (const block of blocks.read()) all.add(block);
  return all.inOrder();
}

/** Says that more bars came than can be read at once. */
export function tooManyCandles(): SarrafError {
  return new SarrafError('INVALID_OPTIONS', `expected at most ${MOST_CANDLES} candles at once: cut the file`);
}

class GrowingBlock {
  private readonly columns: Map<BlockColumn, Float64Array<ArrayBuffer>>;
  private length = 0;
  private decimals = { priceDecimals: 0, volumeDecimals: 0 };

  constructor(expectedRows: number) {
    // Room that is not used costs nothing, and making more of it later costs as much as reading.
    const room = Math.min(MOST_CANDLES, Math.max(FIRST_ROOM, Math.ceil(expectedRows)));
    this.columns = new Map(BLOCK_COLUMNS.map((name) => [name, new Float64Array(room)]));
  }

  add(block: CandleBlock): void {
    const { length, decimals } = this;
    const end = length + block.length;
    if (end > MOST_CANDLES) throw tooManyCandles();
    for (const name of BLOCK_COLUMNS) {
      const factor = scaleFactor(name, decimals, block);
      if (factor !== 1) scale(this.column(name).subarray(0, length), factor);
      while (this.column(name).length < end) this.columns.set(name, grown(this.column(name)));
      this.column(name).set(block[name], length);
    }
    this.length = end;
    this.decimals = { priceDecimals: block.priceDecimals, volumeDecimals: block.volumeDecimals };
  }

  inOrder(): CandleBlock {
    const part = (name: BlockColumn): Float64Array => this.column(name).subarray(0, this.length);
    const openTimeMs = part('openTimeMs');
    const rising = isRising(openTimeMs);
    if (!rising) for (const name of BLOCK_COLUMNS) part(name).reverse();
    if (!rising && !isRising(openTimeMs)) throw new NotPlain('expected bars in the order of time, each once');
    const { length, decimals } = this;
    return {
      length,
      ...decimals,
      openTimeMs,
      open: part('open'),
      high: part('high'),
      low: part('low'),
      close: part('close'),
      volume: part('volume'),
    };
  }

  private column(name: BlockColumn): Float64Array<ArrayBuffer> {
    return present(this.columns.get(name), 'a column of each name');
  }
}

/** Throws `NotPlain` where a cell is no longer exact. */
function scale(cells: Float64Array, factor: number): void {
  for (let index = 0; index < cells.length; index += 1) {
    const cell = present(cells[index], 'a cell within the length') * factor;
    if (cell > Number.MAX_SAFE_INTEGER) throw new NotPlain('expected numbers that fit a column');
    cells[index] = cell;
  }
}

function isRising(timesMs: Float64Array): boolean {
  for (let index = 1; index < timesMs.length; index += 1) {
    const [before, after] = [timesMs[index - 1], timesMs[index]];
    if (!(present(before, 'a time before') < present(after, 'a time'))) return false;
  }
  return true;
}
