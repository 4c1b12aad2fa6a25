import { HOUR_MS, MINUTE_MS } from '../../domain/durations.ts';
import { formatUnits, UNITS_PER_ONE } from '../../domain/money.ts';
import { divideUp } from '../../domain/rounding.ts';
import { sentence } from '../../language/sentence.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import { highestPrice } from '../live-exposure.ts';
import { sayAmount, sayValue, type Objection, type RiskCheck } from './risk-view.ts';

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
