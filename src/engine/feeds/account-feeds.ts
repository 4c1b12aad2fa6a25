import type { VenueOrderId, VenueWalletId, ListCursor } from '../../domain/venue-id.ts';
import { nextOrdersPage } from '../own-list.ts';
import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { AccountState } from './account-state.ts';
import type { FeedAsker } from './feed-asker.ts';
import type { FillHandler, TradesCall } from '../fills/fill-handler.ts';
import type { OrderManager } from '../orders/order-manager.ts';
import type { Outbox } from '../outbox.ts';
import type { Reconciler } from '../fills/reconciler.ts';

/** Feeds of the account. */
type AccountFeedKind = 'orders' | 'trades' | 'wallets' | 'transactions';

interface AccountFeedsOptions {
  readonly asker: FeedAsker;
  readonly outbox: Outbox;
  readonly orderManager: OrderManager;
  readonly account: AccountState;
  readonly fills: FillHandler;
  readonly reconciler: Reconciler;
}

/** Reads the account: what is open, trades, wallets and their histories, page by page to the end. */
export class AccountFeeds {
  private readonly options: AccountFeedsOptions;
  private openIds = new Set<VenueOrderId>();
  private openAskedAtMs = 0;
  /** True if the id of every order was read. */
  private isOpenWhole = true;

  constructor(options: AccountFeedsOptions) {
    this.options = options;
  }

  /** Asks for a feed. False where there is nothing to ask now. */
  poll(feed: PlannedFeed, kind: AccountFeedKind, nowMs: number): boolean {
    const { asker, account, fills, outbox, reconciler } = this.options;
    switch (kind) {
      case 'orders':
        this.openIds = new Set();
        this.isOpenWhole = true;
        this.openAskedAtMs = nowMs;
        return this.askOpenOrders(feed, null);
      case 'trades': {
        // Else trades of orders that a lost mirror does not know would count as foreign before the list tells
        // whose they are.
        const mustWait = fills.isNew && asker.has('orders') && !asker.wasReadOnce('orders');
        const call = mustWait ? null : fills.nextCall();
        return call !== null && this.askTrades(feed, call);
      }
      case 'wallets':
        return asker.ask(feed, { kind: 'wallets' }, (wallets, askedAtMs, { unread: rows }) => {
          const missing = new Set(rows.flatMap(({ currency }) => currency ?? []));
          const unread = account.take(wallets, askedAtMs, missing);
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

  /** One page of what is open, and the next ones after it. */
  private askOpenOrders(feed: PlannedFeed, from: ListCursor | null): true {
    const { asker, orderManager, account } = this.options;
    return asker.ask(feed, { kind: 'orders', status: 'open', from }, (page, _, { unread }) => {
      for (const { venueOrderId } of unread) {
        if (venueOrderId === null) this.isOpenWhole = false;
        else {
          this.openIds.add(venueOrderId);
          orderManager.reports.inquiries.ask(venueOrderId);
        }
      }
      for (const record of page.items) {
        if (record.id !== null) this.openIds.add(record.id);
        orderManager.takeRecord(record);
      }
      const { venue } = orderManager.blotter;
      const isFull = page.hasNext ?? page.items.length + unread.length >= venue.pageSizes.orders;
      const next = nextOrdersPage(venue, { from, items: page.items });
      if (isFull && page.items.length > 0) {
        if (next !== null) this.askOpenOrders(feed, next);
        else {
          this.options.outbox.warn(
            `a page of open orders from ${from} is full but has no newer order: the bot reads it again`,
          );
          asker.failed(feed);
        }
        return;
      }
      // An order that is not in the list may be the one that could not be read.
      if (this.isOpenWhole) orderManager.takeOpenList(this.openIds, this.openAskedAtMs);
      if (!asker.wasReadOnce(feed.key)) asker.hasten('fills');
      account.saw('orders');
      asker.wasRead(feed);
    });
  }

  private askTrades(feed: PlannedFeed, call: TradesCall): true {
    const { asker, fills, orderManager, reconciler, account, outbox } = this.options;
    return asker.ask(feed, call, (page, askedAtMs, { unread }) => {
      if (unread.length > 0) fills.missed();
      for (const { venueOrderId } of unread)
        if (venueOrderId !== null) orderManager.reports.inquiries.ask(venueOrderId);
      const got = fills.take(page, askedAtMs);
      if (got.next !== null) {
        this.askTrades(feed, got.next);
        return;
      }
      account.saw('fills');
      if (fills.wantsReading) asker.readAgain(feed);
      // What could not be read may be the trade that books and balances differ by, or that proves an order.
      if (!got.isMissing) {
        reconciler.onFillsRead(got.askedAtMs, got.taken, outbox.nowMs);
        orderManager.unknown.tradesWereRead(got.askedAtMs, (order) => fills.mayHold(order));
      }
      asker.wasRead(feed);
    });
  }

  /**
   * One page of a wallet's history. Lines count once the page that joins what was read before has come.
   */
  private askLines(feed: PlannedFeed, walletId: VenueWalletId, page: number): true {
    const { asker, reconciler, outbox, account } = this.options;
    return asker.ask(
      feed,
      { kind: 'transactions', walletId, page },
      ({ items, hasNext }, askedAtMs, { unread }) => {
        const currency = account.currencyOf(walletId);
        if (currency !== null) {
          const reading = { page, askedAtMs, hasNext: hasNext === true, isMissing: unread.length > 0 };
          if (reconciler.history.takePage(currency, items, reading)) {
            this.askLines(feed, walletId, page + 1);
            return;
          }
          for (const transaction of reconciler.linesEnd(currency))
            outbox.change({ kind: 'transaction', transaction });
        }
        asker.wasRead(feed);
        if (reconciler.wantedLines(outbox.nowMs).size > 0) asker.hasten(feed.key);
      },
    );
  }
}
