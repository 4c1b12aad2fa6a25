import { EnginePart } from '../engine-settings.ts';
import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { PollQueue } from '../../scheduler/poll-queue.ts';
import type { UnreadRow, VenueCall, VenueValues } from '../../venues/port.ts';
import type { CandleReaders } from './candle-reader.ts';
import type { IssueLog } from '../issue-log.ts';
import type { FillHandler, FillsRead, TradesCall } from '../fills/fill-handler.ts';
import type { MarginCache, AccountState } from './account-state.ts';
import { type Outbox, OutboxPart } from '../outbox.ts';
import type { VenueOrderId, VenueWalletId } from '../../domain/order.ts';
import { nextOrdersPage, openOrdersCalls, type OrdersCall } from '../own-list.ts';
import type { OrderManager } from '../orders/order-manager.ts';
import { LOOKUP_WITHIN_MS } from '../orders/second-readings.ts';
import type { Reconciler } from '../fills/reconciler.ts';
import { restored, type StoredTexts } from '../stored-records.ts';

/** Shortest limit on a poll's wait for its slot, in ms; a poll with a longer interval may wait that long. */
const SHORTEST_WAIT_MS = 5_000;

/** Delay before a second reading, in ms, if one cannot prove it: lists are cached for about a second. */
const SECOND_READING_MS = 1_000;

/** Delay before the next page of past bars is requested, in ms. */
const NEXT_PAGE_MS = 1_000;

/**
 * Feeds that a strategy named itself. The exchange may refuse one, for example a currency without a limit.
 */
const MARGIN_FEEDS: ReadonlySet<PlannedFeed['kind']> = new Set([
  'pools',
  'margin-wallets',
  'delegation-limit',
]);

const NONE: readonly never[] = [];

/** Facts that came beside a value. @see VenueAnswer */
interface AskedReply {
  readonly unread: readonly UnreadRow[];
  readonly saidAtMs: number | undefined;
}

export interface FeedAskerOptions {
  readonly feeds: readonly PlannedFeed[];
  readonly queue: PollQueue;
  readonly times: FeedReadTimes;
  readonly outbox: Outbox;
  readonly readers: CandleReaders;
  readonly fills: FillHandler;
  readonly margin: MarginCache;
  readonly findings: IssueLog;
  readonly orderManager: OrderManager;
}

/** Requests feeds, and schedules the next request once a feed was read to its end or failed. */
export class FeedAsker extends EnginePart<FeedAskerOptions> {
  private readonly keys: ReadonlySet<string>;

  constructor(options: FeedAskerOptions) {
    super(options);
    this.keys = new Set(options.feeds.map(({ key }) => key));
  }

  /** True if there is a feed with this key. */
  has(key: string): boolean {
    return this.keys.has(key);
  }

  wasReadOnce(key: string): boolean {
    return this.options.times.of(key) !== null;
  }

  /** Requests a second reading of a feed, as one reading cannot prove its content. */
  readAgain(feed: PlannedFeed): void {
    this.options.queue.requestNow(feed.key, this.options.outbox.nowMs + SECOND_READING_MS);
  }

  /** Requests data. `apply` gets each value and its request time, and calls `wasRead` after the last one. */
  ask<Call extends VenueCall>(
    feed: PlannedFeed,
    call: Call,
    apply: (value: VenueValues[Call['kind']], askedAtMs: number, reply: AskedReply) => void,
  ): true {
    const { key: dedupe, intervalMs } = feed;
    const { blotter, cancels, reports } = this.options.orderManager;
    const { table, unknown } = blotter;
    // Lists that orders wait for have their turn among look-ups, which could else go before them for good.
    const isAwaited =
      (call.kind === 'trades' && (table.settlingCount > 0 || unknown.searches.size > 0)) ||
      (call.kind === 'orders' && (cancels.wanted.size > 0 || reports.endings.signs.size > 0));
    const requestClass = isAwaited ? 'resolve' : feed.requestClass;
    const leastMs = isAwaited ? LOOKUP_WITHIN_MS : SHORTEST_WAIT_MS;
    const withinMs = intervalMs === Infinity ? leastMs : Math.max(leastMs, intervalMs);
    this.options.outbox.ask(call, { requestClass, dedupe, withinMs }, (answer, { sentAtMs, atMs }) => {
      if (answer.outcome === 'value') {
        const { unread = NONE, saidAtMs } = answer;
        for (const row of unread) this.options.findings.noteUnread(row);
        apply(answer.value, sentAtMs ?? atMs, { unread, saidAtMs });
      } else {
        if (answer.outcome === 'refused' && MARGIN_FEEDS.has(feed.kind))
          this.options.margin.refused(feed.key, answer);
        const isOwnList = call.kind === 'orders' || call.kind === 'trades';
        if (answer.outcome === 'refused' && isOwnList && call.market !== null)
          this.options.orderManager.blotter.dropListsOf(call.market, answer.code);
        this.failed(feed);
      }
    });
    return true;
  }

