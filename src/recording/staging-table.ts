import { type Database, loadDuckdb, runSql, queryRows, sqlFiles } from './duckdb.ts';
import {
  type RowDecimals,
  partitionName,
  SQL_TYPES,
  type Cell,
  type Column,
  type TableShape,
  countsSql,
} from './table-shape.ts';
import type { DuckDBAppender, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { invariant, invalidOptions, tooLarge } from '../domain/errors.ts';
import { unitsOf } from '../domain/money.ts';
import { BOOK_LEVELS } from './records.ts';
import { join } from 'node:path';
import type { Partition } from './manifest.ts';

/** Record that contradicts another with the same time or id. */
export interface RecordConflict {
  readonly timeMs: number;
  /** True if both records are new; else one of them already exists. */
  readonly isWithin: boolean;
  /** Values of the existing record, or of one of the two new ones, as a list. */
  readonly there: string;
  /** Values of the new record. */
  readonly given: string;
}

/**
 * Outcome of an append. After a conflict nothing has changed; at most `MOST_CONFLICTS` of `count` are listed.
 * `known`: rows that already existed or came twice.
 */
export type AppendOutcome =
  | {
      readonly kind: 'added';
      readonly added: number;
      readonly known: number;
      /** Times of the first and the last new row in ms; null without rows. */
      readonly fromMs: number | null;
      readonly toMs: number | null;
    }
  /** The required confirmation was not given; nothing was changed. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'conflict'; readonly count: number; readonly conflicts: readonly RecordConflict[] };

/** Maximum number of conflicts that are listed. */
export const MOST_CONFLICTS = 10;

/** Summary of the rows in the table `given`. */
export interface StagedRows {
  readonly rows: number;
  /** Maximum number of decimals in each partition, by its name. */
  readonly decimals: ReadonlyMap<string, RowDecimals>;
  /** Time of the first row in ms, and of the last row; infinite without rows. */
  readonly fromMs: number;
  readonly toMs: number;
  /** True if each row is later than the one before it. */
  readonly isInOrder: boolean;
}

/** Creates the table `given` directly from a source. Returns null, and creates none, if it cannot. */
export type StageRows = (database: Database) => Promise<StagedRows | null>;

/** Rows of one chunk of DuckDB. */
const CHUNK_ROWS = 2_048;
/**
 * Maximum number of values in all lists of one column of a chunk. With more, the library writes past the end
 * of its memory, since it sets the size of a list's vector without reserving it.
 */
const CHUNK_LIST_VALUES = 2_048;
const WIDTH = 38;
const SCALE = 10;
const TOO_LARGE = 10n ** BigInt(WIDTH);

type Duckdb = Awaited<ReturnType<typeof loadDuckdb>>;

/** Table `given` of rows to append, in the order in which they came, with `seq` counting them. */
export class StagingTable<Row> implements StagedRows {
  rows = 0;
  /** Maximum number of decimals in each partition, by its name. */
  readonly decimals = new Map<string, RowDecimals>();
  fromMs = Number.POSITIVE_INFINITY;
  toMs = Number.NEGATIVE_INFINITY;
  isInOrder = true;
  private readonly duckdb: Duckdb;
  private readonly shape: TableShape<Row>;
  private readonly appender: DuckDBAppender;
  private readonly types: readonly DuckDBType[];
  private readonly chunkRows: number;
  private waiting: Row[] = [];

  private constructor(options: {
    readonly duckdb: Duckdb;
    readonly shape: TableShape<Row>;
    readonly appender: DuckDBAppender;
  }) {
    this.duckdb = options.duckdb;
    this.shape = options.shape;
    this.appender = options.appender;
    const hasLists = options.shape.columns.some(({ type }) => type === 'moneys');
    this.chunkRows = hasLists ? Math.floor(CHUNK_LIST_VALUES / BOOK_LEVELS) : CHUNK_ROWS;
    this.types = [
      ...options.shape.columns.map((column) => typeOf(options.duckdb, column)),
      options.duckdb.BIGINT,
    ];
  }

  /** Creates the table in an open database. */
  static async create<Row>(database: Database, shape: TableShape<Row>): Promise<StagingTable<Row>> {
    const columns = shape.columns.map(({ name, type }) => `${name} ${SQL_TYPES[type]}`);
    await runSql(database, `CREATE TABLE given (${columns.join(', ')}, seq BIGINT)`, 'make a table');
    return new StagingTable({
      duckdb: await loadDuckdb(),
      shape,
      appender: await database.connection.createAppender('given'),
    });
  }

  /** Adds rows. Throws `TOO_MANY_DECIMALS`, `TOO_LARGE` or `INVALID_OPTIONS` if no file can hold one. */
  add(rows: readonly Row[]): void {
    for (const row of rows) {
      this.note(row);
      this.waiting.push(row);
      if (this.waiting.length >= this.chunkRows) this.write();
    }
  }

  /** Writes the last rows and completes the table. */
  finish(): void {
    this.write();
    this.appender.closeSync();
  }

  private note(row: Row): void {
    const timeMs = this.shape.timeMs(row);
    if (!Number.isSafeInteger(timeMs) || Number.isNaN(new Date(timeMs).getTime()))
      throw invalidOptions(`expected a time in ms since 1970 of ${this.shape.noun}, was ${timeMs}`);
    this.isInOrder &&= timeMs > this.toMs;
    this.fromMs = Math.min(this.fromMs, timeMs);
    this.toMs = Math.max(this.toMs, timeMs);
    const name = partitionName(timeMs, this.shape.partition);
    const { price, amount } = this.shape.decimals(row);
    const before = this.decimals.get(name);
    if (before === undefined || price > before.price || amount > before.amount)
      this.decimals.set(name, {
        price: Math.max(price, before?.price ?? 0),
        amount: Math.max(amount, before?.amount ?? 0),
      });
  }

  private write(): void {
    const { waiting } = this;
    if (waiting.length === 0) return;
    const cells = waiting.map((row) => this.shape.cells(row));
    const columns: DuckDBValue[][] = this.shape.columns.map(({ type }, index) =>
      cells.map((row) => this.value(row[index] ?? null, type)),
    );
    columns.push(waiting.map((_, index) => BigInt(this.rows + index)));
    const chunk = this.duckdb.DuckDBDataChunk.create(this.types, waiting.length);
    chunk.setColumns(columns);
    this.appender.appendDataChunk(chunk);
    this.rows += waiting.length;
    this.waiting = [];
  }

  private value(cell: Cell, type: Column['type']): DuckDBValue {
    if (cell === null) return null;
    if (typeof cell === 'number') return BigInt(cell);
    if (typeof cell === 'boolean') return cell;
    if (typeof cell === 'string') return type === 'money' ? this.money(cell) : cell;
    invariant(cell.length <= BOOK_LEVELS, `expected at most ${BOOK_LEVELS} levels, was ${cell.length}`);
    return this.duckdb.listValue(cell.map((text) => this.money(text)));
  }

  private money(text: string): DuckDBValue {
    const units = unitsOf(text as Parameters<typeof unitsOf>[0]);
    // Beyond this the library writes only the lower bits, which are another number.
    if (units <= -TOO_LARGE || units >= TOO_LARGE)
      throw tooLarge(`expected at most ${WIDTH - SCALE} digits before the point, was "${text}"`);
    return this.duckdb.decimalValue(units, WIDTH, SCALE);
  }
}

function typeOf(duckdb: Duckdb, { type }: Column): DuckDBType {
  switch (type) {
    case 'time':
    case 'number':
      return duckdb.BIGINT;
    case 'money':
      return duckdb.DECIMAL(WIDTH, SCALE);
    case 'moneys':
      return duckdb.LIST(duckdb.DECIMAL(WIDTH, SCALE));
    case 'text':
      return duckdb.VARCHAR;
    case 'flag':
      return duckdb.BOOLEAN;
  }
}

/** Returns the SQL of rows with their columns, sort time `at_ms`, key `k` and content `v`. */
function keyedRows<Row>(shape: TableShape<Row>, source: string): string {
  const names = shape.columns.map(({ name }) => name).join(', ');
  const copy =
    shape.copySql === null ? '0' : `row_number() OVER (PARTITION BY ${shape.copySql} ORDER BY seq)`;
  return `SELECT *, ${shape.keySql} AS k, ${shape.contentSql} AS v
    FROM (SELECT ${names}, seq, ${shape.timeSql} AS at_ms, ${copy} AS copy FROM ${source})`;
}

/** Creates `new_rows` from the table `given`, and the view `there` of the existing partitions. */
export async function createViews<Row>(
  database: Database,
  options: { readonly shape: TableShape<Row>; readonly folder: string; readonly there: readonly Partition[] },
): Promise<void> {
  const { shape, folder, there } = options;
  const files = sqlFiles(there.map(({ file }) => join(folder, file)));
  const source =
    there.length === 0
      ? '(SELECT * FROM given WHERE false)'
      : `(SELECT *, file_row_number AS seq FROM read_parquet(${files}, file_row_number = true))`;
  // Counting copies needs a sort, whose result is kept; without it a view is cheaper.
  const kind = shape.copySql === null ? 'VIEW' : 'TABLE';
  await runSql(database, `CREATE ${kind} new_rows AS ${keyedRows(shape, 'given')}`, 'sort what came');
  await runSql(
    database,
    `CREATE VIEW there AS ${keyedRows(shape, source)}`,
    `read the partitions of ${folder}`,
  );
}

/**
 * Compares new records with each other and with the existing ones, and leaves the new ones in the table
 * `added`. A record with the same key but other content is a conflict, and then there is no such table.
 */
export async function findNew(
  database: Database,
  of: {
    /** True if no two of the new records can have one key. */
    readonly areDistinct: boolean;
    /** True if there are no existing records to compare them with. */
    readonly isFresh: boolean;
  },
): Promise<AppendOutcome | null> {
  if (of.areDistinct && of.isFresh) {
    await runSql(database, 'CREATE VIEW added AS SELECT * FROM new_rows', 'take what came');
    return null;
  }
  const within = `SELECT min(at_ms), min(v)::VARCHAR, max(v)::VARCHAR FROM new_rows GROUP BY k HAVING min(v) IS DISTINCT FROM max(v)`;
  const against = `SELECT n.at_ms, t.v::VARCHAR, n.v::VARCHAR FROM new_rows n JOIN there t ON n.k = t.k WHERE n.v IS DISTINCT FROM t.v`;
  const hasTwins =
    !of.areDistinct &&
    (
      await queryRows(
        database,
        'SELECT k FROM new_rows GROUP BY k HAVING count(*) > 1 LIMIT 1',
        'compare what came with itself',
      )
    ).length > 0;
  for (const query of [...(hasTwins ? [within] : []), against]) {
    const conflicts = await conflictsOf(database, query, query === within);
    if (conflicts !== null) return conflicts;
  }
  if (!hasTwins) {
    await runSql(
      database,
      'CREATE VIEW added AS SELECT * FROM new_rows ANTI JOIN there USING (k)',
      'leave out what is there',
    );
    return null;
  }
  const first = 'SELECT *, row_number() OVER (PARTITION BY k ORDER BY seq) AS nth FROM new_rows';
  await runSql(
    database,
    `CREATE TABLE added AS SELECT * EXCLUDE (nth) FROM (${first}) WHERE nth = 1 AND k NOT IN (SELECT k FROM there)`,
    'compare what came with what is there',
  );
  return null;
}

/** Accepts all rows as new, for a source that is known to contain nothing twice. */
export async function persistAll(database: Database): Promise<void> {
  await runSql(database, 'CREATE TABLE added AS SELECT * FROM new_rows', 'take what came');
}

async function conflictsOf(
  database: Database,
  query: string,
  isWithin: boolean,
): Promise<AppendOutcome | null> {
  const rows = await queryRows(
    database,
    `SELECT *, count(*) OVER () FROM (${query}) ORDER BY 1 LIMIT ${MOST_CONFLICTS}`,
    'compare what came with what is there',
  );
  if (rows.length === 0) return null;
  const conflicts: RecordConflict[] = rows.map(([timeMs, there, given]) => ({
    timeMs: Number(timeMs),
    isWithin,
    there: contentText(String(there)),
    given: contentText(String(given)),
  }));
  return { kind: 'conflict', count: Number(rows[0]?.[3]), conflicts };
}

/** Writes the values of a record without the names of the query, and without trailing zeros. */
function contentText(text: string): string {
  return text
    .replaceAll(/'?v\d+'?: /g, '')
    .replaceAll(/(\.\d*?)0+(?=\D|$)/g, '$1')
    .replaceAll(/\.(?=\D|$)/g, '')
    .slice(0, MOST_CONTENT_CHARACTERS);
}

/** Maximum number of characters of a record in a conflict; a whole book has far more. */
const MOST_CONTENT_CHARACTERS = 200;

/** Returns the number of new rows in each partition. */
export async function countNew(
  database: Database,
  { partition }: Pick<TableShape<unknown>, 'partition'>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await queryRows(
    database,
    countsSql({ source: 'added', timeSql: 'at_ms', partition }),
    'count rows',
  );
  return new Map(rows.map(([part, count]) => [String(part), Number(count)]));
}
