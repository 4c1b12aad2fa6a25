import { stepValue, valueHalfEven, type Market } from './market.ts';
import type { Amount, Price, Units } from './money.ts';

/**
 * The running value of one order's fills. Each fill's total is the rounded cumulative total less the previous
 * one, so the parts always add up to the whole to the last digit, whatever the number of fills.
 */
interface FillTotal {
  /** Sum of price times amount in steps. */
  readonly steps: bigint;
  /** That sum in quote units, half-even. */
  readonly total: Units;
}

export const NO_FILLS: FillTotal = { steps: 0n, total: 0n as Units };

/** The running value after one more fill, and that fill's own total. */
export function addFill(
  market: Market,
  before: FillTotal,
  fill: { readonly price: Price; readonly amount: Amount },
): { readonly after: FillTotal; readonly fillTotal: Units } {
  const steps = before.steps + stepValue(fill.price, fill.amount);
  const total = valueHalfEven(market, steps);
  return { after: { steps, total }, fillTotal: (total - before.total) as Units };
}
