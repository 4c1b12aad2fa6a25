import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { holdsNothing, switchToWal } from '../budget/ledger-file.ts';
import { messageOf, SarrafError, dataUnusable } from '../domain/errors.ts';
import { isOutOfFiles, OUT_OF_FILES_ADVICE, sqliteCode } from '../mirror/unusable.ts';

/** Longest wait of opening for another process that is opening it too, in ms. */
const OPEN_WAIT_MS = 5_000;

/** Options of a small database in a data folder that several processes write to. */
interface StepFileOptions {
  readonly path: string;
  /** Name in errors: `a control database`. */
  readonly what: string;
  /** Application id in the file's header: distinguishes it from any other SQLite file. */
  readonly applicationId: number;
  /** Migrations, one for each version; a released one is never changed. */
  readonly steps: readonly string[];
  /** Longest wait of a write for another process, in ms. */
  readonly busyTimeoutMs: number;
  /** Pages in the write-ahead log from which it is written to the database and starts again. */
  readonly logPages: number;
}

function unusable({ path, what }: StepFileOptions, found: string, cause?: unknown): SarrafError {
  return dataUnusable(
    `expected ${what} of sarraf at ${path}, found ${found}. It was left as it is: move it away, or name another folder with --data`,
    { cause },
  );
}

function check(database: Database.Database, options: StepFileOptions): void {
  const { applicationId, steps } = options;
  if (database.pragma('application_id', { simple: true }) !== applicationId)
    throw unusable(options, 'another database');
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > steps.length) {
    throw unusable(options, `version ${version}, where this sarraf knows up to ${steps.length}`);
  }
  const health = database.pragma('quick_check(1)', { simple: true });
  if (health !== 'ok') throw unusable(options, `a damaged file (${String(health)})`);
}

/** Runs all migrations in one transaction, so that no process sees a database without its tables. */
function migrate(
  database: Database.Database,
  { steps, applicationId }: Pick<StepFileOptions, 'steps' | 'applicationId'>,
): void {
  const work = (): void => {
    const version = Number(database.pragma('user_version', { simple: true }));
    for (const step of steps.slice(version)) database.exec(step);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${steps.length}`);
  };
  database.transaction(work).immediate();
}

/**
 * Opens such a database, or creates it, even if a process was killed while creating it. Every commit is on
 * the disk before it counts. Throws `DATA_UNUSABLE` for a damaged, newer or foreign file, which stays as it
 * is, and for a folder that cannot be written to.
 */
export function openStepFile(options: StepFileOptions): Database.Database {
  const { path, logPages, busyTimeoutMs } = options;
  let database: Database.Database | null = null;
  try {
    mkdirSync(dirname(path), { recursive: true });
    database = new Database(path, { timeout: OPEN_WAIT_MS });
    if (!holdsNothing(database)) check(database, options);
    switchToWal(database);
    database.pragma('synchronous = FULL');
    database.pragma(`wal_autocheckpoint = ${logPages}`);
    migrate(database, options);
    database.pragma(`busy_timeout = ${busyTimeoutMs}`);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof SarrafError) throw error;
    throw openingFailed(options, error);
  }
}

/** Returns the error of a failed opening; only a damaged file is to be moved away, else it is best left. */
function openingFailed(options: StepFileOptions, error: unknown): SarrafError {
  const found = messageOf(error);
  const code = sqliteCode(error) ?? '';
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return unusable(options, found, error);
  const { path, what } = options;
  const todo = isOutOfFiles()
    ? OUT_OF_FILES_ADVICE
    : 'see that this user can write to it and its folder and that the disk has room, or name another folder with --data';
  return dataUnusable(`expected ${what} of sarraf at ${path}, could not open it (${found}): ${todo}`, {
    cause: error,
  });
}
