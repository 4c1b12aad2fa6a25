import type { BudgetReport } from '../budget/ledger-report.ts';
import { lengthText } from '../domain/time-text.ts';

/** A budget that the exchange has lowered, as commands show it. */
export interface LoweredBudget {
  readonly budget: string;
  /** The limit that the exchange named. */
  readonly named: number;
  /** Requests a window that are used of it, and that were before. */
  readonly limit: number;
  readonly ownLimit: number;
  /** Time the limit stays lowered if no further limit reply comes. */
  readonly forMs: number;
}

/** The lowered budgets among those of the given subjects. */
export function loweredBudgets(
  rows: readonly BudgetReport[],
  subjects: ReadonlySet<string>,
): readonly LoweredBudget[] {
  return rows.flatMap(({ budget, subject, lowered, limit, ownLimit }) =>
    lowered === null || !subjects.has(subject) ? [] : [{ budget, ...lowered, limit, ownLimit }],
  );
}

/** One of them in a sentence. */
export function loweredText({ budget, named, limit, ownLimit, forMs }: LoweredBudget): string {
  return `the exchange has lowered ${budget} to ${named}: ${limit} are used instead of ${ownLimit}, for ${lengthText(forMs)} if no limit reply comes, or until "sarraf budget raise ${budget}"`;
}
