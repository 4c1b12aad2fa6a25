import { EnginePart } from '../engine-settings.ts';
import type { CandlePagesOptions } from './candle-pages.ts';
import { invariant, present } from '../../domain/errors.ts';
import { exchangeAskedMs, statsCall } from '../../venues/port.ts';
import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { FeedPace, PollQueue } from '../../scheduler/poll-queue.ts';
import type { OrderRecord } from '../../records/order.ts';
import {
  AccountFeeds,
  type AccountFeedsOptions,
  FeedAsker,
  type FeedAskerOptions,
  FeedReadTimes,
} from './feed-asker.ts';
import { CandlePages } from './candle-pages.ts';
import type { ClosedCandle } from '../../strategy/strategy-event.ts';

interface FeedHandlerOptions
  extends
    Pick<CandlePagesOptions, 'markets' | 'strategies' | 'onCandle'>,
    Pick<AccountFeedsOptions, 'orderManager' | 'account' | 'reconciler'>,
    Pick<FeedAskerOptions, 'feeds' | 'queue' | 'outbox' | 'margin' | 'fills' | 'findings' | 'readers'> {
  /** Markets that are only candidates of universes: their books are used while a universe follows them. */
  readonly pooled: ReadonlySet<string>;
  /** Called once the statistics of all markets were read. */
  readonly onStats: (nowMs: number) => void;
}

/** Requests every feed at its pace, and passes on the answers. */
export class FeedHandler extends EnginePart<FeedHandlerOptions> {
  readonly queue: PollQueue;
  readonly times: FeedReadTimes;
  private readonly asker: FeedAsker;
  private readonly accountFeeds: AccountFeeds;
  private readonly candles: CandlePages;
  private readonly followed: FollowedFeeds;
  /** Feeds with their current paces. */
  private feeds: readonly PlannedFeed[];

  constructor(options: FeedHandlerOptions) {
    super(options);
    const { feeds, outbox } = options;
    this.feeds = feeds;
    this.queue = options.queue;
    this.times = new FeedReadTimes(outbox);
    const { times } = this;
    this.asker = new FeedAsker({ ...options, times });
    this.accountFeeds = new AccountFeeds({ ...options, asker: this.asker });
    this.candles = new CandlePages(options);
    this.followed = new FollowedFeeds(options);
  }

  /** Requests the feeds that are due. */
  pump(nowMs: number): void {
    for (let feed = this.queue.due(nowMs); feed !== null; feed = this.queue.due(nowMs)) {
      this.queue.asked(feed.key, nowMs);
      if (!this.poll(feed, nowMs)) this.queue.answered(feed.key, nowMs);
    }
  }

  /** Sets other paces because a limit has changed. Bars are still requested at their close. */
  setPaces(paces: readonly FeedPace[]): void {
    const byKey = new Map(paces.map((pace) => [pace.key, pace]));
    const polled = this.feeds.filter(({ kind, key }) => kind !== 'candles' && byKey.has(key));
    const changed = new Set(polled.map(({ key }) => key));
    this.feeds = this.feeds.map((feed) =>
      changed.has(feed.key) ? { ...feed, ...byKey.get(feed.key) } : feed,
    );
    this.queue.setPaces(paces.filter(({ key }) => changed.has(key)));
  }

  /** True if everything that trading needs has been read once. */
  isReady(): boolean {
    for (const key of ['orders', 'fills', 'wallets'])
      if (this.asker.has(key) && !this.asker.wasReadOnce(key)) return false;
    for (const [key, reader] of this.options.readers) {
      if (!reader.isWarm && !this.followed.isAsleep(key)) return false;
    }
    return true;
  }

  /**
   * Requests the data of these candidates of universes, and of no other candidates. Their bars continue after
   * those of the past, which were read already.
   */
  follow(markets: ReadonlySet<string>, past: readonly ClosedCandle[]): void {
    this.followed.follow(markets, past, this.options.outbox.nowMs);
  }

  /** True if a bar later than the past ones of its market was already delivered. */
  isAhead(past: readonly ClosedCandle[]): boolean {
    return this.followed.isAhead(past);
  }

  /**
   * Returns the age of each feed's data, and its maximum age; null if it was never read. Bars count from
   * their close.
   */
  ages(
    nowMs: number,
  ): readonly { readonly feed: string; readonly ageMs: number | null; readonly longestAgeMs: number }[] {
    const awake = this.feeds.filter(({ key }) => !this.followed.isAsleep(key));
    return awake.map(({ key, kind, intervalMs, longestAgeMs }) => {
      const readAtMs = this.times.of(key);
      const ageMs = readAtMs === null ? null : nowMs - readAtMs;
      const barMs = kind === 'candles' && Number.isFinite(intervalMs) ? intervalMs : 0;
      return { feed: key, ageMs, longestAgeMs: Math.max(longestAgeMs, intervalMs * 2) + barMs };
    });
  }

  /** Requests feeds that may show more about one of our orders that has changed. */
  readonly onOrder = (order: OrderRecord, before: OrderRecord | null): void => {
    const { nowMs } = this.options.outbox;
    if (order.matched > order.filled) this.queue.requestNow('fills', nowMs);
    // The exchange rounded it: the steps that it was fitted to are no longer those of the market.
    if (before !== null && (order.amount !== before.amount || order.price !== before.price))
      this.queue.requestNow('options', nowMs);
  };

