import { parseMarket } from '../../domain/market-symbol.ts';
import { NO_UNITS, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { divideUp } from '../../domain/rounding.ts';
import { isFinal, type OrderRecord } from '../order-record.ts';

/** Which orders are added up: those of one strategy that buy or sell a currency, in whichever market. */
export interface LiveFilter {
  readonly asset: string;
  readonly side: Side;
  readonly strategy: string;
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

/**
 * The most of an asset that a strategy's live orders may still buy or sell, in units of it. An OCO counts once. A purchase for tether sells tether, and a sale
 * for it buys tether, at the price that the order names.
 */
export function liveAmount(orders: readonly OrderRecord[], { asset, side, strategy }: LiveFilter): Units {
  let sum = 0n;
  for (const order of orders) {
    if (order.strategy !== strategy) continue;
    const { base, quote } = parseMarket(order.market);
    const isCoin = base === asset && order.side === side;
    const isMoney = quote === asset && order.side !== side;
    if ((!isCoin && !isMoney) || (order.pairKey !== null && !countsForPair(order, orders))) continue;
    const rest = openRest(order);
    sum += isCoin ? rest : divideUp(rest * (order.price ?? order.stopPrice ?? 0n), UNITS_PER_ONE);
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
