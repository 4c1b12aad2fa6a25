import {
  type Candle,
  anchorShown,
  gridAt,
  gridOf,
  type BarAnchors,
  type BarGrid,
  type Timeframe,
} from '../../domain/candle.ts';
import { exchangeAskedMs, type VenueProfile } from '../../venues/port.ts';
import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { ClosedCandle } from '../../strategy/strategy-event.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { StrategyInstance } from '../strategy-instance.ts';

/** Delay from a bar's close to its request, in ms: the last trades take a moment to show. */
const CLOSE_DELAY_MS = 1_000;

/** Resolution of the time that replies name, in ms: the second in which they were written. */
const DATE_STEP_MS = 1_000;

/**
 * Delay before a missing bar is requested again, in ms, and how often. After that, the request of the next
 * bar brings it.
 */
const RETRY_MS = 5_000;
const MOST_RETRIES = 3;

/** Maximum number of past bars for a warm-up, over as many requests as that takes. */
const MOST_WARM_UP = 5_000;

interface CandleReaderOptions {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Configured start of the exchange's bars; the start that its bars show overrides it. */
  readonly anchors: BarAnchors;
  /** Number of past bars that are read first. */
  readonly warmUp: number;
  /** Maximum number of bars that the exchange gives in one answer. */
  readonly pageSize: number;
}

/**
 * Reads the candles of one market at one length: closed ones only, in order, each once, gaps counted. A bar
 * is closed if it had ended before it was requested, since a slow answer shows the bar as it was then. It
 * must have ended by the bot's clock and by the exchange's, which may be behind: a later bar in the same
 * answer, or the time that the answer names, proves that. Pure: what was read, and when, is passed in.
 */
export class CandleReader {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Starts and ends of its bars, as last shown by the exchange. */
  grid: BarGrid;
  lastOpenMs: number | null = null;
  /** Time at which bars were last read; null before. */
  seenAtMs: number | null = null;
  private readonly pageSize: number;
  /** Known minimum lead of the bot's clock over the exchange's, in ms. */
  private aheadMs = 0;
  private retries = 0;
  private warmUpLeft: number;
  /** Past bars, oldest first, while they are collected. */
  private past: Candle[] = [];

  constructor(options: CandleReaderOptions) {
    this.market = options.market;
    this.pageSize = options.pageSize;
    this.timeframe = options.timeframe;
    this.grid = gridOf(this.timeframe, options.anchors);
    this.warmUpLeft = Math.min(options.warmUp, MOST_WARM_UP);
  }

  /** Requests the past bars since a time as well, up to the limit of a warm-up. */
  reachBack(sinceMs: number, nowMs: number): void {
    const bars = this.grid.count(sinceMs, nowMs) + 2;
    this.warmUpLeft = Math.min(MOST_WARM_UP, Math.max(this.warmUpLeft, bars));
  }

  /** True if all past bars were read, so that live ones may follow. */
  isWarm = false;

  /** Continues after bars that were read elsewhere; null if there were none. */
  resume(lastOpenMs: number | null): void {
    this.isWarm = true;
    this.lastOpenMs = lastOpenMs;
    this.retries = 0;
  }

  /** Returns the next request: the number of bars and their end time. */
  question(nowMs: number): { readonly toMs: number; readonly count: number } {
    if (!this.isWarm) {
      const toMs = this.past[0]?.openTimeMs ?? nowMs;
      return { toMs, count: Math.min(this.pageSize, this.warmUpLeft + 2) };
    }
    const behind = this.lastOpenMs === null ? 1 : this.grid.count(this.lastOpenMs, nowMs);
    return { toMs: nowMs, count: Math.min(this.pageSize, Math.max(3, behind + 2)) };
  }

  /**
   * Learns from bars that were read where bars begin. Returns false if they begin where no bar of this length
   * can begin: then none of them can be used.
   */
  learn(candles: readonly Candle[]): boolean {
    const times = candles.map(({ openTimeMs }) => openTimeMs);
    const anchor = anchorShown(this.timeframe, times, this.grid.anchor);
    if (anchor !== null) this.grid = gridAt(this.timeframe, anchor);
    return anchor !== null;
  }

  /** Collects past bars. Returns null while more have to be requested; then all of them, oldest first. */
  applyPast(candles: readonly Candle[], times: ReadTimes): readonly ClosedCandle[] | null {
    const { nowMs } = times;
    const before = this.past[0]?.openTimeMs ?? Number.POSITIVE_INFINITY;
    const closed = this.closedOf(candles, times).filter(({ openTimeMs }) => openTimeMs < before);
    this.past.unshift(...closed);
    this.warmUpLeft -= closed.length;
    this.seenAtMs = nowMs;
    if (this.warmUpLeft > 0 && closed.length > 0 && candles.length >= this.pageSize) return null;
    this.isWarm = true;
    const { past } = this;
    this.past = [];
    return past.map((candle) => this.next(candle, nowMs));
  }

  /** Returns the bars that closed since the last ones. */
  apply(candles: readonly Candle[], times: ReadTimes): readonly ClosedCandle[] {
    const { nowMs } = times;
    this.seenAtMs = nowMs;
    const after = this.lastOpenMs ?? Number.NEGATIVE_INFINITY;
    return this.closedOf(candles, times)
      .filter(({ openTimeMs }) => openTimeMs > after)
      .map((candle) => this.next(candle, nowMs));
  }

