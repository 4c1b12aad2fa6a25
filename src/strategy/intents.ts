import type { Decimal } from 'decimal.js';
import type { Side } from '../domain/order.ts';

/** A decimal number as an author writes it. */
export type DecimalInput = string | Decimal;

/** An order that is wanted. Amounts are in the source currency. Sizes and prices are fitted to the market's steps: amount down, price half-even. */
export interface OrderWish {
  readonly amount: DecimalInput;
  /** Limit price. Without it the order is a market order. */
  readonly price?: DecimalInput;
}

/** One order of a desired set. */
export interface Quote {
  readonly side: Side;
  readonly price: DecimalInput;
  readonly amount: DecimalInput;
}

/** What a strategy wants done. */
export type Intent =
  | ({ readonly kind: 'place'; readonly market: string; readonly side: Side } & OrderWish)
  | { readonly kind: 'cancel'; readonly clientOrderId: string }
  /** The set of limit orders that should rest in a market: what is there already stays in its queue place, the rest is canceled or placed. */
  | { readonly kind: 'quotes'; readonly market: string; readonly quotes: readonly Quote[] };

export function buy(market: string, wish: OrderWish): Intent {
  return { kind: 'place', market, side: 'buy', ...wish };
}

export function sell(market: string, wish: OrderWish): Intent {
  return { kind: 'place', market, side: 'sell', ...wish };
}

/** Cancels an own order by the id that `orders` of the context shows. */
export function cancel(clientOrderId: string): Intent {
  return { kind: 'cancel', clientOrderId };
}

export function quotes(market: string, wanted: readonly Quote[]): Intent {
  return { kind: 'quotes', market, quotes: wanted };
}
