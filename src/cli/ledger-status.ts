import { readLedgerAt } from '../budget/ledger-look.ts';
import type { BudgetReport } from '../budget/ledger-report.ts';
import { beginsText, type TradingBegins } from '../budget/trading-begins.ts';
import { lengthText } from '../domain/time-text.ts';
import { readRun } from '../daemon/run-record.ts';
import { loweredBudgets, loweredText, type LoweredBudget } from './lowered-text.ts';
import { english } from '../language/sentence.ts';

interface LedgerStatus {
  readonly ledger: string;
  readonly tradingBegins: TradingBegins;
  /** Limits of this bot that the exchange has lowered. */
  readonly lowered: readonly LoweredBudget[];
  /** Budgets of this bot of which the exchange takes no request now. */
  readonly lockouts: readonly { readonly budget: string; readonly forMs: number }[];
}

/**
 * Reads the ledger that the last run of a data folder was counted in; null where there is none, or it can not
 * be read. The exchange's profile is loaded for a ledger alone: it comes with all endpoints.
 */
export async function ledgerStatus(dataFolder: string): Promise<LedgerStatus | null> {
  const { ledger: note } = readRun(dataFolder);
  if (note === null) return null;
  const all = await rowsOf(note.ledger);
  if (all === null) return null;
  const subjects = new Set(note.subjects);
  const rows = all.filter(({ subject }) => subjects.has(subject));
  const { botTradingBegins } = await import('../daemon/folder-ledger.ts');
  return {
    ledger: note.ledger,
    tradingBegins: botTradingBegins(dataFolder, rows),
    lowered: loweredBudgets(rows, subjects),
    lockouts: rows.flatMap(({ budget, lockedForMs }) =>
      lockedForMs !== null && lockedForMs > 0 ? [{ budget, forMs: lockedForMs }] : [],
    ),
  };
}

/** Lines about it for people. `stopped`: why nothing leaves, whatever the ledger says; null where it does. */
export function ledgerLines(status: LedgerStatus | null, stopped: string | null): readonly string[] {
  if (status === null) return [];
  const { tradingBegins: begins, ledger, lowered, lockouts } = status;
  return [
    `ledger  ${ledger}: ${stopped ?? (begins.waitMs === 0 ? 'an order could leave at once' : english(beginsText(begins)))}`,
    ...lockouts.map(
      ({ budget, forMs }) =>
        `locked  ${budget} is LOCKED OUT by the exchange for ${lengthText(forMs)} more: do not restart the bot`,
    ),
    ...lowered.map((each) => `limit   LOWERED: ${loweredText(each)}`),
  ];
}

/**
 * Null where somebody has it locked, or it is gone: the mirror can be shown all the same. "sarraf budget"
 * says why.
 */
async function rowsOf(ledger: string): Promise<readonly BudgetReport[] | null> {
  try {
    return await readLedgerAt(ledger);
  } catch {
    return null;
  }
}
