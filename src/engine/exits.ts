import type { MarketNames } from '../domain/market-symbol.ts';
import { negateUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import type { OrderRecord } from '../records/order.ts';
import { liveAmount } from './live-exposure.ts';

/** Returns a strategy's holding of an asset over all its markets; negative for an amount owed. */
export type HeldOf = (strategy: string, asset: string) => Units;

/**
 * The orders that can do nothing but bring positions nearer to zero, by their keys: sales of no more than
 * their strategy holds of the coin, purchases of no more than it owes, all that are taken together. The legs
 * of an OCO stay or go together and count once. Where not all of them fit, what protects goes first: OCOs,
 * then stop orders, then the others, of each the older ones. A position is what the strategy's own fills
 * made; what the account had before is none.
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

/**
 * Returns the part of a position that no stop order and no OCO among these would sell, or buy back if the
 * position is owed. Zero or above.
 */
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
  const protective = orders.filter((order) => protects(order));
  const covered = liveAmount(protective, { asset, side, strategy, marketNames });
  const size = held > 0n ? held : negateUnits(held);
  if (covered === null) return size;
  return size > covered ? subtractUnits(size, covered) : NO_UNITS;
}

function protects({ pairKey, stopPrice }: OrderRecord): boolean {
  return pairKey !== null || stopPrice !== null;
}

/** A single order, or both legs of a pair. */
type Legs = readonly [OrderRecord, ...OrderRecord[]];

/**
 * Single orders and pairs, in the order in which they are taken. A leg whose other one is at its end is a
 * single order.
 */
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

/** Returns the rank of an order or pair; protecting orders come first. */
function rankOf([first]: Legs): number {
  if (first.pairKey !== null) return 0;
  return first.stopPrice === null ? 2 : 1;
}

function plannedAtMs([first]: Legs): number {
  return first.plannedAtMs;
}
