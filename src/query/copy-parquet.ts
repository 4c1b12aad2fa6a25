import { resolve } from 'node:path';
import { runSql, sqlText, type Database } from '../recording/duckdb.ts';
import { asWholeFile } from './as-whole-file.ts';

/** SQL that writes what a query selects to a Parquet file. */
export function copySql(query: string, path: string): string {
  return `COPY (${query}) TO ${sqlText(resolve(path))} (FORMAT parquet, COMPRESSION zstd)`;
}

/** Writes what a query selects as Parquet, whole or not at all; a file that is there is replaced. */
export async function copyParquet(database: Database, query: string, path: string): Promise<void> {
  await asWholeFile(path, (draft) => runSql(database, copySql(query, draft), `write ${path}`));
}
