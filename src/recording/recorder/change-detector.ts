import { gridOf, shownAnchors, type Candle, type Timeframe } from '../../domain/candle.ts';
import type { MarketStats, BookLevel, OrderBook } from '../../domain/order-book.ts';
import { joinTrades, oldestFirst, type PublicTrade } from '../../domain/trade.ts';
import { HISTORY_ANCHORS } from '../../exchange/market-names.ts';
import { BOOK_LEVELS } from '../records.ts';
import { isSettled } from '../resample.ts';
import { type SegmentEntry, type SegmentKind, segmentRows, type Segment } from '../read-segment.ts';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { replaceFile } from '../durable-file.ts';
import { shapeOf, STORED_CODECS } from '../../records/field.ts';
import { FILL } from '../../records/fill.ts';

/** Interval in ms at which a poll without changes is recorded, to know later that nothing changed. */
const POLL_INTERVAL_MS = 10_000;

/** Number of trades that the next page is joined to: far more than a page has. */
const TAPE_RETAINED = 500;

/** Number of bars per timeframe remembered as recorded: more than are requested again. */
const BARS_RETAINED = 10_000;

export interface ChangeDetectorOptions {
  /** Newest recorded trades, oldest first; null if there are none. */
  readonly tape: readonly PublicTrade[] | null;
  /**
   * Start of the exchange in ms since 1970; earlier trades are ignored, since a first page may show a past
   * that differs from another recording's. Null: the exchange has one past.
   */
  readonly beganMs: number | null;
  /** Longest time between two polls of books or statistics, in ms; a longer one is a gap. */
  readonly longestPauseMs: number;
  /** True if each reading of a book is recorded, changed or not, as where its age decides; default false. */
  readonly hasEachBook?: boolean;
  /** Returns a time in ms until which no opening bar is recorded; Infinity: none are. Default: all are. */
  readonly barsAfterMs?: (timeframe: Timeframe) => number;
}

/** Times of the last poll, and of the last recorded entry, of one kind. */
interface Detections {
  lastMs: number | null;
  notedMs: number;
}

/** Decides which data of one market is new and must be recorded. The caller passes the time. */
export class ChangeDetector {
  /** Newest trades, oldest first; null before the first page. */
  tape: readonly PublicTrade[] | null;
  private readonly options: ChangeDetectorOptions;
  private readonly detections: Readonly<Record<SegmentKind, Detections>> = {
    books: never(),
    trades: never(),
    stats: never(),
    candles: never(),
  };
  private book: OrderBook | null = null;
  private numbers: MarketStats | null = null;
  private readonly bars = new Map<Timeframe, Map<number, string>>();

  constructor(options: ChangeDetectorOptions) {
    this.options = options;
    this.tape = options.tape;
  }

  /** Timeframes of the recorded bars. */
  get timeframes(): readonly Timeframe[] {
    return [...this.bars].flatMap(([timeframe, { size }]) => (size === 0 ? [] : [timeframe]));
  }

  /** Records a book if one of its recorded levels has changed, or if each is recorded. */
  applyBook(book: OrderBook, seenMs: number): readonly SegmentEntry<'books'>[] {
    const cut = { ...book, bids: book.bids.slice(0, BOOK_LEVELS), asks: book.asks.slice(0, BOOK_LEVELS) };
    const before = this.book;
    const isNew =
      this.options.hasEachBook === true ||
      before === null ||
      !sameLevels(before.bids, cut.bids) ||
      !sameLevels(before.asks, cut.asks);
    this.book = cut;
    const { bids, asks, updatedAtMs } = cut;
    const row = { venueTimeMs: updatedAtMs, seenMs, bids, asks };
    return [
      ...this.pause('books', seenMs),
      ...this.detect<'books'>('books', seenMs, isNew ? [{ what: 'row', row }] : []),
    ];
  }

  /** Joins a page of the tape to the known trades; without an overlap, trades may be missing in between. */
  applyPage(page: readonly PublicTrade[], seenMs: number): readonly SegmentEntry<'trades'>[] {
    const { tape } = this;
    const { fresh, hasGap } = joinTrades(tape, oldestFirst(page));
    this.tape = [...(tape ?? []), ...fresh].slice(-TAPE_RETAINED);
    const [first] = fresh;
    const last = tape?.at(-1);
    const noted: SegmentEntry<'trades'>[] = [];
    if (hasGap && first !== undefined && last !== undefined) {
      const gap = { fromMs: Math.min(last.timeMs, first.timeMs), toMs: Math.max(last.timeMs, first.timeMs) };
      noted.push({ what: 'gap', seenMs, gap });
    }
    const { beganMs } = this.options;
    for (const trade of fresh) {
      if (beganMs === null || trade.timeMs >= beganMs)
        noted.push({ what: 'row', row: { ...trade, seenMs, id: null } });
    }
    return this.detect('trades', seenMs, noted);
  }

