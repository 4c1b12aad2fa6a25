import type { DuckDBResult, DuckDBValue } from '@duckdb/node-api';
import { present } from '../domain/invariant.ts';
import { loadDuckdb } from '../recording/duckdb.ts';
import type { OpenQuery } from './open-query.ts';
import { queryFailure } from './query-failure.ts';
import { resultColumn, type ResultColumn } from './result-values.ts';

/** A row of a result; null is SQL's NULL. */
export type ResultRow = readonly DuckDBValue[];

/** A result as it comes: memory is that of one part. */
export interface ResultRows {
  readonly columns: readonly ResultColumn[];
  readonly parts: AsyncIterable<readonly ResultRow[]>;
}

/** Runs a query. What goes wrong on the way is thrown by `parts`. */
export async function resultRows(query: OpenQuery, sql: string): Promise<ResultRows> {
  const result = await query.stream();
  const classes = await loadDuckdb();
  const types = result.columnTypes();
  const columns = result
    .deduplicatedColumnNames()
    .map((name, index) => resultColumn(name, present(types[index], 'a type for each column'), classes));
  return { columns, parts: partsOf(result, sql) };
}

async function* partsOf(result: DuckDBResult, sql: string): AsyncGenerator<readonly ResultRow[]> {
  for (;;) {
    const rows = await nextRows(result, sql);
    if (rows === null) return;
    yield rows;
  }
}

async function nextRows(result: DuckDBResult, sql: string): Promise<readonly ResultRow[] | null> {
  try {
    const chunk = await result.fetchChunk();
    return chunk === null || chunk.rowCount === 0 ? null : chunk.getRows();
  } catch (error) {
    throw queryFailure(error, sql);
  }
}
