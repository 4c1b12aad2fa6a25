import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type {
  DuckDBExtractedStatements,
  DuckDBPreparedStatement,
  DuckDBResult,
  DuckDBDataChunk,
  DuckDBValue,
  DuckDBType,
} from '@duckdb/node-api';
import { messageOf, present, SarrafError, invalidOptions, nearestWord } from '../domain/errors.ts';
import {
  loadDuckdb,
  openDatabase,
  runSql,
  sqlFiles,
  sqlText,
  type Database,
  nextChunk,
} from '../recording/duckdb.ts';
import { copySql } from './write-tables.ts';
import {
  type MadeView,
  type MakeView,
  type QueryPlaces,
  viewsNamedIn,
  type ViewName,
  VIEW_NAMES,
  VIEWS,
} from './views.ts';
import { isoText } from '../domain/time-text.ts';

/** Size limit of temporary files, for data that does not fit into memory. */
const MOST_TEMPORARY = '4GB';

/** Name of the view from which Parquet is written. */
const RESULT = 'sarraf_result';

interface QueryOptions {
  readonly sql: string;
  readonly places: QueryPlaces;
  /** The file that `writeParquet` writes; null if nothing is written. */
  readonly draft: string | null;
  /** Aborts the query, which then throws. */
  readonly signal: AbortSignal;
}

/** One query of stored data, in its own database that can do nothing else. */
export interface OpenQuery {
  /** Notes for the reader of the result: which views have no rows. */
  readonly notes: readonly string[];
  /** Data that could not be read and is missing in the result. */
  readonly unreadable: readonly string[];
  /** Returns the rows as they are computed. Throws `INVALID_OPTIONS` for a query that can not be run. */
  stream(): Promise<DuckDBResult>;
  /** Runs a query that failed midway once more, without returning rows, and throws the reason. */
  findFailure(): Promise<void>;
  /** Writes the result to the draft, and returns its number of rows. */
  writeParquet(): Promise<number>;
  close(): void;
}

/**
 * Opens a query. Its database contains only the views that the query names, and is locked before the query is
 * prepared: it reads no files but theirs, has no network, loads no extensions, and its settings are fixed.
 * Only one SELECT is accepted, so nothing is written. Throws `INVALID_OPTIONS` for a query that can not be
 * run, and `DATA_UNUSABLE` if data can not be read.
 */
