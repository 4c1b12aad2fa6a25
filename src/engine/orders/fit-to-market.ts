import { SarrafError } from '../../domain/errors.ts';
import { amountUnits, floorAmount, priceUnits, roundPrice, type Market } from '../../domain/market.ts';
import { formatUnits, multiplyUnits, type Units } from '../../domain/money.ts';
import { divideUp } from '../../domain/rounding.ts';
import { sentence } from '../../language/sentence.ts';

/** Sizes and prices as they are wished, in units of 1e-10. */
interface UnfittedOrder {
  readonly amount: Units;
  readonly price: Units | null;
  readonly stopPrice: Units | null;
  readonly stopLimitPrice: Units | null;
}

/** The same on the steps of the market, or why there is no such order. */
type FittedOrder =
  | {
      readonly ok: true;
      readonly amount: Units;
      readonly price: Units | null;
      readonly stopPrice: Units | null;
      readonly stopLimitPrice: Units | null;
    }
  | { readonly ok: false; readonly reason: string };

/**
 * Fits a wish to its market: the amount down to a whole step, prices half-even, as the exchange itself would
 * round extra digits. Refused when nothing is left, or when the value does not exceed the market's minimum.
 * `reference`: what an order without a price is valued by; null where no price is known.
 */
export function fitToMarket(market: Market, wish: UnfittedOrder, reference: Units | null): FittedOrder {
  try {
    const amount = amountUnits(market, floorAmount(market, wish.amount));
    const price = onStep(market, wish.price);
    const stopPrice = onStep(market, wish.stopPrice);
    const stopLimitPrice = onStep(market, wish.stopLimitPrice);
    if (amount === 0n) {
      const step = formatUnits(market.amountStep);
      return {
        ok: false,
        reason: sentence('amount-below-step', { step, amount: formatUnits(wish.amount) }),
      };
    }
    if (price === 0n || stopPrice === 0n || stopLimitPrice === 0n) {
      return {
        ok: false,
        reason: sentence('price-below-step', { step: formatUnits(market.priceStep) }),
      };
    }
    const valuedAt = price ?? stopPrice ?? reference;
    if (valuedAt !== null) {
      const value = multiplyUnits(valuedAt, amount, divideUp);
      if (value <= market.minOrderValue) {
        const least = `${formatUnits(market.minOrderValue)} ${market.quote}`;
        return { ok: false, reason: sentence('value-below-least', { least, value: formatUnits(value) }) };
      }
    }
    return { ok: true, amount, price, stopPrice, stopLimitPrice };
  } catch (error) {
    if (error instanceof SarrafError) return { ok: false, reason: error.message };
    throw error;
  }
}

function onStep(market: Market, units: Units | null): Units | null {
  return units === null ? null : priceUnits(market, roundPrice(market, units));
}