  /**
   * Returns the time of the next request: right after the next close, or a little later if the last bar is
   * missing.
   */
  nextMs(nowMs: number): number {
    const delayMs = CLOSE_DELAY_MS + this.aheadMs;
    const openMs = this.grid.startOf(nowMs - delayMs);
    const isThere = this.lastOpenMs !== null && this.lastOpenMs >= this.grid.before(openMs);
    if (isThere || this.retries >= MOST_RETRIES) {
      this.retries = 0;
      return this.grid.endOf(openMs) + delayMs;
    }
    this.retries += 1;
    return nowMs + RETRY_MS;
  }

  /** Returns the bars whose end has passed by both clocks; oldest first, each once. */
  private closedOf(candles: readonly Candle[], times: ReadTimes): readonly Candle[] {
    const provenMs = candles.reduce(
      (latestMs, { openTimeMs }) => Math.max(latestMs, openTimeMs),
      this.exchangeMs(times),
    );
    const closedByMs = Math.min(times.askedAtMs, provenMs);
    const closed = candles.filter(({ openTimeMs }) => this.grid.endOf(openTimeMs) <= closedByMs);
    let lastMs = Number.NEGATIVE_INFINITY;
    const isSorted = closed.every(({ openTimeMs }) => {
      const isLater = openTimeMs > lastMs;
      lastMs = openTimeMs;
      return isLater;
    });
    if (isSorted) return closed;
    const byTime = new Map(closed.map((candle) => [candle.openTimeMs, candle]));
    return [...byTime.values()].toSorted((left, right) => left.openTimeMs - right.openTimeMs);
  }

  /** Returns the earliest time of the exchange at the request. Learns how far the bot's clock is ahead. */
  private exchangeMs({ askedAtMs, nowMs, saidAtMs }: ReadTimes): number {
    if (saidAtMs === undefined) return askedAtMs;
    const atLeastMs = Math.max(this.aheadMs, askedAtMs - saidAtMs - DATE_STEP_MS);
    this.aheadMs = Math.max(0, Math.min(atLeastMs, nowMs - saidAtMs));
    const byReplyMs = exchangeAskedMs(saidAtMs, { askedAtMs, atMs: nowMs });
    return Math.max(byReplyMs, askedAtMs - this.aheadMs - DATE_STEP_MS);
  }

  private next(candle: Candle, nowMs: number): ClosedCandle {
    const { grid, market, timeframe, lastOpenMs } = this;
    const { openTimeMs } = candle;
    this.lastOpenMs = openTimeMs;
    const missedBefore =
      lastOpenMs === null ? 0 : Math.max(0, grid.count(grid.endOf(lastOpenMs), openTimeMs));
    const closeTimeMs = grid.endOf(openTimeMs);
    return { ...candle, market, timeframe, closeTimeMs, seenAtMs: nowMs, missedBefore };
  }
}

/** Times at which bars were requested and arrived. */
export interface ReadTimes {
  readonly askedAtMs: number;
  readonly nowMs: number;
  /** @see VenueAnswer */
  readonly saidAtMs?: number | undefined;
}

/** The readers of all candles that are polled, by the key of their feed. */
export type CandleReaders = ReadonlyMap<string, CandleReader>;

/** Returns the time at which candles of a market, of any length, were last read or pushed; null before. */
export function candlesSeenAtMs(
  market: string,
  { markets, readers }: { readonly markets: MarketDataCache; readonly readers: CandleReaders },
): number | null {
  let newestMs = markets.get(market)?.bars?.closedMs ?? Number.NEGATIVE_INFINITY;
  for (const reader of readers.values())
    if (reader.market === market && reader.seenAtMs !== null) newestMs = Math.max(newestMs, reader.seenAtMs);
  return newestMs === Number.NEGATIVE_INFINITY ? null : newestMs;
}

/** Creates one reader for each subscribed market and length of bar, by the key of its feed. */
export function readersOf(
  feeds: readonly PlannedFeed[],
  instances: readonly StrategyInstance[],
  { pageSizes, barAnchors: anchors }: Pick<VenueProfile, 'pageSizes' | 'barAnchors'>,
): CandleReaders {
  const readers = new Map<string, CandleReader>();
  for (const feed of feeds) {
    if (feed.kind !== 'candles') continue;
    const wanted = instances.flatMap(({ runner }) =>
      runner.subscriptions.flatMap((subscription) =>
        subscription.kind === 'candles' &&
        feed.key === `candles ${subscription.market} ${subscription.timeframe}`
          ? [{ subscription, length: runner.warmUpLength(subscription) }]
          : [],
      ),
    );
    const [first] = wanted;
    if (first === undefined) continue;
    const { market, timeframe } = first.subscription;
    const warmUp = Math.max(...wanted.map(({ length }) => length));
    const pageSize = pageSizes.candles;
    readers.set(feed.key, new CandleReader({ market, timeframe, anchors, warmUp, pageSize }));
  }
  return readers;
}
