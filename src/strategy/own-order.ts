import { ZERO, type DecimalText } from '../domain/decimal-text.ts';
import { formatUnits, parseUnits } from '../domain/money.ts';
import type { ExitKind } from '../domain/exit-kind.ts';
import type { Side } from '../domain/order.ts';
import type { FillEvent, OwnOrder } from './strategy-event.ts';

/**
 * An order of this strategy that is not at its end. Prices are in the quote currency, amounts in the base
 * currency.
 */
export interface Order extends Omit<OwnOrder, 'price' | 'stopPrice' | 'amount' | 'matchedAmount'> {
  /** Limit price, in the quote currency; null for a market order. */
  readonly price: number | null;
  /** In the quote currency; null without one. */
  readonly stopPrice: number | null;
  /** In the base currency, as fitted to the market's step: at most what was wished. */
  readonly amount: number;
  /** Filled amount, in the base currency. */
  readonly matchedAmount: number;
  /** Amount not filled yet, in the base currency. */
  readonly remainingAmount: number;
  /** The same numbers with every digit. */
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
  /** That of its order; null without one. */
  readonly tag: string | null;
  /** Kind of bracket exit; null for any other order. */
  readonly exit: ExitKind | null;
  /** The same numbers with every digit. */
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
