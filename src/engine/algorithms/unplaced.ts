import { NO_UNITS, subtractUnits, type Units, divideUp } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { paymentFor } from '../orders/claims.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import { openRest } from '../live-exposure.ts';
import type { Algorithm } from './algorithms.ts';

/** Order that an algorithm may still place beyond its existing orders. */
export interface Unplaced extends Pick<OrderRecord, 'side' | 'amount' | 'price'> {
  /** Part of it that the order being replaced has already reserved, in the currency paid with. */
  readonly reserved: Units;
}

/**
 * Returns what an algorithm is certain to place later, without its live orders, which are counted separately;
 * null if nothing. Only what it was created for: a target and a set of quotes place everything at once, a
 * purchase of a DCA comes at its time, and an exit sells what its bracket has bought.
 */
export function unplacedOf(algorithm: Algorithm, orders: readonly OrderRecord[]): Unplaced | null {
  switch (algorithm.kind) {
    case 'twap':
    case 'vwap':
    case 'iceberg': {
      const { side, amount, price, tally } = algorithm;
      return some(side, amount - tally.filled - filledSince(tally.countedKey, orders), price);
    }
    case 'peg': {
      const { side, amount, bound, tally } = algorithm;
      return some(side, amount - tally.filled - filledSince(tally.countedKey, orders), bound);
    }
    case 'ladder':
      return rungsLeft(algorithm, orders);
    case 'expiring': {
      const { side, amount, price, stopPrice, isPlaced } = algorithm;
      return isPlaced ? null : some(side, amount, price ?? stopPrice);
    }
    case 'bracket': {
      const { entry } = algorithm.terms;
      if (entry === null || algorithm.entry !== 'planned') return null;
      return some('buy', entry.amount, entry.price);
    }
    case 'replace':
      return replacement(algorithm, orders);
    case 'quotes':
    case 'target':
    case 'dca':
    case 'targets':
      return null;
  }
}

function some(side: Side, amount: bigint, price: Units | null): Unplaced | null {
  return amount <= 0n ? null : { side, amount: amount as Units, price, reserved: NO_UNITS };
}

/** Returns the amount that orders not counted yet have filled or may still fill. */
function filledSince(countedKey: string | null, orders: readonly OrderRecord[]): bigint {
  const first = countedKey === null ? 0 : orders.findLastIndex(({ key }) => key === countedKey) + 1;
  return orders.slice(first).reduce((sum, order) => sum + order.filled + openRest(order), 0n);
}

/** Returns the rungs that are not placed yet as one order, at their average price. */
function rungsLeft(
  { side, rungs, nextRung, isAsked, keys }: Extract<Algorithm, { kind: 'ladder' }>,
  orders: readonly OrderRecord[],
): Unplaced | null {
  const isThere = isAsked && orders.some(({ key }) => !keys.includes(key));
  const left = rungs.slice(isThere ? nextRung + 1 : nextRung);
  const amount = left.reduce((sum, rung) => sum + rung.amount, 0n);
  if (amount === 0n) return null;
  const cost = left.reduce((sum, rung) => sum + rung.amount * rung.price, 0n);
  return some(side, amount, divideUp(cost, amount) as Units);
}

/** Returns the new order of a replacement and what the old one has reserved; null once it exists. */
function replacement(
  { replacedKey, side, price, amount }: Extract<Algorithm, { kind: 'replace' }>,
  orders: readonly OrderRecord[],
): Unplaced | null {
  if (orders.some(({ key }) => key !== replacedKey)) return null;
  const old = orders.find(({ key }) => key === replacedKey);
  if (old === undefined) return null;
  const rest = subtractUnits(amount, old.filled);
  if (isFinal(old) || rest <= 0n) return some(side, rest, price);
  const reserved = paymentFor(side, openRest(old), old.price ?? NO_UNITS);
  return { side, amount: rest, price, reserved };
}
