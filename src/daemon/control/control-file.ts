import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { isBusy } from '../../budget/ledger-file.ts';
import { SarrafError } from '../../domain/errors.ts';

/** "sarc" in ASCII: distinguishes a control database from any other SQLite file. */
const APPLICATION_ID = 0x73617263;

/** How long opening may wait for another process that is opening it too. */
const OPEN_WAIT_MS = 5_000;

/** How long one try to switch to the write-ahead log waits before the next. */
const SWITCH_WAIT_MS = 20;

/**
 * From how many pages on the write-ahead log is carried over and begins anew: well within the room that the
 * daemon made for it.
 */
const LOG_PAGES = 24;

/** One step a version; a released step is never changed. */
const STEPS: readonly string[] = [
  `
  CREATE TABLE commands (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    posted_at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    command TEXT NOT NULL,
    taken_at_ms INTEGER,
    progress TEXT,
    done_at_ms INTEGER,
    result TEXT
  ) STRICT;
  CREATE TABLE room (bytes BLOB) STRICT;
  CREATE TABLE halted (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    since_ms INTEGER NOT NULL,
    reason TEXT NOT NULL,
    whole_account INTEGER NOT NULL
  ) STRICT;
  `,
  // One command, however often it is posted.
  `
  ALTER TABLE commands ADD COLUMN key TEXT;
  CREATE UNIQUE INDEX commands_by_key ON commands (key) WHERE key IS NOT NULL;
  `,
];

/** Where the control database of a data folder is. */
export function controlPath(dataFolder: string): string {
  return join(dataFolder, 'control.sqlite');
}

function unusable(path: string, found: string, cause?: unknown): SarrafError {
  return new SarrafError(
    'DATA_UNUSABLE',
    `expected a control database of sarraf at ${path}, found ${found}. It was left as it is: move it away, or name another folder with --data`,
    { cause },
  );
}

function check(database: Database.Database): void {
  const { name } = database;
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    throw unusable(name, 'another database');
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > STEPS.length) {
    throw unusable(name, `version ${version}, where this sarraf knows up to ${STEPS.length}`);
  }
  const health = database.pragma('quick_check(1)', { simple: true });
  if (health !== 'ok') throw unusable(name, `a damaged file (${String(health)})`);
}

/** SQLite does not wait for the lock that this takes. */
function switchToWal(database: Database.Database): void {
  for (let waitedMs = 0; ; waitedMs += SWITCH_WAIT_MS) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= OPEN_WAIT_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SWITCH_WAIT_MS);
    }
  }
}

/** All steps in one transaction, so that no process sees a database without its tables. */
function migrate(database: Database.Database): void {
  const work = (): void => {
    const version = Number(database.pragma('user_version', { simple: true }));
    for (const step of STEPS.slice(version)) database.exec(step);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${STEPS.length}`);
  };
  database.transaction(work).immediate();
}

/**
 * Opens the control database of a data folder, or makes it. Every commit is on the disk before it counts.
 * Throws `DATA_UNUSABLE` for a damaged, newer or foreign file, which stays as it is, and for a folder that
 * can not be written to.
 */
export function openControlFile(dataFolder: string, lockWaitMs: number): Database.Database {
  const path = controlPath(dataFolder);
  let database: Database.Database | null = null;
  try {
    mkdirSync(dirname(path), { recursive: true });
    database = new Database(path, { timeout: OPEN_WAIT_MS });
    if (database.pragma('page_count', { simple: true }) !== 0) check(database);
    switchToWal(database);
    database.pragma('synchronous = FULL');
    database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
    migrate(database);
    database.pragma(`busy_timeout = ${lockWaitMs}`);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof SarrafError) throw error;
    throw unusable(path, error instanceof Error ? error.message : String(error), error);
  }
}
