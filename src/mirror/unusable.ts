import Database from 'better-sqlite3';
import { closing, disposable } from '../domain/closing.ts';
import { messageOf, SarrafError, dataUnusable } from '../domain/errors.ts';
import { closeSync, openSync, existsSync, readSync } from 'node:fs';
import { devNull } from 'node:os';
import { FIRST_VENUE } from './mirror-path.ts';

/** Returns the error for a mirror that can not be used, with advice. The file was left as it is. */
export function unusable(options: {
  readonly path: string;
  readonly found: string;
  readonly advice: string;
  readonly cause?: unknown;
}): SarrafError {
  const { path, found, advice, cause } = options;
  return dataUnusable(`expected a mirror of sarraf at ${path}, found ${found}: ${advice}`, {
    cause,
    details: { path, isFull: false },
  });
}

/** Throws `DATA_UNUSABLE` if a mirror stores the data of another venue: ids would be mixed up. */
export function checkVenue(
  path: string,
  stored: { readonly venue: string | null; readonly epoch: string },
  venue: string,
): void {
  // A new mirror has no epoch; one of an older sarraf names no venue.
  const found = stored.venue ?? (stored.epoch === '' ? venue : FIRST_VENUE);
  if (found === venue) return;
  throw unusable({
    path,
    found: `the data of the venue ${found}`,
    advice: `it is not that of ${venue}: name another folder for it (data.folder, or --data)`,
  });
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

/** Error of a mirror whose file was deleted, moved or replaced during use: what is written is lost. */
export class GoneMirror extends Error {
  constructor() {
    super('its file gone or replaced');
  }
}

/** Returns advice for a file that can not be written, including what the bot does meanwhile. */
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

/** Turns an error of opening a mirror into `DATA_UNUSABLE`. */
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

/** Advice if this process can not open any more files. */
export const OUT_OF_FILES_ADVICE =
  'this process may open no more files (EMFILE): raise its limit to 1024 or more ("ulimit -n", LimitNOFILE of systemd, "ulimits" of compose)';

/**
 * True if this process can not open any more files. SQLite then reports that it can not open its own, as for
 * a folder without rights.
 */
export function isOutOfFiles(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EMFILE' || code === 'ENFILE';
  }
}

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
 * Reads the header without SQLite, which may put files of its own beside a database. Null if there is no
 * file, or an empty one.
 */
export function sqliteHeaderOf(path: string): SqliteHeader | null {
  if (!existsSync(path)) return null;
  const header = Buffer.alloc(HEADER_BYTES);
  using file = disposable(openSync(path, 'r'), closeSync);
  if (readSync(file.value, header, 0, HEADER_BYTES, 0) === 0) return null;
  return {
    isDatabase: header.toString('latin1', 0, MAGIC.length) === MAGIC,
    applicationId: header.readUInt32BE(APPLICATION_ID_OFFSET),
  };
}

/** Time a start waits for a process that only checks if the lock is held, in ms. */
const WAIT_MS = 300;

const writeLockPath = (mirrorPath: string): string => `${mirrorPath}.lock`;

/**
 * Lock that allows one writer for each mirror: a lock on an empty database beside it. The system releases it
 * when the process ends, however it ends. Readers of the mirror itself are not blocked.
 */
export class WriteLock {
  private readonly database: Database.Database;

  private constructor(database: Database.Database) {
    this.database = database;
  }

  /** Acquires the lock. Throws `DATA_UNUSABLE` while another process or another store here has it. */
  static acquire(mirrorPath: string): WriteLock {
    let database: Database.Database | null = null;
    try {
      database = new Database(writeLockPath(mirrorPath), { timeout: WAIT_MS });
      database.exec('BEGIN EXCLUSIVE');
      return new WriteLock(database);
    } catch (error) {
      database?.close();
      if (sqliteCode(error)?.startsWith('SQLITE_BUSY') !== true) throw openingFailed(mirrorPath, error);
      throw unusable({
        path: mirrorPath,
        found: 'another bot that has it open',
        advice: 'end that one, or name another folder with --data',
        cause: error,
      });
    }
  }

  release(): void {
    this.database.close();
  }
}

/** True if a bot has the mirror open; null if that is not known. */
export function hasWriter(mirrorPath: string): boolean | null {
  try {
    using database = closing(
      new Database(writeLockPath(mirrorPath), { readonly: true, fileMustExist: true, timeout: 0 }),
    );
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    const code = sqliteCode(error);
    if (code?.startsWith('SQLITE_BUSY') === true) return true;
    return code === 'SQLITE_CANTOPEN' ? false : null;
  }
}
