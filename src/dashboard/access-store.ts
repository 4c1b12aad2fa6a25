import type Database from 'better-sqlite3';
import { SarrafError } from '../domain/errors.ts';
import type { Role } from './schema/session.ts';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStepFile } from '../daemon/step-file.ts';
import { z } from 'zod';
import { writePrivateFile } from '../configuration/secret-file.ts';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export { ROLES, type Role } from './schema/session.ts';

/** Maximum number of tokens: a person cannot tell more apart. */
const MOST_TOKENS = 100;
/** Maximum numbers of links and sessions; the oldest are dropped. */
const MOST_LINKS = 20;
const MOST_SESSIONS = 200;

const LINK_LASTS_MS = 600_000;
const SESSION_LASTS_MS = 30 * 86_400_000;

/** Name of sessions that began with a one-time link. */
const LINK_NAME = 'link';

/** Person making a request. */
export interface Person {
  readonly name: string;
  readonly role: Role;
}

export interface PageSession extends Person {
  readonly endsAtMs: number;
}

export interface TokenRow extends Person {
  readonly madeAtMs: number;
}

interface SecretRow extends Person {
  readonly hash: Buffer;
  readonly endsAtMs: number;
}

/**
 * Tokens, one-time links and sessions of a data folder. Any number of processes may use it: what one revokes
 * ends for the others at their next check.
 */
export class AccessStore {
  /** Tokens of the role `signal`. */
  readonly signalTokens: SignalTokenTable;
  private readonly database: Database.Database;
  private readonly nowMs: () => number;

  /** Opens or creates the store. Throws `DATA_UNUSABLE`. */
  constructor(dataFolder: string, nowMs: () => number = Date.now) {
    this.database = openAccessFile(dataFolder);
    this.signalTokens = new SignalTokenTable(this.database);
    this.nowMs = nowMs;
  }

  /**
   * Creates a token and returns its secret, which is not shown again. Throws `INVALID_OPTIONS` for a used
   * name.
   */
  addToken({ name, role }: Person): string {
    const secret = newSecret();
    this.atOnce(() => {
      this.checkName(name);
      this.insertToken({ name, role }, secret);
    });
    return secret;
  }

  /**
   * Creates a token if there is none. `save` stores the secret for a person before the token is stored here:
   * a token whose secret nobody has would keep later starts from creating one.
   */
  addFirstToken(person: Person, save: (secret: string) => void): void {
    this.atOnce(() => {
      if (this.tokens().length > 0) return;
      const secret = newSecret();
      save(secret);
      this.insertToken(person, secret);
    });
  }

  /** Creates a token for sending signals to one strategy. Throws as `addToken` does. */
  addSignalToken({ name, strategy }: Pick<SignalToken, 'name' | 'strategy'>): string {
    const secret = newSecret();
    this.atOnce(() => {
      this.checkName(name);
      this.signalTokens.add({ name, strategy, madeAtMs: this.nowMs() }, secret);
    });
    return secret;
  }

  tokens(): readonly TokenRow[] {
    return this.database
      .prepare<[], TokenRow>(
        'SELECT name, role, made_at_ms AS madeAtMs FROM tokens ORDER BY made_at_ms, name',
      )
      .all();
  }

  /** Revokes a token and the sessions that began with it; returns whether there was one. */
  removeToken(name: string): boolean {
    return this.atOnce(() => {
      const ended = this.database.prepare('DELETE FROM sessions WHERE name = ?').run(name).changes;
      const removed = this.database.prepare('DELETE FROM tokens WHERE name = ?').run(name).changes;
      const others = this.signalTokens.remove(name);
      return removed + others + (name === LINK_NAME ? ended : 0) > 0;
    });
  }

  /** Creates the code of a link that signs in once, within ten minutes. */
  addLink(role: Role): { readonly code: string; readonly endsAtMs: number } {
    const code = newSecret();
    const endsAtMs = this.nowMs() + LINK_LASTS_MS;
    this.atOnce(() => {
      this.database.prepare('DELETE FROM links WHERE ends_at_ms <= ?').run(this.nowMs());
      this.retainNewest('links', MOST_LINKS - 1);
      this.database
        .prepare('INSERT INTO links (hash, role, ends_at_ms) VALUES (?, ?, ?)')
        .run(hashOfSecret(code), role, endsAtMs);
    });
    return { code, endsAtMs };
  }

