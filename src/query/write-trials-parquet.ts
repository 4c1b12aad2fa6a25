import { decimalText, fractionDigits } from '../domain/decimal-text.ts';
import { present } from '../domain/invariant.ts';
import { openDatabase } from '../recording/duckdb.ts';
import {
  readSpace,
  isNumeric,
  type Parameter,
  type ParameterValue,
  type Space,
} from '../search/space-declaration.ts';
import type { StoredTrial } from '../study/study-rows.ts';
import type { StudyStore } from '../study/study-store.ts';
import { copyParquet } from './copy-parquet.ts';
import { createRowsTable } from './rows-table.ts';
import { columnName, FIGURE_FIELDS, type FieldType, type FieldTypes } from './view-columns.ts';

/** Decimals of money in SQL. */
const MOST_DECIMALS = 10;

const TRIAL = {
  number: 'count',
  state: 'text',
  failure: 'text',
  reason: 'text',
  violation: 'float',
} as const satisfies FieldTypes;

/** A param as a column: what a row calls it, and what it holds. */
interface ParameterColumn {
  readonly parameter: Parameter;
  readonly field: string;
  readonly type: FieldType;
}

/**
 * Writes the trials of a study as Parquet, a row each, and answers how many. Params are columns with `param_`
 * before their names, and `params` has all as JSON, those that are fixed too. The file is there when it is
 * whole; one that is there is replaced. Throws `DATA_UNUSABLE`.
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
  const database = await openDatabase();
  try {
    const count = await createRowsTable(database, { name: 'trials', fields, rows: rowsOf(store, columns) });
    await copyParquet(database, 'SELECT * FROM trials ORDER BY number', path);
    return count;
  } finally {
    database.close();
  }
}

/** Columns of the params. SQL takes `fastLength`, `fast_length` and `FAST_LENGTH` for one name. */
function parameterColumns(space: Space, store: StudyStore): readonly ParameterColumn[] {
  const taken = new Set<string>();
  const isFine = fineDecimals(space, store);
  return space.parameters.map((parameter) => {
    const base = `param_${parameter.name}`;
    let field = base;
    for (let again = 2; taken.has(columnName(field, 'text').toLowerCase()); again += 1)
      field = `${base}_${again}`;
    taken.add(columnName(field, 'text').toLowerCase());
    return { parameter, field, type: typeOf(parameter, isFine.has(parameter.name)) };
  });
}

/** Decimals that were tried with more digits than money has: they are floats, as the strategy got them. */
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
      Object.entries(metrics ?? {}).map(([name, value]) => [name, figureValue(name, value)]),
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

/** Money as the shortest text of the float that a study keeps. */
function figureValue(name: string, value: number | null): unknown {
  return value !== null && FIGURE_TYPES[name] === 'money' ? decimalText(value) : value;
}

function cellOf(value: ParameterValue | undefined, type: FieldType): unknown {
  if (value === undefined) return null;
  if (type === 'text') return String(value);
  return type === 'float' ? Number(value) : value;
}
