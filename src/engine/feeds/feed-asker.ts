import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { PollQueue } from '../../scheduler/poll-queue.ts';
import type { UnreadRow, VenueCall, VenueValues } from '../../venues/port.ts';
import type { CandleReaders } from './candle-reader.ts';
import type { FeedReadTimes } from './feed-read-times.ts';
import type { FlawLog } from '../flaw-log.ts';
import type { FillHandler } from '../fills/fill-handler.ts';
import type { MarginCache } from './margin-cache.ts';
import type { Outbox } from '../outbox.ts';

/** A poll waits for its slot no longer than this, or than its own interval. */
const SHORTEST_WAIT_MS = 5_000;

/** Delay before a second reading of what one cannot prove: lists are cached for about a second. */
const SECOND_READING_MS = 1_000;

/** Bars of the past are read on after this. */
const NEXT_PAGE_MS = 1_000;

/**
 * Feeds that a strategy named itself, so that the exchange may refuse one, such as a currency without a
 * limit.
 */
const MARGIN_FEEDS: ReadonlySet<PlannedFeed['kind']> = new Set([
  'pools',
  'margin-wallets',
  'delegation-limit',
]);

const NONE: readonly never[] = [];

/** Data that came beside a value. @see VenueAnswer */
interface AskedReply {
  readonly unread: readonly UnreadRow[];
  readonly saidAtMs: number | undefined;
}

interface FeedAskerOptions {
  readonly feeds: readonly PlannedFeed[];
  readonly queue: PollQueue;
  readonly times: FeedReadTimes;
  readonly outbox: Outbox;
  readonly readers: CandleReaders;
  readonly fills: FillHandler;
  readonly margin: MarginCache;
  readonly findings: FlawLog;
}

/** Asks for a feed, and says when it is asked for next: once it was read to its end, or failed. */
export class FeedAsker {
  private readonly options: FeedAskerOptions;
  private readonly keys: ReadonlySet<string>;

  constructor(options: FeedAskerOptions) {
    this.options = options;
    this.keys = new Set(options.feeds.map(({ key }) => key));
  }

  /** True if there is such a feed. */
  has(key: string): boolean {
    return this.keys.has(key);
  }

  wasReadOnce(key: string): boolean {
    return this.options.times.has(key);
  }

  /** Brings a feed forward: something has changed. */
  hasten(key: string): void {
    if (this.has(key)) this.options.queue.hasten(key, this.options.outbox.nowMs);
  }

  /** Has it read a second time: one reading can not prove what it said. */
  readAgain(feed: PlannedFeed): void {
    this.options.queue.hasten(feed.key, this.options.outbox.nowMs + SECOND_READING_MS);
  }

  /** `take` gets what comes, and when it was asked; it says `wasRead` once it has all of it. */
  ask<Call extends VenueCall>(
    feed: PlannedFeed,
    call: Call,
    take: (value: VenueValues[Call['kind']], askedAtMs: number, reply: AskedReply) => void,
  ): true {
    const way = {
      requestClass: feed.requestClass,
      dedupe: feed.key,
      withinMs: Math.max(SHORTEST_WAIT_MS, feed.intervalMs === Infinity ? 0 : feed.intervalMs),
    };
    this.options.outbox.ask(call, way, (answer, { sentAtMs, atMs }) => {
      if (answer.outcome === 'value') {
        const { unread = NONE, saidAtMs } = answer;
        for (const row of unread) this.options.findings.noteUnread(row);
        take(answer.value, sentAtMs ?? atMs, { unread, saidAtMs });
      } else {
        if (answer.outcome === 'refused' && MARGIN_FEEDS.has(feed.kind))
          this.options.margin.refused(feed.key, answer);
        this.failed(feed);
      }
    });
    return true;
  }

  /** It was read to its end. */
  wasRead(feed: PlannedFeed): void {
    this.options.times.note(feed.key);
    this.done(feed);
  }

  failed(feed: PlannedFeed): void {
    if (feed.kind === 'trades') this.options.fills.failed();
    this.done(feed);
  }

  private done(feed: PlannedFeed): void {
    const { queue, readers, outbox } = this.options;
    const { nowMs } = outbox;
    queue.answered(feed.key, nowMs);
    const reader = readers.get(feed.key);
    if (reader === undefined) return;
    if (reader.isWarm) {
      const nextMs = reader.nextMs(nowMs);
      queue.postpone(feed.key, nextMs);
      queue.hasten(feed.key, nextMs);
    } else queue.hasten(feed.key, nowMs + NEXT_PAGE_MS);
  }
}
