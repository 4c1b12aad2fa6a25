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

/** Sums while they are made. */
type Tally = { -readonly [Name in keyof LiveSums]: LiveSums[Name] };

/** The sums of one market. */
export function sumLive(orders: readonly OrderRecord[], market: string): LiveSums {
  const tally: Tally = { buys: 0n, sells: 0n, highestBuy: 0n, highestSell: 0n };
  for (const order of orders) {
    if (order.market === market) addLive(tally, order, orders);
  }
  return tally;
}

/** The sums of every market that has live orders, by its symbol. */
export function sumLiveByMarket(orders: readonly OrderRecord[]): Map<string, LiveSums> {
  const byMarket = new Map<string, Tally>();
  for (const order of orders) {
    let tally = byMarket.get(order.market);
    if (tally === undefined) {
      tally = { buys: 0n, sells: 0n, highestBuy: 0n, highestSell: 0n };
      byMarket.set(order.market, tally);
    }
    addLive(tally, order, orders);
  }
  return byMarket;
}

/** The sums of its market as they are once the wanted order is among them. */
export function withWanted(sums: LiveSums, view: RiskView): LiveSums {
  const { buys, sells, highestBuy, highestSell } = sums;
  const { side, amount } = view.order;
  const price = highestPrice(view) ?? 0n;
  return side === 'buy'
    ? { buys: buys + amount, sells, highestBuy: price > highestBuy ? price : highestBuy, highestSell }
    : { buys, sells: sells + amount, highestBuy, highestSell: price > highestSell ? price : highestSell };
}

function addLive(tally: Tally, order: OrderRecord, orders: readonly OrderRecord[]): void {
  const amount = openRest(order);
  if (amount === 0n || (order.pairKey !== null && !countsForPair(order, orders))) return;
  const price = order.price ?? order.stopPrice ?? 0n;
  if (order.side === 'buy') {
    tally.buys += amount;
    if (price > tally.highestBuy) tally.highestBuy = price;
  } else {
    tally.sells += amount;
    if (price > tally.highestSell) tally.highestSell = price;
  }
}
