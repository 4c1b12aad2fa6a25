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

/** Names that the exchange shows for a record's currencies, such as `Bitcoin`: several for each. */
interface CurrencyNames {
  readonly baseName: string | null;
  readonly quoteName: string | null;
}

/** Money fields of an order's record. */
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

/** An order as the client returns it: the bot's fields, the wire's ids and texts, and names for people. */
export type ExchangeOrder = Omit<VenueOrder, 'id' | 'pairId' | 'tooFine' | OrderMoney> &
  CurrencyNames & {
    readonly [Field in OrderMoney]: null extends VenueOrder[Field] ? DecimalText | null : DecimalText;
  } & {
    readonly id: number | null;
    readonly pairId: number | null;
  };

/** A price; null for a market order, whose record has the word `market` there. */
const priceOrMarket = z
  .union([z.literal('market').transform(() => null), decimalOrNull])
  .optional()
  .transform((price) => price ?? null);

/** The spot order record ("Resources: Order"), normalised. Undocumented words become null, statuses stay. */
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

/** Money fields of a trade's record. */
type TradeMoney = 'price' | 'amount' | 'total' | 'fee';

/** A trade as the client returns it: the bot's fields, the wire's ids and texts, and names for people. */
export type ExchangeTrade = Omit<VenueTrade, 'id' | 'orderId' | 'tooFine' | 'feeCurrency' | TradeMoney> &
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

/** A public trade ("Public market data"), whose time may be unreadable. */
const publicTradeRecord = z.object({
  time: timeMsOrNull,
  price: decimalField,
  volume: decimalField,
  type: side,
});

/** The public trades. One without a readable time is left out; if none has one, the reply is refused. */
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
 * Reads price levels without a schema, for speed: a book has some fifty and is polled all day. Empty levels
 * are dropped; a price of zero or a negative amount makes the whole book invalid.
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

/** A book of the order-book endpoints, where sells are `bids` and buys `asks` ("Public market data"). */
export const bookRecord = sides.transform((wire): OrderBook =>
  orientBook({ named: wire, updatedAtMs: wire.lastUpdate, buysAre: 'asks' }),
);

/**
 * A book of the third version of the order-book endpoint, where buys are `bids` and sells `asks`, with the
 * last price (deployments). An unreadable last price does not spoil the book.
 */
export const orientedBookRecord = sides
  .extend({ lastTradePrice: decimalOrNull.catch(null) })
  .transform((wire): OrderBook => {
    const book = orientBook({ named: wire, updatedAtMs: wire.lastUpdate, buysAre: 'bids' });
    const { lastTradePrice: last } = wire;
    return last === null || last === '0' || last.startsWith('-') ? book : { ...book, lastTradePrice: last };
  });

/** The sides of the depth endpoint, which have the right names. */
export const depthSides = sides;

/** The status words of the interface. The word for a rejection after acceptance is unknown. */
export type OrderStatus = 'New' | 'Active' | 'Inactive' | 'Done' | 'Canceled';
