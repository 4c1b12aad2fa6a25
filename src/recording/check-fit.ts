import { join } from 'node:path';
import { columnScale } from '../domain/candle-columns.ts';
import { SURE_DIGITS } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
import { formatUnits, parseUnits, UNITS_PER_ONE, type Units } from '../domain/money.ts';
import { queryRows, sqlFiles, type Database } from './duckdb.ts';
import { folderPath, folderTitle, type FolderKey } from './folder-key.ts';
import type { Manifest } from './manifest.ts';
import type { RowDecimals } from './table-shape.ts';

/** The largest number that is counted exactly, in steps of the last decimal. */
const MOST_STEPS = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Candles are read into columns of whole numbers, all with the decimals of the one that has most. Throws
 * `TOO_LARGE` where the prices in the table `added`, together with those there, no longer fit: else one row
 * with many decimals would make a folder unreadable. Volumes are rounded when they are read.
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
  const files =
    after > before ? manifest.partitions.map(({ file }) => join(folderPath(root, key), file)) : [];
  const sources = ['added', ...(files.length === 0 ? [] : [`read_parquet(${sqlFiles(files)})`])];
  for (const source of sources) {
    const price = await largestPrice(database, source);
    if (price / columnScale(after) <= MOST_STEPS) continue;
    throw new SarrafError(
      'TOO_LARGE',
      `expected candles of ${folderTitle(key)} that fit columns of 15 digits, found a price of ${formatUnits(price)} and one with ${after} decimals: round them with --round-prices ${fitting(price)}`,
      { details: { openTimeMs: await misfitMs(database, { source, price, after, before }) } },
    );
  }
}

/** The decimals that the largest price leaves room for. */
function fitting(largest: Units): number {
  return Math.max(0, SURE_DIGITS - String(largest / UNITS_PER_ONE).length);
}

/**
 * Returns the open time of the bar that does not fit, among those that came: the first with the finest price,
 * or the one with the largest. Null if both are there.
 */
async function misfitMs(
  database: Database,
  of: { readonly source: string; readonly price: Units; readonly after: number; readonly before: number },
): Promise<number | null> {
  const { source, price, after, before } = of;
  const step = formatUnits(columnScale(after) * 10n);
  const isFinest = ['open', 'high', 'low', 'close'].map((name) => `${name} % ${step} <> 0`).join(' OR ');
  const condition = after > before ? isFinest : `high = ${formatUnits(price)}`;
  const from = after > before ? 'added' : source;
  const sql = `SELECT min(at_ms) FROM ${from} WHERE ${condition}`;
  const [row] = from === 'added' ? await queryRows(database, sql, 'look for the bar that does not fit') : [];
  return row?.[0] === undefined || row[0] === null ? null : Number(row[0]);
}

async function largestPrice(database: Database, source: string): Promise<Units> {
  const sql = `SELECT coalesce(max(high), 0)::VARCHAR FROM ${source}`;
  const [row] = await queryRows(database, sql, 'look for the largest price');
  return parseUnits(typeof row?.[0] === 'string' ? row[0] : '0');
}
