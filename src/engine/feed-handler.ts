import { z } from 'zod';
import type { Candle } from '../domain/candle.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import { statsCall } from '../venues/port.ts';
import { unitsOf } from '../domain/money.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { VenueOrder } from '../domain/order.ts';
import { storedTimeMs } from '../domain/stored-json.ts';
import type { PublicTrade, VenueTrade } from '../domain/trade.ts';
import type { MarketRule, Page, VenueAnswer, VenueCall, WalletReading, WalletTransaction } from '../venues/port.ts';
import type { PlannedFeed } from '../scheduler/feed.ts';
import type { FeedPace } from '../scheduler/pace.ts';
import { PollQueue } from '../scheduler/poll-queue.ts';
import type { ClosedCandle } from '../strategy/definition.ts';
import type { AccountState } from './account-state.ts';
import type { CandleReader } from './candle-reader.ts';
import type { FillHandler } from './fill-handler.ts';
import type { FlawLog } from './findings.ts';
import { candleFlaw } from './plausibility/market-flaw.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { OrderManager } from './order-manager.ts';
import type { Outbox } from './outbox.ts';
import type { Reconciler } from './reconciler.ts';

/** A poll waits for its slot no longer than this, or than its own interval. */
const SHORTEST_WAIT_MS = 5_000;

/** What one reading can not prove is read again after this: lists are cached for about a second. */
const SECOND_READING_MS = 1_000;

/** Lines of a wallet's history of one page. */
const PAGES_OF_LINES = 20;

/** When each feed was last read to its end, by its key, in ms since 1970. Kept for whoever looks at the mirror. */
export const storedReadTimes = z.record(z.string(), storedTimeMs);

export const KEPT_READ_TIMES = 'read-times';

/** So often they are written down while they change. */
const KEEP_TIMES_EVERY_MS = 5_000;

export interface FeedHandlerOptions {
  readonly feeds: readonly PlannedFeed[];
  readonly startMs: number;
  readonly outbox: Outbox;
  readonly orderManager: OrderManager;
  readonly markets: MarketDataCache;
  readonly account: AccountState;
  readonly fills: FillHandler;
  readonly reconciler: Reconciler;
  readonly findings: FlawLog;
  readonly candles: ReadonlyMap<string, CandleReader>;
  /** Bars of the past, all at once, and a live one. */
  readonly onPast: (candles: readonly ClosedCandle[]) => void;
  readonly onCandle: (candle: ClosedCandle) => void;
}

/** Asks for every feed at its pace, and hands on what comes back. */
export class FeedHandler {
  /** When each feed was last read to its end. */
  private readonly readAtMs = new Map<string, number>();
  private readonly options: FeedHandlerOptions;
  private readonly queue: PollQueue;
  private readonly keys: ReadonlySet<string>;
  /** As they are paced now. */
  private feeds: readonly PlannedFeed[];
  private openIds = new Set<number>();
  private openAskedAtMs = 0;
  private isIdle = false;
  private timesKeptAtMs = Number.NEGATIVE_INFINITY;
  private timesKept = 0;

  constructor(options: FeedHandlerOptions) {
    this.options = options;
    this.feeds = options.feeds;
    this.queue = new PollQueue(options.feeds, options.startMs);
    this.keys = new Set(options.feeds.map(({ key }) => key));
  }

  /** Asks what is due. */
  pump(nowMs: number): void {
    for (let feed = this.queue.due(nowMs); feed !== null; feed = this.queue.due(nowMs)) {
      this.queue.asked(feed.key, nowMs);
      const call = this.callFor(feed, nowMs);
      if (call === null) this.queue.answered(feed.key, nowMs);
      else this.ask(feed, call);
    }
  }

  wakeAtMs(): number {
    return this.queue.wakeAtMs();
  }

  /** Brings a feed forward: something has changed. */
  hasten(key: string): void {
    if (this.keys.has(key)) this.queue.hasten(key, this.options.outbox.nowMs);
  }

  /** Writes down when feeds were read, every few seconds: what was read and had not changed is in no other row. */
  store(nowMs: number): void {
    const { size } = this.readAtMs;
    if (size === this.timesKept && (size === 0 || nowMs < this.timesKeptAtMs + KEEP_TIMES_EVERY_MS)) return;
    this.timesKept = size;
    this.timesKeptAtMs = nowMs;
    this.options.outbox.keep(
      KEPT_READ_TIMES,
      Object.fromEntries(this.readAtMs) satisfies z.input<typeof storedReadTimes>,
    );
  }

  /** Asks at other paces from now on: a limit has changed. Bars go on to be asked for at their close. */
  setPaces(paces: readonly FeedPace[]): void {
    const byKey = new Map(paces.map((pace) => [pace.key, pace]));
    const polled = this.feeds.filter(({ kind, key }) => kind !== 'candles' && byKey.has(key));
    const changed = new Set(polled.map(({ key }) => key));
    this.feeds = this.feeds.map((feed) => (changed.has(feed.key) ? { ...feed, ...byKey.get(feed.key) } : feed));
    this.queue.setPaces(paces.filter(({ key }) => changed.has(key)));
  }

