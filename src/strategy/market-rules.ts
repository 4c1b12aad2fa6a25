import type { DecimalText } from '../domain/decimal-text.ts';

/** What the exchange asks of an order of one market, as it was last read. They change now and then. */
export interface MarketRules {
  readonly priceStep: DecimalText;
  readonly amountStep: DecimalText;
  /** In the quote currency; an order must be worth more. */
  readonly minOrderValue: DecimalText;
}

/** The same as a strategy is shown them. */
export interface Rules {
  /** Prices are whole multiples of it, in the quote currency. */
  readonly priceStep: number;
  /** Amounts are whole multiples of it, in the base currency. */
  readonly amountStep: number;
  /** In the quote currency; an order must be worth more. */
  readonly minOrderValue: number;
  /** The same numbers with every digit. */
  readonly exact: MarketRules;
}

/** Rules are asked about at every bar, and the same object stands for them until they change. */
const SHOWN = new WeakMap<MarketRules, Rules>();

export function rulesOf(rules: MarketRules): Rules {
  let shown = SHOWN.get(rules);
  if (shown === undefined) {
    const { priceStep, amountStep, minOrderValue } = rules;
    shown = Object.freeze({
      priceStep: Number(priceStep),
      amountStep: Number(amountStep),
      minOrderValue: Number(minOrderValue),
      exact: Object.freeze({ priceStep, amountStep, minOrderValue }),
    });
    SHOWN.set(rules, shown);
  }
  return shown;
}
