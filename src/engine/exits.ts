import type { MarketNames } from '../domain/market-symbol.ts';
import { negateUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import { mayTrade, type OrderRecord } from '../records/order.ts';
import type { MarketDataCache } from './feeds/market-data-cache.ts';
import { liveAmount } from './live-exposure.ts';
import type { StrategyInstance } from './strategy-instance.ts';

/** Returns a strategy's holding of an asset over all its markets; negative if it is owed. */
export type HeldOf = (strategy: string, asset: string) => Units;

/**
 * Returns the keys of the orders that can only bring positions nearer to zero: sales of at most what their
 * strategy holds of the coin, purchases of at most what it owes, all added together. The legs of an OCO count
 * once. If not all fit, OCOs have priority, then stop orders, then others, the older ones first. A position
 * consists of the strategy's own holdings, not of what else the account has.
 */
export function exitsAmong(
  orders: readonly OrderRecord[],
  heldOf: HeldOf,
  marketNames: MarketNames,
): ReadonlySet<string> {
  const chosen: OrderRecord[] = [];
  for (const legs of ranked(orders)) {
    const [first] = legs;
    if (first === undefined) continue;
    const { strategy, side, market } = first;
    const asset = marketNames.parseMarket(market).base;
    const held = heldOf(strategy, asset);
    const room = side === 'sell' ? held : 0n - held;
    const live = liveAmount([...chosen, ...legs], { asset, side, strategy, marketNames });
    if (live !== null && live <= room) chosen.push(...legs);
  }
  return new Set(chosen.map(({ key }) => key));
}

/** Returns the part of a position that no stop order or OCO among these would close. Never below zero. */
export function unprotectedOf(
  orders: readonly OrderRecord[],
  of: {
    readonly strategy: string;
    readonly asset: string;
    readonly held: Units;
    readonly marketNames: MarketNames;
  },
): Units {
  const { strategy, asset, held, marketNames } = of;
  const side = held > 0n ? 'sell' : 'buy';
  const protective = orders.filter(({ pairKey, stopPrice }) => pairKey !== null || stopPrice !== null);
  const covered = liveAmount(protective, { asset, side, strategy, marketNames });
  const size = held > 0n ? held : negateUnits(held);
  if (covered === null) return size;
  return size > covered ? subtractUnits(size, covered) : NO_UNITS;
}

/** A single order, or the two legs of a pair. */
type Legs = readonly [OrderRecord, ...OrderRecord[]];

/** Returns single orders and pairs by priority. A leg whose other leg has ended is a single order. */
function ranked(orders: readonly OrderRecord[]): readonly Legs[] {
  const byKey = new Map(orders.map((order) => [order.key, order]));
  const units = orders.flatMap((order): readonly Legs[] => {
    const pair = order.pairKey === null ? undefined : byKey.get(order.pairKey);
    if (pair === undefined) return [[order]];
    return order.key < pair.key ? [[order, pair]] : [];
  });
  return units.toSorted(
    (left, right) => rankOf(left) - rankOf(right) || plannedAtMs(left) - plannedAtMs(right),
  );
}

/** Returns the priority of an order or pair: OCOs are 0, stop orders 1, others 2. */
function rankOf([first]: Legs): number {
  if (first.pairKey !== null) return 0;
  return first.stopPrice === null ? 2 : 1;
}

function plannedAtMs([first]: Legs): number {
  return first.plannedAtMs;
}

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