  /** Returns the owner of a token; null if it is unknown. */
  personOf(token: string): Person | null {
    const rows = this.database
      .prepare<[], SecretRow>('SELECT name, role, hash, 0 AS endsAtMs FROM tokens')
      .all();
    return found(rows, token);
  }

  /** Redeems a code; null if it is used, expired or unknown. */
  redeemLink(code: string): Person | null {
    return this.atOnce((): Person | null => {
      const rows = this.database
        .prepare<[string, number], SecretRow>(
          'SELECT ? AS name, role, hash, ends_at_ms AS endsAtMs FROM links WHERE ends_at_ms > ?',
        )
        .all(LINK_NAME, this.nowMs());
      const link = found(rows, code);
      if (link !== null) this.database.prepare('DELETE FROM links WHERE hash = ?').run(hashOfSecret(code));
      return link;
    });
  }

  /** Begins a session and returns its secret, which is the cookie. */
  beginSession({ name, role }: Person): { readonly secret: string; readonly endsAtMs: number } {
    const secret = newSecret();
    const endsAtMs = this.nowMs() + SESSION_LASTS_MS;
    this.atOnce(() => {
      this.database.prepare('DELETE FROM sessions WHERE ends_at_ms <= ?').run(this.nowMs());
      this.retainNewest('sessions', MOST_SESSIONS - 1);
      this.database
        .prepare('INSERT INTO sessions (hash, name, role, ends_at_ms) VALUES (?, ?, ?, ?)')
        .run(hashOfSecret(secret), name, role, endsAtMs);
    });
    return { secret, endsAtMs };
  }

  /** Returns the session of a cookie; null if it has ended or is unknown. */
  sessionOf(secret: string): PageSession | null {
    const row = this.database
      .prepare<[Buffer, number], SecretRow>(
        'SELECT name, role, hash, ends_at_ms AS endsAtMs FROM sessions WHERE hash = ? AND ends_at_ms > ?',
      )
      .get(hashOfSecret(secret), this.nowMs());
    if (row === undefined || !isSameHash(row.hash, hashOfSecret(secret))) return null;
    return { name: row.name, role: row.role, endsAtMs: row.endsAtMs };
  }

  endSession(secret: string): void {
    this.database.prepare('DELETE FROM sessions WHERE hash = ?').run(hashOfSecret(secret));
  }

  close(): void {
    this.database.close();
  }

  /** Runs a function in one write transaction. */
  private atOnce<Result>(work: () => Result): Result {
    return this.database.transaction(work).immediate();
  }

  private insertToken({ name, role }: Person, secret: string): void {
    this.database
      .prepare('INSERT INTO tokens (name, role, hash, made_at_ms) VALUES (?, ?, ?, ?)')
      .run(name, role, hashOfSecret(secret), this.nowMs());
  }

  private checkName(name: string): void {
    const tokens = [...this.tokens(), ...this.signalTokens.all()];
    if (name === LINK_NAME || tokens.some((token) => token.name === name))
      throw new SarrafError('INVALID_OPTIONS', `expected a name that no token has, was ${name}`);
    if (tokens.length >= MOST_TOKENS)
      throw new SarrafError('INVALID_OPTIONS', `expected at most ${MOST_TOKENS} tokens: remove one first`);
  }

  private retainNewest(table: 'links' | 'sessions', most: number): void {
    this.database
      .prepare(
        `DELETE FROM ${table} WHERE hash IN (SELECT hash FROM ${table} ORDER BY ends_at_ms DESC LIMIT -1 OFFSET ?)`,
      )
      .run(most);
  }
}

/** Finds the row of a secret. It compares all rows, so that the time reveals nothing. */
function found(rows: readonly SecretRow[], secret: string): Person | null {
  const hash = hashOfSecret(secret);
  let person: Person | null = null;
  for (const row of rows) if (isSameHash(row.hash, hash)) person = { name: row.name, role: row.role };
  return person;
}

/** SQLite application id: "sart" in ASCII, which distinguishes the file from any other SQLite file. */
const APPLICATION_ID = 0x73617274;

