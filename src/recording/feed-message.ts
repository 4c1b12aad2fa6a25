import { z } from 'zod';
import { tryDecimalText, type DecimalText } from '../domain/decimal-text.ts';
import { UNIT_DECIMALS } from '../domain/money.ts';
import { oldestFirst } from '../domain/trade-join.ts';
import type { PublicTrade } from '../domain/trade.ts';
import { parseJson } from '../exchange/reply-decoder.ts';
import { bookRecord, publicTradeList } from '../exchange/order.ts';
import { BOOK_LEVELS, type RecordedBook, type RecordedTrade } from './records.ts';
import { fileKind } from './import/file-kind.ts';
import { LATEST_MS } from './read-partitions.ts';
import { decimalProblem } from './rounded-decimal.ts';
import { type BookSides, bothSides } from '../domain/order-book.ts';

const decimal = z.string().transform((text, context): DecimalText => {
  const found = tryDecimalText(text);
  if (found !== null && !found.startsWith('-') && decimalProblem(found) === null) return found;
  context.addIssue({ code: 'custom', message: 'expected a decimal number that can be stored' });
  return z.NEVER;
});
const levels = z.array(
  z.tuple([decimal, decimal], z.unknown()).transform(([price, amount]) => [price, amount] as const),
);
/** Of trades; an amount of 0 at a price of the depth takes the price away. */
const positive = decimal.refine((text) => text !== '0');
const count = z.int().nonnegative();
const time = z.int().nonnegative().max(LATEST_MS);

const depth = z.object({ E: time, U: count, u: count, b: levels, a: levels });
const snapshot = z.object({ lastUpdateId: count, ...bothSides(levels) });
const trade = z.object({
  T: time,
  p: positive,
  q: positive,
  m: z.boolean(),
  t: count.optional(),
  a: count.optional(),
  s: z.string().optional(),
});

const page = z.object({ trades: publicTradeList });
/** The times of a book that `data export` wrote. */
const exportedTimes = z.object({ venue_time_ms: time.nullable(), seen_ms: time });
const isPositive = (decimal: DecimalText): boolean => decimal !== '0' && !decimal.startsWith('-');

const DECIMALS = `of at most ${UNIT_DECIMALS} decimals`;

/** Content of a line of a feed. Times in ms since 1970; `seenMs` is the time of receipt. */
export type FeedMessage =
  | (BookSides & {
      readonly kind: 'depth';
      readonly seenMs: number;
      readonly venueTimeMs: number;
      readonly firstId: number;
      readonly lastId: number;
    })
  | (BookSides & { readonly kind: 'snapshot'; readonly lastId: number })
  /** A whole book, as the exchange replies and `data export` writes it. */
  | { readonly kind: 'book'; readonly book: RecordedBook }
  /** A page of the tape, as the exchange replies: oldest first, and much of it in the page before. */
  | { readonly kind: 'page'; readonly seenMs: number | null; readonly trades: readonly PublicTrade[] }
  | { readonly kind: 'trade'; readonly trade: RecordedTrade; readonly symbol: string | null }
  /** Something that is not used, such as the best prices, which the depth tells too. */
  | { readonly kind: 'other' }
  | { readonly kind: 'bad'; readonly problem: string };

/**
 * Reads a line of a feed: the time of its receipt in ns (or ms), a space, and a JSON message, by itself or as
 * `data` beside the name of its stream. Replies of the exchange with a book or with trades are messages too.
 */
