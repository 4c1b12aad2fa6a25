import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import { SarrafError } from '../domain/errors.ts';
import { runSql, type Database } from '../recording/duckdb.ts';
import { columnName, FIELD_TYPES, momentSql, sqlName, type FieldTypes } from './view-columns.ts';

/** Rows that go to DuckDB at once. */
const BATCH_ROWS = 1_000;

/** A row by its fields: money as decimal text, times in ms. */
type Row = Readonly<Record<string, unknown>>;

/**
 * Makes a table in memory of rows, and answers how many there were. They go there as JSON that DuckDB reads
 * strictly: a value of another type throws `DATA_UNUSABLE`.
 */
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
    throw new SarrafError('DATA_UNUSABLE', `expected rows of ${name} that can be read: ${reason}`, {
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
