import { z } from 'zod';
import {
  countField,
  decimalTextField,
  sideField,
  timeField,
  nameField,
  queriedTime,
  reasonFields,
} from './fields.ts';
import { orderItem } from './order.ts';
import { bothSides } from '../../domain/order-book.ts';
import { eachBarValue } from '../../domain/candle.ts';

/** Time range; without an end it lasts until now, without a start from the oldest stored data. */
export const rangeQuery = z.object({
  from: queriedTime.optional().describe('Milliseconds since 1970.'),
  to: queriedTime.optional().describe('Milliseconds since 1970.'),
});

/** Figure over time, oldest first; thinned if there are more than 2,000 values. */
export const seriesItem = z.object({
  name: z.string().describe('Such as `equity/rls`, `profit/grid/rls` or `plot/grid/fast`.'),
  points: z.array(z.tuple([timeField, z.number()])).describe('Pairs of a time and a value.'),
});

export const equityReply = z.object({
  series: z.array(seriesItem).describe('`equity/CURRENCY` and `profit/STRATEGY/CURRENCY`.'),
});

export const chartQuery = z.object({
  timeframe: nameField.default('1h'),
  around: queriedTime.optional().describe('The time in the middle; else until now.'),
  limit: z.coerce.number().int().min(1).max(2_000).default(500).describe('Candles.'),
});

export const plotsQuery = rangeQuery.extend({
  ...chartQuery.shape,
  indicators: z
    .string()
    .regex(/^\w{2,30}:\d{1,4}(?:,\w{2,30}:\d{1,4}){0,4}$/)
    .optional()
    .describe('At most five, each with its length, over the candles: `ema:20,rsi:14`.'),
});

export const plotsReply = z.object({
  market: z.string(),
  series: z
    .array(
      seriesItem.extend({
        strategy: z.string().describe('Empty for an indicator that was asked for.'),
        plot: z.string(),
        pane: z.string().nullable().describe('The title of its pane below the candles; null: over them.'),
      }),
    )
    .describe('What strategies want to have drawn, then the indicators that were asked for.'),
  indicators: z
    .record(z.string(), countField)
    .describe('Those that may be asked for, with their usual length; 0: it has none.'),
});

export const barItem = z.object({ openTimeMs: timeField, ...eachBarValue(decimalTextField) });

export const chartCandlesReply = z.object({
  market: z.string(),
  timeframe: z.string(),
  isBuilt: z.boolean().describe('Whether they were put together from shorter candles.'),
  candles: z.array(barItem).describe('Oldest first. The last one may still run.'),
});

export const recordingsReply = z.object({
  recordings: z
    .array(
      z.object({
        market: z.string(),
        quote: z.string(),
        timeframe: z.string(),
        fromMs: timeField,
        toMs: timeField.describe('The beginning of its newest candle.'),
      }),
    )
    .describe('Candles in the folder `catalogue` of the data folder: at most 1,000 series.'),
});

const price = decimalTextField.nullable();

export const quotesReply = z.object({
  market: z.string(),
  quotes: z
    .array(
      z.object({
        atMs: timeField,
        bid: price.describe('The best price to sell at that the bot knew.'),
        ask: price.describe('The best price to buy at that the bot knew.'),
        buy: price.describe('Our best order to buy; null while there was none.'),
        sell: price.describe('Our best order to sell.'),
      }),
    )
    .describe('At each change, oldest first, by our newest 500 orders: one has the prices at its plan.'),
});

const periods = z
  .array(z.tuple([timeField, timeField]))
  .describe('From the close of a candle to that of the next one at which it was no more so; oldest first.');

export const conditionsReply = z.object({
  market: z.string(),
  strategies: z
    .array(
      z.object({
        strategy: z.string(),
        problem: z.object(reasonFields).nullable().describe('Why its conditions are not known.'),
        knownSinceMs: timeField.nullable().describe('Before it, its conditions to buy are not known.'),
        enter: periods,
        exit: periods,
      }),
    )
    .describe('Those made of rules that run in the market, of its first eight strategies.'),
});

export type ConditionsReply = z.output<typeof conditionsReply>;
export type SeriesItem = z.output<typeof seriesItem>;
export type EquityReply = z.output<typeof equityReply>;
export type PlotsReply = z.output<typeof plotsReply>;
export type ChartCandlesReply = z.output<typeof chartCandlesReply>;
export type RecordingsReply = z.output<typeof recordingsReply>;
export type QuotesReply = z.output<typeof quotesReply>;

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
  fills: z
    .array(
      z.object({
        openTimeMs: timeField.describe('The candle in which they were made.'),
        side: sideField,
        count: countField,
        amount: decimalTextField,
        total: decimalTextField,
      }),
    )
    .describe('Fills of one side in one candle, newest first: the last 5,000 fills.'),
  olderFills: z.boolean().describe('Whether there are older fills, which are left out.'),
  brackets: z.array(bracketItem),
});

export const bookQuery = z.object({
  levels: z.coerce.number().int().min(1).max(1_000).default(1_000).describe('Of each side, the best ones.'),
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
