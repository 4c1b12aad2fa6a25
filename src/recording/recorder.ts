import { messageOf, invalidOptions } from '../domain/errors.ts';
import type { Candle, Timeframe } from '../domain/candle.ts';
import type { MarketStats, OrderBook } from '../domain/order-book.ts';
import { otherMarketOf, type MarketSymbol } from '../domain/market-symbol.ts';
import type { PublicTrade } from '../domain/trade.ts';
import { exchangeAskedMs, type VenueAnswer, type VenueCall } from '../venues/port.ts';
import { readManifest } from './manifest.ts';
import { timeText } from './read-rows.ts';
import { afterOnMachine, type After } from './durable-file.ts';
import {
  isOfTrades,
  type FinalizeSegments,
  type FinalizeTarget,
  SegmentCompactor,
  acquireLeftFolders,
  acquireSegmentFolder,
  type SegmentFolder,
} from './finalize-segment.ts';
import {
  SEGMENT_KINDS,
  type SegmentEntry,
  type SegmentKind,
  SegmentWriter,
  type SegmentWriterOptions,
} from './read-segment.ts';
import { ChangeDetector, noteTape, readTape } from './recorder/change-detector.ts';

/** Longest time without a poll in ms; a longer one is recorded as a gap. Default of `longestPauseMs`. */
const LONGEST_PAUSE_MS = 60_000;

export interface RecorderOptions
  extends FinalizeTarget, Pick<SegmentWriterOptions, 'largestBytes' | 'syncEveryMs'> {
  readonly markets: readonly MarketSymbol[];
  /** @see SegmentWriterOptions.life */
  readonly life: string;
  /** Start of an exchange that begins anew with every run, in ms since 1970; null for any other exchange. */
  readonly beganMs: number | null;
  /** Called with each problem as a sentence; must not throw. The recorder stops if it cannot go on. */
  readonly onProblem: (message: string) => void;
  readonly longestPauseMs?: number;
  readonly after?: After;
  /** Finalizes segments; default: in this process. */
  readonly finalize?: FinalizeSegments;
}

/** Recording status of one kind of one market. */
interface KindStatus {
  /** Number of rows since the start. */
  rows: number;
  /** Time of the last poll in ms since 1970; null before the first. */
  seenMs: number | null;
  gaps: number;
}

export interface MarketRecording {
  readonly market: MarketSymbol;
  readonly kinds: Readonly<Record<SegmentKind, Readonly<KindStatus>>>;
  /** Timeframes of the recorded bars. */
  readonly timeframes: readonly Timeframe[];
}

interface Recorded extends Omit<MarketRecording, 'timeframes'> {
  readonly folder: SegmentFolder;
  readonly detector: ChangeDetector;
  readonly writers: Readonly<Record<SegmentKind, SegmentWriter>>;
  readonly kinds: Readonly<Record<SegmentKind, KindStatus>>;
}

/**
 * Records answers of an exchange: books, public trades, statistics and bars of some markets. They are
 * journalled as they come and moved to the catalogue day by day. The caller passes each answer in; the
 * recorder itself requests nothing.
 */
export class Recorder {
  /** Reason for which it stopped recording early; null while it records. */
  failure: string | null = null;
  private readonly options: RecorderOptions;
  private readonly after: After;
  private readonly compactor: SegmentCompactor;
  private readonly recorded = new Map<string, Recorded>();
  private isClosed = false;

  private constructor(options: RecorderOptions) {
    this.options = options;
    this.after = options.after ?? afterOnMachine;
    const { root, lockFile, source, finalize } = options;
    this.compactor = new SegmentCompactor({
      target: { root, lockFile, source },
      ...(finalize === undefined ? {} : { finalize }),
      after: this.after,
      onFinalized: ({ segment, badLines }) => {
        // One unreadable line is normal: a killed process was writing it.
        if (badLines > 1)
          this.log(`${badLines} lines of ${segment.path} could not be read and were left out`);
      },
      onFailed: ({ segment, reason }) =>
        this.log(`${segment.path} stays where it is until it can be moved to the catalogue: ${reason}`),
    });
  }

