import { join } from 'node:path';
import { listRuns, resultFile, type StoredRun } from '../backtest/read-run-folder.ts';
import { dataUnusable } from '../domain/errors.ts';
import { runSql, sqlFiles, type Database } from '../recording/duckdb.ts';
import {
  emptyViewSql,
  type MadeView,
  type QueryPlaces,
  createRowsTable,
  columnName,
  FIELD_TYPES,
  FILL_FIELDS,
  momentSql,
  ORDER_FIELDS,
  sqlName,
  TRIP_FIELDS,
  type FieldTypes,
  RUN_FIELDS,
} from './views.ts';

/** Maximum number of runs that a query reads. */
const MOST_RUNS = 10_000;

/** Largest result that is read. It is read as a whole, into twice its bytes of memory. */
const LARGEST_RESULT_BYTES = 96 * 1_048_576;

/** Tables of a result, by view. */
const TABLES = {
  orders: { table: 'orders', fields: ORDER_FIELDS },
  fills: { table: 'fills', fields: FILL_FIELDS },
  round_trips: { table: 'trades', fields: TRIP_FIELDS },
} as const satisfies Record<string, { readonly table: string; readonly fields: FieldTypes }>;

type RunTableName = keyof typeof TABLES;

type ResultFile = ReturnType<typeof resultFile>;

/** Makes a table of the stored runs. */
export async function makeRunsView(database: Database, places: QueryPlaces): Promise<MadeView> {
  const { runs, ...made } = readRuns(places);
  await createRowsTable(database, { name: 'runs', fields: RUN_FIELDS, rows: runs.map(rowOfRun) });
  return { files: [], ...made };
}

/** Makes a view of one table of all results; each result is read when the query needs it. */
export async function makeRunTableView(
  database: Database,
  name: RunTableName,
  places: QueryPlaces,
): Promise<MadeView> {
  const { runs, ...made } = readRuns(places);
  const results = runs.map(({ path }) => resultFile(path));
  const files = results.map(({ path }) => path);
  if (files.length === 0) {
    await runSql(database, emptyViewSql(name), `make the view ${name}`);
    return { files, ...made };
  }
  await runSql(
    database,
    `CREATE VIEW ${name} AS ${runTableSql(name, results)}`,
    `read the ${name} of runs in ${places.data}`,
  );
  return { files, ...made };
}

/** Returns SQL for one table of all results, named by `run`. Throws `DATA_UNUSABLE` for too large ones. */
export function runTableSql(name: RunTableName, results: readonly ResultFile[]): string {
  const { table, fields } = TABLES[name];
  const entries = Object.entries<keyof typeof FIELD_TYPES>(fields);
  const lists = entries.map(([field, type]) => `${sqlName(field)} ${FIELD_TYPES[type].stored}[]`);
  const shown = entries.map(([field, type]) => {
    const value = type === 'moment' ? momentSql(sqlName(field)) : sqlName(field);
    return `${value} AS ${sqlName(columnName(field, type))}`;
  });
  const values = entries.map(([field]) => `unnest(t.${sqlName(field)}) AS ${sqlName(field)}`);
  return `SELECT run, ${shown.join(', ')} FROM (
    SELECT parse_path(filename, 'system')[-2] AS run, ${values.join(', ')}
    FROM (SELECT filename, ${table} AS t FROM read_json(${sqlFiles(results.map(({ path }) => path))},
      filename = true, format = 'unstructured', records = true, maximum_object_size = ${largestBytes(results)},
      columns = {${table}: 'STRUCT(${lists.join(', ')})'})))`;
}

function largestBytes(results: readonly ResultFile[]): number {
  const { path, bytes } = results.reduce((largest, size) => (size.bytes > largest.bytes ? size : largest));
  if (bytes <= LARGEST_RESULT_BYTES) return bytes + 1;
  throw dataUnusable(
    `expected results of at most ${LARGEST_RESULT_BYTES / 1_048_576} MB, found ${path} with ${Math.ceil(bytes / 1_048_576)} MB: move its folder away, or write its tables with \`sarraf report csv\` and read them with another tool`,
  );
}

function readRuns({ data }: QueryPlaces): {
  readonly runs: readonly StoredRun[];
  readonly nothing: string | null;
  readonly unreadable: readonly string[];
} {
  const folder = join(data, 'backtests');
  const { runs, unreadable } = listRuns(folder, MOST_RUNS);
  return { runs, unreadable, nothing: runs.length === 0 ? `there are no runs in ${folder}` : null };
}

const listed = (texts: readonly string[]): string => [...new Set(texts)].join(', ');

function rowOfRun({ run, result }: StoredRun): Readonly<Record<string, unknown>> {
  const { name, createdAtMs, fromMs, toMs, fidelity, strategies, summary } = result;
  const [only, another] = strategies;
  const params =
    only !== undefined && another === undefined
      ? only.params
      : Object.fromEntries(strategies.map((strategy) => [strategy.name, strategy.params]));
  return {
    run,
    name,
    createdAtMs,
    fromTimeMs: fromMs,
    toTimeMs: toMs,
    fidelity: fidelity.kind,
    strategy: listed(strategies.map((strategy) => strategy.name)),
    market: listed(strategies.map(({ market }) => market)),
    params,
    ...summary,
  };
}