export async function openQuery({ sql, places, draft, signal }: QueryOptions): Promise<OpenQuery> {
  const temporaryFolder = join(tmpdir(), `sarraf-sql-${process.pid}-${randomBytes(6).toString('hex')}`);
  await loadDuckdb();
  const opening = openDatabase({ temporaryFolder });
  // The database opens on a thread of its own meanwhile.
  const makers = Promise.all(
    viewsNamedIn(sql).map(async (name) => [name, await VIEW_MAKERS[name]()] as const),
  );
  const database = await opening;
  const removeTemporary = (): void => rmSync(temporaryFolder, { recursive: true, force: true });
  // The process may end at once, for example if the reader of its output is gone.
  process.once('exit', removeTemporary);
  const interrupt = (): void => database.connection.interrupt();
  signal.addEventListener('abort', interrupt);
  const close = (): void => {
    signal.removeEventListener('abort', interrupt);
    database[Symbol.dispose]();
    removeTemporary();
    process.off('exit', removeTemporary);
  };
  try {
    const statements = await parsed(database, sql);
    const made: (MadeView & { readonly name: ViewName })[] = [];
    for (const [name, make] of await makers) made.push({ name, ...(await make(database, places)) });
    const paths = made.flatMap(({ files }) => files);
    await lock(database, [...paths, ...(draft === null ? [] : [resolve(draft)])]);
    const statement = await prepared(statements, sql);
    signal.throwIfAborted();
    return {
      notes: made.flatMap(({ name, nothing }) =>
        nothing === null ? [] : [`${name} has no rows: ${nothing}`],
      ),
      unreadable: [...new Set(made.flatMap(({ unreadable }) => unreadable))],
      stream: () => ofQuery(sql, () => statement.stream()),
      findFailure: async () => {
        signal.throwIfAborted();
        await database.connection.run(`EXPLAIN ANALYZE ${sql}`);
      },
      writeParquet: () => ofQuery(sql, () => writeParquet(database, sql, draft)),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Removes all abilities of the database that the query does not need. They can not be restored. */
async function lock(database: Database, paths: readonly string[]): Promise<void> {
  for (const setting of [
    `max_temp_directory_size = ${sqlText(MOST_TEMPORARY)}`,
    `allowed_paths = ${sqlFiles(paths)}`,
    'enable_external_access = false',
    'autoload_known_extensions = false',
    'lock_configuration = true',
  ]) {
    await runSql(database, `SET ${setting}`, 'lock the database of the query');
  }
}

const ONE_SELECT = 'one SELECT: nothing else is run, so that nothing is written';

async function parsed(database: Database, sql: string): Promise<DuckDBExtractedStatements> {
  const statements = await ofQuery(sql, () => database.connection.extractStatements(sql));
  if (statements.count === 1) return statements;
  throw invalidOptions(`expected ${ONE_SELECT}; found ${statements.count} statements`);
}

async function prepared(
  statements: DuckDBExtractedStatements,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  const statement = await ofQuery(sql, () => statements.prepare(0));
  const { StatementType } = await loadDuckdb();
  if (statement.parameterCount > 0)
    throw invalidOptions('expected a query with all values in it, found a parameter ($1 or ?)');
  if (statement.statementType === StatementType.SELECT) return statement;
  const found = StatementType[statement.statementType] ?? 'another statement';
  throw invalidOptions(`expected ${ONE_SELECT}; found ${found}`);
}

async function writeParquet(database: Database, sql: string, draft: string | null): Promise<number> {
  if (draft === null) throw invalidOptions('expected a file to write Parquet to, was none');
  const { connection } = database;
  await connection.run(`CREATE TEMP VIEW ${RESULT} AS ${sql}`);
  const copied = await connection.runAndReadAll(copySql(`FROM ${RESULT}`, draft));
  return Number(copied.getRows()[0]?.[0] ?? 0);
}

async function ofQuery<Value>(sql: string, ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    throw queryFailure(error, sql);
  }
}

/** Returns the maker of each view. Each loads only the code that it needs. */
const VIEW_MAKERS: Readonly<Record<ViewName, () => Promise<MakeView>>> = {
  candles: () => recorded('candles'),
  trades: () => recorded('trades'),
  books: () => recorded('books'),
  stats: () => recorded('stats'),
  recordings: async () => (await import('./recorded-views.ts')).makeRecordingsView,
  runs: async () => (await import('./run-views.ts')).makeRunsView,
  orders: () => ofRuns('orders'),
  fills: () => ofRuns('fills'),
  round_trips: () => ofRuns('round_trips'),
  studies: async () => (await import('./study-views.ts')).makeStudiesView,
  trip_notes: async () => (await import('./study-views.ts')).makeNotesView,
  trials: async () => (await import('./study-views.ts')).makeTrialsView,
};

async function recorded(name: 'candles' | 'trades' | 'books' | 'stats'): Promise<MakeView> {
  const { makeRecordedView } = await import('./recorded-views.ts');
  return (database, places) => makeRecordedView(database, name, places);
}

async function ofRuns(name: 'orders' | 'fills' | 'round_trips'): Promise<MakeView> {
  const { makeRunTableView } = await import('./run-views.ts');
  return (database, places) => makeRunTableView(database, name, places);
}

/** Matches DuckDB's message for a Parquet file that it can not read. */
const DAMAGED = /^Invalid Input Error: (?:Failed to read file|No magic bytes)/;

/** Matches the start of DuckDB's message for a failure that no other query avoids. */
const NOT_OF_THE_QUERY = /^(?:IO|Out of Memory|Internal|FATAL|INTERNAL|Interrupt)/;

const NO_TABLE = /Table with name "?(.+?)"? does not exist/;
const NO_COLUMN = /Referenced column "(.+?)" (?:was )?not found|does not have a column named "(.+?)"/;
/** Message of the library for a text without a statement. */
const NOTHING_THERE = 'Error in native callback';

const PLACE = /^LINE (\d+): /m;

/** Returns the error for DuckDB's failure, in one line, with the names that exist. */
function queryFailure(error: unknown, sql: string): SarrafError {
  if (error instanceof SarrafError) return error;
  const message = messageOf(error);
  const isOfQuery = !NOT_OF_THE_QUERY.test(message) && !DAMAGED.test(message);
  return new SarrafError(isOfQuery ? 'INVALID_OPTIONS' : 'DATA_UNUSABLE', sentenceOf(message, sql), {
    cause: error,
  });
}

function sentenceOf(message: string, sql: string): string {
  const [, table] = NO_TABLE.exec(message) ?? [];
  if (table !== undefined) return unknownName('a view', table, VIEW_NAMES);
  const [, column, ofTable] = NO_COLUMN.exec(message) ?? [];
  const name = column ?? ofTable;
  const views = viewsNamedIn(sql);
  if (name !== undefined && views.length > 0) {
    const known = [...new Set(views.flatMap((view) => VIEWS[view].columns.map((each) => each.name)))];
    return unknownName(`a column of ${views.join(', ')}`, name, known);
  }
  if (message.startsWith('Permission Error') || message.startsWith('Extension'))
    return `expected a query of views alone, found one that reaches beyond them: ask ${VIEW_NAMES.join(', ')}`;
  if (message.startsWith('Out of Memory'))
    return `expected a query that fits into memory and 4 GB of temporary files (${firstLine(message)}): ask for fewer rows`;
  if (DAMAGED.test(message))
    return `expected recordings that can be read, found a damaged file (${firstLine(message)}): restore a copy of it, or move its folder away and import again`;
  if (message.startsWith('IO Error'))
    return `expected to be able to read the data (${firstLine(message)}): ask again, since a recorder replaces files`;
  if (message === NOTHING_THERE) return 'expected one SELECT, found nothing to run';
  const [, line] = PLACE.exec(message) ?? [];
  const place = line === undefined || !sql.trim().includes('\n') ? '' : ` in line ${line}`;
  return `expected a query that DuckDB can run, found${place}: ${firstLine(message)}`;
}

function unknownName(what: string, name: string, known: readonly string[]): string {
  const near = nearestWord(name, known);
  const advice = near === null ? '' : `did you mean ${near}? `;
  return `expected ${what}, found ${JSON.stringify(name)}: ${advice}there are ${known.join(', ')}`;
}

const firstLine = (message: string): string =>
  (message.split('\n', 1)[0] ?? '').replace(/^Failed to extract statements: /, '');

/** A row of a result; null is SQL's NULL. */
export type ResultRow = readonly DuckDBValue[];

/** A result as it is computed: only one part is in memory, and a row is made when it is requested. */
export interface ResultRows {
  readonly columns: readonly ResultColumn[];
  readonly parts: AsyncIterable<Iterable<ResultRow>>;
}

/** Runs a query. Errors after the start are thrown by `parts`. */
export async function resultRows(query: OpenQuery, sql: string): Promise<ResultRows> {
  const result = await query.stream();
  const classes = await loadDuckdb();
  const types = result.columnTypes();
  const columns = result
    .deduplicatedColumnNames()
    .map((name, index) => resultColumn(name, present(types[index], 'a type for each column'), classes));
  return { columns, parts: partsOf(result, query, sql) };
}

async function* partsOf(
  result: DuckDBResult,
  query: OpenQuery,
  sql: string,
): AsyncGenerator<Iterable<ResultRow>> {
  for (;;) {
    const chunk = await chunkOf(result, query, sql);
    if (chunk === null) return;
    yield rowsOf(chunk);
  }
}

function* rowsOf(chunk: DuckDBDataChunk): Generator<ResultRow> {
  for (let index = 0; index < chunk.rowCount; index += 1) yield chunk.getRowValues(index);
}

async function chunkOf(result: DuckDBResult, query: OpenQuery, sql: string): Promise<DuckDBDataChunk | null> {
  try {
    return await nextChunk(result, () => query.findFailure());
  } catch (error) {
    throw queryFailure(error, sql);
  }
}

/** A column of a result, and how its values are written: as text for people and CSV, as JSON for programs. */
export interface ResultColumn {
  readonly name: string;
  readonly isNumber: boolean;
  readonly text: (value: DuckDBValue) => string;
  readonly json: (value: DuckDBValue) => string;
}

/** DuckDB's classes of values, which are loaded with it. */
type ValueClasses = Pick<
  typeof import('@duckdb/node-api'),
  'DuckDBTypeId' | 'DuckDBDecimalValue' | 'DuckDBTimestampValue' | 'DuckDBListValue' | 'DuckDBStructValue'
>;

/**
 * Returns the format of a column's values. Decimals are exact texts without trailing zeros, also in JSON.
 * Whole numbers beyond 2^53, and NaN or infinite floats, are texts in JSON. Timestamps are UTC.
 */
function resultColumn(name: string, type: DuckDBType, classes: ValueClasses): ResultColumn {
  const { DuckDBTypeId } = classes;
  // The value is JSON already.
  const plain = type.alias === 'JSON' ? String : null;
  return {
    name,
    isNumber: NUMBERS.some((id) => DuckDBTypeId[id] === type.typeId),
    text: plain ?? ((value) => textOf(value, classes)),
    json: (value) => (value === null || plain === null ? jsonOf(value, classes) : plain(value)),
  };
}

const NUMBERS = [
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'HUGEINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
  'UHUGEINT',
  'FLOAT',
  'DOUBLE',
  'DECIMAL',
] as const;

function textOf(value: DuckDBValue, classes: ValueClasses): string {
  if (value instanceof classes.DuckDBDecimalValue) return exactText(value.value, value.scale);
  if (value instanceof classes.DuckDBTimestampValue) return momentText(value.micros) ?? String(value);
  if (value instanceof classes.DuckDBListValue || value instanceof classes.DuckDBStructValue)
    return jsonOf(value, classes);
  return String(value);
}

function jsonOf(value: DuckDBValue, classes: ValueClasses): string {
  if (value === null) return 'null';
  if (typeof value === 'number')
    return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? String(value) : JSON.stringify(String(value));
  if (value instanceof classes.DuckDBListValue)
    return `[${value.items.map((item) => jsonOf(item, classes)).join(',')}]`;
  if (value instanceof classes.DuckDBStructValue) {
    const entries = Object.entries(value.entries);
    return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${jsonOf(each, classes)}`).join(',')}}`;
  }
  return JSON.stringify(textOf(value, classes));
}

/** Writes a decimal of a scale, without an exponent and without trailing zeros. */
function exactText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const sign = value < 0n ? '-' : '';
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Writes a time in ISO 8601 to the ms; null if it is finer, or beyond the calendar's range. */
function momentText(micros: bigint): string | null {
  if (micros % 1_000n !== 0n) return null;
  const timeMs = Number(micros / 1_000n);
  return Number.isSafeInteger(timeMs) ? isoText(timeMs) : null;
}
