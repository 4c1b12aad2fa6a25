import type { CandleColumns } from '../domain/candle-columns.ts';

/** Bars that follow one another in a file, as columns. */
export type CandleBlock = Omit<CandleColumns, 'market' | 'timeframe' | 'anchors'>;

/** A faster way to the bars of a file, which is tried first. */
export interface CandleBlocks {
  /** About how many bars there are. */
  readonly expectedRows: number;
  /**
   * The bars in the order of their lines, each block with the decimals of the finest bar so far. Its columns
   * are good until the next block. Throws `NotPlain` where the file has to be read row by row.
   */
  read(): AsyncIterable<CandleBlock>;
}

/** Says that a file has to be read row by row, which knows what to make of each row. */
export class NotPlain extends Error {}

/** The columns of a block. */
export const BLOCK_COLUMNS = ['openTimeMs', 'open', 'high', 'low', 'close', 'volume'] as const;

export type BlockColumn = (typeof BLOCK_COLUMNS)[number];

/** Returns the factor for the cells of a column when more decimals come. */
export function scaleFactor(
  column: BlockColumn,
  from: Pick<CandleBlock, 'priceDecimals' | 'volumeDecimals'>,
  to: Pick<CandleBlock, 'priceDecimals' | 'volumeDecimals'>,
): number {
  if (column === 'openTimeMs') return 1;
  const kind = column === 'volume' ? 'volumeDecimals' : 'priceDecimals';
  return 10 ** (to[kind] - from[kind]);
}
