import { z } from 'zod';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { Execution, TradeKind, VenueOrder } from '../domain/order.ts';
import {
  decimalField,
  decimalOrNull,
  flagOrNull,
  integerOrNull,
  marketOrNull,
  side,
  textOrNull,
  timeMsOrNull,
} from './reply-types.ts';

const EXECUTIONS: ReadonlyMap<string, Execution> = new Map([
  ['limit', 'limit'],
  ['market', 'market'],
  ['stoplimit', 'stop_limit'],
  ['stopmarket', 'stop_market'],
]);

const TRADE_KINDS: ReadonlyMap<string, TradeKind> = new Map([
  ['spot', 'Spot'],
  ['margin', 'Margin'],
  ['credit', 'Credit'],
  ['debit', 'Debit'],
]);

/**
 * The names that the exchange shows for a record's currencies, such as `Bitcoin`. For people: the same
 * currency has several.
 */
export interface CurrencyNames {
  readonly baseName: string | null;
  readonly quoteName: string | null;
}

/** Fields with money of an order's record. */
type OrderMoney =
  | 'price'
  | 'stopPrice'
  | 'amount'
  | 'matchedAmount'
  | 'unmatchedAmount'
  | 'total'
  | 'orderTotal'
  | 'fee'
  | 'averagePrice';

/**
 * An order as the client gives it: what the bot knows of it with the ids and decimal texts of the wire, and
 * the names for people.
 */
export type ExchangeOrder = Omit<VenueOrder, 'id' | 'pairId' | 'tooFine' | OrderMoney> &
  CurrencyNames & {
    readonly [Field in OrderMoney]: null extends VenueOrder[Field] ? DecimalText | null : DecimalText;
  } & {
    readonly id: number | null;
    readonly pairId: number | null;
  };

/** A market order has the word `market` where others have a price. */
const priceOrMarket = z
  .union([z.literal('market').transform(() => null), decimalOrNull])
  .optional()
  .transform((price) => price ?? null);

/**
 * The spot order record ("Resources: Order"), normalised. Words that no document names: the status is kept,
 * the others are null.
 */
export const orderRecord = z
  .object({
    id: integerOrNull,
    type: side,
    execution: textOrNull,
    tradeType: textOrNull,
    market: marketOrNull,
    srcCurrency: textOrNull,
    dstCurrency: textOrNull,
    price: priceOrMarket,
    param1: decimalOrNull,
    amount: decimalField,
    matchedAmount: decimalField,
    unmatchedAmount: decimalOrNull,
    totalPrice: decimalOrNull,
    totalOrderPrice: decimalOrNull,
    fee: decimalOrNull,
    averagePrice: decimalOrNull,
    status: textOrNull,
    partial: flagOrNull,
    created_at: timeMsOrNull,
    clientOrderId: textOrNull,
    pairId: integerOrNull,
  })
  .transform((wire): ExchangeOrder => ({
    id: wire.id,
    side: wire.type,
    execution: EXECUTIONS.get(wire.execution?.replace('_', '').toLowerCase() ?? '') ?? null,
    tradeKind: TRADE_KINDS.get(wire.tradeType?.toLowerCase() ?? '') ?? null,
    market: wire.market,
    baseName: wire.srcCurrency,
    quoteName: wire.dstCurrency,
    price: wire.price,
    stopPrice: wire.param1,
    amount: wire.amount,
    matchedAmount: wire.matchedAmount,
    unmatchedAmount: wire.unmatchedAmount,
    total: wire.totalPrice,
    orderTotal: wire.totalOrderPrice,
    fee: wire.fee,
    averagePrice: wire.averagePrice,
    status: wire.status,
    partial: wire.partial,
    createdAtMs: wire.created_at,
    clientOrderId: wire.clientOrderId,
    pairId: wire.pairId,
  }));
