import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { openStepFile } from '../../daemon/step-file.ts';

/** "sart" in ASCII: distinguishes it from any other SQLite file. */
const APPLICATION_ID = 0x73617274;

/** Maximum wait of a call for another process, such as "sarraf token". */
const LOCK_WAIT_MS = 2_000;

const LOG_PAGES = 64;

/** One step a version; a released step is never changed. */
const STEPS: readonly string[] = [
  `
  CREATE TABLE tokens (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('read', 'operate')),
    hash BLOB NOT NULL UNIQUE,
    made_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE links (
    hash BLOB PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('read', 'operate')),
    ends_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('read', 'operate')),
    ends_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // Tokens that may tell one strategy signals.
  `
  CREATE TABLE signal_tokens (
    name TEXT PRIMARY KEY,
    strategy TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    made_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];

/**
 * Opens the file of tokens, or makes it for this user alone (0600). It holds hashes, and no secret. Throws
 * `DATA_UNUSABLE`, and what the system throws for a folder that can not be written to.
 */
export function openAccessFile(dataFolder: string): Database.Database {
  const path = join(dataFolder, 'access.sqlite');
  mkdirSync(dataFolder, { recursive: true });
  // SQLite would make it by the mask of the process.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  return openStepFile({
    path,
    what: 'the tokens of the page',
    applicationId: APPLICATION_ID,
    steps: STEPS,
    lockWaitMs: LOCK_WAIT_MS,
    logPages: LOG_PAGES,
  });
}
