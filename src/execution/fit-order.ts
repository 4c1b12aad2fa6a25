import { Decimal } from 'decimal.js';
import { SarrafError } from '../domain/errors.ts';
import { floorAmount, roundPrice, valueUp, type Market } from '../domain/market.ts';
import { UNIT_DECIMALS, type Amount, type Price } from '../domain/money.ts';

/** A size and price on the market's grid, or why there are none. */
export type Fitted =
  | { readonly ok: true; readonly amount: Amount; readonly price: Price }
  | { readonly ok: false; readonly reason: string };

/**
 * Fits what a strategy wishes to its market: the amount down to a whole step, the price half-even to a whole step, as the exchange itself would
 * round extra digits. Refused when nothing is left, when a number is no positive decimal, or when the value does not exceed the minimum.
 */
export function fitOrder(
  market: Market,
  wish: { readonly amount: string | Decimal; readonly price: string | Decimal },
): Fitted {
  const amountUnits = toUnits(wish.amount);
  const priceUnits = toUnits(wish.price);
  if (amountUnits === null)
    return { ok: false, reason: `expected a positive amount, was ${JSON.stringify(wish.amount)}` };
  if (priceUnits === null) return { ok: false, reason: `expected a positive price, was ${JSON.stringify(wish.price)}` };
  try {
    const amount = floorAmount(market, amountUnits);
    const price = roundPrice(market, priceUnits);
    if (amount === 0 || price === 0)
      return { ok: false, reason: 'nothing is left after rounding to the steps of the market' };
    const value = valueUp(market, BigInt(price) * BigInt(amount));
    if (value <= market.minOrderValue)
      return { ok: false, reason: 'the value does not exceed the minimum of the market' };
    return { ok: true, amount, price };
  } catch (error) {
    if (error instanceof SarrafError) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Units of 1e-10, cut: what lies below is far below any step. Null when it is no positive finite number. */
function toUnits(input: string | Decimal): bigint | null {
  if (typeof input !== 'string' && !Decimal.isDecimal(input)) return null;
  try {
    const value = new Decimal(input);
    if (!value.isFinite() || !value.isPositive() || value.isZero() || value.e > 30) return null;
    return BigInt(value.toFixed(UNIT_DECIMALS, Decimal.ROUND_DOWN).replace('.', ''));
  } catch {
    return null;
  }
}
