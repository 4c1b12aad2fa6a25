import { z } from 'zod';
import { backtestResultSchema } from '../backtest/result-schema.ts';
import { separatedName } from '../domain/money.ts';
import {
  SQL_TYPES,
  type ColumnType,
  BOOK_SHAPE,
  CANDLE_SHAPE,
  STATS_SHAPE,
  TRADE_SHAPE,
} from '../recording/table-shape.ts';
import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import { SarrafError, dataUnusable } from '../domain/errors.ts';
import { runSql, type Database } from '../recording/duckdb.ts';

/** A column of a view: its name, and its type in SQL. */
interface ViewColumn {
  readonly name: string;
  readonly sqlType: string;
}

/** Type of a result's field: `moment` is a time in ms since 1970, `float` a statistic. */
export type FieldType = 'text' | 'money' | 'moment' | 'count' | 'float' | 'flag' | 'json';

/** SQL types of a field: in stored JSON, and in a view. */
export const FIELD_TYPES: Readonly<Record<FieldType, { readonly stored: string; readonly shown: string }>> = {
  text: { stored: 'VARCHAR', shown: 'VARCHAR' },
  money: { stored: SQL_TYPES.money, shown: SQL_TYPES.money },
  moment: { stored: 'BIGINT', shown: 'TIMESTAMP' },
  count: { stored: 'BIGINT', shown: 'BIGINT' },
  float: { stored: 'DOUBLE', shown: 'DOUBLE' },
  flag: { stored: 'BOOLEAN', shown: 'BOOLEAN' },
  json: { stored: 'JSON', shown: 'JSON' },
};

export type FieldTypes = Readonly<Record<string, FieldType>>;

/** Returns the type of a result's field by its schema: decimals by their pattern, times by their name. */
function typeOf(name: string, schema: z.core.$ZodType): FieldType {
  if (schema instanceof z.ZodArray || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return typeOf(name, schema.unwrap());
  if (schema instanceof z.ZodBoolean) return 'flag';
  if (schema instanceof z.ZodNumber) {
    if (schema.format !== 'safeint') return 'float';
    return /(?:^at|At)Ms$/.test(name) ? 'moment' : 'count';
  }
  return schema instanceof z.ZodString && schema.def.checks !== undefined ? 'money' : 'text';
}

const typesIn = ({ shape }: z.ZodObject): FieldTypes =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, typeOf(name, schema)]));

const { orders, fills, trades, summary } = backtestResultSchema.shape;
export const ORDER_FIELDS = typesIn(orders);
export const FILL_FIELDS = typesIn(fills);
export const TRIP_FIELDS = typesIn(trades);

/** The figures of a run; docs/metrics.md explains each. */
export const FIGURE_FIELDS = typesIn(summary.omit({ quote: true }));

/** Figures of a trial: a study stores them as floats, money too. */
const TRIAL_FIGURE_FIELDS: FieldTypes = Object.fromEntries(
  Object.keys(FIGURE_FIELDS).map((name) => [name, 'float']),
);

/** Returns a field's name as a column: `plannedAtMs` is `planned_at`; a time with no other name is `time`. */
export function columnName(field: string, type: FieldType): string {
  const base = type === 'moment' ? field.replace(/Ms$/, '') : field;
  if (base === 'at') return 'time';
  return separatedName(base, '_');
}

function viewColumnsOf(fields: FieldTypes): readonly ViewColumn[] {
  return Object.entries(fields).map(([name, type]) => ({
    name: columnName(name, type),
    sqlType: FIELD_TYPES[type].shown,
  }));
}

/** Returns the columns of a recording as its files have them. */
function recordedColumns(
  columns: readonly { readonly name: string; readonly type: ColumnType }[],
): readonly ViewColumn[] {
  return columns.map(({ name, type }) => ({ name, sqlType: SQL_TYPES[type] }));
}

/** Returns SQL that makes a UTC timestamp from a time in ms. */
export const momentSql = (timeMs: string): string => `make_timestamp(${timeMs} * 1000)`;

