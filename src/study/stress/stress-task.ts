import type { TrialMetrics } from '../objectives.ts';
import type { Params } from '../../search/params-of-point.ts';
import type { FailedReport } from '../trial-report.ts';
import type { MarketPositions } from './held-positions.ts';

/**
 * Kinds of costs of a backtest. One on bars has no latency: an order arrives as the next bar opens, or at the
 * close that was just seen. On recorded books spread and slippage are those of the books.
 */
export const COSTS = ['fees', 'spread', 'slippage', 'latency'] as const;

export type Cost = (typeof COSTS)[number];

/**
 * One more run of a trial's params, with one thing changed:
 *
 * - `again`: nothing.
 * - `costs`: some costs are doubled.
 * - `bars`: blocks of bars are drawn anew.
 * - `entries`: in place of the strategy random entries, with the same positions at other places.
 */
export type StressTask =
  | { readonly what: 'again'; readonly params: Params }
  | { readonly what: 'costs'; readonly params: Params; readonly doubled: readonly Cost[] }
  | { readonly what: 'bars'; readonly params: Params; readonly meanBlock: number; readonly seed: number }
  | { readonly what: 'entries'; readonly held: readonly MarketPositions[]; readonly seed: number };

/** Trades of a run. */
export interface TradesAgain {
  /**
   * Change of the equity by each closed trade, as a share of it, in the order in which they ended: 0.02 is 2
   * %.
   */
  readonly changes: readonly number[];
  /** Positions held; null if markets are priced in several currencies. */
  readonly held: readonly MarketPositions[] | null;
}

/** A run that came to its end. `trades` is null but of `again`. */
export interface RanReport {
  readonly kind: 'ran';
  readonly metrics: TrialMetrics;
  readonly trades: TradesAgain | null;
}

/** Result of one run. */
export type StressReport = RanReport | FailedReport;
