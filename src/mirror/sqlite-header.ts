import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
/** Offset of the application's id in the header (https://sqlite.org/fileformat.html, 1.3). */
const APPLICATION_ID_OFFSET = 68;

/** Contents of a file's SQLite header. */
interface SqliteHeader {
  readonly isDatabase: boolean;
  /** Id of the owning program, unless it is in the log alone. */
  readonly applicationId: number;
}

/**
 * Reads it without SQLite, which may put files of its own beside a database. Null where there is no file, or
 * an empty one.
 */
export function sqliteHeaderOf(path: string): SqliteHeader | null {
  if (!existsSync(path)) return null;
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) === 0) return null;
  } finally {
    closeSync(file);
  }
  return {
    isDatabase: header.toString('latin1', 0, MAGIC.length) === MAGIC,
    applicationId: header.readUInt32BE(APPLICATION_ID_OFFSET),
  };
}
