import { HOUR_MS, MINUTE_MS } from '../../domain/time-text.ts';
import { formatUnits, UNITS_PER_ONE, type Units, divideUp } from '../../domain/money.ts';
import { sentence } from '../../language/sentence.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import { highestPrice } from '../live-exposure.ts';
import {
  sayAmount,
  sayValue,
  type Objection,
  type RiskCheck,
  type SeenBook,
  type WantedOrder,
} from './risk-view.ts';
import { standstillText } from './market-standstill.ts';
import type { Execution, Side } from '../../domain/order.ts';

/** The amount of one order, in the source currency. A way out that is larger can be taken in parts. */
export const checkOrderSize: RiskCheck = ({ order }, { maxOrderAmount }) => {
  const limit = maxOrderAmount?.[order.market.base];
  if (limit === undefined || order.amount <= limit) return null;
  const { market, amount } = order;
  return {
    reason: sentence('risk-order-size', {
      amount: sayAmount(amount, market),
      limit: sayAmount(limit, market),
    }),
    numbers: { amount: formatUnits(amount), limit: formatUnits(limit) },
  };
};

/**
 * The value of one order, rounded up, before fees, at the highest price it may trade at. Where there is no
 * price to value it with, it is refused: a limit that can not be checked does not hold. A way out that is
 * larger can be taken in parts.
 */
export const checkOrderValue: RiskCheck = (view, { maxOrderValue }) => {
  const { market, amount } = view.order;
  const limit = maxOrderValue?.[market.quote] ?? null;
  if (limit === null) return null;
  const price = highestPrice(view);
  if (price === null) {
    return {
      reason: sentence('risk-order-unpriced', {
        amount: sayAmount(amount, market),
        limit: sayValue(limit, market.quote),
      }),
      numbers: { amount: formatUnits(amount), price: null, value: null, limit: formatUnits(limit) },
    };
  }
  if (amount * price <= limit * UNITS_PER_ONE) return null;
  const value = divideUp(amount * price, UNITS_PER_ONE);
  return {
    reason: sentence('risk-order-value', {
      amount: sayAmount(amount, market),
      price: sayValue(price, market.quote),
      value: sayValue(value, market.quote),
      limit: sayValue(limit, market.quote),
    }),
    numbers: {
      amount: formatUnits(amount),
      price: formatUnits(price),
      value: formatUnits(value),
      limit: formatUnits(limit),
    },
  };
};

/**
 * Checks the number of orders the strategy has planned within the last 60 seconds and 60 minutes. An order
 * planned exactly that long ago does not count.
 */
export const checkOrderRate: RiskCheck = (
  { plannedAtMs, nowMs },
  { maxOrdersPerMinute, maxOrdersPerHour },
) => {
  const perMinute = overRate(plannedAtMs, { limit: maxOrdersPerMinute, afterMs: nowMs - MINUTE_MS });
  if (perMinute !== null) return rateObjection('60 seconds', perMinute);
  const perHour = overRate(plannedAtMs, { limit: maxOrdersPerHour, afterMs: nowMs - HOUR_MS });
  return perHour === null ? null : rateObjection('60 minutes', perHour);
};

/**
 * The times rise, so the limit is used up exactly when the time that many places from the end is still within
 * the span.
 */
function overRate(
  timesMs: readonly number[],
  { limit, afterMs }: { readonly limit: number | null; readonly afterMs: number },
): { readonly limit: number; readonly nextAtMs: number | null } | null {
  if (limit === null) return null;
  if (limit === 0) return { limit, nextAtMs: null };
  const oldest = timesMs.at(-limit);
  return oldest === undefined || oldest <= afterMs ? null : { limit, nextAtMs: oldest - afterMs };
}

function rateObjection(
  span: string,
  { limit, nextAtMs }: { readonly limit: number; readonly nextAtMs: number | null },
): Objection {
  return {
    reason:
      nextAtMs === null
        ? sentence('risk-order-rate', { limit, span })
        : sentence('risk-order-rate-until', { limit, span, wait: nextAtMs }),
    numbers: { limit, waitMs: nextAtMs },
  };
}

const isCounted = (order: OrderRecord): boolean => order.state === 'planned' || mayTrade(order);

/**
 * Checks the number of orders that are planned or may still trade: of the strategy, and of the whole bot.
 * Cancels make room as soon as the exchange confirms them.
 */
