import type { DuckDBDataChunk, DuckDBResult, DuckDBValue, DuckDBType } from '@duckdb/node-api';
import { present } from '../domain/errors.ts';
import { loadDuckdb, nextChunk } from '../recording/duckdb.ts';
import { type OpenQuery, queryFailure } from './open-query.ts';
import { isoText } from '../domain/time-text.ts';

/** A row of a result; null is SQL's NULL. */
export type ResultRow = readonly DuckDBValue[];

/** A result as it comes: memory is that of one part, and a row is made when it is asked for. */
export interface ResultRows {
  readonly columns: readonly ResultColumn[];
  readonly parts: AsyncIterable<Iterable<ResultRow>>;
}

/** Runs a query. What goes wrong on the way is thrown by `parts`. */
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

/** Loaded with DuckDB: its classes of values. */
type ValueClasses = Pick<
  typeof import('@duckdb/node-api'),
  'DuckDBTypeId' | 'DuckDBDecimalValue' | 'DuckDBTimestampValue' | 'DuckDBListValue' | 'DuckDBStructValue'
>;

/**
 * Returns the format of a column's values. Decimals are exact texts without needless zeros, also in JSON.
 * Whole numbers beyond 2^53, and floats that are no numbers, are texts in JSON. Timestamps are UTC.
 */
function resultColumn(name: string, type: DuckDBType, classes: ValueClasses): ResultColumn {
  const { DuckDBTypeId } = classes;
  // It is JSON already.
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

/** A decimal of some scale, without an exponent and without needless zeros. */
function exactText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const sign = value < 0n ? '-' : '';
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** ISO 8601 to the ms; null for what is finer, or no time of the calendar. */
function momentText(micros: bigint): string | null {
  if (micros % 1_000n !== 0n) return null;
  const timeMs = Number(micros / 1_000n);
  return Number.isSafeInteger(timeMs) ? isoText(timeMs) : null;
}
