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
 * Returns the amount an order may still add to the position from our fills, in units of the source currency:
 * all that is not among the fills yet. An order of unknown outcome counts whole; a closed one counts with the
 * fills still to be read.
 */
export function openRest(order: OrderRecord): Units {
  if (isFinal(order)) return NO_UNITS;
  const most = order.state === 'settling' ? order.matched : order.amount;
  return most > order.filled ? subtractUnits(most, order.filled) : NO_UNITS;
}

/**
 * The most of an asset that a strategy's live orders may still buy or sell, in units of it. An OCO counts
 * once. A purchase sells its quote currency, and a sale buys it, at the price that the order names.
 * Null where nobody knows: a market order that names no price may trade any amount of the quote currency.
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

/** The price that an order names; null of a market order that was placed before any price was known. */
function namedPrice({ price, stopPrice }: OrderRecord): Units | null {
  return price ?? stopPrice;
}

/**
 * Of the two legs of an OCO only one trades: the one with the greater rest counts, of equal ones the first by
 * key.
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
 * amount held, or a purchase of at most the amount owed, over all its markets, less what its live orders may
 * still sell or buy of the coin anywhere. No check of the amount at risk refuses such an order, because an
 * exit must always be possible.
 */
export function onlyReduces({ order, position, liveOrders, marketNames }: RiskView): boolean {
  const { side, strategy, amount } = order;
  const room = side === 'sell' ? position : 0n - position;
  // Most orders that are no way out end here, before any order is looked at.
  if (amount > room) return false;
  const live = liveAmount(liveOrders, { asset: order.market.base, side, strategy, marketNames });
  return live !== null && amount + live <= room;
}

/**
 * Amounts that the live orders of one market, of all strategies, may still trade: amounts in the source
 * currency, prices in the quote currency, in units.
 */
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
 * Position in a market, in units of its source currency, and its last price in units of the quote currency;
 * null before the first.
 */
export interface HeldPosition {
  readonly position: Units;
  readonly price: Units | null;
}

/**
 * The value held in a market once all buys have traded and no sell has, at twenty decimals of the quote
 * currency, so that nothing is rounded; zero where it would still be short. Everything counts at the last
 * price, or at the highest that one of the buys may pay where that is higher. Null where there is no price.
 */
export function worstLong({ position, price }: HeldPosition, { buys, highestBuy }: LiveSums): bigint | null {
  const last = price ?? 0n;
  return valueOf(position + buys, highestBuy > last ? highestBuy : last);
}

/**
 * The value owed once all sells have traded and no buy has, at the last price, or before the first at the
 * highest that one of the sells names.
 */
export function worstShort(
  { position, price }: HeldPosition,
  { sells, highestSell }: LiveSums,
): bigint | null {
  return valueOf(sells - position, price ?? highestSell);
}

/** The greater of both: what may come to be at risk in the market. */
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
 * The highest price at which an order may trade as far as is known, in units of the quote currency: what its
 * value is worked out with. A purchase pays no more than its own price, a stop without a bound no more than
 * about its stop price, and an order that takes any price about the best ask. A sale gets at least its own
 * price, and the best bid where that is higher. Null where neither the order nor the book names a price.
 */
export function highestPrice({ order, book }: RiskView): Units | null {
  const own = order.price ?? order.stopPrice;
  if (order.side === 'buy') return own ?? book?.bestAsk ?? null;
  const bid = book?.bestBid ?? null;
  if (own === null) return bid;
  return bid !== null && bid > own ? bid : own;
}