/** Returns a name in quotes, for SQL. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A view that a query may read. */
interface View {
  readonly about: string;
  readonly columns: readonly ViewColumn[];
}

/** Fields of a row of `recordings`, which is one file. */
export const RECORDING_FIELDS = {
  market: 'text',
  kind: 'text',
  timeframe: 'text',
  part: 'text',
  rows: 'count',
  bytes: 'count',
  fromTimeMs: 'moment',
  toTimeMs: 'moment',
  source: 'text',
} as const satisfies FieldTypes;

export const RUN_FIELDS = {
  run: 'text',
  name: 'text',
  createdAtMs: 'moment',
  fromTimeMs: 'moment',
  toTimeMs: 'moment',
  fidelity: 'text',
  strategy: 'text',
  market: 'text',
  params: 'json',
  quote: 'text',
  ...FIGURE_FIELDS,
} as const satisfies FieldTypes;

export const STUDY_FIELDS = {
  study: 'text',
  strategy: 'text',
  market: 'text',
  timeframe: 'text',
  fromTimeMs: 'moment',
  splitTimeMs: 'moment',
  toTimeMs: 'moment',
  sampler: 'text',
  seed: 'count',
  objective: 'text',
  wanted: 'count',
  done: 'count',
  holdoutOpenedAtMs: 'moment',
} as const satisfies FieldTypes;

export const NOTE_FIELDS: FieldTypes = {
  entry: 'text',
  text: 'text',
  tags: 'json',
  by: 'text',
  atMs: 'moment',
};

export const TRIAL_FIELDS: FieldTypes = {
  study: 'text',
  number: 'count',
  params: 'json',
  value: 'float',
  violation: 'float',
  failure: 'text',
  reason: 'text',
  ...TRIAL_FIGURE_FIELDS,
};

const MARKET: ViewColumn = { name: 'market', sqlType: 'VARCHAR' };
const TIME: ViewColumn = { name: 'time', sqlType: 'TIMESTAMP' };
const RUN: ViewColumn = { name: 'run', sqlType: 'VARCHAR' };
const MONEY = 'DECIMAL(38,10)';

/** All views that a query may read, by name. */
export const VIEWS = {
  candles: {
    about: 'recorded candles; time is when one opens',
    columns: [
      MARKET,
      { name: 'timeframe', sqlType: 'VARCHAR' },
      TIME,
      ...recordedColumns(CANDLE_SHAPE.columns),
    ],
  },
  trades: {
    about: 'recorded public trades',
    columns: [MARKET, TIME, ...recordedColumns(TRADE_SHAPE.columns)],
  },
  books: {
    about: 'recorded order books; bid and ask are the best prices',
    columns: [
      MARKET,
      TIME,
      { name: 'bid', sqlType: MONEY },
      { name: 'ask', sqlType: MONEY },
      ...recordedColumns(BOOK_SHAPE.columns),
    ],
  },
  stats: {
    about: "recorded statistics of a market's day",
    columns: [MARKET, TIME, ...recordedColumns(STATS_SHAPE.columns)],
  },
  recordings: { about: 'the files of the catalogue', columns: viewColumnsOf(RECORDING_FIELDS) },
  runs: { about: 'stored backtests, with their figures', columns: viewColumnsOf(RUN_FIELDS) },
  orders: { about: 'orders of stored backtests', columns: [RUN, ...viewColumnsOf(ORDER_FIELDS)] },
  fills: { about: 'fills of stored backtests', columns: [RUN, ...viewColumnsOf(FILL_FIELDS)] },
  round_trips: {
    about: 'round trips of stored backtests, first in first out',
    columns: [RUN, ...viewColumnsOf(TRIP_FIELDS)],
  },
  studies: { about: 'studies', columns: viewColumnsOf(STUDY_FIELDS) },
  trip_notes: { about: 'notes of people on trades of the bot', columns: viewColumnsOf(NOTE_FIELDS) },
  trials: { about: 'trials of studies, with their figures as floats', columns: viewColumnsOf(TRIAL_FIELDS) },
} as const satisfies Readonly<Record<string, View>>;

