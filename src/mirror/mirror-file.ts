import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { SarrafError } from '../domain/errors.ts';
import { checkMirror, schemaVersionOf } from './check-mirror.ts';
import { MIRROR_STEPS, SCHEMA_VERSION, applySteps } from './schema.ts';
import { sqliteHeaderOf, DAMAGED_ADVICE, openingFailed, unusable } from './unusable.ts';

/** "sarr" in ASCII: distinguishes a mirror from any other SQLite file. */
const APPLICATION_ID = 0x73617272;

/** Time a reader waits for a process that locks the file. */
const BUSY_MS = 250;

/**
 * Time that opening and closing wait for another process that writes to the file: nothing else has to be done
 * meanwhile.
 */
export const PATIENT_MS = 5_000;

/**
 * Pages after which SQLite checkpoints the log by itself. The store does it earlier, between two steps; this
 * is the bound where it could not.
 */
const LOG_PAGES = 8_000;
/** Bytes that the log may keep on the disk after a checkpoint. */
const LOG_BYTES = 64 * 1_048_576;

/**
 * Returns the path at which a mirror waits while it is being restored; the one it replaces may be half moved
 * away by then.
 */
export const restoringPath = (path: string): string => `${path}.restoring`;

/** Makes the folder of a file. Throws `DATA_UNUSABLE`. */
export function makeFolderOf(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw openingFailed(path, error);
  }
}

/**
 * Opens a mirror to write to it, or makes it, and brings one of an older version up to date: write-ahead log,
 * every durable commit on the disk before it counts. Throws `DATA_UNUSABLE`, with the file left as it is,
 * when it is another program's, of a newer version, damaged or can not be written.
 */
export function openMirrorFile(path: string, durability: 'full' | 'off'): Database.Database {
  let database: Database.Database | null = null;
  try {
    refuseUnfinishedRestore(path);
    refuseForeignFile(path);
    database = new Database(path, { timeout: PATIENT_MS });
    if (isEmpty(database)) database.pragma(`application_id = ${APPLICATION_ID}`);
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
 * Opens a mirror to look at, also while a bot writes to it, and also one of an older version: it stays as it
 * is, without the tables that came later. Throws `DATA_UNUSABLE` where there is none that this version can
 * read.
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

/** Without the mirror that is only half put back, a bot would begin with none. */
function refuseUnfinishedRestore(path: string): void {
  const waiting = restoringPath(path);
  if (!existsSync(waiting)) return;
  throw unusable({
    path,
    found: `${waiting}, which "sarraf restore" had not yet put in its place when it was ended`,
    advice: 'give the same "sarraf restore" again, or move that file away',
  });
}

/** An empty file is what a process leaves that ended while it created it. */
function isEmpty(database: Database.Database): boolean {
  return database.pragma('page_count', { simple: true }) === 0;
}

/** Looks at the file itself first, since SQLite may put files of its own beside a foreign database. */
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

/** Version that SQLite reports for a file before any was written into it. */
const EMPTY_VERSION = 0;

/**
 * The schema's version, or 0 where a process ended before it made the tables. Throws `DATA_UNUSABLE` for
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

/**
 * All steps in one transaction: whatever ends the process, a mirror is of the version before or of this one.
 */
function bringUpToDate(database: Database.Database): void {
  database
    .transaction(() => {
      applySteps(database, MIRROR_STEPS.slice(versionOf(database)));
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
    })
    .immediate();
}
