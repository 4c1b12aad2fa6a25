import type { Decimal } from 'decimal.js';
import type { Side } from '../domain/order.ts';

/** A decimal number as an author writes it. */
export type DecimalInput = string | Decimal;

/** An order that is wanted. Amounts are in the source currency. Sizes and prices are fitted to the market's steps: amount down, price half-even. */
export interface OrderWish {
  readonly amount: DecimalInput;
  /** Limit price. Without it the order is a market order. */
  readonly price?: DecimalInput;
  /** With it the order waits until the market has reached this price. */
  readonly stopPrice?: DecimalInput;
  /** A word of the author's own, of at most 32 characters, which comes back with the order and its events. */
  readonly tag?: string;
  /**
   * Whether it may go within ten seconds of an order with the same terms. Without it it waits until those are over, at most 11.5 s, and is else rejected
   * (`IdenticalOrder`). With it the exchange's own check for repetitions is off for this order (`pro`).
   */
  readonly allowIdentical?: boolean;
}

/** A pair of which one leg ends the other: a limit order at `price`, and a stop-limit order. */
export interface OcoWish {
  readonly amount: DecimalInput;
  readonly price: DecimalInput;
  readonly stopPrice: DecimalInput;
  readonly stopLimitPrice: DecimalInput;
  readonly tag?: string;
  readonly allowIdentical?: boolean;
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
  | ({ readonly kind: 'oco'; readonly market: string; readonly side: Side } & OcoWish)
  | { readonly kind: 'cancel'; readonly clientOrderId: string }
  /** All of the strategy's own orders, in one market or in all. Algorithms at work there end too. */
  | { readonly kind: 'cancel-all'; readonly market?: string }
  /** Another price or amount for an open limit order: it is canceled, and what is then left of the wanted amount is placed. */
  | {
      readonly kind: 'replace';
      readonly clientOrderId: string;
      readonly price?: DecimalInput;
      /** The whole amount, what was filled before included. */
      readonly amount?: DecimalInput;
    }
  /** A position to be reached: an amount of the source currency, or a share (0 to 1) of the strategy's equity. With `price` by a limit order. */
  | {
      readonly kind: 'target';
      readonly market: string;
      readonly position?: DecimalInput;
      readonly equityShare?: DecimalInput;
      readonly price?: DecimalInput;
    }
  /** The set of limit orders that should rest in a market: what is there already stays in its queue place, the rest is canceled or placed. */
  | { readonly kind: 'quotes'; readonly market: string; readonly quotes: readonly Quote[] }
  /** An amount in equal slices over a time, each a market order, or a limit order at `price`. */
  | {
      readonly kind: 'twap';
      readonly market: string;
      readonly side: Side;
      readonly amount: DecimalInput;
      readonly overMs: number;
      readonly slices: number;
      readonly price?: DecimalInput;
    }
  /** A limit order of which only `visible` is ever shown; the next part is placed once the last is filled. */
  | {
      readonly kind: 'iceberg';
      readonly market: string;
      readonly side: Side;
      readonly amount: DecimalInput;
      readonly visible: DecimalInput;
      readonly price: DecimalInput;
    };

/** A buy: with `price` a limit order, without it a market order; with `stopPrice` it waits until the market has come there. */
export function buy(market: string, wish: OrderWish): Intent {
  return { kind: 'place', market, side: 'buy', ...wish };
}

/** The same on the other side. */
export function sell(market: string, wish: OrderWish): Intent {
  return { kind: 'place', market, side: 'sell', ...wish };
}

/** A limit order and a stop-limit order of which one ends the other: such as a sale above the market, and one below it that bounds the loss. */
export function oco(market: string, side: Side, wish: OcoWish): Intent {
  return { kind: 'oco', market, side, ...wish };
}

/** Cancels an own order by the id that `orders` of the context shows. */
export function cancel(clientOrderId: string): Intent {
  return { kind: 'cancel', clientOrderId };
}

/** Cancels all own orders, in one market or in all, and ends algorithms at work there. */
export function cancelAll(market?: string): Intent {
  return market === undefined ? { kind: 'cancel-all' } : { kind: 'cancel-all', market };
}

/** Gives an open limit order another price or amount: it is canceled, and once its fills are known the rest is placed. */
export function replace(
  clientOrderId: string,
  change: { readonly price?: DecimalInput; readonly amount?: DecimalInput },
): Intent {
  return { kind: 'replace', clientOrderId, ...change };
}

/** A holding to be reached: `{ position }` of the source currency, or `{ equityShare }` of the strategy's equity, 0 to 1. */
export function target(
  market: string,
  wish: {
    readonly position?: DecimalInput;
    readonly equityShare?: DecimalInput;
    readonly price?: DecimalInput;
  },
): Intent {
  return { kind: 'target', market, ...wish };
}

/** The limit orders that should rest in a market, from now on until other ones are named; none at all cancels them. */
export function quotes(market: string, wanted: readonly Quote[]): Intent {
  return { kind: 'quotes', market, quotes: wanted };
}

/** An amount in equal slices over a time: the first at once. */
export function twap(
  market: string,
  side: Side,
  wish: {
    readonly amount: DecimalInput;
    readonly overMs: number;
    readonly slices: number;
    readonly price?: DecimalInput;
  },
): Intent {
  return { kind: 'twap', market, side, ...wish };
}

/** A limit order of which only `visible` is shown at a time. */
export function iceberg(
  market: string,
  side: Side,
  wish: { readonly amount: DecimalInput; readonly visible: DecimalInput; readonly price: DecimalInput },
): Intent {
  return { kind: 'iceberg', market, side, ...wish };
}
