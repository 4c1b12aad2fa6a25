import { LedgerLook } from '../../budget/ledger-look.ts';
import type { BudgetReport } from '../../budget/ledger-report.ts';
import { beginsText, tradingBegins } from '../../budget/trading-begins.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import type { Venue } from '../../venues/venue.ts';
import type { BudgetUse, LockoutState } from './health-source.ts';

/** The state of the ledger for health. */
interface LedgerHealth {
  /** Reason no order can leave yet, as after a ledger was recreated; null if one can. */
  readonly placingFault: string | null;
  readonly budgets: readonly BudgetUse[];
  readonly lockouts: readonly LockoutState[];
}

const NOTHING: LedgerHealth = { placingFault: null, budgets: [], lockouts: [] };

/** Subject of a ledger in memory: this bot, and nobody else. */
export const IN_MEMORY = 'embedded';

/** Looks at the ledger once a second at most, however often it is asked. */
export class LedgerWatch {
  /** Null where the ledger is in memory. */
  private readonly ledger: LedgerLook | null;
  private readonly own: Venue['ownBudgets'];
  private readonly subjects: ReadonlySet<string>;
  private seen: readonly BudgetReport[] = [];
  private health = NOTHING;

  /**
   * `subjects`: by whom the ledger counts the bot's requests; `own`: its budgets, where that is in memory.
   */
  constructor(place: string | null, subjects: Iterable<string>, own?: Venue['ownBudgets']) {
    this.ledger = place === null ? null : new LedgerLook(place);
    this.subjects = new Set(subjects);
    this.own = own;
  }

  look(): LedgerHealth {
    if (this.own !== undefined) {
      const budgets = this.own().map((use) => ({ ...use, subject: IN_MEMORY, lowered: null }));
      return { ...NOTHING, budgets };
    }
    const rows = this.ledger?.rows() ?? [];
    if (rows.length === 0) return NOTHING;
    if (rows !== this.seen) {
      this.seen = rows;
      this.health = this.healthOf(rows);
    }
    return this.health;
  }

  private healthOf(rows: readonly BudgetReport[]): LedgerHealth {
    const begins = tradingBegins(rows, { subjects: this.subjects, budgetOf: INTERFACE_PROFILE.budgets });
    return {
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
