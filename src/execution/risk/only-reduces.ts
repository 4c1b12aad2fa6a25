import { liveAmount } from './live-amounts.ts';
import type { RiskView } from './risk-view.ts';

/**
 * Whether an order can do nothing but bring the strategy's position in the coin nearer to zero: a sale of at most what it holds, or a purchase of at most
 * what it owes, over all its markets, less what its live orders may still sell or buy of the coin anywhere. Such an order passes every check on how much is at
 * risk, because one must always be able to get out.
 */
export function onlyReduces({ order, position, liveOrders }: RiskView): boolean {
  const { side, strategy, amount } = order;
  const room = side === 'sell' ? position : 0n - position;
  // Most orders that are no way out end here, before any order is looked at.
  if (amount > room) return false;
  return amount + liveAmount(liveOrders, { asset: order.market.base, side, strategy }) <= room;
}
