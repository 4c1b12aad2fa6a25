import { type DecimalText } from '../../domain/decimal-text.ts';
import { floorAmount, roundPrice, type Market } from '../../domain/market.ts';
import { unitsOf } from '../../domain/money.ts';

/** Brings recorded numbers on a market's grid, and counts the prices that were not on it. */
export class RowGrid {
  offGridPrices = 0;

  /** In the market's public steps, to the nearest, at least one. Throws `TOO_MANY_DECIMALS` or `TOO_LARGE`. */
  price(rules: Market, text: DecimalText): number {
    const units = unitsOf(text);
    const steps = roundPrice(rules, units);
    if (BigInt(steps) * rules.priceStep !== units) this.offGridPrices += 1;
    return Math.max(1, steps);
  }

  /** In public steps, rounded down. Throws as `price` does. */
  amount(rules: Market, text: DecimalText): number {
    return floorAmount(rules, unitsOf(text));
  }
}
