import type { Decimal } from 'decimal.js';
import type { DecimalText } from '../domain/decimal-text.ts';

/** What the exchange asks of an order of one market, as it was last read. They change now and then. */
export interface MarketRules {
  readonly priceStep: DecimalText;
  readonly amountStep: DecimalText;
  /** In the quote currency; an order must be worth more. */
  readonly minOrderValue: DecimalText;
}

/**
 * Whether an amount is enough for an order at a price: at least one step of its market, and worth more than the least value. By floats, which is good for
 * a decision; the engine holds every order against the rules to the last digit.
 */
export function isTradable(
  { amountStep, minOrderValue }: MarketRules,
  amount: string | Decimal,
  price: string | Decimal,
): boolean {
  const size = Number(amount);
  return size >= Number(amountStep) && size * Number(price) > Number(minOrderValue);
}
