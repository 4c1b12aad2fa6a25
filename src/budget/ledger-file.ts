import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { messageOf, SarrafError, dataUnusable } from '../domain/errors.ts';
import { readRedisAddress, REDIS_PASSWORD, type RedisAddress } from '../redis/redis-server.ts';

/**
 * Steps of the ledger's schema, one for each version. A released step never changes; a change is a new step.
 * Times are monotonic, except those named as wall time.
 */
export const LEDGER_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    boot_id TEXT NOT NULL,
    -- From when on nothing is known of earlier requests; null when there were none.
    full_since_ms INTEGER
  ) STRICT;

  CREATE TABLE budgets (
    subject TEXT NOT NULL,
    budget TEXT NOT NULL,
    request_limit INTEGER NOT NULL,
    window_ms INTEGER NOT NULL,
    reserve INTEGER NOT NULL,
    assumed INTEGER NOT NULL,
    full_since_ms INTEGER,
    PRIMARY KEY (subject, budget)
  ) STRICT;

  -- AUTOINCREMENT: an id that was given back must not come again, or a late stamp would hit another's slot.
  CREATE TABLE slots (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    budget TEXT NOT NULL,
    owner TEXT NOT NULL,
    admitted_at_ms INTEGER NOT NULL,
    stamped_at_ms INTEGER
  ) STRICT;
  CREATE INDEX slots_by_budget ON slots (subject, budget, stamped_at_ms);

  CREATE TABLE lockouts (
    subject TEXT NOT NULL,
    budget TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('open', 'trial')),
    strikes INTEGER NOT NULL,
    -- Until when it is open, or since when its canary is on its way.
    at_ms INTEGER NOT NULL,
    length_ms INTEGER NOT NULL,
    until_wall_ms INTEGER NOT NULL,
    PRIMARY KEY (subject, budget)
  ) STRICT;

  CREATE TABLE credential_stops (
    subject TEXT PRIMARY KEY,
    log_ins_left INTEGER NOT NULL,
    probe_at_ms INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- When it ended without an answer.
  ALTER TABLE slots ADD COLUMN ended_at_ms INTEGER;
  -- Whether a request that was sent after its end was answered.
  ALTER TABLE slots ADD COLUMN is_followed INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX slots_in_doubt ON slots (subject, budget, ended_at_ms) WHERE ended_at_ms IS NOT NULL AND stamped_at_ms IS NULL;
  `,
  `
  -- When the first request was answered that was sent after full_since_ms.
  ALTER TABLE clock ADD COLUMN heard_at_ms INTEGER;
  -- What the exchange itself allows; null: request_limit.
  ALTER TABLE budgets ADD COLUMN stated_limit INTEGER;
  `,
  `
  -- Limits below ours that the exchange has named.
  CREATE TABLE named_limits (
    subject TEXT NOT NULL,
    budget TEXT NOT NULL,
    request_limit INTEGER NOT NULL CHECK (request_limit >= 1),
    -- When the last limit reply came.
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (subject, budget)
  ) STRICT;
  `,
  `
  -- Units of the limit that the request takes.
  ALTER TABLE slots ADD COLUMN weight INTEGER NOT NULL DEFAULT 1 CHECK (weight >= 1);
  `,
];

/** "sarl" in ASCII: marks a SQLite file as a ledger. */
const APPLICATION_ID = 0x7361726c;

/** Time for which opening may wait for another process that is opening it too. */
const OPEN_WAIT_MS = 5_000;

/** Longest time in ms that a call waits for another process; then it is refused and the loop goes on. */
export const BUSY_TIMEOUT_MS = 50;

/** Limits the wait of later calls to `BUSY_TIMEOUT_MS`. Opening a ledger may wait longer. */
export function waitBriefly(database: Database.Database): void {
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

/** Returns a short hash of a credential or an account, which does not reveal it. */
export const subjectOf = (identity: string): string =>
  createHash('sha256').update(identity).digest('hex').slice(0, 16);

/** Returns the folder of this user's ledgers: under `$XDG_STATE_HOME`, else `~/.local/state`. */
export function ledgerFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const state = environment['XDG_STATE_HOME'];
  const base = state === undefined || state === '' ? join(homedir(), '.local', 'state') : state;
  return join(base, 'sarraf', 'ledgers');
}

/** Returns the name of a base address for use in file names: its readable host, and a hash of the whole. */
export function addressName(baseAddress: string): string {
  const { host, pathname } = new URL(baseAddress);
  const address = `${host}${pathname}`.replace(/\/+$/, '');
  return `${host.replaceAll(/[^a-z0-9.-]/g, '_')}-${subjectOf(address)}`;
}

/** Returns the path of the ledger for a base address. */
export const ledgerPath = (baseAddress: string, folder: string = ledgerFolder()): string =>
  join(folder, `${addressName(baseAddress)}.sqlite`);

function unusable(path: string, found: string, cause?: unknown): SarrafError {
  return dataUnusable(
    `expected a ledger of sarraf at ${path}, found ${found}. It was left as it is, and nothing is sent: what was sent before is not known. ` +
      'Move it away to start again with a full window, or make a new one with "sarraf ledger new" when no request of the last window counts any more',
    { cause },
  );
}

/** Opens the ledger for reading only. Throws `DATA_UNUSABLE` if there is none. */
export function openLedgerReadOnly(path: string): Database.Database {
  try {
    const database = new Database(path, { readonly: true, fileMustExist: true, timeout: OPEN_WAIT_MS });
    check(database);
    return versionOf(database) < LEDGER_MIGRATIONS.length ? migratedCopy(database) : database;
  } catch (error) {
    throw error instanceof SarrafError ? error : unusable(path, messageOf(error), error);
  }
}

/** Offsets of the bytes that mark write-ahead mode, which a database in memory cannot have; 1 is none. */
const WRITE_AHEAD_BYTES = [18, 19];

/** Returns a copy in memory, in the current schema, of an older ledger, which a reader does not change. */
function migratedCopy(database: Database.Database): Database.Database {
  const bytes = database.serialize();
  const version = versionOf(database);
  database.close();
  for (const at of WRITE_AHEAD_BYTES) bytes[at] = 1;
  const copy = new Database(bytes);
  for (const step of LEDGER_MIGRATIONS.slice(version)) copy.exec(step);
  return copy;
}

const versionOf = (database: Database.Database): number =>
  Number(database.pragma('user_version', { simple: true }));

/**
 * Opens the ledger, or creates it, with a write-ahead log and every commit on disk. `wasMissing` means that
 * nothing is known of earlier requests. Throws `DATA_UNUSABLE` for a damaged or foreign file, which stays as
 * it is.
 */
export function openLedgerFile(
  path: string,
  onNew: (database: Database.Database) => void,
): Database.Database {
  let database: Database.Database | null = null;
  try {
    mkdirSync(dirname(path), { recursive: true });
    database = new Database(path, { timeout: OPEN_WAIT_MS });
    if (!holdsNothing(database)) check(database);
    switchToWal(database);
    database.pragma('synchronous = FULL');
    migrate(database, onNew);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof SarrafError ? error : unusable(path, messageOf(error), error);
  }
}

/**
 * Returns true if a database has no bytes, or neither a table nor an application id: a process that was
 * killed while it created the file leaves it so. It holds nothing to lose, and another process may be
 * creating it right now.
 */
export function holdsNothing(database: Database.Database): boolean {
  const numberOf = (name: string): number => Number(database.pragma(name, { simple: true }));
  if (numberOf('page_count') === 0) return true;
  if (numberOf('application_id') !== 0 || numberOf('user_version') !== 0) return false;
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function check(database: Database.Database): void {
  const { name } = database;
  if (!existsSync(name) || holdsNothing(database)) throw unusable(name, 'nothing');
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    throw unusable(name, 'another database');
  const version = versionOf(database);
  if (version > LEDGER_MIGRATIONS.length)
    throw unusable(name, `version ${version}, where this sarraf knows up to ${LEDGER_MIGRATIONS.length}`);
  const health = database.pragma('quick_check(1)', { simple: true });
  if (health !== 'ok') throw unusable(name, `a damaged file (${String(health)})`);
}

/** Switches to write-ahead mode. SQLite waits for no lock here, so processes that begin together retry. */
export function switchToWal(database: Database.Database): void {
  for (let waitedMs = 0; ; waitedMs += BUSY_TIMEOUT_MS) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= OPEN_WAIT_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_TIMEOUT_MS);
    }
  }
}

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Applies all steps in one transaction, so that no other process sees a ledger without its first row. */
function migrate(database: Database.Database, onNew: (database: Database.Database) => void): void {
  database
    .transaction(() => {
      const version = versionOf(database);
      for (const step of LEDGER_MIGRATIONS.slice(version)) database.exec(step);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${LEDGER_MIGRATIONS.length}`);
      if (version === 0) onNew(database);
    })
    .immediate();
}

