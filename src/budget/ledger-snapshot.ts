import { isInRedis, openLedgerFile, openLedgerReadOnly } from './ledger-file.ts';
import { readLedger, type BudgetReport } from './ledger-report.ts';
import { monotonicMs } from './process-owner.ts';
import { existsSync } from 'node:fs';
import type { RaisedLimit } from './admission.ts';

/** A reading this young is good enough. */
const LASTS_MS = 1_000;

/** A reading that is older says nothing any more: its times count from when it was made. */
const FORGOTTEN_AFTER_MS = 60_000;

const NONE: readonly BudgetReport[] = [];

/**
 * The budgets of a ledger for those who look often and may not wait: read once a second at most. One in Redis
 * is read beside, and what it answers is there with the next look. While it can not be read, the last reading
 * stands for a minute.
 */
export class LedgerSnapshot {
  readonly place: string;
  private readonly nowMs: () => number;
  private askedAtMs = Number.NEGATIVE_INFINITY;
  private readAtMs = Number.NEGATIVE_INFINITY;
  private last = NONE;

  /** `nowMs` is of the machine's monotonic clock. */
  constructor(place: string, nowMs: () => number = monotonicMs) {
    this.place = place;
    this.nowMs = nowMs;
  }

  rows(): readonly BudgetReport[] {
    const nowMs = this.nowMs();
    if (nowMs - this.askedAtMs >= LASTS_MS) {
      this.askedAtMs = nowMs;
      this.read(nowMs);
    }
    return nowMs - this.readAtMs > FORGOTTEN_AFTER_MS ? NONE : this.last;
  }

  private read(nowMs: number): void {
    if (isInRedis(this.place)) {
      void readLedgerAt(this.place).then(
        (rows) => this.apply(rows, this.nowMs()),
        // Redis does not answer.
        () => undefined,
      );
      return;
    }
    try {
      this.apply(readLedger(this.place, nowMs), nowMs);
    } catch {
      // Another process has it locked, or it is not there yet.
    }
  }

  private apply(rows: readonly BudgetReport[], atMs: number): void {
    this.last = rows;
    this.readAtMs = atMs;
  }
}

/**
 * Reads every budget of a ledger without changing it. Throws `DATA_UNUSABLE` where there is no file, or Redis
 * does not answer.
 */
export async function readLedgerAt(place: string): Promise<readonly BudgetReport[]> {
  if (!isInRedis(place)) return readLedger(place, monotonicMs());
  const { withRedisLedger } = await import('./redis-by-hand.ts');
  const { readRedisLedger } = await import('./redis/redis-report.ts');
  return withRedisLedger(place, async (connection) => readRedisLedger(connection));
}

/** The same; null where there is no ledger yet. */
export async function readLedgerIfAny(place: string): Promise<readonly BudgetReport[] | null> {
  if (!isInRedis(place)) return existsSync(place) ? readLedger(place, monotonicMs()) : null;
  const rows = await readLedgerAt(place);
  return rows.length === 0 ? null : rows;
}

/** The same, wherever the ledger is. */
export async function raiseLimitAt(place: string, budget: string): Promise<readonly RaisedLimit[]> {
  if (!isInRedis(place)) return raiseLimit(place, budget);
  const { raiseRedisLimit } = await import('./redis-by-hand.ts');
  return raiseRedisLimit(place, budget);
}

/**
 * Takes a lowered limit of a budget back by hand, for every address and account in the ledger; answers which
 * there were. Processes that have the ledger open go by it with their next admission. Throws `DATA_UNUSABLE`
 * where there is no ledger, or it can not be written.
 */
function raiseLimit(path: string, budget: string): readonly RaisedLimit[] {
  // Looked at first: nobody makes a ledger by this.
  if (!existsSync(path)) openLedgerReadOnly(path).close();
  const database = openLedgerFile(path, () => undefined);
  try {
    return database
      .prepare<[string], RaisedLimit>(
        'DELETE FROM named_limits WHERE budget = ? RETURNING subject, request_limit AS named',
      )
      .all(budget);
  } finally {
    database.close();
  }
}
