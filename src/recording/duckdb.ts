import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBResult } from '@duckdb/node-api';
import { SarrafError, dataUnusable } from '../domain/errors.ts';

/** Memory limit of DuckDB in MB; other data goes to the temporary folder, if there is one. */
const MEMORY_LIMIT_MB = 384;

const THREADS = 2;

/** Open database in memory, which reads and writes Parquet files. */
export interface Database extends Disposable {
  readonly connection: DuckDBConnection;
}

/** Loads DuckDB at its first use, since it takes 70 MB that a bot without recordings does not need. */
export const loadDuckdb = async (): Promise<typeof import('@duckdb/node-api')> => import('@duckdb/node-api');

interface DatabaseOptions {
  /** Folder for data that does not fit into memory; null for none. */
  readonly temporaryFolder?: string | null;
  readonly memoryLimitMb?: number;
  readonly threads?: number;
}

/** Opens a database in memory, which loads nothing from the network. The caller must dispose of it. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  const { temporaryFolder = null, memoryLimitMb = MEMORY_LIMIT_MB, threads = THREADS } = options;
  const { DuckDBInstance: Instance } = await loadDuckdb();
  const instance: DuckDBInstance = await Instance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${memoryLimitMb}MB`,
    autoinstall_known_extensions: 'false',
    ...(temporaryFolder === null ? {} : { temp_directory: temporaryFolder }),
  });
  const connection = await instance.connect();
  return {
    connection,
    [Symbol.dispose]() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Quotes a text for SQL. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns files as a list for `read_parquet`. */
export const sqlFiles = (paths: readonly string[]): string => `[${paths.map(sqlText).join(', ')}]`;

/** Runs SQL; `what` ends the sentence "expected to be able to …" when it fails. Throws `DATA_UNUSABLE`. */
export async function runSql(database: Database, sql: string, what: string): Promise<void> {
  try {
    await database.connection.run(sql);
  } catch (error) {
    throw failure(error, what);
  }
}

/** Returns the rows of a query at once, for small results. `what`: see `runSql`. Throws `DATA_UNUSABLE`. */
export async function queryRows(
  database: Database,
  sql: string,
  what: string,
): Promise<readonly (readonly unknown[])[]> {
  try {
    return (await database.connection.runAndReadAll(sql)).getRows();
  } catch (error) {
    throw failure(error, what);
  }
}

/** Yields the chunks of a query; only one is in memory. `what`: see `runSql`. Throws `DATA_UNUSABLE`. */
export async function* streamChunks(
  database: Database,
  sql: string,
  what: string,
): AsyncGenerator<DuckDBDataChunk> {
  try {
    const result = await database.connection.stream(sql);
    for (;;) {
      const chunk = await nextChunk(result, () => database.connection.run(`EXPLAIN ANALYZE ${sql}`));
      if (chunk === null) return;
      yield chunk;
    }
  } catch (error) {
    throw failure(error, what);
  }
}

/**
 * Returns the next chunk of a streamed result; null at its end. If a query fails midway, the library only
 * ends the result and drops the reason; `findReason` then runs the query again and should throw it.
 */
export async function nextChunk(
  result: DuckDBResult,
  findReason: () => Promise<unknown>,
): Promise<DuckDBDataChunk | null> {
  const chunk = await result.fetchChunk();
  if (chunk !== null && chunk.rowCount > 0) return chunk;
  const { ResultReturnType } = await loadDuckdb();
  if (result.returnType !== ResultReturnType.INVALID) return null;
  await findReason();
  throw new Error('the query ended before its last row, and ran well when it was run again');
}

function failure(error: unknown, what: string): SarrafError {
  if (error instanceof SarrafError) return error;
  const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  return dataUnusable(`expected to be able to ${what}: ${reason}`, { cause: error });
}
