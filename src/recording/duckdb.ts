import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBResult } from '@duckdb/node-api';
import { SarrafError } from '../domain/errors.ts';

/** Memory that DuckDB may take; what does not fit goes to the temporary folder, where one is given. */
const MEMORY_LIMIT_MB = 384;

const THREADS = 2;

/** An open database in memory, through which Parquet files are read and written. */
export interface Database {
  readonly connection: DuckDBConnection;
  close(): void;
}

/** DuckDB is loaded when it is first needed: 70 MB that a bot without recordings never sees. */
export async function loadDuckdb(): Promise<typeof import('@duckdb/node-api')> {
  return import('@duckdb/node-api');
}

interface DatabaseOptions {
  /** Folder for data that does not fit into memory; null for none. */
  readonly temporaryFolder?: string | null;
  readonly memoryLimitMb?: number;
  readonly threads?: number;
}

/** Opens a database in memory. It fetches nothing from the network. Whoever opens it closes it. */
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
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** A text as SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Files as the list that `read_parquet` takes. */
export function sqlFiles(paths: readonly string[]): string {
  return `[${paths.map(sqlText).join(', ')}]`;
}

/** Runs SQL; `what` ends the sentence "expected to be able to …" when it fails. Throws `DATA_UNUSABLE`. */
export async function runSql(database: Database, sql: string, what: string): Promise<void> {
  try {
    await database.connection.run(sql);
  } catch (error) {
    throw failure(error, what);
  }
}

/** The rows of a query, all at once: for small answers. Throws `DATA_UNUSABLE`. */
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

/** The chunks of a query, one after another: memory is that of one chunk. Throws `DATA_UNUSABLE`. */
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
 * The next chunk of a streamed result, or null at its end. The library ends a result that failed on the way
 * as if it had no more rows, and drops the reason: `findReason` runs the query again, and is to throw it.
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
  return new SarrafError('DATA_UNUSABLE', `expected to be able to ${what}: ${reason}`, { cause: error });
}
