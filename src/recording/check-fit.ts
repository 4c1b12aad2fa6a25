import { join } from 'node:path';
import { columnScale } from '../domain/candle-columns.ts';
import { SarrafError } from '../domain/errors.ts';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import { queryRows, sqlFiles, type Database } from './duckdb.ts';
import { folderPath, folderTitle, type FolderKey } from './folder-key.ts';
import type { Manifest } from './manifest.ts';
import type { RowDecimals } from './table-shape.ts';

/** The largest number that is counted exactly, in steps of the last decimal. */
const MOST_STEPS = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Candles are read into columns of whole numbers, all with the decimals of the one that has most. Throws `TOO_LARGE` where the prices in the table `added`, together with
 * those there, no longer fit: else one row with many decimals would make a folder unreadable. Volumes are rounded when they are read.
 */
export async function checkFit(
  database: Database,
  of: {
    readonly root: string;
    readonly key: FolderKey;
    readonly manifest: Manifest;
    readonly decimals: Iterable<RowDecimals>;
  },
): Promise<void> {
  const { root, key, manifest } = of;
  const before = Math.max(0, ...manifest.partitions.map(({ priceDecimals }) => priceDecimals));
  const after = Math.max(before, ...[...of.decimals].map(({ price }) => price));
  const files = after > before ? manifest.partitions.map(({ file }) => join(folderPath(root, key), file)) : [];
  const sources = ['added', ...(files.length === 0 ? [] : [`read_parquet(${sqlFiles(files)})`])];
  for (const source of sources) {
    const price = await largestPrice(database, source);
    if (price / columnScale(after) <= MOST_STEPS) continue;
    throw new SarrafError(
      'TOO_LARGE',
      `expected candles of ${folderTitle(key)} that fit columns of 15 digits, found a price of ${formatUnits(price)} and one with ${after} decimals: write the prices with fewer decimals`,
    );
  }
}

async function largestPrice(database: Database, source: string): Promise<Units> {
  const sql = `SELECT coalesce(max(high), 0)::VARCHAR FROM ${source}`;
  const [row] = await queryRows(database, sql, 'look for the largest price');
  return parseUnits(typeof row?.[0] === 'string' ? row[0] : '0');
}
