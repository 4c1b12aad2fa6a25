import type { CandleColumns } from '../domain/candle-columns.ts';
import type { DuckDBAppender } from '@duckdb/node-api';
import type { StagedRows } from './staging-table.ts';
import { loadDuckdb, queryRows, runSql, type Database } from './duckdb.ts';
import { countsSql, CANDLE_SHAPE } from './table-shape.ts';

/** Consecutive bars of a file as columns. */
export type CandleBlock = Omit<CandleColumns, 'market' | 'timeframe' | 'anchors'>;

/** Fast reader of the bars of a file, which is tried first. */
export interface CandleBlocks {
  /** Estimated number of bars. */
  readonly expectedRows: number;
  /**
   * Yields the bars in the order of their lines, each block with the decimals of the most precise bar so far.
   * Its columns are valid until the next block. Throws `NotPlain` if the file must be read row by row.
   */
  read(): AsyncIterable<CandleBlock>;
}

/** Thrown if a file must be read row by row, by the slower reader that handles every form. */
export class NotPlain extends Error {}

export const BLOCK_COLUMNS = ['openTimeMs', 'open', 'high', 'low', 'close', 'volume'] as const;

export type BlockColumn = (typeof BLOCK_COLUMNS)[number];

/** Returns the factor for the cells of a column when the number of decimals grows. */
export function scaleFactor(
  column: BlockColumn,
  from: Pick<CandleBlock, 'priceDecimals' | 'volumeDecimals'>,
  to: Pick<CandleBlock, 'priceDecimals' | 'volumeDecimals'>,
): number {
  if (column === 'openTimeMs') return 1;
  const kind = column === 'volume' ? 'volumeDecimals' : 'priceDecimals';
  return 10 ** (to[kind] - from[kind]);
}

/** Table of the bars, whose numbers are cells: whole numbers in units of the last decimal. */
const CELLS = 'cells';

const PRICES = ['open', 'high', 'low', 'close'] as const;

/** Rows of one chunk of DuckDB. */
const CHUNK_ROWS = 2_048;

type Decimals = Pick<CandleBlock, 'priceDecimals' | 'volumeDecimals'>;

/** Creates the table `given` from the bars of a file, in order; null if they must be read by row. */
export async function stageBlocks(
  database: Database,
  blocks: AsyncIterable<CandleBlock>,
): Promise<StagedRows | null> {
  const columns = ['time_ms', ...PRICES, 'volume'].map((name) => `${name} BIGINT`);
  await runSql(database, `CREATE TABLE ${CELLS} (${columns.join(', ')})`, 'make a table');
  try {
    const table = await CellTable.create(database);
    for await (const block of blocks) await table.add(block);
    table.finish();
    await runSql(database, givenSql(table.decimals), 'number the rows');
    return { ...(await summaryOfRows(database, table.decimals)), isInOrder: table.isInOrder };
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error;
    await runSql(database, `DROP TABLE ${CELLS}`, 'begin anew');
    return null;
  }
}

/** Returns the SQL of the view `given`, as a staging table has it. Rows are numbered as they came. */
function givenSql({ priceDecimals, volumeDecimals }: Decimals): string {
  const prices = PRICES.map((name) => moneySql(name, priceDecimals));
  return `CREATE VIEW given AS
    SELECT time_ms, ${prices.join(', ')}, ${moneySql('volume', volumeDecimals)}, rowid AS seq FROM ${CELLS}`;
}

function moneySql(name: string, decimals: number): string {
  const step = decimals === 0 ? '1' : `0.${'1'.padStart(decimals, '0')}`;
  return `(${name}::DECIMAL(18,0) * ${step})::DECIMAL(38,10) AS ${name}`;
}

/** Fills the table of cells, all with the decimals of the most precise bar so far. */
class CellTable {
  decimals: Decimals = { priceDecimals: 0, volumeDecimals: 0 };
  /** True if each bar is later than the one before it. */
  isInOrder = true;
  private readonly database: Database;
  private readonly duckdb: Awaited<ReturnType<typeof loadDuckdb>>;
  private readonly appender: DuckDBAppender;
  private lastMs = Number.NEGATIVE_INFINITY;
  /** Largest price cell and largest volume cell. */
  private readonly most = { high: 0, volume: 0 };

  private constructor(of: {
    readonly database: Database;
    readonly duckdb: CellTable['duckdb'];
    readonly appender: DuckDBAppender;
  }) {
    this.database = of.database;
    this.duckdb = of.duckdb;
    this.appender = of.appender;
  }

