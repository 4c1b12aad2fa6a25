import { isInRedis, readLedgerAt } from '../../budget/ledger-place.ts';
import { readLedger, type BudgetReport } from '../../budget/ledger-report.ts';
import { monotonicMs } from '../../budget/process-owner.ts';
import { beginsText, tradingBegins } from '../../budget/trading-begins.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import type { BudgetUse, LockoutState } from './health-source.ts';

/** A report of the ledger is read from its file; one this young is good enough. */
const REPORT_LASTS_MS = 1_000;

/** The state of the ledger for health. */
export interface LedgerHealth {
  /** Why no order can leave yet, as after a ledger was made anew; null where one can. */
  readonly placingFault: string | null;
  readonly budgets: readonly BudgetUse[];
  readonly lockouts: readonly LockoutState[];
}

const NOTHING: LedgerHealth = { placingFault: null, budgets: [], lockouts: [] };

/**
 * Looks at the ledger once a second at most, however often it is asked. One in Redis is read beside: what it
 * answers is shown with the next look.
 */
export class LedgerWatch {
  /** Null where the ledger is in memory. */
  private readonly place: string | null;
  private readonly subjects: ReadonlySet<string>;
  private readAtMs = Number.NEGATIVE_INFINITY;
  private health = NOTHING;

  /** `subjects`: by whom the ledger counts the bot's requests. */
  constructor(place: string | null, subjects: Iterable<string>) {
    this.place = place;
    this.subjects = new Set(subjects);
  }

  look(): LedgerHealth {
    const nowMs = monotonicMs();
    const { place } = this;
    if (place === null || nowMs - this.readAtMs < REPORT_LASTS_MS) return this.health;
    this.readAtMs = nowMs;
    if (isInRedis(place)) {
      // Where Redis does not answer, the last reading is good enough.
      void readLedgerAt(place).then(
        (rows) => this.take(rows),
        () => undefined,
      );
      return this.health;
    }
    try {
      this.take(readLedger(place, nowMs));
    } catch {
      // Another process locks it, or it does not exist yet: the last reading is good enough.
    }
    return this.health;
  }

  private take(rows: readonly BudgetReport[]): void {
    const begins = tradingBegins(rows, { subjects: this.subjects, budgetOf: INTERFACE_PROFILE.budgets });
    this.health = {
      placingFault: begins.why === 'unknown' ? beginsText(begins) : null,
      budgets: rows.map(({ budget, subject, inUse, limit, lowered }) => ({
        budget,
        subject,
        inUse,
        limit,
        lowered: lowered?.named ?? null,
      })),
      lockouts: rows.flatMap(({ budget, lockedForMs }) =>
        lockedForMs === null ? [] : [{ budget, forMs: lockedForMs }],
      ),
    };
  }
}
