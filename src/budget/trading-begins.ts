import { LATE_ARRIVAL_MS, type LedgerBudget } from './admission.ts';
import type { BudgetReport } from './ledger-report.ts';

/** What a bot sends before and with its first order: the markets, the account, the order itself ("Limits"). */
const NEEDED: ReadonlySet<string> = new Set([
  'v2/options',
  'orders/list',
  'trades/list',
  'users/wallets/list',
  'orders/add',
]);

/** When the first order may leave, by the ledger alone. */
export interface TradingBegins {
  /** From now on; 0 for at once. */
  readonly waitMs: number;
  /** The budget that is waited for the longest, and why; null where nothing is waited for. */
  readonly budget: string | null;
  readonly why: 'unknown' | 'locked out' | null;
}

const AT_ONCE: TradingBegins = { waitMs: 0, budget: null, why: null };

/** Reads a report. `subjects`: those whose budgets count for the bot, its address and its credential. */
export function tradingBegins(rows: readonly BudgetReport[], subjects: ReadonlySet<string>): TradingBegins {
  let latest = AT_ONCE;
  for (const row of rows) {
    if (!NEEDED.has(row.budget) || !subjects.has(row.subject)) continue;
    const { budget, fullForMs, lockedForMs } = row;
    const isLocked = (lockedForMs ?? 0) > fullForMs;
    const waitMs = isLocked ? (lockedForMs ?? 0) : fullForMs;
    if (waitMs > latest.waitMs) latest = { waitMs, budget, why: isLocked ? 'locked out' : 'unknown' };
  }
  return latest;
}

/** The same where there is no ledger yet: then every window counts as full, and what may still be on its way besides. */
export function freshTradingBegins(budgets: Iterable<LedgerBudget>): TradingBegins {
  let latest = AT_ONCE;
  for (const { name, windowMs } of budgets) {
    const waitMs = windowMs + LATE_ARRIVAL_MS;
    if (NEEDED.has(name) && waitMs > latest.waitMs) latest = { waitMs, budget: name, why: 'unknown' };
  }
  return latest;
}

/** In one sentence. */
export function beginsText({ waitMs, budget, why }: TradingBegins): string {
  const seconds = Math.ceil(waitMs / 1_000);
  const because =
    why === 'locked out'
      ? `the exchange has locked ${budget} out`
      : `what was sent before is not known, so the limit of ${budget} counts as used up`;
  return `trading can begin in ${seconds} s, by the ledger: ${because}`;
}
