import { join } from 'node:path';
import { volumeColumnDecimals, type CandleColumns } from '../domain/candle-columns.ts';
import { SarrafError, dataUnusable, invalidOptions } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { parseUnits } from '../domain/money.ts';
import type { Timeframe } from '../domain/candle.ts';
import { openDatabase, queryRows, sqlFiles, type Database } from './duckdb.ts';
import { folderPath, type FolderKey, type TimeRange } from './records.ts';
import { anchorsOf, readManifest, type Partition } from './manifest.ts';
import { MoneyCells, CANDLE_SHAPE } from './table-shape.ts';
import { isReplaced, noneThere, partitionChunks, partitionsOfData, timeText } from './read-rows.ts';

/** Maximum number of candles that are read at once: nineteen years of minutes, in 480 MB of columns. */
export const MOST_CANDLES = 10_000_000;

/** Maximum number of attempts to read candles: again only if a writer replaced a file meanwhile. */
const MOST_ATTEMPTS = 3;

export interface CandleQuestion extends TimeRange {
  readonly market: MarketSymbol;
  readonly timeframe: Timeframe;
}

/** Thrown and caught in this file: a volume does not fit its column with the decimals of another volume. */
class VolumeBeyond extends Error {}

/**
 * Reads the candles that open in a time range. If the largest volume leaves no room for the decimals of the
 * most precise one, volumes are rounded: they only bound how much may fill. Throws `INVALID_OPTIONS` for no
 * candles or too many, `TOO_LARGE` for a price that does not fit its column, `DATA_UNUSABLE` for a damaged
 * file.
 */
export async function readCandles(root: string, question: CandleQuestion): Promise<CandleColumns> {
  for (let attempt = 1; ; attempt += 1) {
    const partitions = partitionsOfData(root, { ...question, kind: 'candles' }, question);
    try {
      return await readAll(root, question, partitions);
    } catch (error) {
      const key = { ...question, kind: 'candles' } as const;
      if (attempt >= MOST_ATTEMPTS || !partitions.some((partition) => isReplaced(root, key, partition)))
        throw error;
    }
  }
}

async function readAll(
  root: string,
  question: CandleQuestion,
  partitions: readonly Partition[],
): Promise<CandleColumns> {
  const rows = partitions.reduce((sum, partition) => sum + partition.rows, 0);
  if (rows > MOST_CANDLES)
    throw invalidOptions(
      `expected at most ${MOST_CANDLES} candles at once, found ${rows}: ask for a shorter time`,
    );
  const columns = {
    market: question.market,
    timeframe: question.timeframe,
    anchors: anchorsOf(readManifest(root, { ...question, kind: 'candles' }), question.timeframe),
    openTimeMs: new Float64Array(rows),
    priceDecimals: Math.max(...partitions.map(({ priceDecimals }) => priceDecimals)),
    open: new Float64Array(rows),
    high: new Float64Array(rows),
    low: new Float64Array(rows),
    close: new Float64Array(rows),
    volumeDecimals: Math.max(...partitions.map(({ amountDecimals }) => amountDecimals)),
    volume: new Float64Array(rows),
  };
  using database = await openDatabase();
  const from = { database, root, question, partitions };
  const read = await filled(columns, from);
  if (read.length > 0) return read;
  throw noneThere(root, { ...question, kind: 'candles' }, question);
}

interface Source {
  readonly database: Database;
  readonly root: string;
  readonly question: CandleQuestion;
  readonly partitions: readonly Partition[];
}

async function filled(columns: Omit<CandleColumns, 'length'>, from: Source): Promise<CandleColumns> {
  try {
    return { ...columns, length: await fill(columns, from, false) };
  } catch (error) {
    if (!(error instanceof VolumeBeyond)) throw error;
    const { database, root, question, partitions } = from;
    const key = { ...question, kind: 'candles' } as const;
    const rounded = {
      ...columns,
      volumeDecimals: await volumeDecimalsOf(database, { root, key, partitions }),
    };
    return { ...rounded, length: await fill(rounded, from, true) };
  }
}

/** Returns the decimals of the volume column for some files. @see volumeColumnDecimals */
export async function volumeDecimalsOf(
  database: Database,
  {
    root,
    key,
    partitions,
  }: { readonly root: string; readonly key: FolderKey; readonly partitions: readonly Partition[] },
): Promise<number> {
  const folder = folderPath(root, key);
  const files = sqlFiles(partitions.map(({ file }) => join(folder, file)));
  const sql = `SELECT coalesce(max(volume), 0)::VARCHAR FROM read_parquet(${files})`;
  const [row] = await queryRows(database, sql, `look for the largest volume in ${folder}`);
  return volumeColumnDecimals({
    finest: Math.max(0, ...partitions.map(({ amountDecimals }) => amountDecimals)),
    largest: parseUnits(String(row?.[0])),
  });
}

/** Fills columns and returns the number of bars, by one query of all files, which is read ahead. */
async function fill(columns: Omit<CandleColumns, 'length'>, from: Source, rounds: boolean): Promise<number> {
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
      // Our own files are sorted, so another program wrote this one.
      if (timeMs <= lastMs)
        throw dataUnusable(
          `expected candles of ${question.market} in ${root} in the order of time, each once, found ${timeText(timeMs)} out of it; see "sarraf data verify"`,
        );
      openTimeMs[at + row] = timeMs;
      lastMs = timeMs;
    }
    for (const [index, column] of prices.entries()) {
      new MoneyCells(chunk.getColumnVector(index + 1)).copyInto(column, {
        at,
        count,
        decimals: priceDecimals,
      });
    }
    copyVolumes(new MoneyCells(chunk.getColumnVector(5)), volume, {
      at,
      count,
      decimals: volumeDecimals,
      rounds,
    });
    at += count;
  }
  return at;
}

function copyVolumes(
  cells: MoneyCells,
  column: Float64Array,
  how: { readonly at: number; readonly count: number; readonly decimals: number; readonly rounds: boolean },
): void {
  try {
    cells.copyInto(column, how);
  } catch (error) {
    if (how.rounds || !(error instanceof SarrafError) || error.code !== 'TOO_LARGE') throw error;
    throw new VolumeBeyond(error.message);
  }
}
