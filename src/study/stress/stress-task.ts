import type { TrialMetrics } from '../goals/objectives.ts';
import type { Params } from '../space/params-of-point.ts';
import type { FailedReport } from '../trials/trial-report.ts';

/**
 * What a backtest on bars may cost. It has no latency: an order arrives as the next bar opens, or at the
 * close that was just seen.
 */
export const COSTS = ['fees', 'spread', 'slippage'] as const;

export type Cost = (typeof COSTS)[number];

/** One more run of a trial's params; each `what` changes one thing about it. */
export type StressTask =
  | { readonly what: 'again'; readonly params: Params }
  | { readonly what: 'costs'; readonly params: Params; readonly doubled: readonly Cost[] };

/** What the trades of a run were. */
export interface TradesAgain {
  /** What each closed trade made of the equity before it, in the order in which they ended: 0.02 is 2 %. */
  readonly changes: readonly number[];
}

/** What one run brought. `trades` is null but of `again`. */
export type StressReport =
  | { readonly kind: 'ran'; readonly metrics: TrialMetrics; readonly trades: TradesAgain | null }
  | FailedReport;
