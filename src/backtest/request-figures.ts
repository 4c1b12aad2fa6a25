import type { BacktestRun } from './backtest-run.ts';
import { quotient, type Statistic } from './statistics.ts';

/** Figures that have a value where requests are sent alone. */
export const REQUEST_FIGURES: ReadonlySet<string> = new Set(['requests', 'requestsPerFill']);

/**
 * Returns the cost of a run in requests: their number, and the number for each fill. Null if a run sends
 * none.
 */
export function requestFigures({ requests, fills }: Pick<BacktestRun, 'requests' | 'fills'>): {
  readonly requests: number | null;
  readonly requestsPerFill: Statistic;
} {
  return { requests, requestsPerFill: requests === null ? null : quotient(requests, fills.length) };
}
