import type { CandleColumns } from '../domain/candle-columns.ts';
import type { Resolution } from '../domain/candle.ts';
import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { openDatabase, type Database } from './duckdb.ts';
import type { Partition } from './manifest.ts';
import { MoneyCells } from './money-cells.ts';
import { isReplaced, noneThere, partitionChunks, partitionsOfData, timeText } from './read-partitions.ts';
import type { TimeRange } from './records.ts';
import { CANDLE_SHAPE } from './table-shapes.ts';

/** Candles read at once: nineteen years of minutes, in 480 MB of columns. */
export const MOST_CANDLES = 10_000_000;

/** How often reading begins anew because a writer replaced what was about to be read. */
const MOST_ATTEMPTS = 3;

export interface CandleQuestion extends TimeRange {
  readonly market: MarketSymbol;
  readonly resolution: Resolution;
}

/**
 * The candles of a stretch of time: those that open within it. Throws `INVALID_OPTIONS` where there are none or too many, `TOO_LARGE` where a number does not fit
 * its column, `DATA_UNUSABLE` for a damaged file.
 */
export async function readCandles(root: string, question: CandleQuestion): Promise<CandleColumns> {
  for (let attempt = 1; ; attempt += 1) {
    const partitions = partitionsOfData(root, { ...question, kind: 'candles' }, question);
    try {
      return await readAll(root, question, partitions);
    } catch (error) {
      const key = { ...question, kind: 'candles' } as const;
      if (attempt >= MOST_ATTEMPTS || !partitions.some((partition) => isReplaced(root, key, partition))) throw error;
    }
  }
}

async function readAll(
  root: string,
  question: CandleQuestion,
  partitions: readonly Partition[],
): Promise<CandleColumns> {
  const rows = partitions.reduce((sum, partition) => sum + partition.rows, 0);
  if (rows > MOST_CANDLES) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected at most ${MOST_CANDLES} candles at once, found ${rows}: ask for a shorter time`,
    );
  }
  const columns = {
    market: question.market,
    resolution: question.resolution,
    openTimeMs: new Float64Array(rows),
    priceDecimals: Math.max(...partitions.map(({ priceDecimals }) => priceDecimals)),
    open: new Float64Array(rows),
    high: new Float64Array(rows),
    low: new Float64Array(rows),
    close: new Float64Array(rows),
    volumeDecimals: Math.max(...partitions.map(({ amountDecimals }) => amountDecimals)),
    volume: new Float64Array(rows),
  };
  const database = await openDatabase();
  try {
    const length = await fill(columns, { database, root, question, partitions });
    if (length > 0) return { ...columns, length };
    throw noneThere(root, { ...question, kind: 'candles' }, question);
  } finally {
    database.close();
  }
}

/** Fills columns and answers how many bars that were. All files are one query, so that one is unpacked while another is read. */
async function fill(
  columns: Omit<CandleColumns, 'length'>,
  from: {
    readonly database: Database;
    readonly root: string;
    readonly question: CandleQuestion;
    readonly partitions: readonly Partition[];
  },
): Promise<number> {
  const { database, root, question, partitions } = from;
  const { openTimeMs, open, high, low, close, volume, priceDecimals, volumeDecimals } = columns;
  const prices = [open, high, low, close];
  const chunks = partitionChunks(database, {
    root,
    key: { ...question, kind: 'candles' },
    shape: CANDLE_SHAPE,
    partitions,
    range: question,
    select: 'time_ms::DOUBLE, open, high, low, close, volume',
  });
  let at = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  for await (const chunk of chunks) {
    const count = chunk.rowCount;
    const times = chunk.getColumnVector(0);
    for (let row = 0; row < count; row += 1) {
      const timeMs = times.getItem(row) as number;
      if (timeMs <= lastMs) throw outOfOrder(root, question, timeMs);
      openTimeMs[at + row] = timeMs;
      lastMs = timeMs;
    }
    for (const [index, column] of prices.entries()) {
      new MoneyCells(chunk.getColumnVector(index + 1)).copyInto(column, { at, count, decimals: priceDecimals });
    }
    new MoneyCells(chunk.getColumnVector(5)).copyInto(volume, { at, count, decimals: volumeDecimals });
    at += count;
  }
  return at;
}

/** What is written is sorted, so somebody else has written it. */
function outOfOrder(root: string, question: CandleQuestion, timeMs: number): SarrafError {
  return new SarrafError(
    'DATA_UNUSABLE',
    `expected candles of ${question.market} in ${root} in the order of time, each once, found ${timeText(timeMs)} out of it; see "sarraf data verify"`,
  );
}