export const checkOpenOrders: RiskCheck = ({ order, liveOrders }, limits) => {
  const { maxOpenOrdersPerStrategy, maxOpenOrdersInAll } = limits;
  // Fewer in all than either allows: none needs to be looked at.
  if (liveOrders.length < Math.min(maxOpenOrdersPerStrategy ?? Infinity, maxOpenOrdersInAll ?? Infinity))
    return null;
  let open = 0;
  let own = 0;
  for (const live of liveOrders) {
    if (!isCounted(live)) continue;
    open += 1;
    if (live.strategy === order.strategy) own += 1;
  }
  if (maxOpenOrdersPerStrategy !== null && own >= maxOpenOrdersPerStrategy) {
    return countObjection({ open: own, limit: maxOpenOrdersPerStrategy }, order.strategy);
  }
  if (maxOpenOrdersInAll !== null && open >= maxOpenOrdersInAll) {
    return countObjection({ open, limit: maxOpenOrdersInAll }, null);
  }
  return null;
};

function countObjection(
  numbers: { readonly open: number; readonly limit: number },
  strategy: string | null,
): Objection {
  return {
    reason:
      strategy === null
        ? sentence('risk-open-orders', numbers)
        : sentence('risk-open-orders-of', { strategy, ...numbers }),
    numbers,
  };
}

/**
 * The age of the last book of the order's market: since it was read, and by the exchange's own word where it
 * has one. A book that was never read is too old for any limit. A time ahead of ours counts as now. A book
 * that stands still is refused only where something shows that the market went on: a quiet market is open.
 *
 * Where bars come in place of books, as in a backtest on them, the newest is what can be known until the
 * next one is due to close, and ages from then on: in a gap of the data orders are refused as they are while
 * no book comes.
 */
export const checkDataAge: RiskCheck = (view, limits) => {
  const { order, book, nowMs, standstill } = view;
  const { maxBookAgeMs, maxBookVenueAgeMs, maxStandstillMs } = limits;
  const { symbol } = order.market;
  if (book === null) {
    const limit = maxBookAgeMs ?? maxBookVenueAgeMs;
    if (limit === null) return null;
    return {
      reason: sentence('risk-book-unread', { market: symbol, limit }),
      numbers: { ageMs: null, limitMs: limit },
    };
  }
  if (book.freshUntilMs !== null)
    return barAge(nowMs, book.freshUntilMs, { symbol, maxBookAgeMs, maxBookVenueAgeMs });
  const ageMs = nowMs - book.seenAtMs;
  if (maxBookAgeMs !== null && ageMs > maxBookAgeMs) {
    return {
      reason: sentence('risk-book-old', { market: symbol, age: ageMs, limit: maxBookAgeMs }),
      numbers: { ageMs, limitMs: maxBookAgeMs },
    };
  }
  if (maxStandstillMs !== null && standstill !== null && standstill.ageMs > maxStandstillMs) {
    return {
      reason: standstillText(standstill, maxStandstillMs),
      numbers: { standstillMs: standstill.ageMs, limitMs: maxStandstillMs },
    };
  }
  if (maxBookVenueAgeMs === null || book.venueAtMs === null) return null;
  const venueAgeMs = nowMs - book.venueAtMs;
  if (venueAgeMs <= maxBookVenueAgeMs) return null;
  return {
    reason: sentence('risk-book-old-there', { market: symbol, age: venueAgeMs, limit: maxBookVenueAgeMs }),
    numbers: { venueAgeMs, limitMs: maxBookVenueAgeMs },
  };
};

/** The same of a bar, by how long the next one is late. */
function barAge(
  nowMs: number,
  dueMs: number,
  of: {
    readonly symbol: string;
    readonly maxBookAgeMs: number | null;
    readonly maxBookVenueAgeMs: number | null;
  },
): Objection | null {
  const { symbol, maxBookAgeMs, maxBookVenueAgeMs } = of;
  const limitMs = Math.min(
    maxBookAgeMs ?? Number.POSITIVE_INFINITY,
    maxBookVenueAgeMs ?? Number.POSITIVE_INFINITY,
  );
  const ageMs = nowMs - dueMs;
  if (ageMs <= limitMs) return null;
  return {
    reason: sentence('risk-bar-late', { market: symbol, age: ageMs, limit: limitMs }),
    numbers: { ageMs, limitMs },
  };
}

