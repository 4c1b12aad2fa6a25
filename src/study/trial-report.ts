import type { TrialMetrics } from './objectives.ts';
import type { DailyReturns } from '../backtest/daily-returns.ts';

/**
 * Reason a trial has no figures:
 *
 * - `refused`: the strategy refuses these params.
 * - `stopped`: the strategy threw during the run, and stopped.
 * - `threw`: the run itself could not be made.
 * - `no value`: an objective has no value, such as the Sharpe ratio of a run without trades.
 * - `died`: the thread that ran it ended, twice.
 * - `too long`: it did not end in time.
 */
export const FAILURE_KINDS = ['refused', 'stopped', 'threw', 'no value', 'died', 'too long'] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** Report without figures, and the reason. */
export interface FailedReport {
  readonly kind: 'failed';
  readonly failure: FailureKind;
  readonly reason: string;
}

/** Result of a trial. */
export type TrialReport =
  | { readonly kind: 'ran'; readonly metrics: TrialMetrics; readonly daily: DailyReturns }
  | FailedReport;