  /** Records statistics if one of their values has changed. */
  applyStats(stats: MarketStats, seenMs: number): readonly SegmentEntry<'stats'>[] {
    const isNew = this.numbers === null || !sameStats(this.numbers, stats);
    this.numbers = stats;
    return [
      ...this.pause('stats', seenMs),
      ...this.detect<'stats'>('stats', seenMs, isNew ? [{ what: 'row', row: { seenMs, stats } }] : []),
    ];
  }

  /** Records a bar requested long enough after its end to be final, and again if it differs after all. */
  applyBars(
    timeframe: Timeframe,
    page: readonly Candle[],
    { seenMs, askedMs }: { readonly seenMs: number; readonly askedMs: number },
  ): readonly SegmentEntry<'candles'>[] {
    const grid = gridOf(timeframe, shownAnchors(timeframe, page, HISTORY_ANCHORS));
    const afterMs = this.options.barsAfterMs?.(timeframe) ?? Number.NEGATIVE_INFINITY;
    const known = this.bars.get(timeframe) ?? new Map<number, string>();
    this.bars.set(timeframe, known);
    const noted: SegmentEntry<'candles'>[] = [];
    const firstMs = page.reduce(
      (least, { openTimeMs }) => Math.min(least, openTimeMs),
      Number.POSITIVE_INFINITY,
    );
    const coveredFromMs = Math.max(firstMs, Number.isFinite(afterMs) ? grid.endOf(afterMs) : afterMs);
    for (const candle of page) {
      const { openTimeMs, open, high, low, close, volume } = candle;
      const text = `${open} ${high} ${low} ${close} ${volume}`;
      const mayChange = !isSettled(grid.endOf(openTimeMs), askedMs) || !grid.isStart(openTimeMs);
      if (mayChange || openTimeMs <= afterMs || known.get(openTimeMs) === text) continue;
      known.set(openTimeMs, text);
      noted.push({ what: 'row', row: { seenMs, timeframe, coveredFromMs, candle } });
    }
    for (const openTimeMs of [...known.keys()].slice(0, Math.max(0, known.size - BARS_RETAINED)))
      known.delete(openTimeMs);
    return noted;
  }

  private pause(kind: 'books' | 'stats', seenMs: number): readonly SegmentEntry<never>[] {
    const { lastMs } = this.detections[kind];
    if (lastMs === null || seenMs - lastMs <= this.options.longestPauseMs) return [];
    return [{ what: 'gap', seenMs, gap: { fromMs: lastMs, toMs: seenMs } }];
  }

  private detect<Kind extends SegmentKind>(
    kind: Kind,
    seenMs: number,
    noted: readonly SegmentEntry<Kind>[],
  ): readonly SegmentEntry<Kind>[] {
    const detections = this.detections[kind];
    detections.lastMs = seenMs;
    if (noted.length === 0 && seenMs - detections.notedMs < POLL_INTERVAL_MS) return [];
    detections.notedMs = seenMs;
    return noted.length === 0 ? [{ what: 'look', seenMs }] : noted;
  }
}

function never(): Detections {
  return { lastMs: null, notedMs: Number.NEGATIVE_INFINITY };
}

function sameLevels(left: readonly BookLevel[], right: readonly BookLevel[]): boolean {
  return (
    left.length === right.length &&
    left.every(([price, amount], index) => price === right[index]?.[0] && amount === right[index]?.[1])
  );
}

function sameStats(
  { market: _one, ...left }: MarketStats,
  { market: _other, ...right }: MarketStats,
): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

const FILE = 'tape.json';

const decimal = z.string().transform((text) => text as DecimalText);

const tail = z.strictObject({
  /** Name of the last segment whose trades are included. */
  through: z.string(),
  trades: z.array(
    z.strictObject({
      timeMs: z.int(),
      ...shapeOf(FILL, ['price', 'amount', 'side'], { ...STORED_CODECS, money: decimal, amount: decimal }),
    }),
  ),
});

type TapeTail = z.output<typeof tail>;

/** Returns the newest recorded trades of a market, to join the next page to; null if unknown. */
export const readTape = (folder: string): readonly PublicTrade[] | null => readTail(folder)?.trades ?? null;

/** Stores the newest trades of a segment, once. Must be called for one segment after the other. */
export async function noteTape(folder: string, segment: Segment<'trades'>): Promise<void> {
  const before = readTail(folder);
  const through = basename(segment.path);
  if (before !== null && before.through >= through) return;
  let trades: readonly PublicTrade[] = before?.trades ?? [];
  for await (const rows of segmentRows(segment)) {
    const news = rows.map(({ timeMs, seenMs, price, amount, side }) => ({
      timeMs: timeMs ?? seenMs,
      price,
      amount,
      side,
    }));
    trades = [...trades, ...news].slice(-TAPE_RETAINED);
  }
  if (trades.length > 0) replaceFile(join(folder, FILE), `${JSON.stringify({ through, trades })}\n`);
}

/** Reads the stored trades; null if unreadable. The first page is then a gap, or the start of the tape. */
function readTail(folder: string): TapeTail | null {
  const path = join(folder, FILE);
  if (!existsSync(path)) return null;
  try {
    const read = tail.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
