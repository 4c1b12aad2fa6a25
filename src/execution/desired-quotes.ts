import type { Amount, Price } from '../domain/money.ts';
import type { Side } from '../domain/order.ts';
import { isLive, type OwnOrder } from './own-order.ts';

/** A quote on the market's grid. */
export interface FittedQuote {
  readonly side: Side;
  readonly price: Price;
  readonly amount: Amount;
}

/**
 * What has to change so that the wanted quotes rest: an order whose side and price are wanted stays in its queue place, whatever is left of it;
 * of the others the open ones are canceled, and what is missing is placed. Nothing is placed on a side where an order is still to go: its
 * cancel may fail, and then both would rest.
 */
export function changesFor(
  resting: readonly OwnOrder[],
  wanted: readonly FittedQuote[],
): { readonly cancel: readonly OwnOrder[]; readonly place: readonly FittedQuote[] } {
  const missing = [...wanted];
  const cancel: OwnOrder[] = [];
  const leaving = new Set<Side>();
  for (const order of resting) {
    if (!isLive(order) || order.execution !== 'limit') continue;
    const match = missing.findIndex((quote) => quote.side === order.side && quote.price === order.price);
    if (match !== -1 && !order.isCancelling) missing.splice(match, 1);
    else {
      leaving.add(order.side);
      if (order.stage === 'open' && !order.isCancelling) cancel.push(order);
    }
  }
  return { cancel, place: missing.filter((quote) => !leaving.has(quote.side)) };
}
