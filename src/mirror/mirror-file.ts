import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { SarrafError } from '../domain/errors.ts';
import { checkMirror, schemaVersionOf } from './check-mirror.ts';
import { MIRROR_STEPS, SCHEMA_VERSION, applySteps } from './schema.ts';
import { sqliteHeaderOf, DAMAGED_ADVICE, openingFailed, unusable } from './unusable.ts';

/** Application id of a mirror, "sarr" in ASCII: no other kind of SQLite file has it. */
const APPLICATION_ID = 0x73617272;

/** Time a reader waits for a process that locks the file, in ms. */
const BUSY_MS = 250;

/**
 * Time that opening and closing wait for another process that writes to the file, in ms: nothing else has to
 * be done meanwhile.
 */
export const PATIENT_MS = 5_000;

/**
 * Pages of the log after which SQLite checkpoints it by itself. The store does so earlier, between two steps;
 * this is the bound if it could not.
 */
const LOG_PAGES = 8_000;
/** Maximum number of bytes of the log on the disk after a checkpoint. */
const LOG_BYTES = 64 * 1_048_576;

/** Returns the path of a mirror that is being restored; the one it replaces may be half moved away. */
export const restoringPath = (path: string): string => `${path}.restoring`;

/** Makes the parent folder of a file. Throws `DATA_UNUSABLE`. */
export function makeFolderOf(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw openingFailed(path, error);
  }
}

/**
 * Opens a mirror for writing, or makes it, and migrates one of an older version. It uses a write-ahead log,
 * and a durable commit returns once it is on the disk. Throws `DATA_UNUSABLE` and leaves the file as it is if
 * it is another program's, of a newer version, damaged or not writable.
 */
export function openMirrorFile(path: string, durability: 'full' | 'off'): Database.Database {
  let database: Database.Database | null = null;
  try {
    refuseUnfinishedRestore(path);
    refuseForeignFile(path);
    database = new Database(path, { timeout: PATIENT_MS });
    // A process leaves a file without pages if it ends while it creates the file.
    if (database.pragma('page_count', { simple: true }) === 0)
      database.pragma(`application_id = ${APPLICATION_ID}`);
    else check(database);
    database.pragma('journal_mode = WAL');
    database.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'OFF'}`);
    database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
    database.pragma(`journal_size_limit = ${LOG_BYTES}`);
    bringUpToDate(database);
    return database;
  } catch (error) {
    database?.close();
    throw openingFailed(path, error);
  }
}

/**
 * Opens a mirror for reading, also while a bot writes to it. A mirror of an older version stays as it is,
 * without the tables that came later. Throws `DATA_UNUSABLE` if there is none that this version can read.
 */
export function openMirrorReadOnly(path: string): Database.Database {
  let database: Database.Database | null = null;
  try {
    if (!existsSync(path)) {
      throw unusable({
        path,
        found: 'nothing',
        advice: 'start the bot with "sarraf run", or name its folder with --data',
      });
    }
    refuseForeignFile(path);
    database = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
    if (versionOf(database) === EMPTY_VERSION) {
      throw unusable({
        path,
        found: 'one without tables',
        advice: 'start the bot with "sarraf run", which makes them',
      });
    }
    checkMirror(database);
    return database;
  } catch (error) {
    database?.close();
    throw openingFailed(path, error);
  }
}

/** Throws if a restore is unfinished: a bot would begin with an empty mirror. */
function refuseUnfinishedRestore(path: string): void {
  const waiting = restoringPath(path);
  if (!existsSync(waiting)) return;
  throw unusable({
    path,
    found: `${waiting}, which "sarraf restore" had not yet put in its place when it was ended`,
    advice: 'give the same "sarraf restore" again, or move that file away',
  });
}

/** Throws for another program's file, before SQLite puts files of its own beside it. */
function refuseForeignFile(path: string): void {
  const header = sqliteHeaderOf(path);
  if (header === null) return;
  // The id may still be in the log alone, where `check` sees it.
  const isOurs = header.applicationId === APPLICATION_ID || existsSync(`${path}-wal`);
  if (header.isDatabase && isOurs) return;
  throw foreignFile(path);
}

function foreignFile(path: string): SarrafError {
  return unusable({ path, found: 'another file', advice: 'move it, or name another folder with --data' });
}

/** Version that SQLite reports for a file without any data. */
const EMPTY_VERSION = 0;

/**
 * Returns the schema's version, or 0 if a process ended before it made the tables. Throws `DATA_UNUSABLE` for
 * another program's database and for a mirror of a newer version.
 */
function versionOf(database: Database.Database): number {
  const { name } = database;
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID) throw foreignFile(name);
  const version = schemaVersionOf(database);
  if (version >= EMPTY_VERSION && version <= SCHEMA_VERSION) return version;
  throw unusable({
    path: name,
    found: `version ${version}, where this sarraf reads up to version ${SCHEMA_VERSION}`,
    advice: 'use the sarraf that wrote it, or name another folder with --data and start again',
  });
}

function check(database: Database.Database): void {
  const version = versionOf(database);
  const health = database.pragma('quick_check(1)', { simple: true });
  if (health === 'ok') return;
  // This names more where rows are damaged and not pages.
  if (version > EMPTY_VERSION) checkMirror(database);
  throw unusable({
    path: database.name,
    found: `a damaged file (${String(health)})`,
    advice: DAMAGED_ADVICE,
  });
}

/** Runs all missing steps in one transaction: a mirror is never left between two versions. */
function bringUpToDate(database: Database.Database): void {
  database
    .transaction(() => {
      applySteps(database, MIRROR_STEPS.slice(versionOf(database)));
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
    })
    .immediate();
}
