import { isInRedis, openLedgerFile, openLedgerReadOnly } from './ledger-file.ts';
import { closing } from '../domain/closing.ts';
import { readLedger, type BudgetReport } from './ledger-report.ts';
import { monotonicMs } from './process-owner.ts';
import { existsSync } from 'node:fs';
import type { RaisedLimit } from './admission.ts';

/** Age up to which a reading is used without a new one. */
const LASTS_MS = 1_000;

/** Age at which a reading is dropped: the durations in it count from when it was made. */
const FORGOTTEN_AFTER_MS = 60_000;

const NONE: readonly BudgetReport[] = [];

/**
 * Snapshot of a ledger's budgets for callers that poll often and must not block: read once a second at most.
 * A ledger in Redis is read in the background, and its answer is there at the next call. If it cannot be
 * read, the last reading is used for a minute.
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
      // Another process has locked the file, or it does not exist yet.
    }
  }

  private apply(rows: readonly BudgetReport[], atMs: number): void {
    this.last = rows;
    this.readAtMs = atMs;
  }
}

/** Reads every budget of a ledger, unchanged. Throws `DATA_UNUSABLE` without a file or answer of Redis. */
export async function readLedgerAt(place: string): Promise<readonly BudgetReport[]> {
  if (!isInRedis(place)) return readLedger(place, monotonicMs());
  const { withRedisLedger } = await import('./redis-by-hand.ts');
  const { readRedisLedger } = await import('./redis/redis-report.ts');
  return withRedisLedger(place, async (connection) => readRedisLedger(connection));
}

/** Reads every budget as `readLedgerAt` does; returns null if there is no ledger yet. */
export async function readLedgerIfAny(place: string): Promise<readonly BudgetReport[] | null> {
  if (!isInRedis(place)) return existsSync(place) ? readLedger(place, monotonicMs()) : null;
  const rows = await readLedgerAt(place);
  return rows.length === 0 ? null : rows;
}

/** Takes a lowered limit back as `raiseLimit` does, in a file or in Redis. */
export async function raiseLimitAt(place: string, budget: string): Promise<readonly RaisedLimit[]> {
  if (!isInRedis(place)) return raiseLimit(place, budget);
  const { raiseRedisLimit } = await import('./redis-by-hand.ts');
  return raiseRedisLimit(place, budget);
}

/**
 * Takes back a lowered limit of a budget on request, for every address and account in the ledger; returns the
 * limits taken back. Processes that have the ledger open apply it at their next admission. Throws
 * `DATA_UNUSABLE` if there is no ledger, or it cannot be written.
 */
function raiseLimit(path: string, budget: string): readonly RaisedLimit[] {
  // Checked first, so that this never creates a ledger.
  if (!existsSync(path)) openLedgerReadOnly(path).close();
  using database = closing(openLedgerFile(path, () => undefined));
  return database
    .prepare<[string], RaisedLimit>(
      'DELETE FROM named_limits WHERE budget = ? RETURNING subject, request_limit AS named',
    )
    .all(budget);
}
