import type { MarketNames } from '../domain/market-symbol.ts';
import { addUnits, multiplyUnits, NO_UNITS, subtractUnits, type Units, divideUp } from '../domain/money.ts';
import type { Side } from '../domain/order.ts';
import { isFinal, type OrderRecord } from '../records/order.ts';
import type { RiskView } from './risk/risk-view.ts';

/** Filter of the orders to sum: those of one strategy that buy or sell a currency, in any market. */
interface LiveFilter {
  readonly asset: string;
  readonly side: Side;
  readonly strategy: string;
  readonly marketNames: MarketNames;
}

/**
 * Returns the amount that an order may still trade, in units of the base currency: all that its fills do not
 * have yet. An order of unknown outcome counts in full; a closed one with its missing fills.
 */
export function openRest(order: OrderRecord): Units {
  if (isFinal(order)) return NO_UNITS;
  const most = order.state === 'settling' ? order.matched : order.amount;
  return most > order.filled ? subtractUnits(most, order.filled) : NO_UNITS;
}

/**
 * Returns the most of an asset that a strategy's live orders may still buy or sell, in units. An OCO counts
 * once. A purchase of a coin counts as a sale of its quote currency, and a sale as a purchase, at the order's
 * price. Null if unknown: a market order without a price can trade any quote amount.
 */
export function liveAmount(
  orders: readonly OrderRecord[],
  { asset, side, strategy, marketNames }: LiveFilter,
): Units | null {
  let sum: Units = NO_UNITS;
  for (const order of orders) {
    if (order.strategy !== strategy) continue;
    const { base, quote } = marketNames.parseMarket(order.market);
    const isCoin = base === asset && order.side === side;
    const isMoney = quote === asset && order.side !== side;
    if ((!isCoin && !isMoney) || (order.pairKey !== null && !countsForPair(order, orders))) continue;
    const rest = openRest(order);
    if (isCoin) sum = addUnits(sum, rest);
    else if (rest > 0n) {
      const price = namedPrice(order);
      if (price === null) return null;
      sum = addUnits(sum, multiplyUnits(rest, price, divideUp));
    }
  }
  return sum;
}

/** Returns an order's own price; null for a market order placed before any price was known. */
function namedPrice({ price, stopPrice }: OrderRecord): Units | null {
  return price ?? stopPrice;
}

/**
 * True if an order counts for its OCO, of which only one leg trades: the leg with more left to trade, or, if
 * equal, the first by key.
 */
function countsForPair(order: OrderRecord, orders: readonly OrderRecord[]): boolean {
  const other = orders.find(({ key }) => key === order.pairKey);
  if (other === undefined) return true;
  const own = openRest(order);
  const others = openRest(other);
  return own > others || (own === others && order.key < other.key);
}

/**
 * True if an order can only bring the strategy's position in the coin nearer to zero: a sale of at most the
 * amount held, or a purchase of at most the amount owed, less what its live orders may still sell or buy of
 * the coin in any market. Such an exit must always be possible, so no check of the amount at risk refuses it.
 */
export function onlyReduces({ order, position, liveOrders, marketNames }: RiskView): boolean {
  const { side, strategy, amount } = order;
  const room = side === 'sell' ? position : 0n - position;
  // Most orders that are no exits end here, before the live orders are read.
  if (amount > room) return false;
  const live = liveAmount(liveOrders, { asset: order.market.base, side, strategy, marketNames });
  return live !== null && amount + live <= room;
}

/**
 * Sums of what the live orders of all strategies in one market may still trade: amounts in units of the base
 * currency, prices in units of the quote currency.
 */
export interface LiveSums {
  readonly buys: bigint;
  readonly sells: bigint;
  /** Highest price of any buy, and of any sell; zero if there is none. */
  readonly highestBuy: bigint;
  readonly highestSell: bigint;
}

export const NO_LIVE_ORDERS: LiveSums = { buys: 0n, sells: 0n, highestBuy: 0n, highestSell: 0n };

/** The sums of `LiveSums` while they are being added up. */
type Tally = { -readonly [Name in keyof LiveSums]: LiveSums[Name] };

export function sumLive(orders: readonly OrderRecord[], market: string): LiveSums {
  const tally: Tally = { buys: 0n, sells: 0n, highestBuy: 0n, highestSell: 0n };
  for (const order of orders) {
    if (order.market === market) addLive(tally, order, orders);
  }
  return tally;
}

/** Returns the sums of each market with live orders, by its symbol. */
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

/** Returns a market's sums including the order that is being checked. */
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
  const price = namedPrice(order);
  if (order.side === 'buy') {
    tally.buys += amount;
    if (price !== null && price > tally.highestBuy) tally.highestBuy = price;
  } else {
    tally.sells += amount;
    if (price !== null && price > tally.highestSell) tally.highestSell = price;
  }
}

/**
 * Position in a market, in units of the base currency, and its last price, in units of the quote currency;
 * null before the first price.
 */
export interface HeldPosition {
  readonly position: Units;
  readonly price: Units | null;
}

/**
 * Returns the value held if all buys trade and no sell does, in the quote currency at 20 decimals, so nothing
 * is rounded; zero if the position stays short. All counts at the last price, or at the highest price of a
 * buy if that is higher. Null without a price.
 */
export function worstLong({ position, price }: HeldPosition, { buys, highestBuy }: LiveSums): bigint | null {
  const last = price ?? 0n;
  return valueOf(position + buys, highestBuy > last ? highestBuy : last);
}

/**
 * Returns the value owed if all sells trade and no buy does, at the last price, or, before the first, at the
 * highest price of a sell. Null without a price.
 */
export function worstShort(
  { position, price }: HeldPosition,
  { sells, highestSell }: LiveSums,
): bigint | null {
  return valueOf(sells - position, price ?? highestSell);
}

/** Returns the larger of both values: the most that may be at risk in the market. Null if one is unknown. */
export function worstExposure(held: HeldPosition, sums: LiveSums): bigint | null {
  const long = worstLong(held, sums);
  const short = worstShort(held, sums);
  if (long === null || short === null) return null;
  return long > short ? long : short;
}

function valueOf(amount: bigint, price: bigint): bigint | null {
  if (amount <= 0n) return 0n;
  return price === 0n ? null : amount * price;
}

/**
 * Returns the highest price at which an order may trade, in units of the quote currency; its value is
 * calculated with it. For a purchase: its own price, else its stop price, else the best ask. For a sale: its
 * own price, or the best bid if that is higher. Null if neither the order nor the book has a price.
 */
export function highestPrice({ order, book }: RiskView): Units | null {
  const own = order.price ?? order.stopPrice;
  if (order.side === 'buy') return own ?? book?.bestAsk ?? null;
  const bid = book?.bestBid ?? null;
  if (own === null) return bid;
  return bid !== null && bid > own ? bid : own;
}
