import { join } from 'node:path';
import { columnScale } from '../domain/candle-columns.ts';
import { SarrafError } from '../domain/errors.ts';
import { formatUnits, NO_UNITS, parseUnits, type Units } from '../domain/money.ts';
import { queryRows, sqlFiles, type Database } from './duckdb.ts';
import { folderPath, folderTitle, type FolderKey } from './folder-key.ts';
import type { Manifest } from './manifest.ts';
import type { RowDecimals } from './table-shape.ts';

/** The largest number that is counted exactly, in steps of the last decimal. */
const MOST_STEPS = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Candles are read into columns of whole numbers, all with the decimals of the one that has most. Throws `TOO_LARGE` where those in the table `added`, together with what
 * is there, no longer fit: else one row with many decimals would make a folder unreadable.
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
  const there = manifest.partitions.map(({ priceDecimals: price, amountDecimals: amount }) => ({ price, amount }));
  const [before, after] = [most(there), most([...there, ...of.decimals])];
  const isFiner = after.price > before.price || after.amount > before.amount;
  const files = isFiner ? manifest.partitions.map(({ file }) => join(folderPath(root, key), file)) : [];
  const sources = ['added', ...(files.length === 0 ? [] : [`read_parquet(${sqlFiles(files)})`])];
  for (const source of sources) {
    const largest = await largestOf(database, source);
    for (const column of ['price', 'amount'] as const) {
      const [value, decimals] = [largest[column], after[column]];
      if (value / columnScale(decimals) <= MOST_STEPS) continue;
      const name = column === 'price' ? 'price' : 'volume';
      throw new SarrafError(
        'TOO_LARGE',
        `expected candles of ${folderTitle(key)} that fit columns of 15 digits, found a ${name} of ${formatUnits(value)} and one with ${decimals} decimals: write the ${name}s with fewer decimals`,
      );
    }
  }
}

function most(decimals: readonly RowDecimals[]): RowDecimals {
  return {
    price: Math.max(0, ...decimals.map(({ price }) => price)),
    amount: Math.max(0, ...decimals.map(({ amount }) => amount)),
  };
}

async function largestOf(
  database: Database,
  source: string,
): Promise<{ readonly price: Units; readonly amount: Units }> {
  const sql = `SELECT coalesce(max(high), 0)::VARCHAR, coalesce(max(volume), 0)::VARCHAR FROM ${source}`;
  const [row] = await queryRows(database, sql, 'look for the largest numbers');
  const [price, amount] = (row ?? []).map((value) => parseUnits(typeof value === 'string' ? value : '0'));
  return { price: price ?? NO_UNITS, amount: amount ?? NO_UNITS };
}