  setIdle(isIdle: boolean): void {
    if (isIdle === this.isIdle) return;
    this.isIdle = isIdle;
    this.queue.setIdle(isIdle);
  }

  /** Whether everything that trading needs has been read once. */
  isReady(): boolean {
    for (const key of ['orders', 'fills', 'wallets']) if (this.keys.has(key) && !this.readAtMs.has(key)) return false;
    for (const reader of this.options.candles.values()) if (!reader.isWarm) return false;
    return true;
  }

  /** How old the data of each feed is, and may be; null where it was never read. Bars count from their close. */
  ages(
    nowMs: number,
  ): readonly { readonly feed: string; readonly ageMs: number | null; readonly longestAgeMs: number }[] {
    return this.feeds.map(({ key, kind, intervalMs, longestAgeMs }) => {
      const readAtMs = this.readAtMs.get(key);
      const ageMs = readAtMs === undefined ? null : nowMs - readAtMs;
      const barMs = kind === 'candles' && Number.isFinite(intervalMs) ? intervalMs : 0;
      return { feed: key, ageMs, longestAgeMs: Math.max(longestAgeMs, intervalMs * 2) + barMs };
    });
  }

  private ask(feed: PlannedFeed, call: VenueCall): void {
    const way = {
      requestClass: feed.requestClass,
      dedupe: feed.key,
      withinMs: Math.max(SHORTEST_WAIT_MS, feed.intervalMs === Infinity ? 0 : feed.intervalMs),
    };
    this.options.outbox.ask(call, way, (answer, { sentAtMs, atMs }) => {
      if (answer.outcome === 'value') this.take(feed, call, { answer, askedAtMs: sentAtMs ?? atMs });
      else this.failed(feed);
    });
  }

  private failed(feed: PlannedFeed): void {
    const { nowMs } = this.options.outbox;
    if (feed.kind === 'trades') this.options.fills.failed();
    this.done(feed, nowMs);
  }

  private done(feed: PlannedFeed, nowMs: number): void {
    this.queue.answered(feed.key, nowMs);
    const reader = this.options.candles.get(feed.key);
    if (reader === undefined) return;
    if (reader.isWarm) {
      const nextMs = reader.nextMs(nowMs);
      this.queue.postpone(feed.key, nextMs);
      this.queue.hasten(feed.key, nextMs);
    } else this.queue.hasten(feed.key, nowMs + 1_000);
  }

  private callFor(feed: PlannedFeed, nowMs: number): VenueCall | null {
    const { markets, fills, account, candles, reconciler } = this.options;
    const market = feed.market ?? '';
    switch (feed.kind) {
      case 'book':
        return { kind: 'book', market };
      case 'books':
        return { kind: 'books' };
      case 'stats':
        return statsCall([...markets.all()].map((state) => state.market.symbol));
      case 'public-trades':
        return { kind: 'public-trades', market };
      case 'candles': {
        const reader = candles.get(feed.key);
        if (reader === undefined) return null;
        return { kind: 'candles', market: reader.market, timeframe: reader.timeframe, ...reader.question(nowMs) };
      }
      case 'orders':
        this.openIds = new Set();
        this.openAskedAtMs = nowMs;
        return { kind: 'orders', status: 'open', fromId: null };
      case 'trades':
        // Else trades of orders that a lost mirror does not know would count as foreign before the list tells whose they are.
        return fills.isNew && this.keys.has('orders') && !this.readAtMs.has('orders') ? null : fills.nextCall();
      case 'wallets':
        return { kind: 'wallets' };
      case 'transactions': {
        const wanted = reconciler.wantedLines(nowMs);
        const wallet = account.nextOf(wanted.size > 0 ? wanted : reconciler.currencies);
        return wallet === null ? null : { kind: 'transactions', walletId: wallet.walletId, page: 1 };
      }
      case 'options':
        return { kind: 'options' };
      case 'place':
      case 'place-oco':
      case 'cancel':
      case 'cancel-old':
      case 'order':
        return null;
    }
  }

