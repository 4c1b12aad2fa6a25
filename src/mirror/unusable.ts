import Database from 'better-sqlite3';
import { messageOf, SarrafError } from '../domain/errors.ts';
import { isOutOfFiles, OUT_OF_FILES_ADVICE } from './out-of-files.ts';

/** A mirror that can not be used, and what to do about it. It was left as it is. */
export function unusable(options: {
  readonly path: string;
  readonly found: string;
  readonly advice: string;
  readonly cause?: unknown;
}): SarrafError {
  const { path, found, advice, cause } = options;
  return new SarrafError(
    'DATA_UNUSABLE',
    `expected a mirror of sarraf at ${path}, found ${found}: ${advice}`,
    {
      cause,
      details: { path, isFull: false },
    },
  );
}

/** Returns SQLite's own error code; null for any other error. */
export function sqliteCode(error: unknown): string | null {
  return error instanceof Database.SqliteError ? error.code : null;
}

/**
 * True if the disk is full. Some file systems report this while the log is enlarged, as an input/output
 * error.
 */
export function isFullDisk(error: unknown): boolean {
  const code = sqliteCode(error) ?? '';
  return code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR');
}

/** True if another process holds the file, such as a backup or a browser of SQLite files. */
export function isHeldByOther(error: unknown): boolean {
  return (sqliteCode(error) ?? '').startsWith('SQLITE_BUSY');
}

/** A mirror whose file was deleted, moved or replaced while it is written to: what is written is lost. */
export class GoneMirror extends Error {
  constructor() {
    super('its file gone or replaced');
  }
}

/** Returns advice for a file that can not be written to, including the bot's behaviour meanwhile. */
export function writeAdvice(cause: unknown, isFull: boolean): string {
  if (cause instanceof GoneMirror)
    return 'put it back, or end the bot and start it again: it then asks the exchange for orders, fills and balances. No order is placed until then; cancels go on';
  if (isHeldByOther(cause))
    return 'another program holds the file, such as a backup or a browser of SQLite files. No order is placed until it lets go of it; cancels go on';
  return isFull
    ? 'make room on the disk; the bot goes on from what is written'
    : 'end the bot and look at the disk and the file';
}

/** Advice for a damaged file. */
export const DAMAGED_ADVICE =
  'it was left as it is. Restore a copy, or move it away and start again; the bot then asks the exchange for orders, fills and balances';

/** Returns an error of opening a mirror as `DATA_UNUSABLE`. */
export function openingFailed(path: string, error: unknown): SarrafError {
  if (error instanceof SarrafError) return error;
  const code = sqliteCode(error) ?? '';
  const isDamaged = code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
  return unusable({
    path,
    found: isDamaged
      ? `a damaged file (${messageOf(error)})`
      : `a place that can not be used (${messageOf(error)})`,
    advice: isDamaged ? DAMAGED_ADVICE : placeAdvice(),
    cause: error,
  });
}

function placeAdvice(): string {
  if (isOutOfFiles()) return OUT_OF_FILES_ADVICE;
  return 'see that the folder can be written to and has room, or name another one with --data';
}
