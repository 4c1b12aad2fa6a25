import type { OrderRecord } from '../order-record.ts';
import { mayTrade } from '../order-record.ts';
import type { RiskCheck } from './risk-check.ts';

const isCounted = (order: OrderRecord): boolean => order.state === 'planned' || mayTrade(order);

/** How many orders are planned or may still trade: of the strategy, and of the whole bot. Cancels make room as soon as the exchange confirms them. */
export const checkOpenOrders: RiskCheck = ({ order, liveOrders }, limits) => {
  const { maxOpenOrdersPerStrategy, maxOpenOrdersInAll } = limits;
  // Fewer in all than either allows: none needs to be looked at.
  if (liveOrders.length < Math.min(maxOpenOrdersPerStrategy ?? Infinity, maxOpenOrdersInAll ?? Infinity)) return null;
  let open = 0;
  let own = 0;
  for (const live of liveOrders) {
    if (!isCounted(live)) continue;
    open += 1;
    if (live.strategy === order.strategy) own += 1;
  }
  if (maxOpenOrdersPerStrategy !== null && own >= maxOpenOrdersPerStrategy) {
    return refusal(`strategy ${order.strategy} has ${own} open orders`, { open: own, limit: maxOpenOrdersPerStrategy });
  }
  if (maxOpenOrdersInAll !== null && open >= maxOpenOrdersInAll) {
    return refusal(`the bot has ${open} open orders`, { open, limit: maxOpenOrdersInAll });
  }
  return null;
};

function refusal(what: string, numbers: { readonly open: number; readonly limit: number }): ReturnType<RiskCheck> {
  return {
    check: 'open-orders',
    reason: `${what} and one more would exceed the limit of ${numbers.limit}`,
    numbers,
  };
}
