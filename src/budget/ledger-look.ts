import { isInRedis } from './ledger-place.ts';
import { readLedgerAt } from './read-ledger-at.ts';
import { readLedger, type BudgetReport } from './ledger-report.ts';
import { monotonicMs } from './process-owner.ts';

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
export class LedgerLook {
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
        (rows) => this.take(rows, this.nowMs()),
        // Redis does not answer.
        () => undefined,
      );
      return;
    }
    try {
      this.take(readLedger(this.place, nowMs), nowMs);
    } catch {
      // Another process has it locked, or it is not there yet.
    }
  }

  private take(rows: readonly BudgetReport[], atMs: number): void {
    this.last = rows;
    this.readAtMs = atMs;
  }
}
