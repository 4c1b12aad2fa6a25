import { SarrafError } from '../../domain/errors.ts';
import type { RecordedBook, RecordedTrade } from '../../recording/records.ts';
import type { RecordedMarket } from './recorded-market.ts';
import { RecordedStream, type RecordedChunks } from './recorded-stream.ts';

/** What was recorded of one market, in the order of its own time. */
export interface MarketRecording {
  readonly books: RecordedChunks<RecordedBook>;
  /** Null where none were recorded. */
  readonly trades: RecordedChunks<RecordedTrade> | null;
}

/** The streams of one market, and what they move. */
export interface Track {
  readonly market: RecordedMarket;
  readonly books: RecordedStream<RecordedBook>;
  readonly trades: RecordedStream<RecordedTrade> | null;
}

export function createTrack(market: RecordedMarket, { books, trades }: MarketRecording): Track {
  return {
    market,
    books: new RecordedStream(books, ({ venueTimeMs, seenMs }) => venueTimeMs ?? seenMs),
    trades: trades === null ? null : new RecordedStream(trades, ({ timeMs, seenMs }) => timeMs ?? seenMs),
  };
}

/**
 * Hands recorded books and trades over to their markets, each at its time; of the same time trades come first, since a book shows what is left after them.
 * Nothing that is later than the time asked for is handed over.
 */
export class RecordedFeed {
  private readonly tracks: readonly Track[];
  private readonly streams: readonly (RecordedStream<RecordedBook> | RecordedStream<RecordedTrade>)[];
  private dueMs = Number.NEGATIVE_INFINITY;

  constructor(tracks: readonly Track[]) {
    this.tracks = tracks;
    this.streams = tracks.flatMap(({ books, trades }) => (trades === null ? [books] : [books, trades]));
  }

  /** Until when everything is at hand, that time included; infinite at the end of all recordings. */
  get horizonMs(): number {
    return Math.min(...this.streams.map(({ horizonMs }) => horizonMs));
  }

  /** When the last row of all that was read is due. */
  get lastMs(): number {
    return Math.max(...this.streams.map(({ lastMs }) => lastMs));
  }

  /** Rows that went by. */
  get rows(): number {
    return this.streams.reduce((sum, { count }) => sum + count, 0);
  }

  async readTo(timeMs: number): Promise<void> {
    for (const stream of this.streams) await stream.readTo(timeMs);
    this.dueMs = Number.NEGATIVE_INFINITY;
  }

  /** When every market has shown a book. Throws `DATA_UNUSABLE` for one without any. */
  async firstBooksMs(): Promise<number> {
    let firstMs = Number.NEGATIVE_INFINITY;
    for (const { books, market } of this.tracks) {
      await books.readFirst();
      if (books.dueMs === Number.POSITIVE_INFINITY) {
        throw new SarrafError(
          'DATA_UNUSABLE',
          `expected recorded books of ${market.state.rules.symbol}, were none: record some, or run the backtest on candles`,
        );
      }
      firstMs = Math.max(firstMs, books.dueMs);
    }
    return firstMs;
  }

  /** Everything that is due by a time, that time included. It must be at hand. */
  advance(timeMs: number): void {
    if (timeMs < this.dueMs) return;
    for (;;) {
      let dueMs = Number.POSITIVE_INFINITY;
      let next: Track | null = null;
      let isTrade = false;
      for (const track of this.tracks) {
        const { books, trades } = track;
        if (trades !== null && trades.dueMs < dueMs) {
          dueMs = trades.dueMs;
          next = track;
          isTrade = true;
        }
        if (books.dueMs < dueMs) {
          dueMs = books.dueMs;
          next = track;
          isTrade = false;
        }
      }
      this.dueMs = dueMs;
      if (next === null || dueMs > timeMs) return;
      if (isTrade && next.trades !== null) next.market.onTrade(next.trades.take(), dueMs);
      else next.market.onBook(next.books.take(), dueMs);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.streams.map(async (stream) => stream.close()));
  }
}
