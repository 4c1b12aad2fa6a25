import { ZERO, type DecimalText } from '../domain/decimal-text.ts';
import { formatUnits, parseUnits } from '../domain/money.ts';
import type { Execution, Side } from '../domain/order.ts';
import type { FillEvent, OwnOrder, OwnOrderState } from './strategy-event.ts';

/**
 * An order of this strategy that is not at its end. Prices are in the quote currency, amounts in the base
 * currency.
 */
export interface Order {
  /** What `cancel` and `replace` take. The stop leg of a pair has its limit leg's with `/2`. */
  readonly clientOrderId: string;
  readonly market: string;
  readonly side: Side;
  readonly execution: Execution;
  /** Null for a market order. */
  readonly price: number | null;
  readonly stopPrice: number | null;
  /** As fitted to the steps of the market, so it may be a little less than what was wished. */
  readonly amount: number;
  readonly matchedAmount: number;
  /** What is not matched yet. */
  readonly remainingAmount: number;
  readonly tag: string | null;
  readonly state: OwnOrderState;
  /** Since it was decided, in ms. */
  readonly ageMs: number;
  readonly exact: Pick<OwnOrder, 'price' | 'stopPrice' | 'amount' | 'matchedAmount'> & {
    readonly remainingAmount: DecimalText;
  };
}

/** A trade of one of this strategy's orders. */
export interface Fill {
  readonly clientOrderId: string;
  readonly market: string;
  /** In ms since 1970. */
  readonly timeMs: number;
  readonly side: Side;
  /** In the quote currency. */
  readonly price: number;
  /** In the base currency, before the fee. */
  readonly amount: number;
  /** In the quote currency, before the fee. */
  readonly total: number;
  /** In the currency received: the base currency of a purchase, the quote currency of a sale. */
  readonly fee: number;
  readonly tag: string | null;
  readonly exact: Pick<FillEvent, 'price' | 'amount' | 'total' | 'fee'>;
}

export function orderOf(order: OwnOrder): Order {
  const { price, stopPrice, amount, matchedAmount } = order;
  const remainingAmount =
    matchedAmount === ZERO ? amount : formatUnits(parseUnits(amount) - parseUnits(matchedAmount));
  return Object.freeze({
    ...order,
    price: numberOf(price),
    stopPrice: numberOf(stopPrice),
    amount: Number(amount),
    matchedAmount: Number(matchedAmount),
    remainingAmount: Number(remainingAmount),
    exact: Object.freeze({ price, stopPrice, amount, matchedAmount, remainingAmount }),
  });
}

export function fillOf(fill: FillEvent): Fill {
  const { price, amount, total, fee } = fill;
  return Object.freeze({
    ...fill,
    price: Number(price),
    amount: Number(amount),
    total: Number(total),
    fee: Number(fee),
    exact: Object.freeze({ price, amount, total, fee }),
  });
}

function numberOf(text: DecimalText | null): number | null {
  return text === null ? null : Number(text);
}