/**
 * Checks that the order could not trade with a live or planned one of this bot on the other side of the
 * market, of any strategy. An order that is being canceled counts until its end is seen. Exits are checked
 * too: trading with oneself is no exit. Cancel the other order first.
 */
export const checkSelfCrossing: RiskCheck = (
  { order, book, liveOrders, working },
  { refuseSelfCrossing },
) => {
  if (!refuseSelfCrossing) return null;
  let own: Reach | null = null;
  for (const live of liveOrders) {
    if (live.side === order.side || live.market !== order.market.symbol) continue;
    if (live.state !== 'planned' && !mayTrade(live)) continue;
    own ??= reachOf(order, book, false);
    const other = reachOf(live, book, live.venueStatus !== null && working.includes(live.venueStatus));
    if (order.side === 'buy' ? canMeet(own, other) : canMeet(other, own)) return objection(order, live);
  }
  return null;
};

function objection({ side, market, amount, price }: WantedOrder, live: OrderRecord): Objection {
  const say = (at: WantedOrder['price']): string => (at === null ? 'any price' : sayValue(at, market.quote));
  const livePrice = live.price ?? live.stopPrice;
  return {
    reason: sentence('risk-self-crossing', {
      side,
      amount: sayAmount(amount, market),
      price: say(price),
      otherSide: live.side,
      other: live.key,
      strategy: live.strategy,
      otherPrice: say(livePrice),
    }),
    numbers: {
      price: price === null ? null : formatUnits(price),
      otherOrder: live.key,
      otherPrice: livePrice === null ? null : formatUnits(livePrice),
    },
  };
}

/** Fields that determine the prices of an order, planned or live. */
interface Reaching {
  readonly side: Side;
  readonly execution: Execution;
  readonly price: Units | null;
  readonly stopPrice: Units | null;
}

/** The prices at which an order may trade, in units of the quote currency. */
interface Reach {
  /** Its worst: it may trade at this and all better ones. Null: at any. */
  readonly price: bigint | null;
  /** The stop price of a stop that sleeps; null for every other order. */
  readonly asleepAt: bigint | null;
}

/**
 * The exchange keeps an order without a price within one percent of the market price; the book that we know
 * is older than its own.
 */
const MARKET_REACH_BPS = 200n;
const BPS_OF_ALL = 10_000n;

/**
 * Returns the reach of an order: to its own price; for a stop without one, to its stop price; without either,
 * to 200 bps beyond the best price on the other side, or to any price if there is none. `isWorking`: the
 * exchange reports it as working, so a stop has triggered.
 */
function reachOf(order: Reaching, book: SeenBook | null, isWorking: boolean): Reach {
  const { stopPrice } = order;
  const mayBeAwake = stopPrice === null || isWorking || isReached(order.side, stopPrice, book);
  return {
    price: order.price ?? stopPrice ?? marketReach(order.side, book),
    asleepAt: mayBeAwake ? null : stopPrice,
  };
}

/**
 * True if a buy and a sell can trade with each other: the buy's price is at or above the sell's, and while
 * one of them is an untriggered stop the other still rests when the market reaches that stop. A sell at a
 * stop of 85 never meets a buy at 99, which was filled on the way down.
 */
function canMeet(buy: Reach, sell: Reach): boolean {
  if (buy.price !== null && sell.price !== null && buy.price < sell.price) return false;
  if (sell.asleepAt !== null && buy.price !== null && buy.price > sell.asleepAt) return false;
  return buy.asleepAt === null || sell.price === null || sell.price >= buy.asleepAt;
}

function isReached(side: Side, stopPrice: Units, book: SeenBook | null): boolean {
  if (side === 'buy') return book === null || book.bestAsk === null || book.bestAsk >= stopPrice;
  return book === null || book.bestBid === null || book.bestBid <= stopPrice;
}

function marketReach(side: Side, book: SeenBook | null): bigint | null {
  const best = side === 'buy' ? book?.bestAsk : book?.bestBid;
  if (best === undefined || best === null) return null;
  return (
    (best * (side === 'buy' ? BPS_OF_ALL + MARKET_REACH_BPS : BPS_OF_ALL - MARKET_REACH_BPS)) / BPS_OF_ALL
  );
}
