import { existsSync } from 'node:fs';
import { closing } from '../domain/closing.ts';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { holdsNothing } from '../budget/ledger-file.ts';
import { messageOf, dataUnusable } from '../domain/errors.ts';
import { openStepFile } from './step-file.ts';
import type { Sentence } from '../language/sentence.ts';
import type { ControlCommand } from '../engine/engine-event.ts';
import { readCommand, readProgress } from './control-command.ts';

/** "sarc" in ASCII: distinguishes a control database from any other SQLite file. */
const APPLICATION_ID = 0x73617263;

/**
 * Pages in the write-ahead log from which it is written to the database and starts again: well within the
 * space that the daemon reserved for it.
 */
const LOG_PAGES = 24;

/** Migrations, one for each version; a released one is never changed. */
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

/** Returns the path of a data folder's control database. */
export function controlPath(dataFolder: string): string {
  return join(dataFolder, 'control.sqlite');
}

/**
 * Opens the control database of a data folder, or creates it. Every commit is on the disk before it counts.
 * Throws `DATA_UNUSABLE` for a damaged, newer or foreign file, which stays as it is, and for a folder that
 * cannot be written to.
 */
export function openControlFile(dataFolder: string, busyTimeoutMs: number): Database.Database {
  return openStepFile({
    path: controlPath(dataFolder),
    what: 'a control database',
    applicationId: APPLICATION_ID,
    steps: STEPS,
    busyTimeoutMs,
    logPages: LOG_PAGES,
  });
}

/**
 * Opens the control database for reading only, without a lock that a daemon would wait for. Null if there is
 * none. Throws `DATA_UNUSABLE` if it cannot be read.
 */
export function openControlReadOnly(dataFolder: string, busyTimeoutMs: number): Database.Database | null {
  const path = controlPath(dataFolder);
  if (!existsSync(path)) return null;
  let database: Database.Database | null = null;
  try {
    database = new Database(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
    if (database.pragma('application_id', { simple: true }) === APPLICATION_ID) return database;
    if (holdsNothing(database)) {
      database.close();
      return null;
    }
    throw new Error('another database');
  } catch (error) {
    database?.close();
    const found = messageOf(error);
    throw dataUnusable(`expected a control database of sarraf at ${path}, found ${found}`, {
      cause: error,
    });
  }
}

/** A halt: no new orders are placed. */
export interface HaltState {
  readonly sinceMs: number;
  readonly reason: Sentence;
  readonly wholeAccount: boolean;
}

/** Returns the halt that operators last ordered; null if trading is allowed. It outlives the mirror. */
export function readHalt(database: Database.Database): HaltState | null {
  const row = database
    .prepare<[], { readonly since_ms: number; readonly reason: string; readonly whole_account: number }>(
      'SELECT since_ms, reason, whole_account FROM halted WHERE id = 1',
    )
    .get();
  return row === undefined
    ? null
    : { sinceMs: row.since_ms, reason: row.reason, wholeAccount: row.whole_account === 1 };
}

/**
 * Stores a halt; null ends it. A second halt keeps the start of the first, and is for the whole account if
 * either is.
 */
export function writeHalt(database: Database.Database, halt: HaltState | null): void {
  if (halt === null) {
    database.prepare('DELETE FROM halted').run();
    return;
  }
  database
    .prepare(
      `INSERT INTO halted (id, since_ms, reason, whole_account) VALUES (1, @sinceMs, @reason, @wholeAccount)
       ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, whole_account = max(whole_account, excluded.whole_account)`,
    )
    .run({ sinceMs: halt.sinceMs, reason: halt.reason, wholeAccount: halt.wholeAccount ? 1 : 0 });
}

/** Longest wait of a read for another process, in ms. */
const BUSY_TIMEOUT_MS = 2_000;

/** A command that is not done. */
export interface WaitingCommand<Command> {
  readonly command: Command;
  readonly postedAtMs: number;
  /** True if a bot has accepted it; that bot may have ended since. */
  readonly isApplied: boolean;
}

interface WaitingRow {
  readonly command: string;
  readonly posted_at_ms: number;
  readonly taken_at_ms: number | null;
}

/**
 * Returns the commands of some kinds that are not done, oldest first; none if there is no control database.
 * Throws `DATA_UNUSABLE` if it cannot be read.
 */
export function waitingCommands<Kind extends ControlCommand['kind']>(
  dataFolder: string,
  kinds: readonly Kind[],
): readonly WaitingCommand<Extract<ControlCommand, { readonly kind: Kind }>>[] {
  using database = closing(openControlReadOnly(dataFolder, BUSY_TIMEOUT_MS));
  if (database === null) return [];
  type Command = Extract<ControlCommand, { readonly kind: Kind }>;
  const isWanted = (command: ControlCommand | null): command is Command =>
    kinds.some((kind) => kind === command?.kind);
  return database
    .prepare<[string], WaitingRow>(
      `SELECT command, posted_at_ms, taken_at_ms FROM commands
         WHERE done_at_ms IS NULL AND kind IN (SELECT value FROM json_each(?)) ORDER BY id`,
    )
    .all(JSON.stringify(kinds))
    .flatMap((row) => {
      const command = readCommand(row.command);
      return isWanted(command)
        ? [{ command, postedAtMs: row.posted_at_ms, isApplied: row.taken_at_ms !== null }]
        : [];
    });
}

/** Returns why the cancels of a running halt wait, in a sentence; null if they do not wait long. */
export function readHaltWait(dataFolder: string): Sentence | null {
  try {
    using database = closing(openControlReadOnly(dataFolder, BUSY_TIMEOUT_MS));
    const row = database
      ?.prepare<[], { readonly progress: string | null }>(
        "SELECT progress FROM commands WHERE kind = 'halt' AND done_at_ms IS NULL ORDER BY id DESC LIMIT 1",
      )
      .get();
    return readProgress(row?.progress ?? null)?.waitsFor ?? null;
  } catch {
    // Another process writes; the next poll reads it.
    return null;
  }
}
