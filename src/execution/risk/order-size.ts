import { formatUnits } from '../../domain/money.ts';
import type { RiskCheck } from './risk-check.ts';
import { sayAmount } from './say-units.ts';

/** The amount of one order, in the source currency. A way out that is larger can be taken in parts. */
export const checkOrderSize: RiskCheck = ({ order }, { maxOrderAmount }) => {
  const limit = maxOrderAmount?.[order.market.base];
  if (limit === undefined || order.amount <= limit) return null;
  const { market, amount } = order;
  return {
    check: 'order-size',
    reason: `the order of ${sayAmount(amount, market)} is above the limit of ${sayAmount(limit, market)} for one order`,
    numbers: { amount: formatUnits(amount), limit: formatUnits(limit) },
  };
};
