import type { DecimalText } from '../../domain/decimal-text.ts';
import type { BookLevel, BookSides } from '../../domain/order-book.ts';
import { BOOK_LEVELS, type RecordedBook } from '../records.ts';
import type { FeedMessage } from '../feed-message.ts';

/** Levels of one side that are kept: what is farther from the best price than these is forgotten. */
const MOST_LEVELS = 10_000;

/**
 * One side of a book that changes level by level: its levels in an array, best first. Prices are told apart
 * by their numbers.
 */
class BookSide {
  /** -1 for bids, whose best is the highest; 1 for asks. */
  private readonly direction: 1 | -1;
  private readonly keys: number[] = [];
  private readonly levels: BookLevel[] = [];

  constructor(side: 'bids' | 'asks') {
    this.direction = side === 'asks' ? 1 : -1;
  }

  /** Sets the amount at a price; 0 takes the level away. */
  set(price: DecimalText, amount: DecimalText): void {
    const key = Number(price) * this.direction;
    const at = this.placeOf(key);
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

  /** The best levels. */
  top(count: number): readonly BookLevel[] {
    return this.levels.slice(0, count);
  }

  /** All levels. */
  all(): readonly BookLevel[] {
    return [...this.levels];
  }

  private placeOf(key: number): number {
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.keys[middle] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The whole book at one moment of a feed, for the file that continues it. */
export interface FeedTail extends BookSides {
  readonly lastId: number;
}

type Depth = Extract<FeedMessage, { kind: 'depth' }>;
type Snapshot = Extract<FeedMessage, { kind: 'snapshot' }>;

/** Changes that wait for a snapshot which may have been taken before them: some minutes of ten a second. */
const MOST_WAITING = 5_000;

/**
 * Outcome of a change of the depth: a book to store, nothing new, or the reason that the change can not be
 * used.
 */
type FeedStep =
  | { readonly kind: 'book'; readonly book: RecordedBook }
  | { readonly kind: 'same' }
  | { readonly kind: 'rejected'; readonly problem: string };

/**
 * A book that is kept up from a feed of changes. Before its first snapshot, or the end of a feed that this
 * one continues, changes are rejected; so are those after a change that is missing, until the next snapshot.
 * A book is emitted when its best levels have changed, once in each stretch of `everyMs` at most.
 */
export class FeedBook {
  private readonly everyMs: number;
  private readonly tails: readonly FeedTail[];
  private readonly bids = new BookSide('bids');
  private readonly asks = new BookSide('asks');
  /** Of the last change that is in the book; null while there is none. */
  private lastId: number | null = null;
  private hadBook = false;
  private waiting: Depth[] = [];
  private emittedStretch = Number.NaN;
  private emitted = '';

  constructor(options: { readonly everyMs: number; readonly tails: readonly FeedTail[] }) {
    this.everyMs = options.everyMs;
    this.tails = options.tails;
  }

  /** True if it began with the end of another feed. */
  isContinued = false;

  /**
   * Takes a whole book. Changes that came before it in the file and that it does not hold yet are applied.
   */
  snapshot({ lastId, bids, asks }: Snapshot): void {
    // An older one tells nothing that the changes have not.
    if (this.lastId !== null && lastId < this.lastId) return;
    this.begin({ lastId, bids, asks });
    const { waiting } = this;
    this.waiting = [];
    for (const change of waiting) if (change.lastId > (this.lastId ?? 0)) this.apply(change);
  }

  /** Takes a change. */
  depth(change: Depth): FeedStep {
    if (this.lastId === null) {
      const tail = this.hadBook ? undefined : this.tails.find(({ lastId }) => follows(change, lastId));
      if (tail === undefined) return this.reject(change);
      this.begin(tail);
      this.isContinued = true;
    }
    if (change.lastId <= (this.lastId ?? 0)) return { kind: 'same' };
    if (!this.apply(change)) return this.reject(change);
    return this.tell(change);
  }

  /** Takes a whole book of at most `BOOK_LEVELS`, which needs no change before it. */
  whole(book: RecordedBook): FeedStep {
    const { venueTimeMs, seenMs, bids, asks } = book;
    const stretch = Math.floor((venueTimeMs ?? seenMs) / this.everyMs);
    if (stretch === this.emittedStretch) return { kind: 'same' };
    const [bestBid, bestAsk] = [bids[0], asks[0]];
    const isCrossed =
      bestBid !== undefined && bestAsk !== undefined && Number(bestBid[0]) >= Number(bestAsk[0]);
    const text = JSON.stringify([bids, asks]);
    if (isCrossed || text === this.emitted) return { kind: 'same' };
    this.emittedStretch = stretch;
    this.emitted = text;
    return { kind: 'book', book };
  }

  /** The book as it is; null where there is none. */
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

  /**
   * Applies a change that follows the last one; false where one is missing, and then there is no book any
   * more.
   */
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

  private tell({ venueTimeMs, seenMs }: Depth): FeedStep {
    const stretch = Math.floor(venueTimeMs / this.everyMs);
    if (stretch === this.emittedStretch) return { kind: 'same' };
    const bids = this.bids.top(BOOK_LEVELS);
    const asks = this.asks.top(BOOK_LEVELS);
    return this.whole({ venueTimeMs, seenMs, bids, asks });
  }
}

function follows(change: Depth, lastId: number): boolean {
  return change.firstId <= lastId + 1 && lastId + 1 <= change.lastId;
}
