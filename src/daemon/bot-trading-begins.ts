import type { BudgetReport } from '../budget/ledger-report.ts';
import { AT_ONCE, tradingBegins, type TradingBegins } from '../budget/trading-begins.ts';
import { INTERFACE_PROFILE } from '../venues/interface-profile.ts';
import { readRunNote } from './run-note.ts';

/**
 * Returns when the bot of a data folder may send its first order, as the terminal, chats and the page show
 * it. `rows`: ledger rows of the bot's own address and account.
 */
export function botTradingBegins(dataFolder: string, rows: readonly BudgetReport[]): TradingBegins {
  // Orders on paper stay in the bot: no limit of the exchange holds them back.
  if (rows.length === 0 || readRunNote(dataFolder)?.mode === 'paper') return AT_ONCE;
  const subjects = new Set(rows.map(({ subject }) => subject));
  return tradingBegins(rows, { subjects, budgetOf: INTERFACE_PROFILE.budgets });
}