  static async create(database: Database): Promise<CellTable> {
    const appender = await database.connection.createAppender(CELLS);
    return new CellTable({ database, duckdb: await loadDuckdb(), appender });
  }

  async add(block: CandleBlock): Promise<void> {
    await this.scaleTo(block);
    for (const timeMs of block.openTimeMs) {
      this.isInOrder &&= timeMs > this.lastMs;
      this.lastMs = timeMs;
    }
    for (const name of ['high', 'volume'] as const)
      this.most[name] = block[name].reduce((most, cell) => Math.max(most, cell), this.most[name]);
    for (let from = 0; from < block.length; from += CHUNK_ROWS) this.append(block, from);
  }

  finish(): void {
    this.appender.closeSync();
  }

  private append(block: CandleBlock, from: number): void {
    const { DuckDBDataChunk, DOUBLE } = this.duckdb;
    const rows = Math.min(CHUNK_ROWS, block.length - from);
    // The appender converts the floats to whole numbers.
    const chunk = DuckDBDataChunk.create(
      BLOCK_COLUMNS.map(() => DOUBLE),
      rows,
    );
    for (const [index, name] of BLOCK_COLUMNS.entries()) {
      const vector = chunk.getColumnVector(index);
      // Private only in its type, and the package version is fixed: the numbers of the column.
      const { items } = vector as unknown as { readonly items?: Float64Array };
      if (!(items instanceof Float64Array)) throw new TypeError('expected a vector of doubles');
      items.set(block[name].subarray(from, from + rows));
      vector.flush();
    }
    this.appender.appendDataChunk(chunk);
  }

  /** Multiplies the cells when a block has more decimals. Throws `NotPlain` if one would not be exact. */
  private async scaleTo({ priceDecimals, volumeDecimals }: Decimals): Promise<void> {
    const to = { priceDecimals, volumeDecimals };
    const prices = scaleFactor('high', this.decimals, to);
    const volumes = scaleFactor('volume', this.decimals, to);
    this.decimals = to;
    if (prices === 1 && volumes === 1) return;
    this.most.high *= prices;
    this.most.volume *= volumes;
    if (Math.max(this.most.high, this.most.volume) > Number.MAX_SAFE_INTEGER)
      throw new NotPlain('expected numbers that fit a column');
    this.appender.flushSync();
    const changes = [
      ...PRICES.map((name) => `${name} = ${name} * ${prices}`),
      `volume = volume * ${volumes}`,
    ];
    await runSql(this.database, `UPDATE ${CELLS} SET ${changes.join(', ')}`, 'take in finer bars');
  }
}

/** Returns the summary of the rows, except whether they are in order. */
async function summaryOfRows(
  database: Database,
  { priceDecimals, volumeDecimals }: Decimals,
): Promise<Omit<StagedRows, 'isInOrder'>> {
  const { timeSql, partition } = CANDLE_SHAPE;
  const found = await queryRows(
    database,
    countsSql({ source: CELLS, timeSql, partition }),
    'look at what was read',
  );
  const names = found.map(([name]) => String(name));
  const price = await decimalsOf(database, { names, columns: PRICES, most: priceDecimals });
  const amount = await decimalsOf(database, { names, columns: ['volume'], most: volumeDecimals });
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
 * Returns the most decimals of some columns in each partition, given those of all rows. Most partitions have
 * a row with as many; only the others are searched again.
 */
async function decimalsOf(
  database: Database,
  of: { readonly names: readonly string[]; readonly columns: readonly string[]; readonly most: number },
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (let decimals = of.most; decimals > 0 && found.size < of.names.length; decimals -= 1) {
    const step = 10 ** (of.most - decimals + 1);
    const condition = of.columns.map((column) => `${column} % ${step} <> 0`).join(' OR ');
    for (const name of await partitionsWith(database, condition)) {
      if (!found.has(name)) found.set(name, decimals);
    }
  }
  return found;
}

async function partitionsWith(database: Database, condition: string): Promise<readonly string[]> {
  const { timeSql, partition } = CANDLE_SHAPE;
  const source = `(SELECT * FROM ${CELLS} WHERE ${condition})`;
  const rows = await queryRows(database, countsSql({ source, timeSql, partition }), 'count decimals');
  return rows.map(([name]) => String(name));
}
