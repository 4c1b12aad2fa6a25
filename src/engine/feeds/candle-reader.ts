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

/** After a bar closes, its last trades take a moment to show. */
const CLOSE_DELAY_MS = 1_000;

/** Replies name the second that they were written in. */
const DATE_STEP_MS = 1_000;

/**
 * A bar that is not there yet is asked for again after this; and after so many times it is left to the next
 * bar.
 */
const RETRY_MS = 5_000;
const MOST_RETRIES = 3;

/** Bars of the past at most, over as many requests as that takes. */
const MOST_WARM_UP = 5_000;

interface CandleReaderOptions {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Configured start of the exchange's bars; the start that its bars show overrides it. */
  readonly anchors: BarAnchors;
  /** Bars of the past that are wanted first. */
  readonly warmUp: number;
  /** Bars that the exchange gives at once. */
  readonly pageSize: number;
}

/**
 * The candles of one market at one length: closed ones only, in order, each once, gaps counted. A bar is
 * closed when it had ended before it was asked for: an answer that was long on its way shows a bar as it
 * was then. That is so by the bot's clock and by the exchange's, which may be behind: a later bar in the same
 * answer shows it, or the time that the answer names. Pure: what was read, and when, is injected.
 */
export class CandleReader {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Start and end of its bars, as last shown by the exchange. */
  grid: BarGrid;
  lastOpenMs: number | null = null;
  /** Time bars were last read; null before. */
  seenAtMs: number | null = null;
  private readonly pageSize: number;
  /** Minimum lead of the bot's clock over the exchange's, less what a reply leaves open. */
  private aheadMs = 0;
  private retries = 0;
  private warmUpLeft: number;
  /** Bars of the past, oldest first, while they are gathered. */
  private past: Candle[] = [];

  constructor(options: CandleReaderOptions) {
    this.market = options.market;
    this.pageSize = options.pageSize;
    this.timeframe = options.timeframe;
    this.grid = gridOf(this.timeframe, options.anchors);
    this.warmUpLeft = Math.min(options.warmUp, MOST_WARM_UP);
  }

  /** Wants the bars of the past since then as well, as many as are ever read. */
  reachBack(sinceMs: number, nowMs: number): void {
    const bars = this.grid.count(sinceMs, nowMs) + 2;
    this.warmUpLeft = Math.min(MOST_WARM_UP, Math.max(this.warmUpLeft, bars));
  }

  /** True if all bars of the past are there, so that live ones may come. */
  isWarm = false;

  /** Goes on after bars that were read elsewhere; null: there were none. */
  resume(lastOpenMs: number | null): void {
    this.isWarm = true;
    this.lastOpenMs = lastOpenMs;
    this.retries = 0;
  }

  /** Returns the next request: number of bars, and end time. */
  question(nowMs: number): { readonly toMs: number; readonly count: number } {
    if (!this.isWarm) {
      const toMs = this.past[0]?.openTimeMs ?? nowMs;
      return { toMs, count: Math.min(this.pageSize, this.warmUpLeft + 2) };
    }
    const behind = this.lastOpenMs === null ? 1 : this.grid.count(this.lastOpenMs, nowMs);
    return { toMs: nowMs, count: Math.min(this.pageSize, Math.max(3, behind + 2)) };
  }

  /**
   * Takes over where bars begin from those that were read. False where they begin nowhere that bars of this
   * length may: then nothing of them can be used.
   */
  learn(candles: readonly Candle[]): boolean {
    const times = candles.map(({ openTimeMs }) => openTimeMs);
    const anchor = anchorShown(this.timeframe, times, this.grid.anchor);
    if (anchor !== null) this.grid = gridAt(this.timeframe, anchor);
    return anchor !== null;
  }

  /** Bars of the past. Answers null while more are to be asked for; then all of them, oldest first. */
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

  /** Bars that closed since the last ones. */
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

  /** A bar is closed once its own end has passed by both clocks. Oldest first, each once. */
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

  /** The exchange's time when it was asked, at the earliest. Learns how far the bot's clock is ahead. */
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

/** One reader for each market and length of bar that somebody subscribed to, by the key of its feed. */
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
