import { formatUnits, UNITS_PER_ONE } from '../../domain/money.ts';
import { divideUp } from '../../domain/rounding.ts';
import type { RiskCheck } from './risk-check.ts';
import { sayAmount, sayValue } from './say-units.ts';
import { highestPrice } from './trade-price.ts';

/**
 * The value of one order, rounded up, before fees, at the highest price it may trade at. Where there is no price to value it with, it is refused: a
 * limit that can not be checked does not hold. A way out that is larger can be taken in parts.
 */
export const checkOrderValue: RiskCheck = (view, { maxOrderValue }) => {
  const { market, amount } = view.order;
  const limit = maxOrderValue?.[market.quote] ?? null;
  if (limit === null) return null;
  const price = highestPrice(view);
  if (price === null) {
    return {
      check: 'order-value',
      reason: `the order of ${sayAmount(amount, market)} has no price and the book none to value it with, and one order may have at most ${sayValue(limit, market.quote)}`,
      numbers: { amount: formatUnits(amount), price: null, value: null, limit: formatUnits(limit) },
    };
  }
  if (amount * price <= limit * UNITS_PER_ONE) return null;
  const value = divideUp(amount * price, UNITS_PER_ONE);
  return {
    check: 'order-value',
    reason: `the order of ${sayAmount(amount, market)} at ${sayValue(price, market.quote)} has a value of ${sayValue(value, market.quote)}, above the limit of ${sayValue(limit, market.quote)} for one order`,
    numbers: {
      amount: formatUnits(amount),
      price: formatUnits(price),
      value: formatUnits(value),
      limit: formatUnits(limit),
    },
  };
};
