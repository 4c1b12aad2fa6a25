import { z } from 'zod';
import type { Candle } from '../domain/candle.ts';
import { invariant, present } from '../domain/invariant.ts';
import { unitsOf } from '../domain/money.ts';
import { storedTimeMs } from '../domain/stored-json.ts';
import type { VenueOrderId, VenueWalletId } from '../domain/venue-id.ts';
import { nextOrdersPage } from '../execution/own-list.ts';
import { statsCall, type ListCursor, type VenueCall, type VenueValues } from '../venues/port.ts';
import type { PlannedFeed } from '../scheduler/feed.ts';
import type { FeedPace } from '../scheduler/pace.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import { PollQueue } from '../scheduler/poll-queue.ts';
import type { AccountState } from './account-state.ts';
import type { CandleReader, CandleReaders } from './candle-reader.ts';
import type { FillHandler, TradesCall } from './fill-handler.ts';
import type { FlawLog } from './flaw-log.ts';
import { candleFlaw } from './plausibility/market-flaw.ts';
import type { MarginCache } from './margin-cache.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { OrderManager } from './order-manager.ts';
import type { Outbox } from './outbox.ts';
import type { Reconciler } from './reconciler.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import type { StrategyDispatcher } from './strategy-dispatcher.ts';

/** A poll waits for its slot no longer than this, or than its own interval. */
const SHORTEST_WAIT_MS = 5_000;

/** What one reading can not prove is read again after this: lists are cached for about a second. */
const SECOND_READING_MS = 1_000;

/** Lines of a wallet's history of one page. */
const PAGES_OF_LINES = 20;

/**
 * When each feed was last read to its end, by its key, in ms since 1970. Kept for whoever looks at the
 * mirror.
 */
export const storedReadTimes = z.record(z.string(), storedTimeMs);

export const KEPT_READ_TIMES = 'read-times';

/** What a strategy named by itself, so that the exchange may refuse it: a currency without a limit. */
const MARGIN_FEEDS: ReadonlySet<PlannedFeed['kind']> = new Set([
  'pools',
  'margin-wallets',
  'delegation-limit',
]);

/** So often they are written down while they change. */
const KEEP_TIMES_EVERY_MS = 5_000;

export interface FeedHandlerOptions {
  readonly feeds: readonly PlannedFeed[];
  readonly startMs: number;
  readonly outbox: Outbox;
  readonly orderManager: OrderManager;
  readonly markets: MarketDataCache;
  readonly margin: MarginCache;
  readonly account: AccountState;
  readonly fills: FillHandler;
  readonly reconciler: Reconciler;
  readonly findings: FlawLog;
  readonly readers: CandleReaders;
  readonly strategies: StrategyDispatcher;
  /** Called with each bar that has closed, once strategies have it. */
  readonly onCandle: (candle: ClosedCandle) => void;
  /** Markets that are candidates of universes and nothing else: their books count while they are followed. */
  readonly pooled: ReadonlySet<string>;
  /** Called once the statistics of all markets were read. */
  readonly onStats: (nowMs: number) => void;
}

/** Asks for every feed at its pace, and hands on what comes back. */
export class FeedHandler {
  /** When each feed was last read to its end, by its key: as it is kept. */
  private readonly readTimes: Record<string, number> = {};
  private readonly options: FeedHandlerOptions;
  private readonly queue: PollQueue;
  private readonly keys: ReadonlySet<string>;
  /** As they are paced now. */
  private feeds: readonly PlannedFeed[];
  /** Feeds of candidates of universes that nobody follows, by their keys. */
  private readonly asleep: Set<string>;
  /** Markets that universes follow. */
  private followed: ReadonlySet<string> = new Set();
  private openIds = new Set<VenueOrderId>();
  private openAskedAtMs = 0;
  private isIdle = false;
  private timesKeptAtMs = Number.NEGATIVE_INFINITY;
  /** How many were read, and how many of them when they were written down last. */
  private feedsRead = 0;
  private timesKept = 0;

  constructor(options: FeedHandlerOptions) {
    this.options = options;
    this.feeds = options.feeds;
    this.queue = new PollQueue(options.feeds, options.startMs);
    this.keys = new Set(options.feeds.map(({ key }) => key));
    this.asleep = new Set(options.feeds.flatMap(({ key, isPooled }) => (isPooled === true ? [key] : [])));
  }

  /** Asks what is due. */
  pump(nowMs: number): void {
    for (let feed = this.queue.due(nowMs); feed !== null; feed = this.queue.due(nowMs)) {
      this.queue.asked(feed.key, nowMs);
      if (!this.poll(feed, nowMs)) this.queue.answered(feed.key, nowMs);
    }
  }

  wakeAtMs(): number {
    return this.queue.wakeAtMs();
  }

