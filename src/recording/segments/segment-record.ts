import { z } from 'zod';
import type { DecimalText } from '../../domain/decimal-text.ts';
import type { MarketStats } from '../../domain/market-stats.ts';
import { marketOfCurrencies, parseMarket, type MarketSymbol } from '../../domain/market-symbol.ts';
import type { RecordedBook, RecordedStats, RecordedTrade, TimeRange } from '../records.ts';

/** One thing that a recorder has seen. `gap`: public trades may be missing in that stretch. */
export type SegmentRecord = { readonly market: MarketSymbol } & (
  | { readonly kind: 'trade'; readonly trade: RecordedTrade }
  | { readonly kind: 'book'; readonly book: RecordedBook }
  | { readonly kind: 'stats'; readonly stats: RecordedStats }
  | { readonly kind: 'gap'; readonly gap: TimeRange }
);

const decimal = z.string().transform((text) => text as DecimalText);
const maybe = decimal.nullable();
const time = z.int();
const levels = z.array(z.tuple([decimal, decimal]));
const market = z.string().transform((text) => parseMarket(text).symbol);

const stats = z
  .object({
    market: z.object({ src: z.string(), dst: z.string() }).transform(({ src, dst }) => marketOfCurrencies(src, dst)),
    isClosed: z.boolean(),
    closedReason: z.string().nullable(),
    bestSell: maybe,
    bestBuy: maybe,
    volumeSrc: maybe,
    volumeDst: maybe,
    latest: maybe,
    mark: maybe,
    dayLow: maybe,
    dayHigh: maybe,
    dayOpen: maybe,
    dayClose: maybe,
    dayChange: maybe,
  })
  .transform((read): MarketStats => read);

const record = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('trade'),
    market,
    trade: z.object({
      timeMs: time.nullable(),
      seenMs: time,
      price: decimal,
      amount: decimal,
      side: z.enum(['buy', 'sell']),
      id: z.int().nullable(),
    }),
  }),
  z.object({
    kind: z.literal('book'),
    market,
    book: z.object({ venueTimeMs: time.nullable(), seenMs: time, bids: levels, asks: levels }),
  }),
  z.object({ kind: z.literal('stats'), market, stats: z.object({ seenMs: time, stats }) }),
  z.object({ kind: z.literal('gap'), market, gap: z.object({ fromMs: time, toMs: time }) }),
]);

/** One line of a segment, with its line end. */
export function segmentLine(of: SegmentRecord): string {
  return `${JSON.stringify(of)}\n`;
}

/** The record of a line; null for one that was cut short or is damaged. */
export function readSegmentLine(text: string): SegmentRecord | null {
  try {
    const parsed = record.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
