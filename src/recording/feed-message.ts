import { firstIndex } from '../domain/candle-columns.ts';
import { z } from 'zod';
import { tryDecimalText, type DecimalText } from '../domain/decimal-text.ts';
import { UNIT_DECIMALS } from '../domain/money.ts';
import { oldestFirst, type PublicTrade } from '../domain/trade.ts';
import { parseJson } from '../domain/stored-json.ts';
import { bookRecord, publicTradeList } from '../exchange/order.ts';
import { BOOK_LEVELS, type RecordedBook, type RecordedTrade, decimalProblem } from './records.ts';
import { fileKind } from './open-text.ts';
import { LATEST_MS } from './read-rows.ts';
import { type BookSides, bothSides, type BookLevel } from '../domain/order-book.ts';

const decimal = z.string().transform((text, context): DecimalText => {
  const found = tryDecimalText(text);
  if (found !== null && !found.startsWith('-') && decimalProblem(found) === null) return found;
  context.addIssue({ code: 'custom', message: 'expected a decimal number that can be stored' });
  return z.NEVER;
});
const levels = z.array(
  z.tuple([decimal, decimal], z.unknown()).transform(([price, amount]) => [price, amount] as const),
);
/** Price or amount of a trade; 0 is invalid here, though in a depth change it removes a level. */
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
/** Times of a book that `data export` wrote. */
const exportedTimes = z.object({ venue_time_ms: time.nullable(), seen_ms: time });

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
  /** Whole book, as the exchange replies and `data export` writes it. */
  | { readonly kind: 'book'; readonly book: RecordedBook }
  /** Page of the trade tape from the exchange, oldest first; it overlaps the page before. */
  | { readonly kind: 'page'; readonly seenMs: number | null; readonly trades: readonly PublicTrade[] }
  | { readonly kind: 'trade'; readonly trade: RecordedTrade; readonly symbol: string | null }
  /** Message that is not used, such as the best prices, which the depth contains too. */
  | { readonly kind: 'other' }
  | { readonly kind: 'bad'; readonly problem: string };

/**
 * Reads a line of a feed: the receive time in ns (or ms), a space, and a JSON message, alone or as `data`
 * beside the name of its stream. Replies of the exchange with a book or trades are messages too.
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
  if (type === 'trade' || type === 'aggTrade') return tradeMessage(message, received, type === 'aggTrade');
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

function tradeMessage(message: object, received: string | null, isSum: boolean): FeedMessage {
  const read = trade.safeParse(message);
  if (!read.success)
    return bad(`expected a trade with positive texts p and q, ${DECIMALS}, a time T in ms and a boolean m`);
  const { T: timeMs, p: price, q: amount, m: buyerWasThere, t, a, s } = read.data;
  const seenMs = receiptMs(received) ?? timeMs;
  const side = buyerWasThere ? 'sell' : 'buy';
  const id = (isSum ? a : t) ?? null;
  return { kind: 'trade', trade: { timeMs, seenMs, price, amount, side, id }, symbol: s ?? null };
}

const receiptMs = (text: string | null): number | null => (text === null ? null : Number(text.slice(0, 13)));

/** Reads a book. Versions 2 and 3 of the interface name the sides in opposite ways; prices decide. */
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
  [price, amount].every(
    (decimal) => decimal !== '0' && !decimal.startsWith('-') && decimalProblem(decimal) === null,
  );

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

/** Number of first lines that are searched for a feed message; the first ones may be of other kinds. */
const SHOWN_LINES = 50;

/** True if a file is a feed: a message or reply of the exchange on each line, no row of a table. */
export function isFeed(path: string): boolean {
  const { form, beginning } = fileKind(path);
  if (form !== 'json') return false;
  const lines = beginning.trimStart().split(/\r\n?|\n/, SHOWN_LINES);
  if (lines.some((line) => isUsed(readFeedMessage(line)))) return true;
  const names = Object.keys(parsedObject(lines[0]?.trim() ?? '') ?? {});
  return /^\d/.test(lines[0] ?? '') || names.includes('stream') || names.includes('e');
}

/** Maximum number of levels of one side; levels farther from the best price are dropped. */
const MOST_LEVELS = 10_000;

/** One side of a book that changes level by level, best first. Prices are compared as numbers. */
class BookSide {
  /** Sort direction: -1 for bids, whose best is the highest; 1 for asks. */
  private readonly direction: 1 | -1;
  private readonly keys: number[] = [];
  private readonly levels: BookLevel[] = [];

  constructor(side: 'bids' | 'asks') {
    this.direction = side === 'asks' ? 1 : -1;
  }

  /** Sets the amount at a price; 0 removes the level. */
  set(price: DecimalText, amount: DecimalText): void {
    const key = Number(price) * this.direction;
    const at = firstIndex(this.keys.length, (index) => (this.keys[index] ?? 0) >= key);
    const isThere = this.keys[at] === key;
    if (amount === '0') {
      if (!isThere) return;
      this.keys.splice(at, 1);
      this.levels.splice(at, 1);
    } else if (isThere) this.levels[at] = [price, amount];
    else {
      this.keys.splice(at, 0, key);
      this.levels.splice(at, 0, [price, amount]);
      if (this.keys.length > MOST_LEVELS) {
        this.keys.pop();
        this.levels.pop();
      }
    }
  }

  clear(): void {
    this.keys.length = 0;
    this.levels.length = 0;
  }

