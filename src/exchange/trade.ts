import { z } from 'zod';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { PublicTrade, VenueTrade } from '../domain/trade.ts';
import {
  decimalField,
  integerField,
  integerOrNull,
  marketOrNull,
  side,
  textOrNull,
  timeMsOrNull,
} from './reply-types.ts';
import type { CurrencyNames } from './order.ts';

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