  /** Notes that a feed was read to its end. */
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
      queue.requestNow(feed.key, nextMs);
    } else queue.requestNow(feed.key, nowMs + NEXT_PAGE_MS);
  }
}

/** Kinds of feeds that read the account. */
type AccountFeedKind = 'orders' | 'trades' | 'wallets' | 'transactions';

export interface AccountFeedsOptions {
  readonly asker: FeedAsker;
  readonly queue: PollQueue;
  readonly outbox: Outbox;
  readonly orderManager: OrderManager;
  readonly account: AccountState;
  readonly fills: FillHandler;
  readonly reconciler: Reconciler;
}

/** Reads the account page by page to the end: open orders, trades, wallets and their histories. */
export class AccountFeeds extends EnginePart<AccountFeedsOptions> {
  private openIds = new Set<VenueOrderId>();
  private openAskedAtMs = 0;
  /** True if the id of every open order could be read. */
  private isOpenWhole = true;

  /** Requests a feed. Returns false if there is nothing to request now. */
  poll(feed: PlannedFeed, kind: AccountFeedKind, nowMs: number): boolean {
    const { asker, account, fills, outbox, reconciler } = this.options;
    const { blotter } = this.options.orderManager;
    switch (kind) {
      case 'orders':
        this.openIds = new Set();
        this.isOpenWhole = true;
        this.openAskedAtMs = nowMs;
        if (this.askOpenOrders(feed, openOrdersCalls(blotter.venue, blotter.ownMarkets))) return true;
        this.openOrdersWereRead(feed);
        return false;
      case 'trades': {
        // Before the list of orders was read, trades of orders that a lost mirror does not know would count
        // as foreign.
        if (fills.isNew && asker.has('orders') && !asker.wasReadOnce('orders')) return false;
        const call = fills.nextCall();
        if (call !== null) return this.askTrades(feed, call);
        this.tradesWereRead(feed, { askedAtMs: nowMs, applied: 0, isMissing: false });
        return false;
      }
      case 'wallets':
        return asker.ask(feed, { kind: 'wallets' }, (wallets, askedAtMs, { unread: rows }) => {
          const missing = new Set(rows.flatMap(({ currency }) => currency ?? []));
          const unread = account.apply(wallets, askedAtMs, missing);
          reconciler.onWallets(wallets, { askedAtMs, nowMs: outbox.nowMs, unread });
          asker.wasRead(feed);
        });
      case 'transactions': {
        const wanted = reconciler.wantedLines(nowMs);
        const wallet = account.nextOf(wanted.size > 0 ? wanted : reconciler.currencies);
        return wallet !== null && this.askLines(feed, wallet.walletId, 1);
      }
    }
  }

  /** Requests the first of some pages of open orders, and the pages after it; then the others. */
  private askOpenOrders(feed: PlannedFeed, [call, ...others]: readonly OrdersCall[]): boolean {
    if (call === undefined) return false;
    const { asker, orderManager, outbox } = this.options;
    return asker.ask(feed, call, (page, _, { unread }) => {
      for (const { venueOrderId, market } of unread) {
        if (venueOrderId === null) this.isOpenWhole = false;
        else {
          this.openIds.add(venueOrderId);
          orderManager.reports.inquiries.ask(venueOrderId, market);
        }
      }
      const { venue, ownMarkets } = orderManager.blotter;
      for (const record of page.items) {
        if (record.id !== null) this.openIds.add(record.id);
        if (record.market !== null) ownMarkets.add(record.market.symbol);
        orderManager.reports.apply(record);
      }
      const isFull = page.hasNext ?? page.items.length + unread.length >= venue.pageSizes.orders;
      if (isFull && page.items.length > 0) {
        const next = nextOrdersPage(venue, call, page.items);
        if (next !== null) this.askOpenOrders(feed, [next, ...others]);
        else {
          outbox.warn(
            `a page of open orders from ${call.from} is full but has no newer order: the bot reads it again`,
          );
          asker.failed(feed);
        }
        return;
      }
      if (!this.askOpenOrders(feed, others)) this.openOrdersWereRead(feed);
    });
  }

