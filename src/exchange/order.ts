import { z } from 'zod';
import { type DecimalText, tryDecimalText } from '../domain/decimal-text.ts';
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
  integerField,
} from './reply-types.ts';
import type { PublicTrade, VenueTrade } from '../domain/trade.ts';
import { orientBook, type BookLevel, type OrderBook, bothSides } from '../domain/order-book.ts';

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
interface CurrencyNames {
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

/** Fields with money of a trade's record. */
type TradeMoney = 'price' | 'amount' | 'total' | 'fee';

/**
 * A trade as the client gives it: what the bot knows of it with the ids and decimal texts of the wire, and
 * the names for people.
 */
export type ExchangeTrade = Omit<VenueTrade, 'id' | 'orderId' | 'tooFine' | TradeMoney> &
  CurrencyNames & { readonly [Field in TradeMoney]: DecimalText } & {
    readonly id: number;
    readonly orderId: number | null;
  };

/** The user trade record ("Resources: Trade"). */
export const tradeRecord = z
  .object({
    id: integerField,
    orderId: integerOrNull,
    market: marketOrNull,
    srcCurrency: textOrNull,
    dstCurrency: textOrNull,
    timestamp: timeMsOrNull,
    type: side,
    price: decimalField,
    amount: decimalField,
    total: decimalField,
    fee: decimalField,
  })
  .transform((wire): ExchangeTrade => ({
    id: wire.id,
    orderId: wire.orderId,
    market: wire.market,
    baseName: wire.srcCurrency,
    quoteName: wire.dstCurrency,
    timeMs: wire.timestamp,
    side: wire.type,
    price: wire.price,
    amount: wire.amount,
    total: wire.total,
    fee: wire.fee,
  }));

/** A trade of the public tape ("Public market data"), whose time may not be readable. */
const publicTradeRecord = z.object({
  time: timeMsOrNull,
  price: decimalField,
  volume: decimalField,
  type: side,
});

/**
 * The tape. A trade whose time can not be read is left out; when that is all of them, the form is another
 * one, and the reply is refused.
 */
export const publicTradeList = z
  .array(publicTradeRecord)
  .transform((trades, context): readonly PublicTrade[] => {
    const timed = trades.flatMap(({ time, price, volume, type }) =>
      time === null ? [] : [{ timeMs: time, price, amount: volume, side: type }],
    );
    if (timed.length > 0 || trades.length === 0) return timed;
    context.addIssue({ code: 'custom', message: 'expected trades with times, was none', input: trades });
    return z.NEVER;
  });

const isNumeric = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/**
 * Reads pairs by hand: a book has some fifty of them and is polled all day. Empty levels are dropped; a price
 * of zero or a negative amount makes the whole book invalid.
 */
function readLevels(pairs: readonly unknown[]): readonly BookLevel[] | null {
  const levels: BookLevel[] = [];
  for (const pair of pairs) {
    if (!Array.isArray(pair)) return null;
    const [rawPrice, rawAmount] = pair as readonly unknown[];
    if (!isNumeric(rawPrice) || !isNumeric(rawAmount)) return null;
    const price = tryDecimalText(rawPrice);
    const amount = tryDecimalText(rawAmount);
    if (price === null || amount === null) return null;
    if (price === '0' || price.startsWith('-') || amount.startsWith('-')) return null;
    if (amount !== '0') levels.push([price, amount]);
  }
  return levels;
}

const levels = z
  .array(z.unknown())
  .meta({ items: { type: 'array', items: { type: ['string', 'number'] }, minItems: 2 } })
  .transform((pairs, context): readonly BookLevel[] => {
    const read = readLevels(pairs);
    if (read !== null) return read;
    context.addIssue({
      code: 'custom',
      message: 'expected [price, amount] pairs of positive decimals',
      input: pairs,
    });
    return z.NEVER;
  });

const sides = z.object({ lastUpdate: timeMsOrNull, ...bothSides(levels) });

/**
 * A book of the order-book endpoints, where sells arrive as `bids` and buys as `asks` ("Public market data").
 */
export const bookRecord = sides.transform((wire): OrderBook =>
  orientBook({ named: wire, updatedAtMs: wire.lastUpdate, buysAre: 'asks' }),
);

/**
 * A book of the third version of the order-book endpoint, where buys are `bids` and sells `asks`, with the
 * last price (deployments). A last price that is none costs no book.
 */
export const orientedBookRecord = sides
  .extend({ lastTradePrice: decimalOrNull.catch(null) })
  .transform((wire): OrderBook => {
    const book = orientBook({ named: wire, updatedAtMs: wire.lastUpdate, buysAre: 'bids' });
    const { lastTradePrice: last } = wire;
    return last === null || last === '0' || last.startsWith('-') ? book : { ...book, lastTradePrice: last };
  });

/** The sides of the depth endpoint, where the names are right. */
export const depthSides = sides;

/**
 * The status words of the interface. The word for an order rejected after its acceptance is not known: it
 * arrives as it is.
 */
export type OrderStatus = 'New' | 'Active' | 'Inactive' | 'Done' | 'Canceled';
