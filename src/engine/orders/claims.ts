import type { Market } from '../../domain/market.ts';
import type { MarketNames } from '../../domain/market-symbol.ts';
import { multiplyUnits, NO_UNITS, type Units, divideDown, divideUp } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import type { OrderRecord } from '../../records/order.ts';
import { openRest } from '../live-exposure.ts';

/** An order that takes any price fills no worse than one percent beyond its reference price. */
const WORST_NUMERATOR = 101n;
const WORST_DENOMINATOR = 100n;

/** Data for calculating the claims of orders. */
interface ClaimTerms {
  readonly marketNames: MarketNames;
  /** Null for a market that is not followed. */
  readonly marketOf: (market: string) => Market | null;
}

/**
 * The worst price that an order without a bound may pay, from the price that it refers to: on a step that is
 * not further. Without a known step it is rounded up.
 */
export function worstPrice(reference: Units, priceStep: Units | null): Units {
  const edge = reference * WORST_NUMERATOR;
  if (priceStep === null) return divideUp(edge, WORST_DENOMINATOR) as Units;
  const onStep = divideDown(edge, WORST_DENOMINATOR * priceStep) * priceStep;
  return onStep > reference ? (onStep as Units) : reference;
}

/**
 * Returns the cost of an amount at a price, as the exchange holds it: rounded up. A sale pays with the
 * amount.
 */
export function paymentFor(side: Side, amount: Units, price: Units): Units {
  return side === 'sell' ? amount : multiplyUnits(amount, price, divideUp);
}

/**
 * Returns the amount an order may still take from the account: all that is not among the fills yet, at the
 * worst price. An order of unknown outcome counts whole. Null if unknown: a market order without any price.
 */
function restOf(order: OrderRecord, { marketOf }: ClaimTerms): Units | null {
  const rest = openRest(order);
  if (rest === 0n || order.side === 'sell') return rest;
  const { price, stopPrice, execution } = order;
  const reference = price ?? stopPrice;
  if (reference === null) return null;
  const isBound = execution === 'limit' || execution === 'stop_limit';
  const market = marketOf(order.market);
  // Totals are rounded half-even: where steps make no whole units, a further part can cost one unit more.
  const spare = market !== null && market.exactStepProduct === null && order.filled > 0n ? 1n : 0n;
  const worst = isBound ? reference : worstPrice(reference, market?.priceStep ?? null);
  return (paymentFor('buy', rest, worst) + spare) as Units;
}

/** Returns the currency an order pays with. */
function paysWith(order: Pick<OrderRecord, 'market' | 'side'>, marketNames: MarketNames): string {
  const { base, quote } = marketNames.parseMarket(order.market);
  return order.side === 'buy' ? quote : base;
}

/**
 * Returns the amount of an asset that live orders may still take, by strategy. Of the two legs of an OCO, of
 * which one trades, the more expensive counts. Null for a strategy whose amount is unknown.
 */
export function claimsOn(
  asset: string,
  orders: readonly OrderRecord[],
  terms: ClaimTerms,
): ReadonlyMap<string, Units | null> {
  const claims = new Map<string, Units | null>();
  for (const order of orders) {
    if (paysWith(order, terms.marketNames) !== asset) continue;
    const rest = restOf(order, terms);
    if (rest === 0n || !isDearer(order, rest, { orders, terms })) continue;
    const before = claims.get(order.strategy);
    claims.set(
      order.strategy,
      rest === null || before === null ? null : (((before ?? NO_UNITS) + rest) as Units),
    );
  }
  return claims;
}

/** True if an order counts for its pair; if both take the same, the first by key counts. */
function isDearer(
  order: OrderRecord,
  rest: Units | null,
  { orders, terms }: { readonly orders: readonly OrderRecord[]; readonly terms: ClaimTerms },
): boolean {
  if (order.pairKey === null || rest === null) return true;
  const other = orders.find(({ key }) => key === order.pairKey);
  const others = other === undefined ? NO_UNITS : restOf(other, terms);
  if (other === undefined || others === null) return true;
  return rest > others || (rest === others && order.key < other.key);
}
