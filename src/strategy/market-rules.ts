import type { DecimalText } from '../domain/decimal-text.ts';

/** The exchange's requirements for orders of one market, as last read. They change now and then. */
export interface MarketRules {
  readonly priceStep: DecimalText;
  readonly amountStep: DecimalText;
  /** Value that an order must exceed, in the quote currency. */
  readonly minOrderValue: DecimalText;
}

/** The same as a strategy is shown them. */
export interface Rules {
  /** Prices are whole multiples of it, in the quote currency. */
  readonly priceStep: number;
  /** Amounts are whole multiples of it, in the base currency. */
  readonly amountStep: number;
  /** Value that an order must exceed, in the quote currency. */
  readonly minOrderValue: number;
  /** The same numbers with every digit. */
  readonly exact: MarketRules;
}

export function rulesOf({ priceStep, amountStep, minOrderValue }: MarketRules): Rules {
  return Object.freeze({
    priceStep: Number(priceStep),
    amountStep: Number(amountStep),
    minOrderValue: Number(minOrderValue),
    exact: Object.freeze({ priceStep, amountStep, minOrderValue }),
  });
}
