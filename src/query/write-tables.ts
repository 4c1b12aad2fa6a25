import { join, resolve } from 'node:path';
import { asWholeFile } from '../recording/durable-file.ts';
import { openDatabase, sqlText, runSql, type Database } from '../recording/duckdb.ts';
import { runTableSql } from './run-views.ts';
import { writeBytes } from '../backtest/byte-writer.ts';
import { csvExports, equityExport, jsonExport, resultFile } from '../backtest/read-run-folder.ts';
import { decimalText, fractionDigits } from '../domain/decimal-text.ts';
import { present } from '../domain/errors.ts';
import {
  readSpace,
  isNumeric,
  type Parameter,
  type ParameterValue,
  type Space,
} from '../search/space-declaration.ts';
import type { StoredTrial } from '../study/study-rows.ts';
import type { StudyStore } from '../study/study-store.ts';
import { createRowsTable, columnName, FIGURE_FIELDS, type FieldType, type FieldTypes } from './views.ts';
import { rmSync } from 'node:fs';

/** Formats in which a stored run is written for other programs. */
export const RUN_EXPORTS = {
  /** The CSV files, each with one table. */
  csv: async (run, folder) => writeAll(csvExports(run), folder),
  /** `result.json`: all but the equity curve. */
  json: async (run, folder) => writeAll([jsonExport(run)], folder),
  /** The Parquet files of a run. Money is exact, DECIMAL(38,10); statistics are DOUBLE, times UTC. */
  parquet: writeRunParquet,
} as const satisfies Readonly<Record<string, (run: string, folder: string) => Promise<readonly string[]>>>;

async function writeAll(exports: ReturnType<typeof csvExports>, folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const [name, write] of exports) {
    const path = join(folder, name);
    await asWholeFile(path, (draft) => writeBytes(draft, write));
    paths.push(path);
  }
  return paths;
}

/**
 * Writes the tables of a stored run as Parquet, and returns their paths. A file appears once it is complete,
 * and replaces an older one. Throws `DATA_UNUSABLE`.
 */
async function writeRunParquet(run: string, folder: string): Promise<readonly string[]> {
  const result = [resultFile(run)];
  const [, writeEquity] = equityExport(run);
  const equity = join(folder, `equity.csv.${process.pid}.tmp`);
  using opened = new DisposableStack();
  opened.defer(() => rmSync(equity, { force: true }));
  const database = opened.use(await openDatabase());
  writeBytes(equity, writeEquity);
  const tables = {
    trades: ofOneRun(runTableSql('round_trips', result)),
    orders: ofOneRun(runTableSql('orders', result)),
    fills: ofOneRun(runTableSql('fills', result)),
    equity: `FROM read_csv([${sqlText(resolve(equity))}], header = true, auto_detect = false,
  columns = {time: 'TIMESTAMP', equity: 'DOUBLE', drawdown: 'DOUBLE', is_exposed: 'BOOLEAN'})`,
  };
  const paths: string[] = [];
  for (const [name, sql] of Object.entries(tables)) {
    const path = join(folder, `${name}.parquet`);
    await copyParquet(database, sql, path);
    paths.push(path);
  }
  return paths;
}

const ofOneRun = (tableSql: string): string => `SELECT * EXCLUDE (run) FROM (${tableSql})`;

/** Number of decimals of money in SQL. */
const MOST_DECIMALS = 10;

const TRIAL = {
  number: 'count',
  state: 'text',
  failure: 'text',
  reason: 'text',
  violation: 'float',
} as const satisfies FieldTypes;

/** A parameter as a column: the name of its field in a row, and its type. */
interface ParameterColumn {
  readonly parameter: Parameter;
  readonly field: string;
  readonly type: FieldType;
}

/**
 * Writes a study's trials as Parquet, one row each, and returns their number. Parameters are columns that
 * begin with `param_`, and `params` has all as JSON, also fixed ones. The file appears once it is complete,
 * and replaces an older one. Throws `DATA_UNUSABLE`.
 */
