import type Database from 'better-sqlite3';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits. */
const SECRET_BYTES = 32;

/** A new secret, as a text that can stand in an address. */
export function newSecret(): string {
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

/** A token that may tell one strategy signals, and nothing else. */
export interface SignalToken {
  readonly name: string;
  readonly strategy: string;
  readonly madeAtMs: number;
}

interface TokenRow extends SignalToken {
  readonly hash: Buffer;
}

/** Of whoever names no token that there is: its comparison takes as long. */
const NOBODY = hashOfSecret('');

/**
 * Tokens of the role `signal`, of which only hashes are kept. The hash of a token is also the key with which
 * its sender may sign: so the token itself is in no request.
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

  /** Answers how many there were of that name. */
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

  /** The token of a name whose key made a signature; null where it did not. */
  ofSignature(name: string, isSigned: (key: Buffer) => boolean): SignalToken | null {
    const row = this.rows().find((token) => token.name === name);
    const isOwn = isSigned(row?.hash ?? NOBODY);
    return row !== undefined && isOwn ? row : null;
  }

  private rows(): readonly TokenRow[] {
    return this.database
      .prepare<[], TokenRow>(
        'SELECT name, strategy, hash, made_at_ms AS madeAtMs FROM signal_tokens ORDER BY made_at_ms, name',
      )
      .all();
  }
}
