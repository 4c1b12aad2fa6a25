import { LedgerSnapshot } from '../budget/ledger-snapshot.ts';
import type { BudgetReport } from '../budget/ledger-report.ts';
import {
  waitSentence,
  AT_ONCE,
  neededBudgets,
  tradingBegins,
  type TradingBegins,
} from '../budget/trading-begins.ts';
import { INTERFACE_PROFILE } from '../venues/interface-profile.ts';
import { readRun } from './run-record.ts';
import type { Sentence } from '../language/sentence.ts';

/** Ledger data about the bot of a data folder, for those who read only the folder. */
export class FolderLedger {
  private readonly dataFolder: string;
  private ledger: LedgerSnapshot | null = null;

  constructor(dataFolder: string) {
    this.dataFolder = dataFolder;
  }

  /**
   * Returns the budgets that count the bot's address and account. None if the exchange is in the bot itself,
   * or the ledger was not read yet.
   */
  rows(): readonly BudgetReport[] {
    const { ledger: note } = readRun(this.dataFolder);
    if (note === null) return [];
    if (this.ledger?.place !== note.ledger) this.ledger = new LedgerSnapshot(note.ledger);
    const own = new Set(note.subjects);
    return this.ledger.rows().filter(({ subject }) => own.has(subject));
  }

  /** Returns why every new order waits, and for how long, in a sentence; null if an order could leave now. */
  waitsFor(): Sentence | null {
    const begins = botTradingBegins(this.dataFolder, this.rows());
    return begins.waitMs === 0 ? null : waitSentence(begins, Date.now());
  }
}

/**
 * Returns when the bot of a data folder may send its first order, as the terminal, chats and the page show
 * it. `rows`: the ledger's rows about the bot's own address and account.
 */
export function botTradingBegins(dataFolder: string, rows: readonly BudgetReport[]): TradingBegins {
  // Orders on paper stay in the bot: no limit of the exchange holds them back.
  const { note, ledger } = readRun(dataFolder);
  if (rows.length === 0 || note?.mode === 'paper') return AT_ONCE;
  const subjects = new Set(rows.map(({ subject }) => subject));
  // An older sarraf knew one venue.
  const needed = ledger?.needed === undefined ? neededBudgets(INTERFACE_PROFILE) : new Set(ledger.needed);
  return tradingBegins(rows, { subjects, needed });
}