  /** Brings a feed forward: something has changed. */
  hasten(key: string): void {
    if (this.keys.has(key)) this.queue.hasten(key, this.options.outbox.nowMs);
  }

  /**
   * Writes down when feeds were read, every few seconds: what was read and had not changed is in no other
   * row.
   */
  store(nowMs: number): void {
    const { feedsRead } = this;
    if (feedsRead === this.timesKept && (feedsRead === 0 || nowMs < this.timesKeptAtMs + KEEP_TIMES_EVERY_MS))
      return;
    this.timesKept = feedsRead;
    this.timesKeptAtMs = nowMs;
    this.options.outbox.keep(KEPT_READ_TIMES, this.readTimes satisfies z.input<typeof storedReadTimes>);
  }

  /** Asks at other paces from now on: a limit has changed. Bars go on to be asked for at their close. */
  setPaces(paces: readonly FeedPace[]): void {
    const byKey = new Map(paces.map((pace) => [pace.key, pace]));
    const polled = this.feeds.filter(({ kind, key }) => kind !== 'candles' && byKey.has(key));
    const changed = new Set(polled.map(({ key }) => key));
    this.feeds = this.feeds.map((feed) =>
      changed.has(feed.key) ? { ...feed, ...byKey.get(feed.key) } : feed,
    );
    this.queue.setPaces(paces.filter(({ key }) => changed.has(key)));
  }

  setIdle(isIdle: boolean): void {
    if (isIdle === this.isIdle) return;
    this.isIdle = isIdle;
    this.queue.setIdle(isIdle);
  }

  /** Whether everything that trading needs has been read once. */
  isReady(): boolean {
    for (const key of ['orders', 'fills', 'wallets'])
      if (this.keys.has(key) && !this.wasReadOnce(key)) return false;
    for (const [key, reader] of this.options.readers) {
      if (!reader.isWarm && !this.asleep.has(key)) return false;
    }
    return true;
  }

  /**
   * Asks for the data of these candidates of universes, and of no others. Their bars go on after those of the
   * past, which were read already.
   */
  follow(markets: ReadonlySet<string>, past: readonly ClosedCandle[]): void {
    const lastOpens = lastOpensOf(past);
    this.followed = markets;
    for (const { key, market, isPooled } of this.feeds) {
      if (isPooled !== true) continue;
      const isFollowed = market !== null && markets.has(market);
      if (isFollowed === !this.asleep.has(key)) continue;
      if (isFollowed) this.wake(key, lastOpens.get(key) ?? null);
      else {
        this.asleep.add(key);
        this.queue.sleep(key);
      }
    }
  }

  /** Whether later bars of a market were told already than these. */
  isAhead(past: readonly ClosedCandle[]): boolean {
    for (const [key, lastOpenMs] of lastOpensOf(past)) {
      const told = this.asleep.has(key) ? null : (this.options.readers.get(key)?.lastOpenMs ?? null);
      if (told !== null && told > lastOpenMs) return true;
    }
    return false;
  }

  private wake(key: string, lastOpenMs: number | null): void {
    const { outbox, readers } = this.options;
    this.asleep.delete(key);
    const reader = readers.get(key);
    reader?.resume(lastOpenMs);
    this.queue.wake(key, reader?.nextMs(outbox.nowMs) ?? outbox.nowMs);
  }

  /**
   * How old the data of each feed is, and may be; null where it was never read. Bars count from their close.
   */
  ages(
    nowMs: number,
  ): readonly { readonly feed: string; readonly ageMs: number | null; readonly longestAgeMs: number }[] {
    const awake = this.feeds.filter(({ key }) => !this.asleep.has(key));
    return awake.map(({ key, kind, intervalMs, longestAgeMs }) => {
      const readAtMs = this.readTimes[key];
      const ageMs = readAtMs === undefined ? null : nowMs - readAtMs;
      const barMs = kind === 'candles' && Number.isFinite(intervalMs) ? intervalMs : 0;
      return { feed: key, ageMs, longestAgeMs: Math.max(longestAgeMs, intervalMs * 2) + barMs };
    });
  }

  /** One of our orders is another than it was: what may tell more is read soon. */
  onOrder(order: OrderRecord, before: OrderRecord | null): void {
    if (order.matched > order.filled) this.hasten('fills');
    // The exchange rounded it: the steps that it was fitted to are no longer those of the market.
    if (before !== null && (order.amount !== before.amount || order.price !== before.price)) {
      this.hasten('options');
    }
  }

  private ask<Call extends VenueCall>(
    feed: PlannedFeed,
    call: Call,
    take: (value: VenueValues[Call['kind']], askedAtMs: number) => void,
  ): true {
    const way = {
      requestClass: feed.requestClass,
      dedupe: feed.key,
      withinMs: Math.max(SHORTEST_WAIT_MS, feed.intervalMs === Infinity ? 0 : feed.intervalMs),
    };
    this.options.outbox.ask(call, way, (answer, { sentAtMs, atMs }) => {
      if (answer.outcome === 'value') take(answer.value, sentAtMs ?? atMs);
      else {
        if (answer.outcome === 'refused' && MARGIN_FEEDS.has(feed.kind))
          this.options.margin.refused(feed.key, answer);
        this.failed(feed);
      }
    });
    return true;
  }

