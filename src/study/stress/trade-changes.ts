import { numberOf } from '../../backtest/metrics/statistics.ts';
import type { RoundTrip } from '../../backtest/metrics/round-trips.ts';
import type { Units } from '../../domain/money.ts';

/**
 * Returns the change of equity by each closed trade, in the order in which they ended: its profit over the
 * initial equity with the profits of all trades that had ended before. Compounded they are the initial equity
 * with all profits, also if trades overlap. A change of zero equity is 0.
 */
export function tradeChanges(trips: readonly RoundTrip[], initialEquity: Units): readonly number[] {
  const closed = trips
    .flatMap(({ closedAtMs, number, profit }) =>
      closedAtMs === null ? [] : [{ closedAtMs, number, profit }],
    )
    .toSorted((left, right) => left.closedAtMs - right.closedAtMs || left.number - right.number);
  let equity = initialEquity as bigint;
  return closed.map(({ profit }) => {
    const change = equity > 0n ? numberOf(profit) / numberOf(equity as Units) : 0;
    equity += profit;
    return change;
  });
}
