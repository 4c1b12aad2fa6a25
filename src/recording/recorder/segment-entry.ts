import { z } from 'zod';
import type { Candle } from '../../domain/candle.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { MarketStats } from '../../domain/market-stats.ts';
import { TIMEFRAMES, type Timeframe } from '../../domain/timeframe.ts';
import type { RecordedBook, RecordedStats, RecordedTrade, TimeRange } from '../records.ts';

/** Kinds of market data that are recorded. */
export const SEGMENT_KINDS = ['books', 'trades', 'stats', 'candles'] as const;

export type SegmentKind = (typeof SEGMENT_KINDS)[number];

/** A closed bar as it was seen. */
export interface SeenBar {
  readonly seenMs: number;
  readonly timeframe: Timeframe;
  readonly candle: Candle;
  /** All bars from this time to this bar came with it: one that is not there did not trade. */
  readonly coveredFromMs: number;
}

/** The rows of each kind. */
export interface SegmentRows {
  readonly books: RecordedBook;
  readonly trades: RecordedTrade;
  readonly stats: RecordedStats;
  readonly candles: SeenBar;
}

/** Entry of a recorder for one kind, at the time at which it was seen. */
export type SegmentEntry<Kind extends SegmentKind = SegmentKind> =
  | { readonly what: 'row'; readonly row: SegmentRows[Kind] }
  /** It was looked at, and nothing was new. */
  | { readonly what: 'look'; readonly seenMs: number }
  /** Something may have been missed in that stretch. */
  | { readonly what: 'gap'; readonly seenMs: number; readonly gap: TimeRange };

const decimal = z.string().transform((text) => text as DecimalText);
const time = z.int();
const levels = z.array(z.tuple([decimal, decimal]));
const maybe = decimal.nullable();

const book = z.tuple([time.nullable(), levels, levels]);
const trade = z.tuple([time.nullable(), decimal, decimal, z.enum(['buy', 'sell'])]);
const stats = z.strictObject({
  isClosed: z.boolean(),
  closedReason: z.string().nullable(),
  bestSell: maybe,
  bestBuy: maybe,
  baseVolume: maybe,
  quoteVolume: maybe,
  latest: maybe,
  mark: maybe,
  dayLow: maybe,
  dayHigh: maybe,
  dayOpen: maybe,
  dayClose: maybe,
  dayChange: maybe,
}) satisfies z.ZodType<Omit<MarketStats, 'market'>>;

const candle = z.tuple([z.enum(TIMEFRAMES), time, time, decimal, decimal, decimal, decimal, decimal]);

const line = z.union([
  z.tuple([z.literal('row'), time, z.unknown()]),
  z.tuple([z.literal('look'), time]),
  z.tuple([z.literal('gap'), time, time, time]),
]);

/** Returns the time an entry was seen, in ms since 1970. */
export function seenMsOf(entry: SegmentEntry): number {
  return entry.what === 'row' ? entry.row.seenMs : entry.seenMs;
}

/** An entry as a line of JSON, with its end. */
export function writeEntry(entry: SegmentEntry): string {
  switch (entry.what) {
    case 'row':
      return `${JSON.stringify(['row', entry.row.seenMs, cellsOf(entry.row)])}\n`;
    case 'look':
      return `${JSON.stringify(['look', entry.seenMs])}\n`;
    case 'gap':
      return `${JSON.stringify(['gap', entry.seenMs, entry.gap.fromMs, entry.gap.toMs])}\n`;
  }
}

function cellsOf(row: SegmentRows[SegmentKind]): unknown {
  if ('bids' in row) return [row.venueTimeMs, row.bids, row.asks];
  if ('side' in row) return [row.timeMs, row.price, row.amount, row.side];
  if ('candle' in row) {
    const { openTimeMs, open, high, low, close, volume } = row.candle;
    return [row.timeframe, row.coveredFromMs, openTimeMs, open, high, low, close, volume];
  }
  const { market: _named, ...numbers } = row.stats;
  return numbers;
}

/** The entry that a line is; null for one that was cut short or is damaged. */
export function readEntry<Kind extends SegmentKind>(
  text: string,
  of: { readonly kind: Kind; readonly market: MarketSymbol },
): SegmentEntry<Kind> | null {
  const read = line.safeParse(parsed(text));
  if (!read.success) return null;
  const [what, seenMs, ...rest] = read.data;
  if (what === 'look') return { what, seenMs };
  if (what === 'gap') {
    const [fromMs, toMs] = rest as [number, number];
    return { what, seenMs, gap: { fromMs, toMs } };
  }
  const row = readRow(rest[0], { ...of, seenMs });
  return row === null ? null : { what: 'row', row: row as SegmentRows[Kind] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readRow(
  cells: unknown,
  of: { readonly kind: SegmentKind; readonly market: MarketSymbol; readonly seenMs: number },
): SegmentRows[SegmentKind] | null {
  const { kind, market, seenMs } = of;
  if (kind === 'books') {
    const read = book.safeParse(cells);
    return read.success
      ? { venueTimeMs: read.data[0], seenMs, bids: read.data[1], asks: read.data[2] }
      : null;
  }
  if (kind === 'trades') {
    const read = trade.safeParse(cells);
    if (!read.success) return null;
    const [timeMs, price, amount, side] = read.data;
    return { timeMs, seenMs, price, amount, side, id: null };
  }
  if (kind === 'candles') {
    const read = candle.safeParse(cells);
    if (!read.success) return null;
    const [timeframe, coveredFromMs, openTimeMs, open, high, low, close, volume] = read.data;
    return { seenMs, timeframe, coveredFromMs, candle: { openTimeMs, open, high, low, close, volume } };
  }
  const read = stats.safeParse(cells);
  return read.success ? { seenMs, stats: { ...read.data, market: parseMarket(market) } } : null;
}
