import { unitsOf, type Units } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import type { OrderRecord } from '../order-record.ts';
import type { AlgorithmView } from './algorithm-step.ts';

/**
 * The best price of a side without an own order: a level at its price counts only if it holds more than is
 * left of it. Null where nobody else is there. Without a book, where closes of bars are the price, the own
 * order is not in it.
 */
export function bestOfOthers(
  { book, levels }: Pick<AlgorithmView, 'book' | 'levels'>,
  side: Side,
  own: OrderRecord | null,
): Units | null {
  if (levels === null) return (side === 'buy' ? book?.bestBid : book?.bestAsk) ?? null;
  for (const [price, amount] of side === 'buy' ? levels.bids : levels.asks) {
    const units = unitsOf(price);
    const isOwn = own !== null && own.price === units && unitsOf(amount) <= own.amount - own.matched;
    if (!isOwn) return units;
  }
  return null;
}