  private failed(feed: PlannedFeed): void {
    const { nowMs } = this.options.outbox;
    if (feed.kind === 'trades') this.options.fills.failed();
    this.done(feed, nowMs);
  }

  private done(feed: PlannedFeed, nowMs: number): void {
    this.queue.answered(feed.key, nowMs);
    const reader = this.options.readers.get(feed.key);
    if (reader === undefined) return;
    if (reader.isWarm) {
      const nextMs = reader.nextMs(nowMs);
      this.queue.postpone(feed.key, nextMs);
      this.queue.hasten(feed.key, nextMs);
    } else this.queue.hasten(feed.key, nowMs + 1_000);
  }

  /** Asks for a feed, and says who takes what comes. False where there is nothing to ask now. */
  private poll(feed: PlannedFeed, nowMs: number): boolean {
    const { markets, margin, fills, account, readers, reconciler, pooled } = this.options;
    switch (feed.kind) {
      case 'book': {
        const market = marketOf(feed);
        return this.ask(feed, { kind: 'book', market }, (book) => {
          markets.takeBook(market, book);
          this.wasRead(feed);
        });
      }
      case 'books':
        return this.ask(feed, { kind: 'books' }, (books) => {
          for (const [symbol, book] of Object.entries(books)) {
            if (!pooled.has(symbol) || this.followed.has(symbol)) markets.takeBook(symbol, book);
          }
          this.wasRead(feed);
        });
      case 'stats':
        return this.ask(feed, statsCall([...markets.all()].map((state) => state.market)), (stats) => {
          for (const one of stats) markets.takeStats(one);
          this.options.onStats(this.options.outbox.nowMs);
          this.wasRead(feed);
        });
      case 'public-trades': {
        const market = marketOf(feed);
        return this.ask(feed, { kind: 'public-trades', market }, (trades) => {
          markets.takeTape(market, trades);
          this.wasRead(feed);
        });
      }
      case 'candles': {
        const reader = readers.get(feed.key);
        if (reader === undefined) return false;
        const { market, timeframe } = reader;
        return this.ask(feed, { kind: 'candles', market, timeframe, ...reader.question(nowMs) }, (bars) => {
          if (!this.areRight(feed, bars)) return;
          this.takeCandles(reader, bars);
          this.wasRead(feed);
        });
      }
      case 'orders':
        this.openIds = new Set();
        this.openAskedAtMs = nowMs;
        return this.askOpenOrders(feed, null);
      case 'trades': {
        // Else trades of orders that a lost mirror does not know would count as foreign before the list tells
        // whose they are.
        const mustWait = fills.isNew && this.keys.has('orders') && !this.wasReadOnce('orders');
        const call = mustWait ? null : fills.nextCall();
        return call !== null && this.askTrades(feed, call);
      }
      case 'wallets':
        return this.ask(feed, { kind: 'wallets' }, (wallets, askedAtMs) => {
          const unread = account.take(wallets);
          reconciler.onWallets(wallets, { askedAtMs, nowMs: this.options.outbox.nowMs, unread });
          this.wasRead(feed);
        });
      case 'transactions': {
        const wanted = reconciler.wantedLines(nowMs);
        const wallet = account.nextOf(wanted.size > 0 ? wanted : reconciler.currencies);
        return wallet !== null && this.askLines(feed, wallet.walletId, 1);
      }
      case 'pools':
        return this.ask(feed, { kind: 'pools' }, (pools) => {
          margin.takePools(pools);
          this.wasRead(feed);
        });
      case 'margin-wallets':
        return this.ask(feed, { kind: 'margin-wallets' }, (wallets) => {
          margin.takeWallets(wallets);
          this.wasRead(feed);
        });
      case 'delegation-limit': {
        const currency = present(feed.currency, () => `the currency of ${feed.key}`);
        return this.ask(feed, { kind: 'delegation-limit', currency }, (limit) => {
          margin.takeLimit(currency, limit);
          this.wasRead(feed);
        });
      }
      case 'options':
        return this.ask(feed, { kind: 'options' }, (rules) => {
          let isNews = false;
          for (const rule of rules) if (markets.takeRule(rule)) isNews = true;
          this.wasRead(feed);
          if (isNews) this.queue.hasten(feed.key, this.options.outbox.nowMs + SECOND_READING_MS);
        });
    }
  }

  private wasReadOnce(key: string): boolean {
    return Object.hasOwn(this.readTimes, key);
  }