  private openOrdersWereRead(feed: PlannedFeed): void {
    const { asker, orderManager, account, queue, outbox } = this.options;
    // An order that is not in the list may be the one whose id could not be read.
    if (this.isOpenWhole) orderManager.applyOpenList(this.openIds, this.openAskedAtMs);
    if (!asker.wasReadOnce(feed.key)) queue.requestNow('fills', outbox.nowMs);
    account.saw('orders');
    asker.wasRead(feed);
  }

  private askTrades(feed: PlannedFeed, call: TradesCall): true {
    const { asker, fills, orderManager } = this.options;
    return asker.ask(feed, call, (page, askedAtMs, { unread }) => {
      if (unread.length > 0) fills.missed();
      for (const { venueOrderId, market } of unread)
        if (venueOrderId !== null) orderManager.reports.inquiries.ask(venueOrderId, market);
      const got = fills.apply(page, askedAtMs);
      if (got.next === null) this.tradesWereRead(feed, got);
      else this.askTrades(feed, got.next);
    });
  }

  private tradesWereRead(feed: PlannedFeed, got: Omit<FillsRead, 'next'>): void {
    const { asker, fills, orderManager, reconciler, account, outbox } = this.options;
    account.saw('fills');
    if (fills.wantsReading) asker.readAgain(feed);
    // An unreadable trade may be the one that explains a difference of balances, or that proves an order.
    if (!got.isMissing) {
      reconciler.onFillsRead(got.askedAtMs, got.applied, outbox.nowMs);
      if (orderManager.blotter.unknown.searches.size > 0)
        orderManager.unknown.tradesWereRead(got.askedAtMs, (order) => fills.mayHold(order));
    }
    asker.wasRead(feed);
  }

  /** Requests one page of a wallet's history. Lines count once its pages join what was read before. */
  private askLines(feed: PlannedFeed, walletId: VenueWalletId, page: number): true {
    const { asker, reconciler, outbox, account, queue } = this.options;
    return asker.ask(
      feed,
      { kind: 'transactions', walletId, page },
      ({ items, hasNext }, askedAtMs, { unread }) => {
        const currency = account.currencyOf(walletId);
        if (currency !== null) {
          const reading = { page, askedAtMs, hasNext: hasNext === true, isMissing: unread.length > 0 };
          if (reconciler.history.applyPage(currency, items, reading)) {
            this.askLines(feed, walletId, page + 1);
            return;
          }
          for (const transaction of reconciler.linesEnd(currency))
            outbox.change({ kind: 'transaction', transaction });
        }
        asker.wasRead(feed);
        if (reconciler.wantedLines(outbox.nowMs).size > 0) queue.requestNow(feed.key, outbox.nowMs);
      },
    );
  }
}

/**
 * Returns the time of the last reading before a restart, in ms: the last sign of life, to within seconds.
 * Null if there was none. Throws `DATA_UNUSABLE` if it is damaged.
 */
export function lastReadMs(stored: StoredTexts): number | null {
  const times = Object.values(restored(stored, 'read-times') ?? {});
  return times.length === 0 ? null : times.reduce((left, right) => Math.max(left, right));
}

/** Interval at which the times of feeds are stored while they change, in ms. */
const PERSIST_TIMES_EVERY_MS = 5_000;

/** Times each feed was last read to its end, by its key. */
export class FeedReadTimes extends OutboxPart {
  /** Times as they are stored, in ms. */
  private readonly times: Record<string, number> = {};
  /** Time of the next `store`. */
  dueAtMs = Number.POSITIVE_INFINITY;

  /** Returns the time a feed was last read to its end; null before the first. */
  of(key: string): number | null {
    return this.times[key] ?? null;
  }

  /** Notes that a feed was read to its end just now. */
  note(key: string): void {
    if (this.times[key] === undefined) this.dueAtMs = Number.NEGATIVE_INFINITY;
    this.times[key] = this.outbox.nowMs;
  }

  /**
   * Stores the times every few seconds, and at once after the first reading of a feed: unchanged data leaves
   * no other trace.
   */
  store(nowMs: number): void {
    this.dueAtMs = nowMs + PERSIST_TIMES_EVERY_MS;
    this.outbox.persist('read-times', this.times);
  }
}
