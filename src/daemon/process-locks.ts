import { join, dirname } from 'node:path';
import { closing } from '../domain/closing.ts';
import { ledgerFolder, subjectOf, isBusy } from '../budget/ledger-file.ts';
import { SarrafError, messageOf, invalidOptions, dataUnusable } from '../domain/errors.ts';
import type { BotConfig } from './create-bot-config.ts';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { secondText } from '../domain/time-text.ts';
import { isOutOfFiles, OUT_OF_FILES_ADVICE } from '../mirror/unusable.ts';
import { hostname } from 'node:os';
import { z } from 'zod';
import { lifeSignOf, ownerText, thisOwner } from '../budget/process-owner.ts';

export function processLockPath(dataFolder: string): string {
  return join(dataFolder, 'run.lock');
}

/**
 * Acquires the lock of a data folder for this run alone. Throws `DATA_UNUSABLE` if another run has it or the
 * folder cannot be written to.
 */
export function claimDataFolder(dataFolder: string): ProcessLock {
  return acquireProcessLock({
    path: processLockPath(dataFolder),
    what: dataFolder,
    otherwise: 'name another folder with --data',
  });
}

/** True if a run uses a data folder right now. */
export function isDataFolderInUse(dataFolder: string): boolean {
  return isProcessLockHeld(processLockPath(dataFolder));
}

/** Returns the owner of a data folder in use; null if unknown. */
export function dataFolderOwner(dataFolder: string): ProcessLockOwner | null {
  return readProcessLockOwner(processLockPath(dataFolder));
}

interface ClaimedAccount {
  /** Token or key of the account, or name of its user; only its hash is written. */
  readonly credential: string;
  /**
   * Instance name, which distinguishes its orders from those of others: lower-case letters, digits and
   * hyphens.
   */
  readonly instance: string;
  /** Folder of the locks of all processes that may use the account: beside the ledger. */
  readonly folder?: string;
}

/**
 * Acquires the lock of an account for one instance name: two runs of one name would mistake each other's
 * orders for their own. Instances of different names share an account. Throws `DATA_UNUSABLE` if another run
 * has it, `INVALID_OPTIONS` for a name that cannot be part of an order's id.
 */
export function claimAccount(options: ClaimedAccount): ProcessLock {
  const { instance } = options;
  if (!/^[a-z0-9-]{1,32}$/.test(instance)) {
    throw invalidOptions(
      `expected an instance name of letters, digits and hyphens of the lower case, was "${instance}"`,
    );
  }
  const account = subjectOf(options.credential);
  return acquireProcessLock({
    path: join(options.folder ?? ledgerFolder(), `account-${account}-${instance}.lock`),
    what: `account ${account} under the instance name "${instance}"`,
    otherwise: 'give this one another instance name',
  });
}

export interface ProcessLocks extends Disposable {
  readonly data: ProcessLock;
  /**
   * Acquires the lock of the account by its user's name at the exchange, once that is known: another
   * credential of the same user has another lock at the start. Throws `DATA_UNUSABLE` if another run has it.
   */
  claimUser(username: string): void;
}

/**
 * Acquires the lock of the data folder for one run alone and, with real money, that of the account for its
 * instance alone. `identity`: that of the account; null without credentials. Throws `DATA_UNUSABLE` as
 * `claimDataFolder` and `claimAccount` do, and then holds none.
 */