export type ViewName = keyof typeof VIEWS;

export const VIEW_NAMES: readonly ViewName[] = Object.keys(VIEWS).filter(
  (name): name is ViewName => name in VIEWS,
);

/** Matches DuckDB functions that run a text as a query: such a text need not contain the names of views. */
const MADE_QUERY = /\bquery(?:_table)?\s*\(/i;

/** Returns the views that a query may read: those that it names, or all if it runs a text as a query. */
export function viewsNamedIn(sql: string): readonly ViewName[] {
  if (MADE_QUERY.test(sql)) return VIEW_NAMES;
  return VIEW_NAMES.filter((name) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
}

/** Number of rows that are sent to DuckDB in one batch. */
const BATCH_ROWS = 1_000;

/** A row by its fields: money as decimal text, times in ms. */
type Row = Readonly<Record<string, unknown>>;

/** Makes a table in memory from rows; returns their number. A value of another type throws. */
export async function createRowsTable(
  database: Database,
  of: { readonly name: string; readonly fields: FieldTypes; readonly rows: Iterable<Row> },
): Promise<number> {
  const { name, fields, rows } = of;
  const entries = Object.entries(fields);
  const stored = entries.map(([field, type]) => `${JSON.stringify(field)}:"${FIELD_TYPES[type].stored}"`);
  const shown = entries.map(([field, type]) => {
    const value = `r.${sqlName(field)}`;
    return `${type === 'moment' ? momentSql(value) : value} AS ${sqlName(columnName(field, type))}`;
  });
  const sql = `SELECT ${shown.join(', ')} FROM (
    SELECT unnest(from_json_strict($1::JSON, '[{${stored.join(',')}}]')) AS r)`;
  const columns = entries.map(
    ([field, type]) => `${sqlName(columnName(field, type))} ${FIELD_TYPES[type].shown}`,
  );
  await runSql(database, `CREATE TABLE ${name} (${columns.join(', ')})`, `make the table ${name}`);
  const insert = await database.connection.prepare(`INSERT INTO ${name} ${sql}`);
  try {
    return await insertAll(insert, Object.keys(fields), rows);
  } catch (error) {
    if (error instanceof SarrafError) throw error;
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    throw dataUnusable(`expected rows of ${name} that can be read: ${reason}`, {
      cause: error,
    });
  } finally {
    insert.destroySync();
  }
}

async function insertAll(
  insert: DuckDBPreparedStatement,
  fields: readonly string[],
  rows: Iterable<Row>,
): Promise<number> {
  let batch: Row[] = [];
  let count = 0;
  const write = async (): Promise<void> => {
    if (batch.length === 0) return;
    insert.bindVarchar(1, JSON.stringify(batch));
    await insert.run();
    count += batch.length;
    batch = [];
  };
  for (const row of rows) {
    batch.push(Object.fromEntries(fields.map((field) => [field, row[field] ?? null])));
    if (batch.length === BATCH_ROWS) await write();
  }
  await write();
  return count;
}

export interface QueryPlaces {
  /** Folder of the recordings. */
  readonly catalogue: string;
  /** Data folder, which contains runs and studies. */
  readonly data: string;
}

/** Result of making a view. */
export interface MadeView {
  /** Files that it reads during a query. */
  readonly files: readonly string[];
  /** Reason that it has no rows; null if it has some. */
  readonly nothing: string | null;
  /** Data that could not be read and is left out, one sentence each. */
  readonly unreadable: readonly string[];
}

export type MakeView = (database: Database, places: QueryPlaces) => Promise<MadeView>;

/** Returns SQL for a view without rows. */
export function emptyViewSql(name: ViewName): string {
  const columns: readonly ViewColumn[] = VIEWS[name].columns;
  const nulls = columns.map(({ name: title, sqlType }) => `NULL::${sqlType} AS ${sqlName(title)}`);
  return `CREATE VIEW ${name} AS SELECT ${nulls.join(', ')} WHERE false`;
}
