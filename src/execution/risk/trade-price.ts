import type { Units } from '../../domain/money.ts';
import type { RiskView } from './risk-view.ts';

/**
 * The highest price at which an order may trade as far as is known, in units of the quote currency: what its value is worked out with. A purchase
 * pays no more than its own price, a stop without a bound no more than about its stop price, and an order that takes any price about the best ask. A
 * sale gets at least its own price, and the best bid where that is higher. Null where neither the order nor the book names a price.
 */
export function highestPrice({ order, book }: RiskView): Units | null {
  const own = order.price ?? order.stopPrice;
  if (order.side === 'buy') return own ?? book?.bestAsk ?? null;
  const bid = book?.bestBid ?? null;
  if (own === null) return bid;
  return bid !== null && bid > own ? bid : own;
}