export function acquireProcessLocks(config: BotConfig, identity: string | null): ProcessLocks {
  using acquired = new DisposableStack();
  let held: DisposableStack = acquired;
  const adopt = (lock: ProcessLock): ProcessLock => held.use(lock);
  const data = adopt(claimDataFolder(config.data.folder));
  const { ledgerFolder: folder } = config.exchange;
  const isAlone = config.mode === 'live' && identity !== null;
  const acquireAccount = (credential: string): ProcessLock =>
    adopt(claimAccount({ instance: config.instance, credential, ...(folder === null ? {} : { folder }) }));
  if (isAlone) acquireAccount(identity);
  held = acquired.move();
  let user: ProcessLock | null = null;
  return {
    data,
    claimUser(username) {
      // The name that logs in has a lock already, and may be the same.
      if (isAlone) user ??= acquireAccount(`user ${username.trim().toLowerCase()}`);
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** "sark" in ASCII: distinguishes a lock from any other SQLite file. */
const APPLICATION_ID = 0x7361726b;

/** Longest wait to acquire a lock, in ms: a process that only checks it is done by then. */
const ACQUIRE_WAIT_MS = 300;

/**
 * Open files of the locks that are held: without this reference a file could be closed and its lock lost,
 * while its owner goes on.
 */
const HELD = new Set<Database.Database>();

interface ProcessLockOptions {
  /** File that stands for the lock. It stays when the lock is released. */
  readonly path: string;
  /** Name of the locked thing, as in `expected WHAT for this run alone`. */
  readonly what: string;
  /** Advice if another process has it, as in `end that one, or OTHERWISE`. */
  readonly otherwise: string;
}

/** A lock that this process holds until it disposes of it or ends. A second disposal does nothing. */
export interface ProcessLock extends Disposable {
  readonly path: string;
  readonly owner: ProcessLockOwner;
  /** Notes the address of the owner's health report, for those who check it. */
  noteHealth(address: string): void;
}

function heldMessage(options: ProcessLockOptions): string {
  const owner = readProcessLockOwner(options.path);
  const who =
    owner === null
      ? 'another process has it'
      : `pid ${owner.pid} on ${owner.host} since ${secondText(owner.sinceMs)} UTC has it`;
  return `expected ${options.what} for this run alone; ${who}: end that one, or ${options.otherwise}`;
}

function unusable(options: ProcessLockOptions, error: unknown): SarrafError {
  if (error instanceof SarrafError) return error;
  if (isBusy(error))
    return dataUnusable(heldMessage(options), {
      cause: error,
      details: { endsRun: true },
    });
  const reason = messageOf(error);
  const todo = isOutOfFiles()
    ? OUT_OF_FILES_ADVICE
    : `make the folder writable for this user, or ${options.otherwise}`;
  return dataUnusable(
    `expected to be able to write ${options.path}, the lock of ${options.what}: ${reason}: ${todo}`,
    { cause: error },
  );
}

/**
 * Writes inside an exclusive lock that SQLite holds from then on. The write shows whether the folder can be
 * written to. The operating system holds the lock for the open file: it ends with the process in any case,
 * and no process id is trusted. Containers that share a folder of one machine see it too; a network file
 * system keeps such a lock only as well as it does for SQLite.
 */
function hold(database: Database.Database, path: string): void {
  database.pragma('locking_mode = EXCLUSIVE');
  database.exec('BEGIN EXCLUSIVE');
  const id = Number(database.pragma('application_id', { simple: true }));
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (!isEmpty && id !== APPLICATION_ID) {
    throw dataUnusable(
      `expected a lock of sarraf or nothing at ${path}, found another database: move it away`,
    );
  }
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.exec(
    'CREATE TABLE IF NOT EXISTS takings (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER) STRICT',
  );
  database.exec('INSERT INTO takings VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1');
  database.exec('COMMIT');
}

/**
 * Acquires a lock. Throws `DATA_UNUSABLE` if another process has it, naming that process, and if the folder
 * cannot be written to. Nothing may read the file itself within this process: closing it would end the
 * operating system's lock.
 */
export function acquireProcessLock(options: ProcessLockOptions): ProcessLock {
  let database: Database.Database | null = null;
  try {
    mkdirSync(dirname(options.path), { recursive: true });
    const opened = new Database(options.path, { timeout: ACQUIRE_WAIT_MS });
    database = opened;
    hold(opened, options.path);
    const owner: ProcessLockOwner = { pid: process.pid, host: hostname(), sinceMs: Date.now(), health: null };
    writeProcessLockOwner(options.path, owner);
    HELD.add(opened);
    let isHeld = true;
    return {
      path: options.path,
      owner,
      noteHealth(address) {
        if (isHeld) writeProcessLockOwner(options.path, { ...owner, health: address });
      },
      [Symbol.dispose]() {
        if (!isHeld) return;
        isHeld = false;
        rmSync(ownerPath(options.path), { force: true });
        HELD.delete(opened);
        opened.close();
      },
    };
  } catch (error) {
    database?.close();
    throw unusable(options, error);
  }
}

/**
 * True if a process has a lock right now; the check does not acquire it. Throws `DATA_UNUSABLE` if the file
 * exists and cannot be checked, since then nothing is known.
 */
export function isProcessLockHeld(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    using database = closing(new Database(path, { fileMustExist: true, timeout: 0 }));
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw unusable({ path, what: 'this folder', otherwise: 'name another folder with --data' }, error);
  }
}

/** Owner of a lock, as reported to others. It is a message, never a proof: the lock itself is SQLite's. */
const ownerShape = z.object({
  pid: z.int().positive(),
  /** Name of the machine or container: process ids are valid within one only. */
  host: z.string().max(255),
  /** Time the lock was acquired, in ms since 1970. */
  sinceMs: z.int().nonnegative(),
  /** Address of its health report, such as `http://127.0.0.1:9464`; null if it has none. */
  health: z
    .url({ protocol: /^http$/ })
    .max(100)
    .nullable(),
  owner: z.string().max(200),
});
export type ProcessLockOwner = Readonly<Omit<z.output<typeof ownerShape>, 'owner'>>;

const ownerPath = (lockPath: string): string => `${lockPath}.owner.json`;

/** Writes the owner of a lock beside it. Only the owner calls it; a reader sees a whole file or none. */
function writeProcessLockOwner(lockPath: string, note: ProcessLockOwner): void {
  const draft = `${ownerPath(lockPath)}.draft`;
  writeFileSync(draft, JSON.stringify({ ...note, owner: ownerText(thisOwner()) }));
  renameSync(draft, ownerPath(lockPath));
}

/**
 * Returns the owner of a held lock; null if no note can be read, or if the note's process is proven dead: for
 * a moment, a lock just acquired still has its predecessor's note.
 */
export function readProcessLockOwner(lockPath: string): ProcessLockOwner | null {
  try {
    const parsed = ownerShape.safeParse(JSON.parse(readFileSync(ownerPath(lockPath), 'utf8')));
    if (!parsed.success) return null;
    const { owner, ...details } = parsed.data;
    return lifeSignOf(owner, thisOwner()) === 'dead' ? null : details;
  } catch {
    return null;
  }
}
