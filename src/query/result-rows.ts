import type { DuckDBDataChunk, DuckDBResult, DuckDBValue } from '@duckdb/node-api';
import { present } from '../domain/invariant.ts';
import { loadDuckdb, nextChunk } from '../recording/duckdb.ts';
import type { OpenQuery } from './open-query.ts';
import { queryFailure } from './query-failure.ts';
import { resultColumn, type ResultColumn } from './result-values.ts';

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
