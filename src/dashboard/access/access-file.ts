import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SarrafError } from '../../domain/errors.ts';

/** "sara" in ASCII: distinguishes it from any other SQLite file. */
const APPLICATION_ID = 0x73617261;
const VERSION = 1;

/** How long a call waits for another process, such as "sarraf token". */
const LOCK_WAIT_MS = 2_000;

const SCHEMA = `
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
`;

function accessPath(dataFolder: string): string {
  return join(dataFolder, 'access.sqlite');
}

/**
 * Opens the file of tokens, or makes it for this user alone (0600). It holds hashes, and no secret. Throws
 * `DATA_UNUSABLE`.
 */
export function openAccessFile(dataFolder: string): Database.Database {
  const path = accessPath(dataFolder);
  let database: Database.Database | null = null;
  try {
    mkdirSync(dataFolder, { recursive: true });
    // SQLite would make it by the mask of the process.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    database = new Database(path, { timeout: LOCK_WAIT_MS });
    makeTables(database);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof SarrafError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw unusable(path, reason, error);
  }
}

function makeTables(database: Database.Database): void {
  database
    .transaction(() => {
      const version = Number(database.pragma('user_version', { simple: true }));
      const tables = Number(database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get());
      if (version === 0 && tables === 0) {
        database.pragma(`application_id = ${APPLICATION_ID}`);
        database.exec(SCHEMA);
        database.pragma(`user_version = ${VERSION}`);
        return;
      }
      if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID)
        throw unusable(database.name, 'another database');
      if (version !== VERSION) throw unusable(database.name, `version ${version}`);
    })
    .immediate();
}

function unusable(path: string, found: string, cause?: unknown): SarrafError {
  return new SarrafError(
    'DATA_UNUSABLE',
    `expected the tokens of the page at ${path}, found ${found}: move the file away, and the next start makes a new one with a new token`,
    { cause },
  );
}
