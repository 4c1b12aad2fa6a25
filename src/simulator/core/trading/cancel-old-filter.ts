import type { SimulatedOrder } from './order.ts';
import type { CancelOldOrders } from './requests.ts';

/**
 * True if an order matches the filter of a call to cancel old ones, regardless of its status. There are no
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