/** Longest wait for another process such as "sarraf token", in ms. */
const BUSY_TIMEOUT_MS = 2_000;

const LOG_PAGES = 64;

/** Migrations, one for each version; a released one is never changed. */
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
  // Tokens for sending signals to one strategy.
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
 * Opens or creates the file of tokens, which only this user may read (0600). It holds hashes, not secrets.
 * Throws `DATA_UNUSABLE`, and the system's error for a folder that is not writable.
 */
export function openAccessFile(dataFolder: string): Database.Database {
  const path = join(dataFolder, 'access.sqlite');
  mkdirSync(dataFolder, { recursive: true });
  // SQLite would create it with the permissions that the process has by default.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  return openStepFile({
    path,
    what: 'the tokens of the page',
    applicationId: APPLICATION_ID,
    steps: STEPS,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    logPages: LOG_PAGES,
  });
}

const stored = z.object({ address: z.url({ protocol: /^https?$/ }).max(200) });

const notePath = (dataFolder: string): string => join(dataFolder, 'dashboard.json');

/** Returns a link that signs in once. */
export function linkText(address: string, code: string): string {
  return `${address}/#code=${code}`;
}

/** Stores the address of a data folder's page, for commands that create links. */
export function writeAddressNote(dataFolder: string, address: string): void {
  writePrivateFile(notePath(dataFolder), JSON.stringify({ address } satisfies z.output<typeof stored>));
}

/** Returns the last address of the page; null if unknown. */
export function readAddressNote(dataFolder: string): string | null {
  try {
    return stored.safeParse(JSON.parse(readFileSync(notePath(dataFolder), 'utf8'))).data?.address ?? null;
  } catch {
    return null;
  }
}

/** Length of a secret: 256 bits. */
const SECRET_BYTES = 32;

/** Returns a new secret, as text that may be part of a URL. */
function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Returns the stored hash of a secret: 256 random bits cannot be found from it. */
export function hashOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** True if two hashes are the same; the time does not reveal where they differ. */
export function isSameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Token for sending signals to one strategy, and for nothing else. */
export interface SignalToken {
  readonly name: string;
  readonly strategy: string;
  readonly madeAtMs: number;
}

interface SignalTokenRow extends SignalToken {
  readonly hash: Buffer;
}

/** Hash to compare with if the name of a token is unknown, so that the check takes as long. */
const NOBODY = hashOfSecret('');

/**
 * Tokens of the role `signal`, stored as hashes. The hash of a token is also the key with which its sender
 * may sign, so that no request needs to contain the token.
 */
export class SignalTokenTable {
  private readonly database: Database.Database;

  constructor(database: Database.Database) {
    this.database = database;
  }

  all(): readonly SignalToken[] {
    return this.rows().map(({ name, strategy, madeAtMs }) => ({ name, strategy, madeAtMs }));
  }

  add({ name, strategy, madeAtMs }: SignalToken, secret: string): void {
    this.database
      .prepare('INSERT INTO signal_tokens (name, strategy, hash, made_at_ms) VALUES (?, ?, ?, ?)')
      .run(name, strategy, hashOfSecret(secret), madeAtMs);
  }

  /** Removes the tokens of a name and returns their number. */
  remove(name: string): number {
    return this.database.prepare('DELETE FROM signal_tokens WHERE name = ?').run(name).changes;
  }

  /** Returns a secret's token; null if none. Compares with each, so that the time reveals nothing. */
  ofSecret(secret: string): SignalToken | null {
    const hash = hashOfSecret(secret);
    let found: SignalToken | null = null;
    for (const row of this.rows()) if (isSameHash(row.hash, hash)) found = row;
    return found;
  }

  /** Returns the token of a name if its key made a signature; null otherwise. */
  ofSignature(name: string, isSigned: (key: Buffer) => boolean): SignalToken | null {
    const row = this.rows().find((token) => token.name === name);
    const isOwn = isSigned(row?.hash ?? NOBODY);
    return row !== undefined && isOwn ? row : null;
  }

  private rows(): readonly SignalTokenRow[] {
    return this.database
      .prepare<[], SignalTokenRow>(
        'SELECT name, strategy, hash, made_at_ms AS madeAtMs FROM signal_tokens ORDER BY made_at_ms, name',
      )
      .all();
  }
}