export function readFeedMessage(text: string): FeedMessage {
  const found = /^\s*(\d{13,19})?\s*(\{.*)$/s.exec(text);
  if (found === null) return bad('expected a receive time and a JSON object');
  const parsed = parsedObject(found[2] ?? '');
  if (parsed === null) return bad('expected a JSON object after the receive time');
  const received = found[1] ?? null;
  const message = typeof parsed['data'] === 'object' && parsed['data'] !== null ? parsed['data'] : parsed;
  const type = (message as { readonly e?: unknown }).e;
  if (type === 'depthUpdate') return depthMessage(message, received);
  if (type === 'trade' || type === 'aggTrade')
    return tradeMessage(message, { received, isSum: type === 'aggTrade' });
  if ('lastUpdateId' in message) return snapshotMessage(message);
  if ('bids' in message && 'asks' in message) return bookMessage(message, received);
  if ('trades' in message) return pageMessage(message, received);
  return { kind: 'other' };
}

function depthMessage(message: object, received: string | null): FeedMessage {
  const read = depth.safeParse(message);
  if (!read.success)
    return bad(
      `expected a depth message with a time E in ms, numbers U, u and lists b, a of price and amount, ${DECIMALS}`,
    );
  const { E: venueTimeMs, U: firstId, u: lastId, b: bids, a: asks } = read.data;
  return {
    kind: 'depth',
    seenMs: receiptMs(received) ?? venueTimeMs,
    venueTimeMs,
    firstId,
    lastId,
    bids,
    asks,
  };
}

function snapshotMessage(message: object): FeedMessage {
  const read = snapshot.safeParse(message);
  if (!read.success)
    return bad(
      `expected a snapshot with a number lastUpdateId and lists bids, asks of price and amount, ${DECIMALS}`,
    );
  return { kind: 'snapshot', lastId: read.data.lastUpdateId, bids: read.data.bids, asks: read.data.asks };
}

function tradeMessage(
  message: object,
  how: { readonly received: string | null; readonly isSum: boolean },
): FeedMessage {
  const read = trade.safeParse(message);
  if (!read.success)
    return bad(`expected a trade with positive texts p and q, ${DECIMALS}, a time T in ms and a boolean m`);
  const { T: timeMs, p: price, q: amount, m: buyerWasThere, t, a, s } = read.data;
  const seenMs = receiptMs(how.received) ?? timeMs;
  const side = buyerWasThere ? 'sell' : 'buy';
  const id = (how.isSum ? a : t) ?? null;
  return { kind: 'trade', trade: { timeMs, seenMs, price, amount, side, id }, symbol: s ?? null };
}

function receiptMs(text: string | null): number | null {
  return text === null ? null : Number(text.slice(0, 13));
}

/** The exchange names the sides one way in version 2 and the other way in version 3: their prices tell. */
function bookMessage(message: object, received: string | null): FeedMessage {
  const exported = exportedTimes.safeParse(message);
  const reply = exported.success ? { ...message, lastUpdate: exported.data.venue_time_ms } : message;
  const read = bookRecord.safeParse(reply);
  if (!read.success)
    return bad(`expected a book with a time lastUpdate and lists bids, asks of price and amount`);
  const { bids, asks, updatedAtMs: venueTimeMs } = read.data;
  const seenMs = exported.success ? exported.data.seen_ms : (receiptMs(received) ?? venueTimeMs);
  if (seenMs === null || seenMs > LATEST_MS || (venueTimeMs ?? 0) > LATEST_MS)
    return bad('expected a book with a time lastUpdate that can be read');
  if (bids.length === 0 || asks.length === 0)
    return bad('expected a book with both sides, since a list alone does not tell which side it is');
  if ([...bids, ...asks].some((level) => level.some((decimal) => decimalProblem(decimal) !== null)))
    return bad(`expected a book with prices and amounts ${DECIMALS}`);
  const [bestBids, bestAsks] = [bids.slice(0, BOOK_LEVELS), asks.slice(0, BOOK_LEVELS)];
  return { kind: 'book', book: { venueTimeMs, seenMs, bids: bestBids, asks: bestAsks } };
}

const isStorable = ({ timeMs, price, amount }: PublicTrade): boolean =>
  timeMs <= LATEST_MS &&
  [price, amount].every((decimal) => isPositive(decimal) && decimalProblem(decimal) === null);

function pageMessage(message: object, received: string | null): FeedMessage {
  const read = page.safeParse(message);
  if (!read.success)
    return bad('expected a page of trades, each with time, price, volume and a type buy or sell');
  const { trades } = read.data;
  if (!trades.every(isStorable)) return bad(`expected trades with positive prices and volumes ${DECIMALS}`);
  return { kind: 'page', seenMs: receiptMs(received), trades: oldestFirst(trades) };
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed = parseJson(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function bad(problem: string): FeedMessage {
  return { kind: 'bad', problem };
}

const isUsed = ({ kind }: FeedMessage): boolean => kind !== 'other' && kind !== 'bad';

/** Lines that a feed shows itself in: the first ones may be of other kinds. */
const SHOWN_LINES = 50;

/**
 * True if a file is a feed: messages, or replies of the exchange, one a line. Objects and lists that are rows
 * of a table are none.
 */
export function isFeed(path: string): boolean {
  const { form, beginning } = fileKind(path);
  if (form !== 'json') return false;
  const lines = beginning.trimStart().split(/\r\n?|\n/, SHOWN_LINES);
  if (lines.some((line) => isUsed(readFeedMessage(line)))) return true;
  const names = Object.keys(parsedObject(lines[0]?.trim() ?? '') ?? {});
  return /^\d/.test(lines[0] ?? '') || names.includes('stream') || names.includes('e');
}