/** Place of the ledger in a configuration. */
interface LedgerNaming {
  /** `redis://…` or `rediss://…` of a ledger that machines share; null for a file of this machine. */
  readonly ledger: string | null;
  readonly ledgerFolder: string | null;
}

/**
 * Returns the place of the ledger of an exchange as a text that can be shown: the path of a file, or the
 * address of a Redis and, after `#`, the key of the ledger.
 */
export function ledgerPlace(baseAddress: string, { ledger, ledgerFolder: folder }: LedgerNaming): string {
  if (ledger === null) return ledgerPath(baseAddress, folder ?? ledgerFolder());
  return `${ledger.replace(/\/$/, '')}#sarraf:ledger:${addressName(baseAddress)}`;
}

export const isInRedis = (place: string): boolean => /^rediss?:\/\//.test(place);

/** Returns the address and the key of a place in Redis. The password comes from the environment. */
export function redisPlace(place: string): { readonly address: RedisAddress; readonly key: string } {
  const [text = '', key = ''] = place.split('#', 2);
  return { address: readRedisAddress(text, process.env[REDIS_PASSWORD]), key };
}

/** State of an account at an exchange that outlives a run. The times of a token are in a file beside it. */
type StateKind = 'device' | 'token';

/** Returns the folder of state files: that of the configuration, or else `$XDG_STATE_HOME/sarraf`. */
export const stateFolder = (configured: string | null): string => configured ?? dirname(ledgerFolder());

/** Returns the path of a state file for an address and a user. The user is in it as a hash. */
export function stateFile(of: {
  readonly folder: string;
  readonly baseUrl: string;
  readonly username: string;
  readonly kind: StateKind;
}): string {
  return join(of.folder, `${addressName(of.baseUrl)}-${subjectOf(of.username)}.${of.kind}`);
}
