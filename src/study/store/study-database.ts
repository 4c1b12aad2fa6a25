import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { holdsNothing } from '../../budget/ledger-file.ts';
import { messageOf, SarrafError, dataUnusable } from '../../domain/errors.ts';
import { sqliteHeaderOf } from '../../mirror/unusable.ts';

/** Longest wait for another process that writes to the file, in ms. */
const PATIENT_MS = 5_000;
const LOG_BYTES = 16 * 1_048_576;

export interface DatabaseShape {
  /** Name of the kind of file in messages, such as `a study`. */
  readonly what: string;
  readonly applicationId: number;
  readonly version: number;
  readonly tables: string;
}

/**
 * Opens or creates a file for writing; every commit is on disk when it returns. Throws `DATA_UNUSABLE`, and
 * leaves the file as it is, if it is another program's, of another version, damaged, or not writable.
 */
export function openStudyDatabase(path: string, shape: DatabaseShape): Database.Database {
  return opened(path, shape, () => {
    // Node refuses to make a folder that is there to a process that may not write to it.
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    const database = new Database(path, { timeout: PATIENT_MS });
    try {
      if (holdsNothing(database)) database.pragma(`application_id = ${shape.applicationId}`);
      else checkWhole(database, shape);
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = FULL');
      database.pragma(`journal_size_limit = ${LOG_BYTES}`);
      // All tables in one transaction: a file has them all or none, whatever ends the process.
      database
        .transaction(() => {
          if (database.pragma('user_version', { simple: true }) === shape.version) return;
          database.exec(shape.tables);
          database.pragma(`user_version = ${shape.version}`);
        })
        .immediate();
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Opens a file for reading, also while a study writes to it. Throws `DATA_UNUSABLE`. */
export function openStudyDatabaseToRead(path: string, shape: DatabaseShape): Database.Database {
  return opened(path, shape, () => {
    const database = new Database(path, { readonly: true, fileMustExist: true, timeout: PATIENT_MS });
    try {
      checkWhole(database, shape);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Returns the error for a failed file, in one line. A full disk loses nothing that was committed. */
export function storeFailure(path: string, what: string, error: unknown): SarrafError {
  if (error instanceof SarrafError) return error;
  const code = error instanceof Database.SqliteError ? error.code : '';
  const reason = messageOf(error).split('\n', 1)[0] ?? '';
  const isFull = code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR');
  if (isFull) return unusable(path, what, `no room to write (${reason})`, NO_ROOM);
  const isUnread = error instanceof z.ZodError || error instanceof SyntaxError;
  const isDamaged = isUnread || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
  if (isDamaged) return unusable(path, what, `a damaged file (${reason})`, DAMAGED);
  return unusable(
    path,
    what,
    `a place that can not be used (${reason})`,
    'see that the folder can be written to, or name another one with --data',
    error,
  );
}

/** Tables of a SQLite file. Each write is one commit that is on the disk when it returns. */
export class StudyTables {
  readonly path: string;
  protected readonly database: Database.Database;
  private readonly what: string;

  constructor(path: string, database: Database.Database, what = 'a study') {
    this.path = path;
    this.database = database;
    this.what = what;
  }

  protected run(sql: string, ...values: readonly (string | number)[]): void {
    this.write(() => this.database.prepare(sql).run(...values));
  }

  protected write(change: () => unknown): void {
    this.read(() => this.database.transaction(change).immediate());
  }

  protected read<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw storeFailure(this.path, this.what, error);
    }
  }
}

const NO_ROOM = 'make room on the disk, and resume; what was finished is kept';
const DAMAGED = 'it was left as it is; restore a copy, or move it away and run the study again';

function opened(path: string, shape: DatabaseShape, open: () => Database.Database): Database.Database {
  try {
    // The bytes are read, since SQLite may create files beside a file of another program.
    if (sqliteHeaderOf(path)?.isDatabase === false)
      throw unusable(path, shape.what, 'another file', 'move it, or take another name');
    return open();
  } catch (error) {
    throw storeFailure(path, shape.what, error);
  }
}

function checkWhole(database: Database.Database, shape: DatabaseShape): void {
  const { what, applicationId, version } = shape;
  const path = database.name;
  if (database.pragma('application_id', { simple: true }) !== applicationId)
    throw unusable(path, what, 'another file', 'move it, or take another name');
  const found = Number(database.pragma('user_version', { simple: true }));
  // In version 0, a process ended before it made the tables.
  if (found !== version && found !== 0)
    throw unusable(
      path,
      what,
      `version ${found}, where this sarraf reads version ${version}`,
      'use the sarraf that wrote it, or take another name',
    );
  const health = String(database.pragma('quick_check(1)', { simple: true })).replaceAll('\n', ' ');
  if (health !== 'ok') throw unusable(path, what, `a damaged file (${health})`, DAMAGED);
}

function unusable(path: string, what: string, found: string, advice: string, cause?: unknown): SarrafError {
  const message = `expected ${what} of sarraf at ${path}, found ${found}: ${advice}`;
  return dataUnusable(message, { cause, details: { path } });
}

/** SQLite application id of a study's file: "sars" in ASCII. */
export const STUDY_APPLICATION_ID = 0x73617273;
/** SQLite application id of the register of all trials: "sart" in ASCII. */
export const REGISTER_APPLICATION_ID = 0x73617274;

/** Version of the tables. Raise it when earlier readers would misread them. */
export const STUDY_VERSION = 3;
export const REGISTER_VERSION = 1;

/**
 * Tables of a study's file, which holds one study. A trial is one row, committed when it has ended. Times are
 * in a table of their own, since only they differ between two runs of the same study. Trials of a
 * walk-forward are numbered in each window. Each run under stress belongs to one trial; its basis is stored
 * once all runs have ended.
 */
export const STUDY_TABLES = `
  CREATE TABLE study (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    written TEXT NOT NULL,
    identity TEXT NOT NULL,
    split TEXT NOT NULL
  ) STRICT;
  CREATE TABLE trials (
    number INTEGER PRIMARY KEY CHECK (number >= 0),
    point TEXT NOT NULL,
    params TEXT NOT NULL,
    outcome TEXT NOT NULL,
    failure TEXT,
    metrics TEXT,
    first_day INTEGER,
    returns BLOB
  ) STRICT;
  CREATE TABLE timings (
    number INTEGER PRIMARY KEY REFERENCES trials (number),
    ended_at_ms INTEGER NOT NULL,
    took_ms REAL NOT NULL
  ) STRICT;
  CREATE TABLE holdout (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    opened_at_ms INTEGER NOT NULL,
    trial INTEGER NOT NULL REFERENCES trials (number),
    after_trials INTEGER NOT NULL,
    report TEXT
  ) STRICT;
  CREATE TABLE walk_forward (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    plan TEXT NOT NULL,
    account TEXT
  ) STRICT;
  CREATE TABLE window_trials (
    window INTEGER NOT NULL CHECK (window >= 1),
    number INTEGER NOT NULL CHECK (number >= 0),
    point TEXT NOT NULL,
    params TEXT NOT NULL,
    outcome TEXT NOT NULL,
    failure TEXT,
    metrics TEXT,
    first_day INTEGER,
    returns BLOB,
    PRIMARY KEY (window, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE stress (
    trial INTEGER PRIMARY KEY REFERENCES trials (number),
    basis TEXT NOT NULL
  ) STRICT;
  CREATE TABLE stress_runs (
    trial INTEGER NOT NULL REFERENCES trials (number),
    run TEXT NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (trial, run)
  ) STRICT, WITHOUT ROWID;
`;

/** Table of the range that each study's trials saw. Created if missing: older registers do not have it. */
export const SEEN_TABLE = `
  CREATE TABLE IF NOT EXISTS seen (
    study TEXT PRIMARY KEY REFERENCES studies (id),
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL
  ) STRICT;
`;

/** Tables of the register: studies of this data folder, the months of their data, opened hold-outs. */
export const REGISTER_TABLES = `
  CREATE TABLE studies (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    trials INTEGER NOT NULL,
    opened_at_ms INTEGER
  ) STRICT;
  CREATE TABLE months (
    month TEXT NOT NULL,
    study TEXT NOT NULL REFERENCES studies (id),
    PRIMARY KEY (month, study)
  ) STRICT, WITHOUT ROWID;
`;