  /**
   * Starts the recording of some markets, and finalizes what a killed process has left. Throws
   * `DATA_UNUSABLE` if another process records one of them into this catalogue or it cannot be written to,
   * and `INVALID_OPTIONS` if an exchange that begins anew would be mixed with existing data.
   */
  static async open(options: RecorderOptions): Promise<Recorder> {
    const recorder = new Recorder(options);
    try {
      await recorder.begin();
      return recorder;
    } catch (error) {
      await recorder.compactor.settled();
      recorder.release();
      throw error;
    }
  }

  /** Records the answer to a call, at a time in ms; `askedMs`: that of the request. Never throws. */
  apply(call: VenueCall, answer: VenueAnswer, seenMs: number, askedMs: number = seenMs): void {
    if (answer.outcome !== 'value' || this.isClosed || this.failure !== null) return;
    try {
      const atLeastMs = exchangeAskedMs(answer.saidAtMs, { askedAtMs: askedMs, atMs: seenMs });
      this.applyValue(call, answer.value, { seenMs, askedMs: atLeastMs });
    } catch (error) {
      this.stop(error);
    }
  }

  /** Status of each market since the start. */
  get markets(): readonly MarketRecording[] {
    return [...this.recorded.values()].map(({ market, kinds, detector }) => ({
      market,
      kinds,
      timeframes: detector.timeframes,
    }));
  }

  /** Resolves once every segment that others have left has been tried. */
  settled(): Promise<void> {
    return this.compactor.settled();
  }

  /** Moves everything to the catalogue, once. What cannot be moved is reported, for the next recorder. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const { writers } of this.recorded.values())
      await Promise.all(Object.values(writers).map(async (writer) => writer.end()));
    await this.compactor.end();
    this.release();
  }

  private async begin(): Promise<void> {
    const { root, lockFile, markets, beganMs, longestPauseMs = LONGEST_PAUSE_MS } = this.options;
    for (const market of markets) {
      const folder = acquireSegmentFolder(root, market, lockFile);
      const hasEachBook = otherMarketOf(market) !== null;
      const entry: Recorded = {
        market,
        folder,
        detector: new ChangeDetector({
          tape: null,
          beganMs,
          longestPauseMs,
          hasEachBook,
          barsAfterMs: this.barsAfter(market),
        }),
        writers: eachKind((kind) => {
          const { life, largestBytes, syncEveryMs } = this.options;
          return new SegmentWriter({
            folder: folder.path,
            kind,
            life,
            after: this.after,
            ...(largestBytes === undefined ? {} : { largestBytes }),
            ...(syncEveryMs === undefined ? {} : { syncEveryMs }),
            onSegment: (path) => this.compactor.add({ path, kind, market: folder.market }),
            onError: (error) => this.stop(error),
          });
        }),
        kinds: eachKind(() => ({ rows: 0, seenMs: null, gaps: 0 })),
      };
      this.recorded.set(market, entry);
      await this.resume(folder);
      if (beganMs === null) {
        const tape = readTape(folder.path);
        const detector = new ChangeDetector({ tape, beganMs, longestPauseMs, hasEachBook });
        this.recorded.set(market, { ...entry, detector });
      }
    }
    await this.resumeOthers();
    if (beganMs !== null) await this.refuseMixture(beganMs);
  }

  /** Finalizes what is left of other markets too, since these may never be recorded again. */
  private async resumeOthers(): Promise<void> {
    const { root, lockFile, markets } = this.options;
    const folders = acquireLeftFolders(root, new Set(markets), lockFile);
    for (const folder of folders) await this.resume(folder);
    void this.releaseOnceSettled(folders);
  }

  private async releaseOnceSettled(folders: readonly SegmentFolder[]): Promise<void> {
    await this.compactor.settled();
    for (const folder of folders) folder[Symbol.dispose]();
  }

  private async refuseMixture(beganMs: number): Promise<void> {
    await this.compactor.settled();
    const { root, markets } = this.options;
    for (const market of markets) {
      for (const kind of SEGMENT_KINDS) {
        // Bars are only appended after the existing ones.
        if (kind === 'candles') continue;
        const lastMs = Math.max(
          ...(readManifest(root, { market, kind })?.partitions ?? []).map(({ toMs }) => toMs),
        );
        if (lastMs < beganMs) continue;
        throw invalidOptions(
          `expected nothing of ${market} in ${root} after ${timeText(beganMs)}, when this exchange began again; its ${kind} reach to ${timeText(lastMs)}: record into another folder`,
        );
      }
    }
  }

