import type { BookLevel } from '../../domain/order-book.ts';
import { BOOK_LEVELS, type RecordedBook } from '../records.ts';
import { BookSide } from './book-side.ts';
import type { FeedMessage } from './feed-message.ts';

/** The whole book at one moment of a feed, for the file that continues it. */
export interface FeedTail {
  readonly lastId: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

type Depth = Extract<FeedMessage, { kind: 'depth' }>;
type Snapshot = Extract<FeedMessage, { kind: 'snapshot' }>;

/** Changes that wait for a snapshot which may have been taken before them: some minutes of ten a second. */
const MOST_WAITING = 5_000;

/** What a change of the depth gave: a book to be kept, nothing new, or why it can not be used. */
export type FeedStep =
  | { readonly kind: 'book'; readonly book: RecordedBook }
  | { readonly kind: 'same' }
  | { readonly kind: 'rejected'; readonly problem: string };

/**
 * A book that is kept up from a feed of changes. Before its first snapshot, or the end of a feed that this one continues, changes are rejected; so are those
 * after a change that is missing, until the next snapshot. A book is told when its best levels have changed, once in each stretch of `everyMs` at most.
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
  private toldStretch = Number.NaN;
  private told = '';

  constructor(options: { readonly everyMs: number; readonly tails: readonly FeedTail[] }) {
    this.everyMs = options.everyMs;
    this.tails = options.tails;
  }

  /** Whether it began with the end of another feed. */
  isContinued = false;

  /** Takes a whole book. Changes that came before it in the file and that it does not hold yet are applied. */
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

  /** Applies a change that follows the last one; false where one is missing, and then there is no book any more. */
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
    if (stretch === this.toldStretch) return { kind: 'same' };
    const bids = this.bids.top(BOOK_LEVELS);
    const asks = this.asks.top(BOOK_LEVELS);
    const [bestBid, bestAsk] = [bids[0], asks[0]];
    const isCrossed = bestBid !== undefined && bestAsk !== undefined && Number(bestBid[0]) >= Number(bestAsk[0]);
    const text = JSON.stringify([bids, asks]);
    if (isCrossed || text === this.told) return { kind: 'same' };
    this.toldStretch = stretch;
    this.told = text;
    return { kind: 'book', book: { venueTimeMs, seenMs, bids, asks } };
  }
}

function follows(change: Depth, lastId: number): boolean {
  return change.firstId <= lastId + 1 && lastId + 1 <= change.lastId;
}
