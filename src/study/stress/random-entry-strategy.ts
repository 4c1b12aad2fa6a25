import type { StrategyDefinition } from '../../strategy/definition.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import type { MarketPlan, PlannedEntry } from './random-entry-plan.ts';

/** The name of the data of a market. */
const dataName = (market: string): string => `bars${market}`;

/**
 * Buys and sells by a plan, whatever the market does: the control that a strategy has to be better than. It
 * takes, with market orders, for the planned share of its equity or what is free.
 */
export function randomEntryStrategy(plans: readonly MarketPlan[]): StrategyDefinition {
  return {
    name: 'random',
    data: ({ markets, timeframe }) =>
      Object.fromEntries(
        plans.map(({ market }) => [dataName(market), markets.of(market).candles(timeframe)]),
      ),
    on: Object.fromEntries(plans.map(({ market, entries }) => [dataName(market), follow(market, entries)])),
  };
}

function follow(market: string, entries: readonly PlannedEntry[]): (ctx: StrategyContext) => void {
  const buys = new Map(entries.map((entry) => [entry.buyAtMs, entry.share]));
  const sales = new Set(entries.map(({ sellAtMs }) => sellAtMs));
  return (ctx) => {
    const share = buys.get(ctx.nowMs);
    if (share === undefined && !sales.has(ctx.nowMs)) return;
    const own = ctx.markets.of(market);
    if (share === undefined) {
      ctx.cancelAll(market);
      if (own.position > 0) own.sell({ amount: own.position });
      return;
    }
    const value = Math.min(share * (own.equity ?? 0), own.freeQuote);
    if (value > 0) own.buy({ value });
  };
}
