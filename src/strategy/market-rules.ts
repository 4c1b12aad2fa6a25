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
  amount: string | number | Decimal,
  price: string | number | Decimal,
): boolean {
  const size = Number(amount);
  return size >= numberOf(amountStep) && size * Number(price) > numberOf(minOrderValue);
}

/** Rules are asked about at every bar, and there are few of them. Emptied when it is full. */
const NUMBERS = new Map<DecimalText, number>();
const MOST_NUMBERS = 1_000;

function numberOf(text: DecimalText): number {
  let number = NUMBERS.get(text);
  if (number === undefined) {
    if (NUMBERS.size >= MOST_NUMBERS) NUMBERS.clear();
    NUMBERS.set(text, (number = Number(text)));
  }
  return number;
}
