import type { Units } from '../domain/money.ts';
import { unprotectedOf } from './exits.ts';
import { mayTrade, type OrderRecord } from '../records/order.ts';
import type { MarketDataCache } from './feeds/market-data-cache.ts';
import type { StrategyInstance } from './strategy-instance.ts';

/** Orders and positions that a run leaves at the exchange when it ends. */
export interface LeftBehind {
  readonly orders: readonly OrderRecord[];
  /**
   * Positions of strategies, of which `unprotected` would be sold (or bought back) by no stop order and no
   * OCO.
   */
  readonly unprotected: readonly {
    readonly strategy: string;
    readonly asset: string;
    readonly held: Units;
    readonly unprotected: Units;
  }[];
  /** Orders that traded and of which not all fills were read: positions lack those. */
  readonly unread: number;
}

/**
 * Returns what an end of the run now would leave: open orders, and positions that no stop order or OCO
 * protects.
 */
export function leftBehind(of: {
  readonly unfinished: readonly OrderRecord[];
  readonly instances: readonly StrategyInstance[];
  readonly markets: MarketDataCache;
}): LeftBehind {
  // One that matched whole is closed but for the word of the exchange.
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

/** Every coin of a strategy's markets, each once. */
function coinsOf({ markets, marketNames }: StrategyInstance): readonly string[] {
  return [...new Set(markets.map((market) => marketNames.parseMarket(market).base))];
}
