import type { SimulatedOrder } from './order.ts';
import type { CancelOldOrders } from './requests.ts';

/**
 * Whether an order is one of those that a call to cancel old ones is about, whatever its status. There are no
 * margin orders.
 */
export function isChosenBy(filter: CancelOldOrders, order: SimulatedOrder): boolean {
  const { rules } = order.market;
  return (
    filter.tradeType !== 'margin' &&
    (filter.createdAtOrBeforeMs === null || order.createdAtMs <= filter.createdAtOrBeforeMs) &&
    (filter.execution === null || order.execution === filter.execution) &&
    (filter.base === null || rules.base === filter.base) &&
    (filter.quote === null || rules.quote === filter.quote)
  );
}
