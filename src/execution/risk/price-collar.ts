import { formatUnits, type Units } from '../../domain/money.ts';
import { divideDown } from '../../domain/rounding.ts';
import { sentence } from '../../language/sentences/sentence.ts';
import type { RiskLimits } from './risk-limits.ts';
import {
  sayValue,
  type Objection,
  type RiskCheck,
  type RiskView,
  type SeenBook,
  type WantedOrder,
} from './risk-view.ts';

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

function objection(reason: string, numbers: Readonly<Record<string, bigint | number>>): Objection {
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
