import { NO_UNITS, type Units } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { isFinal, type OrderRecord } from '../order-record.ts';

/** Which orders are added up: those of one market and side, of one strategy or, with null, of all. */
export interface LiveFilter {
  readonly market: string;
  readonly side: Side;
  readonly strategy: string | null;
}

/**
 * What an order may still add to the position that our fills make, in units of the source currency: all that is not among the fills yet. An order of
 * unknown outcome counts whole; one that is closed counts with the fills that are still to be read.
 */
export function openRest(order: OrderRecord): Units {
  if (isFinal(order)) return NO_UNITS;
  const most = order.state === 'settling' ? order.matched : order.amount;
  return most > order.filled ? ((most - order.filled) as Units) : NO_UNITS;
}

/** The most that the live orders of one side may still trade, in units of the source currency. An OCO counts once. */
export function liveAmount(orders: readonly OrderRecord[], filter: LiveFilter): Units {
  const { market, side, strategy } = filter;
  let sum = 0n;
  for (const order of orders) {
    if (order.side !== side || order.market !== market) continue;
    if (strategy !== null && order.strategy !== strategy) continue;
    if (order.pairKey === null || countsForPair(order, orders)) sum += openRest(order);
  }
  return sum as Units;
}

/** Of the two legs of an OCO only one trades: the one with the greater rest counts, of equal ones the first by key. */
export function countsForPair(order: OrderRecord, orders: readonly OrderRecord[]): boolean {
  const other = orders.find(({ key }) => key === order.pairKey);
  if (other === undefined) return true;
  const own = openRest(order);
  const others = openRest(other);
  return own > others || (own === others && order.key < other.key);
}