  /** Returns the best `count` levels. */
  top(count: number): readonly BookLevel[] {
    return this.levels.slice(0, count);
  }

  all(): readonly BookLevel[] {
    return [...this.levels];
  }
}

/** Whole book at the end of a feed, from which another file can continue. */
export interface FeedTail extends BookSides {
  readonly lastId: number;
}

type Depth = Extract<FeedMessage, { kind: 'depth' }>;
type Snapshot = Extract<FeedMessage, { kind: 'snapshot' }>;

/** Maximum number of changes that wait for a snapshot taken before them: some minutes at ten per second. */
const MOST_WAITING = 5_000;

/** Outcome of a depth change: a book to store, nothing new, or the reason for which it was rejected. */
type FeedStep =
  | { readonly kind: 'book'; readonly book: RecordedBook }
  | { readonly kind: 'same' }
  | { readonly kind: 'rejected'; readonly problem: string };

/**
 * Book that is updated from a feed of changes. Changes are rejected before the first snapshot, unless the
 * feed continues an earlier one, and after a missing change until the next snapshot. A book is emitted when
 * its best levels have changed, at most once in each period of `everyMs`.
 */
export class FeedBook {
  private readonly everyMs: number;
  private readonly tails: readonly FeedTail[];
  private readonly bids = new BookSide('bids');
  private readonly asks = new BookSide('asks');
  /** Id of the last change in the book; null while there is no book. */
  private lastId: number | null = null;
  private hadBook = false;
  private waiting: Depth[] = [];
  private emittedStep = Number.NaN;
  private emitted = '';

  constructor(options: { readonly everyMs: number; readonly tails: readonly FeedTail[] }) {
    this.everyMs = options.everyMs;
    this.tails = options.tails;
  }

  /** True if it continued the end of another feed. */
  isContinued = false;

  /** Applies a whole book, and then the changes that came before it in the file but are newer than it. */
  snapshot({ lastId, bids, asks }: Snapshot): void {
    // An older snapshot has nothing that the changes did not have.
    if (this.lastId !== null && lastId < this.lastId) return;
    this.begin({ lastId, bids, asks });
    const { waiting } = this;
    this.waiting = [];
    for (const change of waiting) if (change.lastId > (this.lastId ?? 0)) this.apply(change);
  }

  depth(change: Depth): FeedStep {
    if (this.lastId === null) {
      const tail = this.hadBook ? undefined : this.tails.find(({ lastId }) => follows(change, lastId));
      if (tail === undefined) return this.reject(change);
      this.begin(tail);
      this.isContinued = true;
    }
    if (change.lastId <= (this.lastId ?? 0)) return { kind: 'same' };
    if (!this.apply(change)) return this.reject(change);
    const { venueTimeMs, seenMs } = change;
    const step = Math.floor(venueTimeMs / this.everyMs);
    if (step === this.emittedStep) return { kind: 'same' };
    const bids = this.bids.top(BOOK_LEVELS);
    const asks = this.asks.top(BOOK_LEVELS);
    return this.whole({ venueTimeMs, seenMs, bids, asks });
  }

  /** Applies a whole book of at most `BOOK_LEVELS`, which needs no changes. */
  whole(book: RecordedBook): FeedStep {
    const { venueTimeMs, seenMs, bids, asks } = book;
    const step = Math.floor((venueTimeMs ?? seenMs) / this.everyMs);
    if (step === this.emittedStep) return { kind: 'same' };
    const [bestBid, bestAsk] = [bids[0], asks[0]];
    const isCrossed =
      bestBid !== undefined && bestAsk !== undefined && Number(bestBid[0]) >= Number(bestAsk[0]);
    const text = JSON.stringify([bids, asks]);
    if (isCrossed || text === this.emitted) return { kind: 'same' };
    this.emittedStep = step;
    this.emitted = text;
    return { kind: 'book', book };
  }

  /** Returns the current book; null if there is none. */
  tail(): FeedTail | null {
    if (this.lastId === null) return null;
    return { lastId: this.lastId, bids: this.bids.all(), asks: this.asks.all() };
  }

  private begin({ lastId, bids, asks }: FeedTail): void {
    this.bids.clear();
    this.asks.clear();
    for (const [price, amount] of bids) this.bids.set(price, amount);
    for (const [price, amount] of asks) this.asks.set(price, amount);
    this.lastId = lastId;
    this.hadBook = true;
  }

  /** Applies a change that follows the last one. Returns false if one is missing: the book is gone. */
  private apply(change: Depth): boolean {
    if (this.lastId === null || change.firstId > this.lastId + 1) {
      this.lastId = null;
      return false;
    }
    for (const [price, amount] of change.bids) this.bids.set(price, amount);
    for (const [price, amount] of change.asks) this.asks.set(price, amount);
    this.lastId = change.lastId;
    return true;
  }

  private reject(change: Depth): FeedStep {
    this.waiting.push(change);
    if (this.waiting.length > MOST_WAITING) this.waiting.shift();
    const problem = this.hadBook
      ? 'a change before this one is missing, so the book is unknown until the next snapshot'
      : 'it comes before the first snapshot, and continues no feed that is there';
    return { kind: 'rejected', problem };
  }
}

const follows = (change: Depth, lastId: number): boolean =>
  change.firstId <= lastId + 1 && lastId + 1 <= change.lastId;
