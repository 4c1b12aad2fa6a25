import type { Candle } from '../../domain/candle.ts';
import { candleAt, gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError } from '../../domain/errors.ts';
import { present } from '../../domain/invariant.ts';
import { timeframeMs } from '../../domain/timeframe.ts';
import type { BookColumns, TradeColumns } from '../../recording/record-columns.ts';
import type { RecordedStats, TimeRange } from '../../recording/records.ts';
import type { FollowedMarket } from '../../venues/followed/followed-market.ts';
import { RecordedStream, type RecordedChunks } from './recorded-stream.ts';

/** Recording of one market, in the order of its own time. */
export interface MarketTracks {
  /**
   * Time at which a row changes the market. `venue-time`: the exchange's time, else when it was seen. `seen`:
   * always when it was seen. Default: `venue-time`.
   */
  readonly changesWhen?: 'venue-time' | 'seen';
  readonly books: RecordedChunks<BookColumns>;
  /** Null where none were recorded. */
  readonly trades: RecordedChunks<TradeColumns> | null;
  /** The exchange's own summary of the day. Without it there is one made of what went by. */
  readonly stats?: RecordedChunks<readonly RecordedStats[]> | null;
  /**
   * Bars, a timeframe each. One is known from its close on, in place of one made of what went by; those
   * before everything else are the past.
   */
  readonly bars?: readonly BarRecording[];
}

/** Recorded bars of one timeframe. */
export interface BarRecording {
  readonly columns: CandleColumns;
  /** Stretches of time that were read whole: where no bar is in them, there was none. */
  readonly covered: readonly TimeRange[];
}

/** Rows on their way to a market. */
interface Lane {
  readonly stream: Pick<
    RecordedStream<never>,
    'dueMs' | 'horizonMs' | 'lastMs' | 'count' | 'readTo' | 'readFirst' | 'close'
  >;
  /** Hands the next row over. */
  readonly hand: () => void;
}

/** The streams of one market, and what they move. */
export interface Track {
  readonly market: FollowedMarket;
  readonly books: RecordedStream<BookColumns>;
  readonly trades: RecordedStream<TradeColumns> | null;
  /**
   * Books and trades, which are the market: it stands still when they have ended. In the order in which rows
   * of the same time count.
   */
  readonly lanes: readonly Lane[];
  /** Other recordings of the market; at the same time, after `lanes`. */
  readonly sideLanes: readonly Lane[];
}

export function createTrack(market: FollowedMarket, recording: MarketTracks): Track {
  const isByVenue = recording.changesWhen !== 'seen';
  const dueMs = (venueMs: number, seenMs: number): number =>
    isByVenue && !Number.isNaN(venueMs) ? venueMs : seenMs;
  const books = new RecordedStream(recording.books, ({ venueTimeMs, seenMs }, row) =>
    dueMs(venueTimeMs[row] ?? Number.NaN, seenMs[row] ?? Number.NaN),
  );
  const trades =
    recording.trades === null
      ? null
      : new RecordedStream(recording.trades, ({ timeMs, seenMs }, row) =>
          dueMs(timeMs[row] ?? Number.NaN, seenMs[row] ?? Number.NaN),
        );
  const ofTrades =
    trades === null ? [] : [laneOf(trades, (chunk, row, atMs) => market.onTrade(chunk, row, atMs))];
  const { stats = null, bars = [] } = recording;
  const ofStats =
    stats === null
      ? []
      : [
          laneOfRows(
            stats,
            ({ seenMs }) => seenMs,
            (row) => market.onStats(row.stats),
          ),
        ];
  return {
    market,
    books,
    trades,
    lanes: [...ofTrades, laneOf(books, (chunk, row, atMs) => market.onBook(chunk, row, atMs))],
    sideLanes: [...ofStats, ...lanesOfBars(market, bars)],
  };
}

function laneOf<Chunk extends { readonly length: number }>(
  stream: RecordedStream<Chunk>,
  take: (chunk: Chunk, row: number, dueMs: number) => void,
): Lane {
  return { stream, hand: () => stream.hand(take) };
}