  /** Requests a feed and says who applies the answer. Returns false if there is nothing to request now. */
  private poll(feed: PlannedFeed, nowMs: number): boolean {
    const { markets, margin, readers } = this.options;
    const { asker } = this;
    switch (feed.kind) {
      case 'book': {
        const market = marketOf(feed);
        const isOwn = markets.get(market) !== undefined;
        return asker.ask(feed, { kind: 'book', market }, (book, askedAtMs, { saidAtMs }) => {
          const atMs = this.options.outbox.nowMs;
          // A book of another venue may be as old as its request: a slow answer must not look fresh.
          const seenAtMs = isOwn ? atMs : exchangeAskedMs(saidAtMs, { askedAtMs, atMs });
          if (!isOwn && atMs - seenAtMs > feed.longestAgeMs) {
            asker.failed(feed);
            return;
          }
          markets.applyBook(market, book, seenAtMs);
          asker.wasRead(feed);
        });
      }
      case 'books':
        return asker.ask(feed, { kind: 'books' }, (books) => {
          markets.standstills.applyAllBooks(books);
          for (const [symbol, book] of Object.entries(books)) {
            if (this.followed.wantsBookOf(symbol)) markets.applyBook(symbol, book);
          }
          asker.wasRead(feed);
        });
      case 'stats':
        return asker.ask(feed, statsCall([...markets.all()].map((state) => state.market)), (stats) => {
          for (const one of stats) markets.applyStats(one);
          this.options.onStats(this.options.outbox.nowMs);
          asker.wasRead(feed);
        });
      case 'public-trades': {
        const market = marketOf(feed);
        return asker.ask(feed, { kind: 'public-trades', market }, (trades) => {
          markets.applyTape(market, trades);
          asker.wasRead(feed);
        });
      }
      case 'candles': {
        const reader = readers.get(feed.key);
        if (reader === undefined) return false;
        const { market, timeframe } = reader;
        const call = { kind: 'candles', market, timeframe, ...reader.question(nowMs) } as const;
        return asker.ask(feed, call, (candles, askedAtMs, { saidAtMs }) => {
          // A page with a bar that can not be right is read again.
          const page = { candles, askedAtMs, saidAtMs };
          if (this.candles.apply({ key: feed.key, reader }, page)) asker.wasRead(feed);
          else asker.failed(feed);
        });
      }
      case 'orders':
      case 'trades':
      case 'wallets':
      case 'transactions':
        return this.accountFeeds.poll(feed, feed.kind, nowMs);
      case 'pools':
        return asker.ask(feed, { kind: 'pools' }, (pools) => {
          margin.applyPools(pools);
          asker.wasRead(feed);
        });
      case 'margin-wallets':
        return asker.ask(feed, { kind: 'margin-wallets' }, (wallets) => {
          margin.applyWallets(wallets);
          asker.wasRead(feed);
        });
      case 'delegation-limit': {
        const currency = present(feed.currency, () => `the currency of ${feed.key}`);
        return asker.ask(feed, { kind: 'delegation-limit', currency }, (limit) => {
          margin.applyLimitOf(currency, limit);
          asker.wasRead(feed);
        });
      }
      case 'options':
        return asker.ask(feed, { kind: 'options' }, (rules, _, { unread }) => {
          const isNews = markets.applyRules(rules, unread);
          this.options.strategies.onListed();
          asker.wasRead(feed);
          if (isNews) asker.readAgain(feed);
        });
    }
  }
}

function marketOf({ key, market }: PlannedFeed): string {
  invariant(market !== null, () => `expected the feed ${key} to name its market`);
  return market;
}

type FollowedFeedsOptions = Pick<FeedHandlerOptions, 'feeds' | 'queue' | 'readers' | 'pooled'>;

/** Selects the feeds to request for candidates of universes: those of the markets that universes follow. */
class FollowedFeeds extends EnginePart<FollowedFeedsOptions> {
  /** Keys of the feeds of candidates that no universe follows now. */
  private readonly asleep: Set<string>;
  /** Markets that universes follow now. */
  private followed: ReadonlySet<string> = new Set();

  constructor(options: FollowedFeedsOptions) {
    super(options);
    this.asleep = new Set(options.feeds.flatMap(({ key, isPooled }) => (isPooled === true ? [key] : [])));
  }

  /** True if a feed belongs to a candidate that no universe follows now. */
  isAsleep(key: string): boolean {
    return this.asleep.has(key);
  }

  /** True if the book of a market is used, where one answer has the books of all markets. */
  wantsBookOf(market: string): boolean {
    return !this.options.pooled.has(market) || this.followed.has(market);
  }

  /**
   * Requests the data of these candidates of universes, and of no other candidates. Their bars continue after
   * those of the past, which were read already.
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

  /** True if a bar later than the past ones of its market was already delivered. */
  isAhead(past: readonly ClosedCandle[]): boolean {
    for (const [key, lastOpenMs] of lastOpensOf(past)) {
      const seenMs = this.asleep.has(key) ? null : (this.options.readers.get(key)?.lastOpenMs ?? null);
      if (seenMs !== null && seenMs > lastOpenMs) return true;
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

/** Returns the opening time of the last bar of each feed, by the key of the feed. */
function lastOpensOf(bars: readonly ClosedCandle[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { market, timeframe, openTimeMs } of bars) {
    const key = `candles ${market} ${timeframe}`;
    last.set(key, Math.max(openTimeMs, last.get(key) ?? openTimeMs));
  }
  return last;
}
