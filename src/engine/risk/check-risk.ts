import {
  checkDataAge,
  checkOpenOrders,
  checkOrderRate,
  checkOrderSize,
  checkOrderValue,
  checkSelfCrossing,
} from './order-checks.ts';
import { checkMarketExposure, checkPositionSize, checkTotalExposure } from './exposure-checks.ts';
import { checkDailyLoss, checkDrawdown, checkLossCooldown } from './pnl-checks.ts';
import type { RiskLimits } from '../risk-limits.ts';
import {
  type RiskCheck,
  type RiskRefusal,
  type RiskView,
  type WantedOrder,
  sayValue,
  type Objection,
  type SeenBook,
} from './risk-view.ts';
import { formatUnits, type Units, divideDown } from '../../domain/money.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';

const BPS_OF_ALL = 10_000n;

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

/** Worse for us than the best price of the other side by more than the collar. */
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
      price: sayValue(price, order.market.quote),
      bps: collarBps,
      what,
      from: sayValue(from, order.market.quote),
    }),
    { price, from, edge: divideDown(edge, BPS_OF_ALL), bps: collarBps },
  );
}

/**
 * Further from the book than it may wait: the price of a limit order from its own side, a stop price from the
 * side it waits for.
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
      price: sayValue(waitsAt, market.quote),
      bps: passiveCollarBps,
      direction: waitsAbove ? 'above' : 'below',
      best: sayValue(best, market.quote),
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

/**
 * Every check by the name that a refusal says, in the order in which they are asked; the first that refuses
 * is the one that is reported.
 */
export const RISK_CHECKS: ReadonlyMap<string, RiskCheck> = new Map([
  // Checks whose refusal makes the numbers of the other checks worthless.
  ['data-age', checkDataAge],
  // Slips of the order itself.
  ['order-size', checkOrderSize],
  ['price-collar', checkPriceCollar],
  ['order-value', checkOrderValue],
  // Rates and counts.
  ['order-rate', checkOrderRate],
  ['open-orders', checkOpenOrders],
  // Losses so far.
  ['daily-loss', checkDailyLoss],
  ['drawdown', checkDrawdown],
  ['loss-cooldown', checkLossCooldown],
  // Checks that add up orders.
  ['self-crossing', checkSelfCrossing],
  ['position-size', checkPositionSize],
  ['market-exposure', checkMarketExposure],
  ['total-exposure', checkTotalExposure],
]);

/**
 * Not asked about the exit of a bracket. It sells no more than its entry bought, which was asked about: what
 * guards against slips of a strategy must not leave a position without its stop. Other live orders of the
 * strategy, which may sell the same coins, do not change that: what they add up to is asked about below.
 */
const NOT_OF_EXITS: ReadonlySet<string> = new Set([
  'data-age',
  'order-size',
  'order-value',
  'order-rate',
  'open-orders',
]);

/** The same as a list: a map would make a pair of each at every order. */
const IN_ORDER = [...RISK_CHECKS].map(([name, check]) => ({ name, check }));

/**
 * Only its type is exported, so that nothing but `checkRisk` makes one. The private mark also keeps a copy
 * with another order from passing for it.
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
 * An order that every check has let pass. What plans orders takes this, so an unchecked order does not
 * compile.
 */
export type RiskApproved<T> = Approved<T>;

type RiskVerdict =
  | { readonly ok: true; readonly order: RiskApproved<WantedOrder> }
  | { readonly ok: false; readonly refusal: RiskRefusal };

/**
 * Asks every check about the wanted order of the view. Each leg of an OCO is asked about by itself, with a
 * view in which the other leg is not live: only one of them trades. Throws nothing for limits that
 * `createRiskLimits` made.
 */
export function checkRisk(view: RiskView, limits: RiskLimits): RiskVerdict {
  for (const { name, check } of IN_ORDER) {
    if (view.order.isExit && NOT_OF_EXITS.has(name)) continue;
    const refusal = check(view, limits);
    if (refusal !== null) return { ok: false, refusal: { check: name, ...refusal } };
  }
  return { ok: true, order: new Approved(view.order) };
}
