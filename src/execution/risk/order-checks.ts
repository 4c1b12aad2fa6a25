import { formatUnits, UNITS_PER_ONE } from '../../domain/money.ts';
import { divideUp } from '../../domain/rounding.ts';
import { mayTrade, type OrderRecord } from '../order-record.ts';
import { highestPrice } from './live-exposure.ts';
import { sayAmount, sayValue, type Objection, type RiskCheck } from './risk-view.ts';

/** The amount of one order, in the source currency. A way out that is larger can be taken in parts. */
export const checkOrderSize: RiskCheck = ({ order }, { maxOrderAmount }) => {
  const limit = maxOrderAmount?.[order.market.base];
  if (limit === undefined || order.amount <= limit) return null;
  const { market, amount } = order;
  return {
    reason: `the order of ${sayAmount(amount, market)} is above the limit of ${sayAmount(limit, market)} for one order`,
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
      reason: `the order of ${sayAmount(amount, market)} has no price, and the book has none to value it with; one order may have at most ${sayValue(limit, market.quote)}`,
      numbers: { amount: formatUnits(amount), price: null, value: null, limit: formatUnits(limit) },
    };
  }
  if (amount * price <= limit * UNITS_PER_ONE) return null;
  const value = divideUp(amount * price, UNITS_PER_ONE);
  return {
    reason: `the order of ${sayAmount(amount, market)} at ${sayValue(price, market.quote)} has a value of ${sayValue(value, market.quote)}, above the limit of ${sayValue(limit, market.quote)} for one order`,
    numbers: {
      amount: formatUnits(amount),
      price: formatUnits(price),
      value: formatUnits(value),
      limit: formatUnits(limit),
    },
  };
};

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * How many orders the strategy has planned within the last 60 seconds and 60 minutes. What was planned
 * exactly that long ago is out of it.
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
  const next = nextAtMs === null ? '' : `; the next may follow in ${nextAtMs} ms`;
  return {
    reason: `the limit is ${limit} orders within ${span}, and it is used up${next}`,
    numbers: { limit, waitMs: nextAtMs },
  };
}

const isCounted = (order: OrderRecord): boolean => order.state === 'planned' || mayTrade(order);

/**
 * How many orders are planned or may still trade: of the strategy, and of the whole bot. Cancels make room as
 * soon as the exchange confirms them.
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
    return countObjection(`strategy ${order.strategy} has ${own} open orders`, {
      open: own,
      limit: maxOpenOrdersPerStrategy,
    });
  }
  if (maxOpenOrdersInAll !== null && open >= maxOpenOrdersInAll) {
    return countObjection(`the bot has ${open} open orders`, { open, limit: maxOpenOrdersInAll });
  }
  return null;
};

function countObjection(what: string, numbers: { readonly open: number; readonly limit: number }): Objection {
  return {
    reason: `${what} and one more would exceed the limit of ${numbers.limit}`,
    numbers,
  };
}
