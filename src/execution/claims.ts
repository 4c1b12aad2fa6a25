import type { MarketNames } from '../domain/market-symbol.ts';
import { multiplyUnits, NO_UNITS, type Units } from '../domain/money.ts';
import type { Side } from '../domain/order.ts';
import { divideUp } from '../domain/rounding.ts';
import type { OrderRecord } from './order-record.ts';
import { openRest } from './risk/live-exposure.ts';

/** An order that takes any price fills no worse than one percent beyond its reference price. */
const WORST_NUMERATOR = 101n;
const WORST_DENOMINATOR = 100n;

/** The worst price that an order without a bound may pay, from the price that it refers to. */
export function worstPrice(reference: Units): Units {
  return divideUp(reference * WORST_NUMERATOR, WORST_DENOMINATOR) as Units;
}

/** What an amount costs at a price, as the exchange holds it: rounded up. A sale pays with the amount. */
export function paymentFor(side: Side, amount: Units, price: Units): Units {
  return side === 'sell' ? amount : multiplyUnits(amount, price, divideUp);
}

/**
 * What an order may still take from the account: all that is not among the fills yet, at the worst price. An
 * order of unknown outcome counts whole. Null where nobody knows: a market order without any price.
 */
function restOf(order: OrderRecord): Units | null {
  const rest = openRest(order);
  if (rest === 0n || order.side === 'sell') return rest;
  const { price, stopPrice, execution } = order;
  const reference = price ?? stopPrice;
  if (reference === null) return null;
  const isBound = execution === 'limit' || execution === 'stop_limit';
  return paymentFor('buy', rest, isBound ? reference : worstPrice(reference));
}

/** Which currency an order pays with. */
function paysWith(order: Pick<OrderRecord, 'market' | 'side'>, marketNames: MarketNames): string {
  const { base, quote } = marketNames.parseMarket(order.market);
  return order.side === 'buy' ? quote : base;
}

/**
 * What live orders may still take of an asset, by strategy. Of the two legs of an OCO, of which one trades,
 * the dearer counts. Null for a strategy of which nobody knows.
 */
export function claimsOn(
  asset: string,
  orders: readonly OrderRecord[],
  marketNames: MarketNames,
): ReadonlyMap<string, Units | null> {
  const claims = new Map<string, Units | null>();
  for (const order of orders) {
    if (paysWith(order, marketNames) !== asset) continue;
    const rest = restOf(order);
    if (rest === 0n || !isDearer(order, rest, orders)) continue;
    const before = claims.get(order.strategy);
    claims.set(
      order.strategy,
      rest === null || before === null ? null : (((before ?? NO_UNITS) + rest) as Units),
    );
  }
  return claims;
}

/** Whether an order counts for its pair; of two that take the same, the first by key. */
function isDearer(order: OrderRecord, rest: Units | null, orders: readonly OrderRecord[]): boolean {
  if (order.pairKey === null || rest === null) return true;
  const other = orders.find(({ key }) => key === order.pairKey);
  const others = other === undefined ? NO_UNITS : restOf(other);
  if (other === undefined || others === null) return true;
  return rest > others || (rest === others && order.key < other.key);
}
