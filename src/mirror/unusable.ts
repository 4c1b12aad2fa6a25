import Database from 'better-sqlite3';
import { SarrafError } from '../domain/errors.ts';

/** A mirror that can not be used, and what to do about it. It was left as it is. */
export function unusable(options: {
  readonly path: string;
  readonly found: string;
  readonly advice: string;
  readonly cause?: unknown;
}): SarrafError {
  const { path, found, advice, cause } = options;
  return new SarrafError('DATA_UNUSABLE', `expected a mirror of sarraf at ${path}, found ${found}: ${advice}`, {
    cause,
    details: { path, isFull: false },
  });
}

/** What SQLite says of itself; null for any other error. */
export function sqliteCode(error: unknown): string | null {
  return error instanceof Database.SqliteError ? error.code : null;
}

/** Whether the disk had no room. Some file systems say so while the log is enlarged, which comes as an input/output error. */
export function isFullDisk(error: unknown): boolean {
  const code = sqliteCode(error) ?? '';
  return code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR');
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