  /**
   * Returns the time after which bars are recorded. An exchange that begins anew has another past each time:
   * its bars follow those of an earlier run. If the existing bars come from elsewhere, none are added, and
   * this is reported.
   */
  private barsAfter(market: MarketSymbol): (timeframe: Timeframe) => number {
    const { root, source, beganMs } = this.options;
    const known = new Map<Timeframe, number>();
    return (timeframe) => {
      if (beganMs === null) return Number.NEGATIVE_INFINITY;
      const before = known.get(timeframe);
      if (before !== undefined) return before;
      const partitions = readManifest(root, { market, kind: 'candles', timeframe })?.partitions ?? [];
      const other = partitions.flatMap(({ sources }) => sources).find((name) => name !== source);
      const lastMs = Math.max(...partitions.map(({ toMs }) => toMs));
      const afterMs = other === undefined ? lastMs : Number.POSITIVE_INFINITY;
      known.set(timeframe, afterMs);
      if (other !== undefined)
        this.log(
          `candles-${timeframe} of ${market} in ${root} are left as they are, for they are from ${other}: record into another folder`,
        );
      return afterMs;
    };
  }

  /** Stores the newest trades of left segments before the first page, and finalizes them later. */
  private async resume(folder: SegmentFolder): Promise<void> {
    const segments = folder.segments();
    for (const segment of segments) if (isOfTrades(segment)) await noteTape(folder.path, segment);
    this.compactor.add(...segments);
  }

  private applyValue(
    call: VenueCall,
    value: unknown,
    times: { readonly seenMs: number; readonly askedMs: number },
  ): void {
    const { seenMs } = times;
    switch (call.kind) {
      case 'book':
        this.applyBook(call.market, value as OrderBook, seenMs);
        break;
      case 'books':
        for (const [market, book] of Object.entries(value as Readonly<Record<string, OrderBook>>))
          this.applyBook(market, book, seenMs);
        break;
      case 'public-trades': {
        const of = this.recorded.get(call.market);
        if (of !== undefined)
          note(of, 'trades', of.detector.applyPage(value as readonly PublicTrade[], seenMs), seenMs);
        break;
      }
      case 'stats':
        for (const stats of value as readonly MarketStats[]) {
          const of = this.recorded.get(stats.market.symbol);
          if (of !== undefined) note(of, 'stats', of.detector.applyStats(stats, seenMs), seenMs);
        }
        break;
      case 'candles': {
        const of = this.recorded.get(call.market);
        const page = value as readonly Candle[];
        if (of !== undefined) note(of, 'candles', of.detector.applyBars(call.timeframe, page, times), seenMs);
        break;
      }
      case 'options':
      case 'place':
      case 'place-oco':
      case 'cancel':
      case 'cancel-old':
      case 'order':
      case 'orders':
      case 'trades':
      case 'wallets':
      case 'transactions':
      case 'pools':
      case 'margin-wallets':
      case 'delegation-limit':
      case 'transfer':
        break;
    }
  }

  private applyBook(market: string, book: OrderBook, seenMs: number): void {
    const of = this.recorded.get(market);
    if (of !== undefined) note(of, 'books', of.detector.applyBook(book, seenMs), seenMs);
  }

  private stop(error: unknown): void {
    if (this.failure !== null) return;
    this.failure = messageOf(error);
    this.log('nothing more is recorded in this run, which goes on', error);
  }

  private log(what: string, error?: unknown): void {
    this.options.onProblem(
      error === undefined ? `recording: ${what}` : `recording: ${what}: ${messageOf(error)}`,
    );
  }

  private release(): void {
    for (const { folder } of this.recorded.values()) folder[Symbol.dispose]();
  }
}

function note<Kind extends SegmentKind>(
  of: Recorded,
  kind: Kind,
  entries: readonly SegmentEntry<Kind>[],
  seenMs: number,
): void {
  const status = of.kinds[kind];
  status.seenMs = seenMs;
  for (const entry of entries) {
    if (entry.what === 'row') status.rows += 1;
    else if (entry.what === 'gap') status.gaps += 1;
    of.writers[kind].write(entry);
  }
}

function eachKind<Value>(make: (kind: SegmentKind) => Value): Readonly<Record<SegmentKind, Value>> {
  return { books: make('books'), trades: make('trades'), stats: make('stats'), candles: make('candles') };
}