  private take(
    feed: PlannedFeed,
    call: VenueCall,
    got: { readonly answer: Extract<VenueAnswer, { outcome: 'value' }>; readonly askedAtMs: number },
  ): void {
    const { markets, reconciler, outbox } = this.options;
    const { nowMs } = outbox;
    const { askedAtMs } = got;
    const { value } = got.answer;
    switch (call.kind) {
      case 'book':
        markets.takeBook(call.market, value as OrderBook);
        break;
      case 'books':
        for (const [symbol, book] of Object.entries(value as Readonly<Record<string, OrderBook>>)) {
          markets.takeBook(symbol, book);
        }
        break;
      case 'stats':
        for (const stats of value as readonly MarketStats[]) markets.takeStats(stats);
        break;
      case 'public-trades':
        markets.takeTape(call.market, value as readonly PublicTrade[]);
        break;
      case 'candles':
        if (!this.areRight(feed, value as readonly Candle[])) return;
        this.takeCandles(feed, value as readonly Candle[]);
        break;
      case 'orders':
        if (this.takeOrders(feed, value as Page<VenueOrder>)) return;
        break;
      case 'trades':
        if (this.takeTrades(feed, value as Page<VenueTrade>, askedAtMs)) return;
        break;
      case 'wallets':
        this.takeWallets(value as readonly WalletReading[], askedAtMs);
        break;
      case 'transactions':
        if (this.takeLines(feed, { call, askedAtMs }, value as Page<WalletTransaction>)) return;
        break;
      case 'options':
        this.takeRules(feed, value as readonly MarketRule[]);
        return;
      case 'place':
      case 'place-oco':
      case 'cancel':
      case 'cancel-old':
      case 'order':
        break;
    }
    this.readAtMs.set(feed.key, nowMs);
    this.done(feed, nowMs);
    if (call.kind === 'transactions' && reconciler.wantedLines(nowMs).size > 0) this.hasten(feed.key);
  }

  private takeRules(feed: PlannedFeed, rules: readonly MarketRule[]): void {
    const { nowMs } = this.options.outbox;
    let isNews = false;
    for (const rule of rules) if (this.options.markets.takeRule(rule)) isNews = true;
    this.readAtMs.set(feed.key, nowMs);
    this.done(feed, nowMs);
    if (isNews) this.queue.hasten(feed.key, nowMs + SECOND_READING_MS);
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

  private takeWallets(wallets: readonly WalletReading[], askedAtMs: number): void {
    const { account, reconciler, outbox } = this.options;
    const unread = account.take(wallets);
    reconciler.onWallets(wallets, { askedAtMs, nowMs: outbox.nowMs, unread });
  }

  private takeCandles(feed: PlannedFeed, candles: readonly Candle[]): void {
    const reader = this.options.candles.get(feed.key);
    if (reader === undefined) return;
    const { outbox, markets, onPast, onCandle } = this.options;
    const { nowMs } = outbox;
    const wasWarm = reader.isWarm;
    const closed = wasWarm ? reader.take(candles, nowMs) : (reader.takePast(candles, nowMs) ?? []);
    const state = markets.get(reader.market);
    for (const candle of closed) {
      outbox.change({ kind: 'candle', market: reader.market, timeframe: reader.timeframe, candle });
      if (state !== undefined) state.lastClose = unitsOf(candle.close);
      if (wasWarm) onCandle(candle);
    }
    if (!wasWarm && closed.length > 0) onPast(closed);
  }

  /** Answers whether another page is asked for. */
  private takeOrders(feed: PlannedFeed, page: Page<VenueOrder>): boolean {
    const { orderManager, account } = this.options;
    let lastId = 0;
    for (const record of page.items) {
      if (record.id !== null) {
        this.openIds.add(record.id);
        lastId = Math.max(lastId, record.id);
      }
      orderManager.takeRecord(record);
    }
    if ((page.hasNext ?? page.items.length >= orderManager.blotter.venue.pageSizes.orders) && lastId > 0) {
      this.ask(feed, { kind: 'orders', status: 'open', fromId: lastId + 1 });
      return true;
    }
    orderManager.takeOpenList(this.openIds, this.openAskedAtMs);
    if (!this.readAtMs.has(feed.key)) this.hasten('fills');
    account.saw('orders');
    return false;
  }

  private takeTrades(feed: PlannedFeed, page: Page<VenueTrade>, askedAtMs: number): boolean {
    const { fills, orderManager, reconciler, account, outbox } = this.options;
    const got = fills.take(page, askedAtMs);
    if (got.next !== null) {
      this.ask(feed, got.next);
      return true;
    }
    account.saw('fills');
    if (fills.wantsReading) this.queue.hasten(feed.key, outbox.nowMs + SECOND_READING_MS);
    reconciler.onFillsRead(got.askedAtMs, got.taken, outbox.nowMs);
    orderManager.tradesWereRead(got.askedAtMs, (order) => fills.mayHold(order));
    return false;
  }

  /** Lines are told once the page that joins what was read before has come. */
  private takeLines(
    feed: PlannedFeed,
    question: { readonly call: Extract<VenueCall, { kind: 'transactions' }>; readonly askedAtMs: number },
    page: Page<WalletTransaction>,
  ): boolean {
    const { call, askedAtMs } = question;
    const { reconciler, outbox, account } = this.options;
    const currency = account.currencyOf(call.walletId);
    if (currency === null) return false;
    const isMore = reconciler.onLines(currency, page.items, { page: call.page, askedAtMs }) && page.hasNext === true;
    if (!isMore || call.page >= PAGES_OF_LINES) {
      for (const transaction of reconciler.linesEnd(currency)) outbox.change({ kind: 'transaction', transaction });
      return false;
    }
    this.ask(feed, { kind: 'transactions', walletId: call.walletId, page: call.page + 1 });
    return true;
  }
}
