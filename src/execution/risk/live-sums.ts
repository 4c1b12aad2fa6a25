import type { OrderRecord } from '../order-record.ts';
import { countsForPair, openRest } from './live-amounts.ts';
import type { RiskView } from './risk-view.ts';
import { highestPrice } from './trade-price.ts';

/** What the live orders of one market, of all strategies, may still trade: amounts in the source currency, prices in the quote currency, in units. */
export interface LiveSums {
  readonly buys: bigint;
  readonly sells: bigint;
  /** The highest price that any of them names; zero when none does. */
  readonly highestBuy: bigint;
  readonly highestSell: bigint;
}

export const NO_LIVE_ORDERS: LiveSums = { buys: 0n, sells: 0n, highestBuy: 0n, highestSell: 0n };

/** The sums of one market. */
export function sumLive(orders: readonly OrderRecord[], market: string): LiveSums {
  let sums = NO_LIVE_ORDERS;
  for (const order of orders) {
    if (order.market === market) sums = addLive(sums, order, orders);
  }
  return sums;
}

/** The sums of every market that has live orders, by its symbol. */
export function sumLiveByMarket(orders: readonly OrderRecord[]): Map<string, LiveSums> {
  const byMarket = new Map<string, LiveSums>();
  for (const order of orders) {
    byMarket.set(order.market, addLive(byMarket.get(order.market) ?? NO_LIVE_ORDERS, order, orders));
  }
  return byMarket;
}

/** The sums of its market as they are once the wanted order is among them. */
export function withWanted(sums: LiveSums, view: RiskView): LiveSums {
  return add(sums, { side: view.order.side, amount: view.order.amount, price: highestPrice(view) ?? 0n });
}

function addLive(sums: LiveSums, order: OrderRecord, orders: readonly OrderRecord[]): LiveSums {
  const amount = openRest(order);
  if (amount === 0n || (order.pairKey !== null && !countsForPair(order, orders))) return sums;
  return add(sums, { side: order.side, amount, price: order.price ?? order.stopPrice ?? 0n });
}

function add(
  sums: LiveSums,
  { side, amount, price }: { readonly side: 'buy' | 'sell'; readonly amount: bigint; readonly price: bigint },
): LiveSums {
  return side === 'buy'
    ? { ...sums, buys: sums.buys + amount, highestBuy: price > sums.highestBuy ? price : sums.highestBuy }
    : { ...sums, sells: sums.sells + amount, highestSell: price > sums.highestSell ? price : sums.highestSell };
}
