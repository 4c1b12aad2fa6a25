import type { Market } from '../../domain/market.ts';
import { UNITS_PER_ONE, type Units, divideDown, divideHalfEven, divideUp } from '../../domain/money.ts';

/** The nearest price on a grid, a tie to the even step: where the engine, and the exchange, will put it. */
export function onPriceGrid(price: bigint, priceStep: bigint): Units {
  return (divideHalfEven(price, priceStep) * priceStep) as Units;
}

/** The largest amount of whole steps that is not above `amount`. `amount` is not negative. */
export function onAmountGrid(market: Market, amount: bigint): Units {
  return (divideDown(amount, market.amountStep) * market.amountStep) as Units;
}

/** True if a fitted order remains: at least one step of each, and a value above the market's minimum. */
export function canBeOrdered(
  market: Market,
  order: { readonly amount: bigint; readonly price: bigint },
): boolean {
  if (order.amount <= 0n) return false;
  const amount = onAmountGrid(market, order.amount);
  const price = onPriceGrid(order.price, market.priceStep);
  if (amount === 0n || price === 0n) return false;
  return divideUp(amount * price, UNITS_PER_ONE) > market.minOrderValue;
}
