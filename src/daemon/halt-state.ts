import type Database from 'better-sqlite3';

/** That no new orders are placed, since when and why. */
export interface HaltState {
  readonly sinceMs: number;
  readonly reason: string;
  readonly wholeAccount: boolean;
}

interface HaltRow {
  readonly since_ms: number;
  readonly reason: string;
  readonly whole_account: number;
}

/** The halt as the last operator wished it; null when trading is wished for. It outlives the mirror. */
export function readHalt(database: Database.Database): HaltState | null {
  const row = database
    .prepare<[], HaltRow>('SELECT since_ms, reason, whole_account FROM halted WHERE id = 1')
    .get();
  return row === undefined
    ? null
    : { sinceMs: row.since_ms, reason: row.reason, wholeAccount: row.whole_account === 1 };
}

/**
 * Writes it down. A halt upon a halt keeps the time of the first, and the whole account if either was for
 * that.
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
