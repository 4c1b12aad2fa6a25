import { type Candle, timeframeMs } from '../../domain/candle.ts';
import { candleAt, gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';
import { present, SarrafError, dataUnusable } from '../../domain/errors.ts';
import {
  knownTime,
  type BookColumns,
  type TradeColumns,
  type RecordedStats,
  type TimeRange,
} from '../../recording/records.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import type { VenueAnswer } from '../../venues/port.ts';
import type { FollowedMarket } from '../../venues/followed-market.ts';

/** Recordings of one market, each in order of its own time. */
export interface MarketTracks {
  /**
   * Time at which a row changes the market. `venue-time` (default): the exchange's time, or the time it was
   * seen if there is none. `seen`: always the time it was seen.
   */
  readonly changesWhen?: 'venue-time' | 'seen';
  readonly books: RecordedChunks<BookColumns>;
  /** Recorded trades; null where none were recorded. */
  readonly trades: RecordedChunks<TradeColumns> | null;
  /** Daily statistics of the exchange. Without them they are computed from the recorded trades and books. */
  readonly stats?: RecordedChunks<readonly RecordedStats[]> | null;
  /**
   * Recorded bars, one recording for each timeframe. A bar is known from its close and replaces the computed
   * one; bars before all other data are the past.
   */
  readonly bars?: readonly BarRecording[];
}

export interface BarRecording {
  readonly columns: CandleColumns;
  /** Time ranges that were recorded completely: where they have no bar, there was none. */
  readonly covered: readonly TimeRange[];
}

/** Recorded books of one market of another venue, in order of time. */
export interface OtherRecording {
  readonly market: string;
  readonly books: RecordedChunks<BookColumns>;
}

/** Book of a market of another venue: the last one that was read by now. */
export class OtherTrack {
  readonly market: string;
  readonly queue: RecordedQueue;
  private last: { readonly book: OrderBook; readonly seenMs: number } | null = null;

  constructor({ market, books }: OtherRecording) {
    this.market = market;
    const stream = new RecordedStream(books, ({ seenMs }, row) => seenMs[row] ?? Number.NaN);
    this.queue = queueOf(stream, ({ bids, asks, venueTimeMs }, row, seenMs) => {
      const updatedAtMs = knownTime(venueTimeMs[row] ?? Number.NaN);
      const book = { bids: bids.levelsOf(row), asks: asks.levelsOf(row), updatedAtMs };
      this.last = { book, seenMs };
    });
  }

  /** Returns the answer to a request for it, with the time of the recorded reading. */
  answer(): VenueAnswer {
    if (this.last !== null) return { outcome: 'value', value: this.last.book, saidAtMs: this.last.seenMs };
    const message = `no book of ${this.market} is recorded until now`;
    return { outcome: 'failed', code: 'SERVER_ERROR', message, effect: 'none' };
  }
}

/** Queue of recorded rows for one market. */
interface RecordedQueue {
  readonly stream: Pick<
    RecordedStream<never>,
    'dueMs' | 'horizonMs' | 'lastMs' | 'count' | 'readTo' | 'readFirst' | 'close'
  >;
  /** Passes the next row to the market. */
  readonly hand: () => void;
}

/** Streams of one market, and the market that they change. */
export interface Track {
  readonly market: FollowedMarket;
  readonly books: RecordedStream<BookColumns>;
  readonly trades: RecordedStream<TradeColumns> | null;
  /** Books and trades; when they end, the market ends. Rows of the same time are applied in this order. */
  readonly queues: readonly RecordedQueue[];
  /** Queues of other recordings of the market; rows of the same time come after those of `queues`. */
  readonly sideQueues: readonly RecordedQueue[];
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
    trades === null ? [] : [queueOf(trades, (chunk, row, atMs) => market.onTrade(chunk, row, atMs))];
  const { stats = null, bars = [] } = recording;
  const ofStats =
    stats === null
      ? []
      : [
          queueOfRows(
            stats,
            ({ seenMs }) => seenMs,
            (row) => market.onStats(row.stats),
          ),
        ];
  return {
    market,
    books,
    trades,
    queues: [...ofTrades, queueOf(books, (chunk, row, atMs) => market.onBook(chunk, row, atMs))],
    sideQueues: [...ofStats, ...queuesOfBars(market, bars)],
  };
}

function queueOf<Chunk extends { readonly length: number }>(
  stream: RecordedStream<Chunk>,
  apply: (chunk: Chunk, row: number, dueMs: number) => void,
): RecordedQueue {
  return { stream, hand: () => stream.hand(apply) };
}

/** Creates a queue of recorded rows that are few and come as objects. */
function queueOfRows<Row>(
  chunks: RecordedChunks<readonly Row[]>,
  timeOf: (row: Row) => number,
  apply: (row: Row) => void,
): RecordedQueue {
  const rowAt = (rows: readonly Row[], index: number): Row =>
    present(rows[index], () => `a row ${index} of ${rows.length}`);
  const stream = new RecordedStream(chunks, (rows, index) => timeOf(rowAt(rows, index)));
  return queueOf(stream, (rows, index) => apply(rowAt(rows, index)));
}

function queuesOfBars(market: FollowedMarket, bars: readonly BarRecording[]): readonly RecordedQueue[] {
  const finestMs = Math.min(...bars.map(({ columns }) => timeframeMs(columns.timeframe)));
  return bars.map(({ columns, covered }) => {
    const { timeframe } = columns;
    const grid = gridOfColumns(columns);
    market.bars.cover(timeframe, covered);
    return queueOfRows(
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
 * Passes recorded rows to their markets, each at its time. At the same time trades come before books, since a
 * book shows what is left after them. No row later than the requested time is passed.
 */
export class RecordedFeed {
  private readonly tracks: readonly Track[];
  private readonly queues: readonly RecordedQueue[];
  private readonly ofMarkets: readonly RecordedQueue[];
  private readonly beside: readonly RecordedQueue[];
  private dueMs = Number.NEGATIVE_INFINITY;

  constructor(tracks: readonly Track[], others: readonly OtherTrack[] = []) {
    this.tracks = tracks;
    this.ofMarkets = tracks.flatMap(({ queues }) => queues);
    this.beside = [...tracks.flatMap(({ sideQueues }) => sideQueues), ...others.map(({ queue }) => queue)];
    this.queues = [...this.ofMarkets, ...this.beside];
  }

  /** Time up to which all rows are read, included; infinite at the end of all books and trades. */
  get horizonMs(): number {
    const besideMs = horizonOf(this.beside);
    const marketMs = horizonOf(this.ofMarkets);
    if (marketMs === Number.POSITIVE_INFINITY && besideMs >= this.lastMs) return marketMs;
    return Math.min(marketMs, besideMs);
  }

  /** Due time of the last book or trade that was read. */
  get lastMs(): number {
    return Math.max(...this.ofMarkets.map(({ stream }) => stream.lastMs));
  }

  get rows(): number {
    return this.queues.reduce((sum, { stream }) => sum + stream.count, 0);
  }

  async readTo(timeMs: number): Promise<void> {
    for (const { stream } of this.queues) await stream.readTo(timeMs);
    this.dueMs = Number.NEGATIVE_INFINITY;
  }

  /** Returns the time at which every market has a book. Throws `DATA_UNUSABLE` for a market without any. */
  async firstBooksMs(): Promise<number> {
    let firstMs = Number.NEGATIVE_INFINITY;
    for (const { stream } of this.queues) await stream.readFirst();
    for (const { books, market } of this.tracks) {
      if (books.dueMs === Number.POSITIVE_INFINITY) {
        throw dataUnusable(
          `expected recorded books of ${market.state.rules.symbol}, were none: record some, or run the backtest on candles`,
        );
      }
      firstMs = Math.max(firstMs, books.dueMs);
    }
    return firstMs;
  }

  /** Applies all rows that are due by a time, included; they must be read already. */
  advance(timeMs: number): void {
    if (timeMs < this.dueMs) return;
    for (;;) {
      let dueMs = Number.POSITIVE_INFINITY;
      let next: RecordedQueue | null = null;
      for (const queue of this.queues) {
        const queueMs = queue.stream.dueMs;
        if (queueMs >= dueMs) continue;
        dueMs = queueMs;
        next = queue;
      }
      this.dueMs = dueMs;
      if (next === null || dueMs > timeMs) return;
      next.hand();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map(async ({ stream }) => stream.close()));
  }
}

function horizonOf(queues: readonly RecordedQueue[]): number {
  return queues.reduce((least, { stream }) => Math.min(least, stream.horizonMs), Number.POSITIVE_INFINITY);
}

/** Recorded rows, or columns of them, in the order of recording, in chunks. */
type RecordedChunks<Chunk extends { readonly length: number }> = AsyncIterable<Chunk>;

/** Number of gaps between rows that are kept: enough to estimate the pace of a recording. */
const GAPS_RETAINED = 4_096;

const NO_DUES = new Float64Array();

/**
 * Stream of the rows of one recording. A row is due at the time at which it changes the market: that of the
 * exchange, or that at which it was seen, but never before the row before it. At most one chunk is read
 * ahead.
 */
export class RecordedStream<Chunk extends { readonly length: number }> {
  /** Number of rows passed so far. */
  count = 0;
  /** Due time of the next row that is read; infinite if there is none. */
  dueMs = Number.POSITIVE_INFINITY;
  private readonly chunks: AsyncIterator<Chunk>;
  private readonly timeOf: (chunk: Chunk, row: number) => number;
  /** Chunks that were read but not passed completely; the first one contains the next row. */
  private readonly atHand: { readonly chunk: Chunk; readonly dues: Float64Array }[] = [];
  private dues: Float64Array = NO_DUES;
  /** Index of the next row in the first of these chunks. */
  private row = 0;
  private isEnded = false;
  private newestMs = Number.NEGATIVE_INFINITY;
  private readonly gaps: number[] = [];

  constructor(chunks: RecordedChunks<Chunk>, timeOf: (chunk: Chunk, row: number) => number) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.timeOf = timeOf;
  }

  /**
   * Time up to which all rows are read, included. It excludes the time of the last row, since the next chunk
   * may have more of it. Infinite at the end.
   */
  get horizonMs(): number {
    return this.isEnded ? Number.POSITIVE_INFINITY : this.newestMs - 1;
  }

  /** Due time of the last row that was read. */
  get lastMs(): number {
    return this.newestMs;
  }

  /** Median time between two of the first rows, in ms; null for fewer than two rows. */
  get usualGapMs(): number | null {
    return this.gaps.toSorted((left, right) => left - right)[this.gaps.length >> 1] ?? null;
  }

  /** Passes the next row to `apply`. Must be called only when it is due. */
  hand(apply: (chunk: Chunk, row: number, dueMs: number) => void): void {
    const [first] = this.atHand;
    if (first === undefined)
      throw new SarrafError('INVARIANT', 'expected a recorded row to be at hand, was none');
    const { row, dueMs } = this;
    this.row += 1;
    this.count += 1;
    if (this.row < this.dues.length) this.dueMs = this.dues[this.row] ?? dueMs;
    else this.nextChunk();
    apply(first.chunk, row, dueMs);
  }

  /** Reads until there is a row, or to the end. */
  async readFirst(): Promise<void> {
    while (this.atHand.length === 0 && !this.isEnded) await this.readOn();
  }

  /** Reads until all rows up to a time are read. */
  async readTo(untilMs: number): Promise<void> {
    while (this.horizonMs < untilMs) await this.readOn();
  }

  /** Closes a recording that was not read to its end. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  private async readOn(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done === true) this.isEnded = true;
    else if (next.value.length > 0) this.append(next.value);
  }

  private append(chunk: Chunk): void {
    const dues = new Float64Array(chunk.length);
    for (let row = 0; row < dues.length; row += 1) {
      const dueMs = Math.max(this.newestMs, Math.ceil(this.timeOf(chunk, row)));
      if (!Number.isFinite(dueMs)) {
        throw dataUnusable(`expected a time of a recorded row in ms, was ${this.timeOf(chunk, row)}`);
      }
      if (this.gaps.length < GAPS_RETAINED && Number.isFinite(this.newestMs))
        this.gaps.push(dueMs - this.newestMs);
      this.newestMs = dueMs;
      dues[row] = dueMs;
    }
    this.atHand.push({ chunk, dues });
    if (this.atHand.length === 1) this.begin();
  }

  private nextChunk(): void {
    this.atHand.shift();
    this.begin();
  }

  private begin(): void {
    this.dues = this.atHand[0]?.dues ?? NO_DUES;
    this.row = 0;
    this.dueMs = this.dues[0] ?? Number.POSITIVE_INFINITY;
  }
}
