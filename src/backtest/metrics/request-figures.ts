import type { BacktestRun } from '../backtest-run.ts';
import { mean, quotient, type Statistic } from './statistics.ts';

/** Figures that have a value where requests are sent alone. */
export const REQUEST_FIGURES: ReadonlySet<string> = new Set([
  'requests',
  'requestsPerFill',
  'averageOrderWaitMs',
]);

/**
 * What a run cost in requests: how many there were, how many for each fill, and how long orders waited in the
 * bot for their turn. Null where a run sends none.
 */
export function requestFigures({
  requests,
  orders,
  fills,
}: Pick<BacktestRun, 'requests' | 'orders' | 'fills'>): {
  readonly requests: number | null;
  readonly requestsPerFill: Statistic;
  readonly averageOrderWaitMs: Statistic;
} {
  if (requests === null) return { requests, requestsPerFill: null, averageOrderWaitMs: null };
  const waits = orders.flatMap(({ plannedAtMs, sentAtMs }) =>
    sentAtMs === null ? [] : [sentAtMs - plannedAtMs],
  );
  return { requests, requestsPerFill: quotient(requests, fills.length), averageOrderWaitMs: mean(waits) };
}
