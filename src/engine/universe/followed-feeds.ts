import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { PollQueue } from '../../scheduler/poll-queue.ts';
import type { ClosedCandle } from '../../strategy/strategy-event.ts';
import type { CandleReaders } from '../candle-reader.ts';

export interface FollowedFeedsOptions {
  readonly feeds: readonly PlannedFeed[];
  readonly queue: PollQueue;
  readonly readers: CandleReaders;
  /** Markets that are candidates of universes and nothing else: their books count while they are followed. */
  readonly pooled: ReadonlySet<string>;
}

/** Feeds to request for candidates of universes: those of the markets that universes follow. */
export class FollowedFeeds {
  private readonly options: FollowedFeedsOptions;
  /** Feeds of candidates that nobody follows, by their keys. */
  private readonly asleep: Set<string>;
  /** Markets that universes follow. */
  private followed: ReadonlySet<string> = new Set();

  constructor(options: FollowedFeedsOptions) {
    this.options = options;
    this.asleep = new Set(options.feeds.flatMap(({ key, isPooled }) => (isPooled === true ? [key] : [])));
  }

  /** True if nobody needs a feed. */
  isAsleep(key: string): boolean {
    return this.asleep.has(key);
  }

  /** True if a book of a market counts, where all books come at once. */
  wantsBookOf(market: string): boolean {
    return !this.options.pooled.has(market) || this.followed.has(market);
  }

  /**
   * Asks for the data of these candidates of universes, and of no others. Their bars go on after those of the
   * past, which were read already.
   */
  follow(markets: ReadonlySet<string>, past: readonly ClosedCandle[], nowMs: number): void {
    const { feeds, queue } = this.options;
    const lastOpens = lastOpensOf(past);
    this.followed = markets;
    for (const { key, market, isPooled } of feeds) {
      if (isPooled !== true) continue;
      const isFollowed = market !== null && markets.has(market);
      if (isFollowed === !this.asleep.has(key)) continue;
      if (isFollowed) this.wake(key, lastOpens.get(key) ?? null, nowMs);
      else {
        this.asleep.add(key);
        queue.sleep(key);
      }
    }
  }

  /** True if later bars of a market than these were already delivered. */
  isAhead(past: readonly ClosedCandle[]): boolean {
    for (const [key, lastOpenMs] of lastOpensOf(past)) {
      const told = this.asleep.has(key) ? null : (this.options.readers.get(key)?.lastOpenMs ?? null);
      if (told !== null && told > lastOpenMs) return true;
    }
    return false;
  }

  private wake(key: string, lastOpenMs: number | null, nowMs: number): void {
    const { queue, readers } = this.options;
    this.asleep.delete(key);
    const reader = readers.get(key);
    reader?.resume(lastOpenMs);
    queue.wake(key, reader?.nextMs(nowMs) ?? nowMs);
  }
}

/** Returns the opening times of the last of these bars, by the key of their feed. */
function lastOpensOf(bars: readonly ClosedCandle[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { market, timeframe, openTimeMs } of bars) {
    const key = `candles ${market} ${timeframe}`;
    last.set(key, Math.max(openTimeMs, last.get(key) ?? openTimeMs));
  }
  return last;
}
