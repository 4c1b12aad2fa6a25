import { decimalText, fractionDigits, type DecimalText } from '../domain/decimal-text.ts';
import { floorAmount, roundPrice, type Market } from '../domain/market.ts';
import { UNIT_DECIMALS, unitsOf, type Units } from '../domain/money.ts';

/** Brings recorded numbers on a market's grid, and counts the prices that were not on it. */
export class RowGrid {
  offGridPrices = 0;

  /** In the market's public steps, to the nearest, at least one. Throws `TOO_LARGE`. */
  price(rules: Market, text: DecimalText): number {
    const units = tenDecimals(text);
    const steps = roundPrice(rules, units);
    if (BigInt(steps) * rules.priceStep !== units || fractionDigits(text) > UNIT_DECIMALS)
      this.offGridPrices += 1;
    return Math.max(1, steps);
  }

  /** In public steps, rounded down. Throws as `price` does. */
  amount(rules: Market, text: DecimalText): number {
    return floorAmount(rules, tenDecimals(text));
  }
}

/**
 * Recorded volumes are often floats with a long tail; what is beyond the books' ten decimals is no money of
 * anybody and is cut.
 */
function tenDecimals(text: DecimalText): Units {
  const excess = fractionDigits(text) - UNIT_DECIMALS;
  return unitsOf(excess > 0 ? decimalText(text.slice(0, -excess)) : text);
}