  /** It was read to its end. */
  private wasRead(feed: PlannedFeed): void {
    const { nowMs } = this.options.outbox;
    if (!this.wasReadOnce(feed.key)) this.feedsRead += 1;
    this.readTimes[feed.key] = nowMs;
    this.done(feed, nowMs);
  }

  /** A page with a bar that can not be right is read again: no bar of it is used. */
  private areRight(feed: PlannedFeed, candles: readonly Candle[]): boolean {
    const { findings, outbox } = this.options;
    for (const candle of candles) {
      const flaw = candleFlaw(candle, outbox.nowMs);
      if (flaw === null) continue;
      findings.note(feed.key, flaw, { isGrave: false });
      this.failed(feed);
      return false;
    }
    findings.clear(feed.key);
    return true;
  }

  private takeCandles(reader: CandleReader, candles: readonly Candle[]): void {
    const { outbox, markets, strategies } = this.options;
    const { nowMs } = outbox;
    const wasWarm = reader.isWarm;
    const closed = wasWarm ? reader.take(candles, nowMs) : (reader.takePast(candles, nowMs) ?? []);
    const state = markets.get(reader.market);
    for (const candle of closed) {
      outbox.change({ kind: 'candle', market: reader.market, timeframe: reader.timeframe, candle });
      if (state !== undefined) state.lastClose = unitsOf(candle.close);
      if (wasWarm) strategies.tellCandle(candle);
    }
    if (!wasWarm) for (const candle of closed) strategies.warmUp(candle);
    for (const candle of closed) this.options.onCandle(candle);
  }

  /** One page of what is open, and the next ones after it. */
  private askOpenOrders(feed: PlannedFeed, from: ListCursor | null): true {
    const { orderManager, account } = this.options;
    return this.ask(feed, { kind: 'orders', status: 'open', from }, (page) => {
      for (const record of page.items) {
        if (record.id !== null) this.openIds.add(record.id);
        orderManager.takeRecord(record);
      }
      const { venue } = orderManager.blotter;
      const isFull = page.hasNext ?? page.items.length >= venue.pageSizes.orders;
      const next = nextOrdersPage(venue, { from, items: page.items });
      if (isFull && page.items.length > 0) {
        if (next !== null) this.askOpenOrders(feed, next);
        else {
          this.options.outbox.warn(
            `a page of open orders from ${from} is full but has no newer order: the bot reads it again`,
          );
          this.failed(feed);
        }
        return;
      }
      orderManager.takeOpenList(this.openIds, this.openAskedAtMs);
      if (!this.wasReadOnce(feed.key)) this.hasten('fills');
      account.saw('orders');
      this.wasRead(feed);
    });
  }

  private askTrades(feed: PlannedFeed, call: TradesCall): true {
    const { fills, orderManager, reconciler, account, outbox } = this.options;
    return this.ask(feed, call, (page, askedAtMs) => {
      const got = fills.take(page, askedAtMs);
      if (got.next !== null) {
        this.askTrades(feed, got.next);
        return;
      }
      account.saw('fills');
      if (fills.wantsReading) this.queue.hasten(feed.key, outbox.nowMs + SECOND_READING_MS);
      reconciler.onFillsRead(got.askedAtMs, got.taken, outbox.nowMs);
      orderManager.unknown.tradesWereRead(got.askedAtMs, (order) => fills.mayHold(order));
      this.wasRead(feed);
    });
  }

  /**
   * One page of a wallet's history. Lines count once the page that joins what was read before has come.
   */
  private askLines(feed: PlannedFeed, walletId: VenueWalletId, page: number): true {
    const { reconciler, outbox, account } = this.options;
    return this.ask(feed, { kind: 'transactions', walletId, page }, ({ items, hasNext }, askedAtMs) => {
      const currency = account.currencyOf(walletId);
      if (currency !== null) {
        const isMore = reconciler.history.takePage(currency, items, { page, askedAtMs }) && hasNext === true;
        if (isMore && page < PAGES_OF_LINES) {
          this.askLines(feed, walletId, page + 1);
          return;
        }
        for (const transaction of reconciler.linesEnd(currency))
          outbox.change({ kind: 'transaction', transaction });
      }
      this.wasRead(feed);
      if (reconciler.wantedLines(outbox.nowMs).size > 0) this.hasten(feed.key);
    });
  }
}

/** When the last of these bars opened, by the key of their feed. */
function lastOpensOf(bars: readonly ClosedCandle[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { market, timeframe, openTimeMs } of bars) {
    const key = `candles ${market} ${timeframe}`;
    last.set(key, Math.max(openTimeMs, last.get(key) ?? openTimeMs));
  }
  return last;
}

function marketOf({ key, market }: PlannedFeed): string {
  invariant(market !== null, () => `expected the feed ${key} to name its market`);
  return market;
}
