import type { Budget } from '../domain/rate-limit.ts';
import type { Admittance } from './admittance.ts';
import type { CommitTimes } from './commit-times.ts';
import type { BudgetReport } from './ledger-report.ts';

export interface OpenLedgerOptions {
  /** As `ledgerPlace` says it. */
  readonly place: string;
  readonly budgets: Iterable<Budget>;
  readonly subjects: { readonly ip: string; readonly token: string };
  readonly isGuest: boolean;
  /** Takes down how long the commits of a file take. */
  readonly commits?: CommitTimes;
  /** Those in which cancels are counted: some of them leave while a Redis is gone. */
  readonly cancelBudgets?: readonly string[];
  /** Longer than that no answer of a Redis is waited for. */
  readonly timeoutMs: number;
  /** Called with what somebody should know of a Redis, in one line. */
  readonly say: (line: string) => void;
}

/** A ledger that processes share, wherever it is. */
export interface OpenLedger {
  readonly admittance: Admittance;
  /** Every budget as it is known here now. */
  rows(): readonly BudgetReport[];
  close(): Promise<void>;
}
