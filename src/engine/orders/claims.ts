import type { Market } from '../../domain/market.ts';
import type { MarketNames } from '../../domain/market-symbol.ts';
import { multiplyUnits, NO_UNITS, type Units, divideDown, divideUp } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import type { OrderRecord } from '../../records/order.ts';
import { openRest } from '../live-exposure.ts';

/** An order without a price limit is assumed to fill at most one percent beyond its reference price. */
const WORST_NUMERATOR = 101n;
const WORST_DENOMINATOR = 100n;

/** Data for calculating the claims of orders. */
interface ClaimTerms {
  readonly marketNames: MarketNames;
  /** Returns a market's data; null if the bot does not follow the market. */
  readonly marketOf: (market: string) => Market | null;
}

/**
 * Returns the worst price that an order without a price limit may pay: one percent above the reference,
 * rounded down to a price step but not below the reference. Without a known step it is rounded up.
 */
export function worstPrice(reference: Units, priceStep: Units | null): Units {
  const edge = reference * WORST_NUMERATOR;
  if (priceStep === null) return divideUp(edge, WORST_DENOMINATOR) as Units;
  const onStep = divideDown(edge, WORST_DENOMINATOR * priceStep) * priceStep;
  return onStep > reference ? (onStep as Units) : reference;
}

/**
 * Returns what an order pays for an amount at a price, rounded up as the exchange does; a sale pays the
 * amount.
 */
export function paymentFor(side: Side, amount: Units, price: Units): Units {
  return side === 'sell' ? amount : multiplyUnits(amount, price, divideUp);
}

/**
 * Returns the amount that an order may still take from the account: all that is not filled yet, at the worst
 * price. An order of unknown outcome counts in full. Null for a market order without any price.
 */
function restOf(order: OrderRecord, { marketOf }: ClaimTerms): Units | null {
  const rest = openRest(order);
  if (rest === 0n || order.side === 'sell') return rest;
  const { price, stopPrice, execution } = order;
  const reference = price ?? stopPrice;
  if (reference === null) return null;
  const isBound = execution === 'limit' || execution === 'stop_limit';
  const market = marketOf(order.market);
  // Totals are rounded half-even. If steps give fractions of a unit, another fill can cost one unit more.
  const spare = market !== null && market.exactStepProduct === null && order.filled > 0n ? 1n : 0n;
  const worst = isBound ? reference : worstPrice(reference, market?.priceStep ?? null);
  return (paymentFor('buy', rest, worst) + spare) as Units;
}

/** Returns the currency that an order pays with. */
function paysWith(order: Pick<OrderRecord, 'market' | 'side'>, marketNames: MarketNames): string {
  const { base, quote } = marketNames.parseMarket(order.market);
  return order.side === 'buy' ? quote : base;
}

/**
 * Returns the amount of an asset that live orders may still take, by strategy. Of the two legs of an OCO only
 * the more expensive counts. The amount is null if it is unknown.
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

/** True if an order counts for its pair: it takes more than the other leg, or as much and is first by key. */
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
