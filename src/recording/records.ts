import type { MarketStats } from '../domain/market-stats.ts';
import type { PublicTrade } from '../domain/trade.ts';
import type { BookSides } from '../domain/order-book.ts';

/** Levels of each side of a book that are kept: as many as the exchange shows. */
export const BOOK_LEVELS = 24;

/** A trade of the public tape as it was recorded. Times in ms since 1970. */
export interface RecordedTrade extends Omit<PublicTrade, 'timeMs'> {
  /** Time given by the exchange; null if it gives none. */
  readonly timeMs: number | null;
  /** Time at which it was seen here; if a file does not have it, the time of the trade itself. */
  readonly seenMs: number;
  /** The exchange's own number of it, where there is one. */
  readonly id: number | null;
}

/**
 * A book as it was seen: bids falling, asks rising, at most `BOOK_LEVELS` of each. Times in ms since 1970.
 */
export interface RecordedBook extends BookSides {
  readonly venueTimeMs: number | null;
  readonly seenMs: number;
}

/** A market's day as the exchange summed it up at `seenMs`. */
export interface RecordedStats {
  readonly seenMs: number;
  readonly stats: MarketStats;
}

/** A stretch of time in ms since 1970, its end not included. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}