export async function writeTrialsParquet(store: StudyStore, path: string): Promise<number> {
  const { written } = present(store.head(), 'the head of a study');
  const columns = parameterColumns(readSpace(Object(written)['space']), store);
  const fields: FieldTypes = {
    ...TRIAL,
    ...Object.fromEntries(columns.map(({ field, type }) => [field, type])),
    params: 'json',
    ...FIGURE_FIELDS,
  };
  using database = await openDatabase();
  const count = await createRowsTable(database, { name: 'trials', fields, rows: rowsOf(store, columns) });
  await copyParquet(database, 'SELECT * FROM trials ORDER BY number', path);
  return count;
}

/** Returns the columns of the parameters. Names that SQL can not tell apart get a number. */
function parameterColumns(space: Space, store: StudyStore): readonly ParameterColumn[] {
  const used = new Set<string>();
  const isFine = fineDecimals(space, store);
  return space.parameters.map((parameter) => {
    const base = `param_${parameter.name}`;
    let field = base;
    for (let again = 2; used.has(columnName(field, 'text').toLowerCase()); again += 1)
      field = `${base}_${again}`;
    used.add(columnName(field, 'text').toLowerCase());
    return { parameter, field, type: typeOf(parameter, isFine.has(parameter.name)) };
  });
}

/** Returns decimals tried with more digits than money has: they become floats, as strategies got them. */
function fineDecimals(space: Space, store: StudyStore): ReadonlySet<string> {
  const names = space.parameters.flatMap(({ kind, name }) => (kind === 'decimal' ? [name] : []));
  const fine = new Set<string>();
  if (names.length === 0) return fine;
  for (const { point } of store.outcomes())
    for (const name of names) {
      const value = point[name];
      if (value !== undefined && fractionDigits(decimalText(String(value))) > MOST_DECIMALS) fine.add(name);
    }
  return fine;
}

function typeOf(parameter: Parameter, isFine: boolean): FieldType {
  if (isNumeric(parameter)) {
    if (parameter.kind === 'integer') return 'count';
    return isFine ? 'float' : 'money';
  }
  const types = new Set(parameter.values.map((value) => typeof value));
  if (types.size > 1 || types.has('string')) return 'text';
  return types.has('boolean') ? 'flag' : 'float';
}

function* rowsOf(
  store: StudyStore,
  columns: readonly ParameterColumn[],
): Generator<Readonly<Record<string, unknown>>> {
  for (const trial of store.shownOutcomes()) yield rowOf(trial, columns);
}

function rowOf(
  { number, point, params, outcome, failure, metrics }: StoredTrial,
  columns: readonly ParameterColumn[],
): Readonly<Record<string, unknown>> {
  const isComplete = outcome.kind === 'complete';
  return {
    ...Object.fromEntries(
      Object.entries(metrics ?? {}).map(([name, value]) => [
        name,
        value !== null && FIGURE_TYPES[name] === 'money' ? decimalText(value) : value,
      ]),
    ),
    ...Object.fromEntries(
      columns.map(({ parameter, field, type }) => [field, cellOf(point[parameter.name], type)]),
    ),
    number,
    params,
    state: isComplete ? (outcome.violation > 0 ? 'infeasible' : 'complete') : 'failed',
    failure,
    reason: isComplete ? null : outcome.reason,
    violation: isComplete ? outcome.violation : null,
  };
}

const FIGURE_TYPES: FieldTypes = FIGURE_FIELDS;

function cellOf(value: ParameterValue | undefined, type: FieldType): unknown {
  if (value === undefined) return null;
  if (type === 'text') return String(value);
  return type === 'float' ? Number(value) : value;
}

/** Returns SQL that writes a query's result to a Parquet file. */
export const copySql = (query: string, path: string): string =>
  `COPY (${query}) TO ${sqlText(resolve(path))} (FORMAT parquet, COMPRESSION zstd)`;

/** Writes a query's result as Parquet, completely or not at all, and replaces an existing file. */
export async function copyParquet(database: Database, query: string, path: string): Promise<void> {
  await asWholeFile(path, (draft) => runSql(database, copySql(query, draft), `write ${path}`));
}