/** A lane of rows that are few, and come as objects. */
function laneOfRows<Row>(
  chunks: RecordedChunks<readonly Row[]>,
  timeOf: (row: Row) => number,
  take: (row: Row) => void,
): Lane {
  const rowAt = (rows: readonly Row[], index: number): Row =>
    present(rows[index], () => `a row ${index} of ${rows.length}`);
  const stream = new RecordedStream(chunks, (rows, index) => timeOf(rowAt(rows, index)));
  return laneOf(stream, (rows, index) => take(rowAt(rows, index)));
}

function lanesOfBars(market: FollowedMarket, bars: readonly BarRecording[]): readonly Lane[] {
  const finestMs = Math.min(...bars.map(({ columns }) => timeframeMs(columns.timeframe)));
  return bars.map(({ columns, covered }) => {
    const { timeframe } = columns;
    const grid = gridOfColumns(columns);
    market.bars.cover(timeframe, covered);
    return laneOfRows(
      chunksOf(columns),
      ({ openTimeMs }) => grid.endOf(openTimeMs),
      (candle) => market.onBar(candle, { timeframe, isFinest: grid.lengthMs === finestMs }),
    );
  });
}

const BARS_A_CHUNK = 500;

async function* chunksOf(columns: CandleColumns): AsyncGenerator<readonly Candle[]> {
  for (let start = 0; start < columns.length; start += BARS_A_CHUNK) {
    const length = Math.min(BARS_A_CHUNK, columns.length - start);
    yield Array.from({ length }, (_, index) => candleAt(columns, start + index));
  }
}

/**
 * Gives recorded rows to their markets, each at its time; of the same time trades come first, since a
 * book shows what is left after them. Nothing that is later than the time asked for is given.
 */
export class RecordedFeed {
  private readonly tracks: readonly Track[];
  private readonly lanes: readonly Lane[];
  private readonly ofMarkets: readonly Lane[];
  private readonly beside: readonly Lane[];
  private dueMs = Number.NEGATIVE_INFINITY;

  constructor(tracks: readonly Track[]) {
    this.tracks = tracks;
    this.ofMarkets = tracks.flatMap(({ lanes }) => lanes);
    this.beside = tracks.flatMap(({ sideLanes }) => sideLanes);
    this.lanes = [...this.ofMarkets, ...this.beside];
  }

  /** Until when everything is at hand, that time included; infinite at the end of all books and trades. */
  get horizonMs(): number {
    const besideMs = horizonOf(this.beside);
    const marketMs = horizonOf(this.ofMarkets);
    if (marketMs === Number.POSITIVE_INFINITY && besideMs >= this.lastMs) return marketMs;
    return Math.min(marketMs, besideMs);
  }

  /** Due time of the last book or trade of all that was read. */
  get lastMs(): number {
    return Math.max(...this.ofMarkets.map(({ stream }) => stream.lastMs));
  }

  /** Rows that went by. */
  get rows(): number {
    return this.lanes.reduce((sum, { stream }) => sum + stream.count, 0);
  }

  async readTo(timeMs: number): Promise<void> {
    for (const { stream } of this.lanes) await stream.readTo(timeMs);
    this.dueMs = Number.NEGATIVE_INFINITY;
  }

  /** Returns when every market has shown a book. Throws `DATA_UNUSABLE` for one without any. */
  async firstBooksMs(): Promise<number> {
    let firstMs = Number.NEGATIVE_INFINITY;
    for (const { stream } of this.lanes) await stream.readFirst();
    for (const { books, market } of this.tracks) {
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
      let next: Lane | null = null;
      for (const lane of this.lanes) {
        const laneMs = lane.stream.dueMs;
        if (laneMs >= dueMs) continue;
        dueMs = laneMs;
        next = lane;
      }
      this.dueMs = dueMs;
      if (next === null || dueMs > timeMs) return;
      next.hand();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.lanes.map(async ({ stream }) => stream.close()));
  }
}

function horizonOf(lanes: readonly Lane[]): number {
  return lanes.reduce((least, { stream }) => Math.min(least, stream.horizonMs), Number.POSITIVE_INFINITY);
}
