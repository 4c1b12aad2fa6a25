import { z } from 'zod';
import { decimalTextField, sideField, timeField } from './fields.ts';
import { fillItem, orderItem } from './order.ts';
import { bothSides } from '../../domain/order-book.ts';

const marketItem = z.object({
  symbol: z.string(),
  base: z.string(),
  quote: z.string(),
  last: decimalTextField.nullable(),
  bestBuy: decimalTextField.nullable(),
  bestSell: decimalTextField.nullable(),
  dayChange: decimalTextField.nullable().describe('In percent, as the exchange says it.'),
  isClosed: z.boolean(),
  priceStep: decimalTextField.nullable(),
  amountStep: decimalTextField.nullable(),
  statsSeenAtMs: timeField.nullable(),
  bookSeenAtMs: timeField.nullable(),
  timeframes: z.array(z.string()).describe('Of which candles are kept, shortest first.'),
  strategies: z.array(z.string()),
});

export const marketsReply = z.object({ markets: z.array(marketItem) });

const bracketItem = z.object({
  intentId: z.string(),
  strategy: z.string(),
  side: sideField.describe('The side of its entry.'),
  stop: decimalTextField.nullable(),
  takeProfits: z.array(decimalTextField),
  state: z.string(),
});

export const marksReply = z.object({
  market: z.string(),
  orders: z.array(orderItem).describe('Those that are open.'),
  fills: z.array(fillItem).describe('The last 500, newest first.'),
  brackets: z.array(bracketItem),
});

const level = z.tuple([decimalTextField, decimalTextField]);

export const bookReply = z.object({
  market: z.string(),
  ...bothSides(z.array(level).describe('Price and amount, best first.')),
  updatedAtMs: timeField.nullable().describe('When the exchange says it was so.'),
  seenAtMs: timeField.nullable().describe('When it changed last as the bot read it.'),
  own: z
    .array(
      z.object({
        key: z.string(),
        strategy: z.string(),
        side: sideField,
        price: decimalTextField,
        left: decimalTextField,
        place: z
          .int()
          .positive()
          .nullable()
          .describe('At which level of its side it stands, 1 is the best; null for beyond the levels read.'),
        ahead: decimalTextField.nullable().describe('What better levels offer.'),
      }),
    )
    .describe('Our open orders in the book.'),
});

export type MarketItem = z.output<typeof marketItem>;
export type MarketsReply = z.output<typeof marketsReply>;
export type BracketItem = z.output<typeof bracketItem>;
export type MarksReply = z.output<typeof marksReply>;
export type BookReply = z.output<typeof bookReply>;
