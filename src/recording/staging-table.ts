import type { DuckDBAppender, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { SarrafError } from '../domain/errors.ts';
import { invariant } from '../domain/invariant.ts';
import { unitsOf } from '../domain/money.ts';
import { loadDuckdb, runSql, type Database } from './duckdb.ts';
import { BOOK_LEVELS } from './records.ts';
import type { StagedRows } from './append-outcome.ts';
import {
  partitionName,
  SQL_TYPES,
  type Cell,
  type Column,
  type RowDecimals,
  type TableShape,
} from './table-shape.ts';

/** Rows of one chunk, as DuckDB has them. */
const CHUNK_ROWS = 2_048;
/**
 * Values in all lists of one column of a chunk: the library writes past the end of its memory with more,
 * since it sets the size of a list's vector without reserving it.
 */
const CHUNK_LIST_VALUES = 2_048;
const WIDTH = 38;
const SCALE = 10;
const TOO_LARGE = 10n ** BigInt(WIDTH);

type Duckdb = Awaited<ReturnType<typeof loadDuckdb>>;

/**
 * Rows on their way into the catalogue: the table `given`, in the order in which they came, with `seq`
 * counting them.
 */
export class StagingTable<Row> implements StagedRows {
  /** Rows so far. */
  rows = 0;
  /** The most decimals by partition. */
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

  /** Makes the table in an open database. */
  static async create<Row>(database: Database, shape: TableShape<Row>): Promise<StagingTable<Row>> {
    const columns = shape.columns.map(({ name, type }) => `${name} ${SQL_TYPES[type]}`);
    await runSql(database, `CREATE TABLE given (${columns.join(', ')}, seq BIGINT)`, 'make a table');
    return new StagingTable({
      duckdb: await loadDuckdb(),
      shape,
      appender: await database.connection.createAppender('given'),
    });
  }

  /**
   * Adds rows. Throws `TOO_MANY_DECIMALS`, `TOO_LARGE` or `INVALID_OPTIONS` for one that no file can hold.
   */
  add(rows: readonly Row[]): void {
    for (const row of rows) {
      this.note(row);
      this.waiting.push(row);
      if (this.waiting.length >= this.chunkRows) this.write();
    }
  }

  /** Ends the adding: the table is whole. */
  finish(): void {
    this.write();
    this.appender.closeSync();
  }

  private note(row: Row): void {
    const timeMs = this.shape.timeMs(row);
    if (!Number.isSafeInteger(timeMs) || Number.isNaN(new Date(timeMs).getTime())) {
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected a time in ms since 1970 of ${this.shape.noun}, was ${timeMs}`,
      );
    }
    this.isInOrder &&= timeMs > this.toMs;
    this.fromMs = Math.min(this.fromMs, timeMs);
    this.toMs = Math.max(this.toMs, timeMs);
    const name = partitionName(timeMs, this.shape.partition);
    const { price, amount } = this.shape.decimals(row);
    const before = this.decimals.get(name);
    if (before === undefined || price > before.price || amount > before.amount) {
      this.decimals.set(name, {
        price: Math.max(price, before?.price ?? 0),
        amount: Math.max(amount, before?.amount ?? 0),
      });
    }
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
    // Beyond this the library writes the lower bits, which are another number.
    if (units <= -TOO_LARGE || units >= TOO_LARGE) {
      throw new SarrafError(
        'TOO_LARGE',
        `expected at most ${WIDTH - SCALE} digits before the point, was "${text}"`,
      );
    }
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
