import { UNIT_DECIMALS } from '../../domain/money.ts';
import { timeframeMs, type Timeframe } from '../../domain/timeframe.ts';
import { queryRows, type Database } from '../duckdb.ts';
import type { StagedRows } from '../append-outcome.ts';
import { countsSql } from '../table-shape.ts';
import { CANDLE_SHAPE } from '../table-shapes.ts';

/** The table of bars as DuckDB has read them, in the order of their file. */
export const PLAIN_ROWS = 'plain_rows';

/** How the rows follow one another. */
export interface RowOrder {
  readonly rows: number;
  /** Rows that are no bar: off the timeframe's places, a price of 0, or not low <= open, close <= high. */
  readonly wrong: number;
  /** Steps in either direction. */
  readonly forward: number;
  readonly back: number;
}

/** Looks at the order of the rows, and whether each is a bar. */
export async function orderOfRows(database: Database, timeframe: Timeframe): Promise<RowOrder> {
  const isBar = `time_ms % ${timeframeMs(timeframe)} = 0 AND low > 0
    AND low <= open AND low <= close AND high >= open AND high >= close`;
  const [found = []] = await queryRows(
    database,
    `SELECT count(*), count(*) FILTER ((${isBar}) IS NOT TRUE),
       count(*) FILTER (step > 0), count(*) FILTER (step < 0)
     FROM (SELECT *, time_ms - lag(time_ms) OVER () AS step FROM ${PLAIN_ROWS})`,
    'look at what was read',
  );
  const [rows = 0, wrong = 0, forward = 0, back = 0] = found.map(Number);
  return { rows, wrong, forward, back };
}

/** What there is to know of the rows, but for their order. */
export async function summaryOfRows(database: Database): Promise<Omit<StagedRows, 'isInOrder'>> {
  const { timeSql, partition } = CANDLE_SHAPE;
  const found = await queryRows(
    database,
    countsSql({ source: PLAIN_ROWS, timeSql, partition }),
    'look at what was read',
  );
  const names = found.map(([name]) => String(name));
  const price = await decimalsOf(database, { names, columns: ['open', 'high', 'low', 'close'] });
  const amount = await decimalsOf(database, { names, columns: ['volume'] });
  return {
    rows: found.reduce((sum, [, rows]) => sum + Number(rows), 0),
    decimals: new Map(
      names.map((name) => [name, { price: price.get(name) ?? 0, amount: amount.get(name) ?? 0 }] as const),
    ),
    fromMs: Math.min(...found.map(([, , fromMs]) => Number(fromMs))),
    toMs: Math.max(...found.map(([, , , toMs]) => Number(toMs))),
  };
}

/**
 * The most decimals of some columns by partition. Those of all rows come first, since looking for one with
 * more ends at the first. Most partitions have a row with as many; only the others are looked at again.
 */
async function decimalsOf(
  database: Database,
  of: { readonly names: readonly string[]; readonly columns: readonly string[] },
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  let decimals = 0;
  while (decimals < UNIT_DECIMALS && (await isAny(database, hasMoreThan(decimals, of.columns))))
    decimals += 1;
  for (; decimals > 0 && found.size < of.names.length; decimals -= 1) {
    for (const name of await partitionsWith(database, hasMoreThan(decimals - 1, of.columns))) {
      if (!found.has(name)) found.set(name, decimals);
    }
  }
  return found;
}

const hasMoreThan = (decimals: number, columns: readonly string[]): string =>
  columns
    .map((column) => `${column} % ${decimals === 0 ? '1' : `0.${'1'.padStart(decimals, '0')}`} <> 0`)
    .join(' OR ');

async function isAny(database: Database, condition: string): Promise<boolean> {
  const rows = await queryRows(
    database,
    `SELECT 1 FROM ${PLAIN_ROWS} WHERE ${condition} LIMIT 1`,
    'count decimals',
  );
  return rows.length > 0;
}

async function partitionsWith(database: Database, condition: string): Promise<readonly string[]> {
  const { timeSql, partition } = CANDLE_SHAPE;
  const source = `(SELECT * FROM ${PLAIN_ROWS} WHERE ${condition})`;
  const rows = await queryRows(database, countsSql({ source, timeSql, partition }), 'count decimals');
  return rows.map(([name]) => String(name));
}
