import { HOUR_MS, MINUTE_MS } from '../../domain/time-text.ts';
import { divideDown, divideUp, formatUnits, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import { highestPrice } from '../live-exposure.ts';
import type { RiskLimits } from '../risk-limits.ts';
import {
  checkMarketExposure,
  checkPositionSize,
  checkSelfCrossing,
  checkTotalExposure,
} from './exposure-checks.ts';
import { checkDailyLoss, checkDrawdown, checkLossCooldown } from './pnl-checks.ts';
import {
  BPS_OF_ALL,
  amountText,
  quoteText,
  standstillText,
  type LateBook,
  type Objection,
  type RiskCheck,
  type RiskRefusal,
  type RiskView,
  type SeenBook,
  type WantedOrder,
} from './risk-view.ts';

/** Checks the amount of one order, in the base currency. A larger exit can be placed in parts. */
export const checkOrderSize: RiskCheck = ({ order }, { maxOrderAmount }) => {
  const limit = maxOrderAmount?.[order.market.base];
  if (limit === undefined || order.amount <= limit) return null;
  const { market, amount } = order;
  return {
    reason: sentence('risk-order-size', {
      amount: amountText(amount, market),
      limit: amountText(limit, market),
    }),
    numbers: { amount: formatUnits(amount), limit: formatUnits(limit) },
  };
};

/**
 * Checks the value of one order, rounded up, before fees, at the highest price at which it may trade. Without
 * a price the order is refused: a limit that cannot be checked does not hold. A larger exit can be placed in
 * parts.
 */
export const checkOrderValue: RiskCheck = (view, { maxOrderValue }) => {
  const { market, amount } = view.order;
  const limit = maxOrderValue?.[market.quote] ?? null;
  if (limit === null) return null;
  const price = highestPrice(view);
  if (price === null) {
    return {
      reason: sentence('risk-order-unpriced', {
        amount: amountText(amount, market),
        limit: quoteText(limit, market.quote),
      }),
      numbers: { amount: formatUnits(amount), price: null, value: null, limit: formatUnits(limit) },
    };
  }
  if (amount * price <= limit * UNITS_PER_ONE) return null;
  const value = divideUp(amount * price, UNITS_PER_ONE);
  return {
    reason: sentence('risk-order-value', {
      amount: amountText(amount, market),
      price: quoteText(price, market.quote),
      value: quoteText(value, market.quote),
      limit: quoteText(limit, market.quote),
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
 * Returns the limit if it is used up, and the time until it allows another order, in ms. The times rise, so
 * it is used up if the time that many places from the end is within the span.
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
  // With fewer live orders than either limit allows, none has to be read.
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
 * Checks the age of the last book of the order's market: since it was read, and by the exchange's time if it
 * gives one. A book that was never read is too old for any limit. A time ahead of ours counts as now. A book
 * at a standstill is refused only if something shows that the market went on: a quiet market is open.
 *
 * If bars replace books, as in a backtest on them, the newest bar is fresh until the next one is due to
 * close, and ages from then on: in a gap of the data orders are refused, as they are while no book comes.
 *
 * A strategy with a book of another venue waits while that one is too old, by the strategy's own longest age.
 */
export const checkDataAge: RiskCheck = (view, limits) => {
  const { order, book, nowMs, standstill } = view;
  const { maxBookAgeMs, maxBookVenueAgeMs, maxStandstillMs } = limits;
  const { symbol } = order.market;
  if (view.late !== null) return lateObjection(view.late);
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

function lateObjection({ market, ageMs, limitMs }: LateBook): Objection {
  return {
    reason:
      ageMs === null
        ? sentence('risk-book-unread', { market, limit: limitMs })
        : sentence('risk-book-old', { market, age: ageMs, limit: limitMs }),
    numbers: { ageMs, limitMs },
  };
}

/** Checks the age of a bar as `checkDataAge` does for a book: it is the delay of the next bar. */
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
 * Checks the distance of the order's price from the last seen book. A purchase may not pay more than the best
 * ask plus the collar, a sale may not accept less than the best bid minus the collar; if a side is empty, the
 * other side's best price is used. A stop is measured from its stop price if the market has not reached it
 * yet, since that is the book it will meet. With a passive collar an order may not wait far from the book
 * either. An order at any price needs somebody on the other side. Without a book every order is refused.
 * Exits are checked too, as a slip costs as much on an exit.
 */
export const checkPriceCollar: RiskCheck = (view, limits) => {
  const { order, book } = view;
  if (limits.collarBps === null && limits.passiveCollarBps === null) return null;
  const best = book === null ? null : bestPrices(order, book);
  if (best === null) {
    return objection(sentence('risk-no-book', { market: order.market.symbol }), {});
  }
  if (order.execution === 'market' && best.opposite === null) {
    const side = order.side === 'buy' ? 'sells' : 'buys';
    return objection(sentence('risk-nobody', { side, market: order.market.symbol }), {});
  }
  const opposite = best.opposite ?? best.own;
  const waitsFor = order.stopPrice === null ? best.own : opposite;
  return beyondBest(view, limits, opposite) ?? tooFarAway(view, limits, waitsFor);
};

interface BestPrices {
  readonly own: Units;
  readonly opposite: Units | null;
}

function bestPrices({ side }: WantedOrder, { bestBid, bestAsk }: SeenBook): BestPrices | null {
  const [same, opposite] = side === 'buy' ? [bestBid, bestAsk] : [bestAsk, bestBid];
  const own = same ?? opposite;
  return own === null ? null : { own, opposite };
}

/** Refuses a price that is worse for us than the best price of the other side by more than the collar. */
function beyondBest({ order }: RiskView, { collarBps }: RiskLimits, best: Units): Objection | null {
  const { side, price, stopPrice } = order;
  if (collarBps === null || price === null) return null;
  const isBuy = side === 'buy';
  const isAhead = stopPrice !== null && (isBuy ? stopPrice > best : stopPrice < best);
  const from = isAhead ? stopPrice : best;
  const edge = from * (isBuy ? BPS_OF_ALL + BigInt(collarBps) : BPS_OF_ALL - BigInt(collarBps));
  if (isBuy ? price * BPS_OF_ALL <= edge : price * BPS_OF_ALL >= edge) return null;
  const what = isAhead ? 'the stop price' : 'the best price';
  return objection(
    sentence(isBuy ? 'risk-collar-above' : 'risk-collar-below', {
      price: quoteText(price, order.market.quote),
      bps: collarBps,
      what,
      from: quoteText(from, order.market.quote),
    }),
    { price, from, edge: divideDown(edge, BPS_OF_ALL), bps: collarBps },
  );
}

/**
 * Refuses an order that waits too far from the book. A limit price is measured from its own side, a stop
 * price from the side that it waits for.
 */
function tooFarAway({ order }: RiskView, { passiveCollarBps }: RiskLimits, best: Units): Objection | null {
  const { side, price, stopPrice, market } = order;
  const waitsAt = stopPrice ?? price;
  if (passiveCollarBps === null || waitsAt === null || order.execution === 'market') return null;
  const waitsAbove = (side === 'sell') === (stopPrice === null);
  const bps = BigInt(passiveCollarBps);
  const edge = best * (waitsAbove ? BPS_OF_ALL + bps : BPS_OF_ALL - bps);
  if (waitsAbove ? waitsAt * BPS_OF_ALL <= edge : waitsAt * BPS_OF_ALL >= edge) return null;
  return objection(
    sentence('risk-passive-collar', {
      price: quoteText(waitsAt, market.quote),
      bps: passiveCollarBps,
      direction: waitsAbove ? 'above' : 'below',
      best: quoteText(best, market.quote),
    }),
    { price: waitsAt, from: best, edge: divideDown(edge, BPS_OF_ALL), bps: passiveCollarBps },
  );
}

function objection(reason: Sentence, numbers: Readonly<Record<string, bigint | number>>): Objection {
  return {
    reason,
    numbers: Object.fromEntries(
      Object.entries(numbers).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? formatUnits(value) : value,
      ]),
    ),
  };
}

interface NamedCheck {
  readonly name: string;
  readonly check: RiskCheck;
  /**
   * True if the exit of a bracket skips the check. It sells no more than its entry bought, which was checked,
   * and a guard against errors of a strategy must not leave a position without its stop. Other live orders of
   * the strategy may sell the same coins, but the last checks add all of them up.
   */
  readonly allowsExits?: true;
}

/**
 * All checks in the order in which they run, by the names in refusals; the first one that refuses is
 * reported.
 */
export const RISK_CHECKS: readonly NamedCheck[] = [
  // Checks whose refusal makes the numbers of the other checks worthless.
  { name: 'data-age', check: checkDataAge, allowsExits: true },
  // Errors in the order itself.
  { name: 'order-size', check: checkOrderSize, allowsExits: true },
  { name: 'price-collar', check: checkPriceCollar },
  { name: 'order-value', check: checkOrderValue, allowsExits: true },
  // Rates and counts.
  { name: 'order-rate', check: checkOrderRate, allowsExits: true },
  { name: 'open-orders', check: checkOpenOrders, allowsExits: true },
  // Losses so far.
  { name: 'daily-loss', check: checkDailyLoss },
  { name: 'drawdown', check: checkDrawdown },
  { name: 'loss-cooldown', check: checkLossCooldown },
  // Checks that add up orders.
  { name: 'self-crossing', check: checkSelfCrossing },
  { name: 'position-size', check: checkPositionSize },
  { name: 'market-exposure', check: checkMarketExposure },
  { name: 'total-exposure', check: checkTotalExposure },
];

/**
 * Proof that an order passed every check. Only its type is exported, so that nothing but `checkRisk` makes
 * one. The private mark keeps a copy with another order from being accepted.
 */
class Approved<T> {
  readonly value: T;
  readonly #isApproved = true;

  constructor(value: T) {
    this.value = value;
  }

  get isApproved(): true {
    return this.#isApproved;
  }
}

/**
 * An order that passed every check. Code that plans orders takes this type, so that an unchecked order does
 * not compile.
 */
export type RiskApproved<T> = Approved<T>;

type RiskOutcome =
  | { readonly ok: true; readonly order: RiskApproved<WantedOrder> }
  | { readonly ok: false; readonly refusal: RiskRefusal };

/**
 * Runs every check on the requested order of the view. Each leg of an OCO is checked by itself, with a view
 * in which the other leg is not live: only one of them trades. Throws nothing for limits that
 * `createRiskLimits` made.
 */
export function checkRisk(view: RiskView, limits: RiskLimits): RiskOutcome {
  for (const { name, check, allowsExits } of RISK_CHECKS) {
    if (view.order.isExit && allowsExits === true) continue;
    const refusal = check(view, limits);
    if (refusal !== null) return { ok: false, refusal: { check: name, ...refusal } };
  }
  return { ok: true, order: new Approved(view.order) };
}
