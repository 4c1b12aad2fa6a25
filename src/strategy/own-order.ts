import { ZERO, type DecimalText } from '../domain/decimal-text.ts';
import { formatUnits, parseUnits } from '../domain/money.ts';
import type { FillEvent, OwnOrder } from './strategy-event.ts';
import type { FillWith } from '../records/fill.ts';

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

type FillNumbers = 'price' | 'amount' | 'total' | 'fee';

/** A trade of one of this strategy's orders. */
export interface Fill extends Omit<FillEvent, FillNumbers>, Pick<FillWith<number>, FillNumbers> {
  /** The same numbers with every digit. */
  readonly exact: Pick<FillEvent, FillNumbers>;
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
