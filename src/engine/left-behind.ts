import type { Units } from '../domain/money.ts';
import { unprotectedOf } from './exits.ts';
import { mayTrade, type OrderRecord } from '../records/order.ts';
import type { MarketDataCache } from './feeds/market-data-cache.ts';
import type { StrategyInstance } from './strategy-instance.ts';

/** Orders and positions that a run leaves at the exchange when it ends. */
export interface LeftBehind {
  readonly orders: readonly OrderRecord[];
  /**
   * Positions of strategies; `unprotected` is the part that no stop order or OCO would sell (or buy back).
   */
  readonly unprotected: readonly {
    readonly strategy: string;
    readonly asset: string;
    readonly held: Units;
    readonly unprotected: Units;
  }[];
  /** Number of orders with fills that were not read yet: the positions do not include these. */
  readonly unread: number;
}

/** Returns what would be left if the run ended now: open orders, and unprotected positions. */
export function leftBehind(of: {
  readonly unfinished: readonly OrderRecord[];
  readonly instances: readonly StrategyInstance[];
  readonly markets: MarketDataCache;
}): LeftBehind {
  // A fully matched order is as good as closed; only the exchange's confirmation is missing.
  const orders = of.unfinished.filter(
    (order) => mayTrade(order) && order.matched < order.amount && order.filled < order.amount,
  );
  const unprotected = of.instances.flatMap((instance) =>
    coinsOf(instance).flatMap((asset) => {
      const held = instance.held(asset);
      const { name: strategy, marketNames } = instance;
      const rest = unprotectedOf(orders, { strategy, asset, held, marketNames });
      return rest < of.markets.leastAmountOf(asset)
        ? []
        : [{ strategy: instance.name, asset, held, unprotected: rest }];
    }),
  );
  const unread = of.unfinished.filter(({ state }) => state === 'settling').length;
  return { orders, unprotected, unread };
}

/** Returns the base coins of a strategy's markets, each once. */
function coinsOf({ markets, marketNames }: StrategyInstance): readonly string[] {
  return [...new Set(markets.map((market) => marketNames.parseMarket(market).base))];
}
