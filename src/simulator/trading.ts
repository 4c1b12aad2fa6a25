import type { FeeSchedule } from '../domain/market.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { Accounts, UserId } from './accounts.ts';
import { type MarketState, type SimulatedOrder, Trade, type Trader } from './market-state.ts';
import type { MatchHandler } from './matching-book.ts';
import {
  accept,
  refuse,
  type Result,
  type CancelOldOrders,
  type OrderReference,
  type PlaceOrder,
  type TradingSettings,
} from './requests.ts';
import {
  createOrders,
  decidePlacement,
  OrderRegister,
  affordable,
  neededHold,
  settleTrade,
} from './placement.ts';
import type { IsBarred } from './trading/order-plan.ts';

/** A change that observers are notified of, in the order of events. */
export type TradingEvent =
  | { readonly kind: 'order'; readonly order: SimulatedOrder; readonly timeMs: number }
  | { readonly kind: 'trade'; readonly trade: Trade };

/**
 * The trading part of the exchange: orders from acceptance to end, with holds and fees.
 *
 * Unlike a real exchange: requests are handled at once and in the order given; an order is checked once, at
 * its acceptance.
 */
export class Trading {
  readonly settings: TradingSettings;
  private readonly accounts: Accounts;
  private readonly markets: ReadonlyMap<MarketSymbol, MarketState>;
  private readonly isBarred: IsBarred | null;
  private readonly register: OrderRegister;
  private readonly waiting = new WaitingOrders();
  private nextOrderId: number;
  private nextTradeId: number;
  private nowMs = 0;
  /** Offset that lists add to the ids of trades, as a deployment did. It is in no document and not stored. */
  tradeIdShift = 0;
  /** Called for every change; null for no observer. */
  onEvent: ((event: TradingEvent) => void) | null = null;

  constructor(options: {
    readonly accounts: Accounts;
    readonly markets: ReadonlyMap<MarketSymbol, MarketState>;
    readonly fees: FeeSchedule;
    readonly settings: TradingSettings;
    /** Decides who may not trade; if omitted, only users barred by `Trader.mayTrade` may not. */
    readonly isBarred?: IsBarred;
    readonly firstOrderId?: number;
    readonly firstTradeId?: number;
  }) {
    this.accounts = options.accounts;
    this.markets = options.markets;
    this.settings = options.settings;
    this.isBarred = options.isBarred ?? null;
    this.register = new OrderRegister(options.settings, options.fees);
    this.nextOrderId = options.firstOrderId ?? 1;
    this.nextTradeId = options.firstTradeId ?? 1;
  }

  trader(userId: UserId): Trader {
    return this.register.trader(userId);
  }

  /** Returns the trader of a user without history or rules. It must be the first call for that user. */
  openTrader(
    userId: UserId,
    options: { readonly historyKept: number; readonly isUnrestricted: boolean },
  ): Trader {
    const trader = this.register.trader(userId, options.historyKept);
    trader.isUnrestricted = options.isUnrestricted;
    return trader;
  }

  allTraders(): Iterable<Trader> {
    return this.register.allTraders();
  }

  /** Next ids of orders and trades, for a stored state. */
  get counters(): { readonly nextOrderId: number; readonly nextTradeId: number } {
    return { nextOrderId: this.nextOrderId, nextTradeId: this.nextTradeId };
  }

  /** Gives all past and future trades ids beyond those that were shown. */
  renumberTrades(): void {
    this.tradeIdShift += this.nextTradeId;
  }

  resumeFrom(counters: { readonly nextOrderId: number; readonly nextTradeId: number }): void {
    this.nextOrderId = counters.nextOrderId;
    this.nextTradeId = counters.nextTradeId;
  }

  /** Restores an order of a stored state; a resting one must not cross. */
  restore(order: SimulatedOrder): void {
    this.register.enlist(order);
    if (!order.isOpen) {
      this.register.delist(order);
      return;
    }
    if (order.status === 'Active') order.market.book.add(order);
    else if (order.status === 'Inactive') order.market.stops.add(order);
    else {
      order.market.waiting.add(order);
      this.waiting.add(order, order.createdAtMs);
    }
  }

  /** Places an order, or the two of an OCO. A refusal (see `decidePlacement`) changes nothing. */
  place(userId: UserId, request: PlaceOrder, timeMs: number): Result<readonly SimulatedOrder[]> {
    this.nowMs = timeMs;
    const market = this.markets.get(request.market);
    if (market === undefined) return refuse('InvalidMarketPair', 'no such market');
    const trader = this.trader(userId);
    const free = trader.freeFor(request.side, market, this.accounts);
    const decided = decidePlacement({
      request,
      trader,
      market,
      free,
      settings: this.settings,
      isBarred: this.isBarred,
      timeMs,
    });
    if (!decided.ok) return decided;
    const legs = createOrders(decided.value, {
      trader,
      market,
      wallets: trader.walletsFor(market, this.accounts),
      createdAtMs: timeMs,
      firstId: this.nextOrderId,
    });
    this.nextOrderId += legs.length;
    for (const order of legs) this.register.enlist(order);
    this.start(legs);
    return accept(legs);
  }

  /** Returns an order of a user; undefined if there is none. A client id finds open orders only. */
  find(userId: UserId, reference: OrderReference): SimulatedOrder | undefined {
    return this.register.find(userId, reference);
  }

  /** Cancels an open order, and its pair if neither has executed. False, and no change, if it is not open. */
  cancel(order: SimulatedOrder, timeMs: number): boolean {
    this.nowMs = timeMs;
    if (!order.isOpen) return false;
    this.close(order, 'Canceled');
    this.endPair(order);
    return true;
  }

  /** Ends an open order as rejected after its acceptance; its pair, which holds nothing, is canceled. */
  reject(order: SimulatedOrder, timeMs: number): boolean {
    this.nowMs = timeMs;
    if (!order.isOpen) return false;
    this.close(order, this.settings.rejectedStatus);
    this.endPair(order);
    return true;
  }

  /** Cancels the active orders that match; inactive stops stay unless their pair ends. Returns the number. */
  cancelOld(userId: UserId, filter: CancelOldOrders, timeMs: number): number {
    this.nowMs = timeMs;
    const chosen = this.trader(userId)
      .open.values()
      .filter((order) => order.status === 'Active' && isChosenBy(filter, order));
    return chosen.filter((order) => this.cancel(order, timeMs)).length;
  }

  /** Cancels a user's newest orders that pay in `currency` until `needed` units are free. */
  cancelUntilCovered(
    userId: UserId,
    currency: string,
    options: { readonly needed: bigint; readonly timeMs: number },
  ): void {
    const wallet = this.accounts.find(userId, currency);
    if (wallet === undefined) return;
    const orders = this.trader(userId)
      .open.values()
      .filter((order) => order.payingWallet === wallet);
    for (const order of orders.toReversed()) {
      if (wallet.free >= options.needed) return;
      this.cancel(order, options.timeMs);
    }
  }

  /** Enters a `New` order in the book. False if it is not `New`, or if its market is closed. */
  activate(order: SimulatedOrder, timeMs: number): boolean {
    this.nowMs = timeMs;
    if (order.status !== 'New' || order.market.isClosed) return false;
    this.enter(order);
    this.wakeStops(order.market);
    return true;
  }

  /** Enters the orders that were `New` long enough. Those of a closed market wait until it opens. */
  advance(timeMs: number): void {
    const sinceMs = this.nowMs;
    this.nowMs = timeMs;
    for (let due = this.waiting.removeDue(timeMs); due !== undefined; due = this.waiting.removeDue(timeMs))
      this.activate(due.order, Math.max(due.dueMs, sinceMs));
  }

  private start(legs: readonly SimulatedOrder[]): void {
    for (const order of legs) {
      if (order.status !== 'Inactive') continue;
      order.market.stops.add(order);
      this.changed(order);
    }
    const [first] = legs;
    if (first === undefined || first.status === 'Inactive') return;
    if (this.settings.newForMs > 0) {
      first.market.waiting.add(first);
      this.waiting.add(first, this.nowMs + this.settings.newForMs);
      this.changed(first);
      return;
    }
    this.enter(first);
    this.wakeStops(first.market);
  }

  /** Matches an order, then rests the remainder, or ends it if it may not rest. */
  private enter(order: SimulatedOrder): void {
    const { market } = order;
    if (market.waiting.size > 0) market.waiting.delete(order);
    order.status = 'Active';
    market.book.match(order, order.price, this.matchHandler);
    if (!order.isOpen) return;
    if (order.remaining === 0) this.close(order, 'Done');
    else if (order.isMarket) this.close(order, 'Canceled');
    else {
      market.book.add(order);
      market.bookChangedAtMs = this.nowMs;
      this.changed(order);
    }
  }

  private readonly matchHandler: MatchHandler<SimulatedOrder> = {
    reach: affordable,
    onMatch: (taker, maker, amount) => {
      this.book(taker, maker, amount);
      if (taker.pair !== null) this.endPair(taker);
      if (maker.pair !== null) this.endPair(maker);
      if (maker.remaining === 0) {
        maker.status = 'Done';
        this.settleEnd(maker);
      } else this.changed(maker);
    },
  };

  /** Books one trade: its money, both users' lists, the tape and the candles. */
  private book(taker: SimulatedOrder, maker: SimulatedOrder, amount: number): void {
    const { market } = taker;
    const trade = new Trade(this.nextTradeId++, this.nowMs, { maker, taker, amount });
    settleTrade(this.accounts, trade);
    taker.trader.trades.push(trade);
    if (maker.trader !== taker.trader) maker.trader.trades.push(trade);
    market.lastPrice = trade.price;
    market.bookChangedAtMs = this.nowMs;
    market.candles.onTrade(trade);
    market.tape.push(trade);
    market.hasMoved = true;
    this.onEvent?.({ kind: 'trade', trade });
  }

  /** Cancels the other order of an OCO when one ends or executes, and releases the hold that is left. */
  private endPair(order: SimulatedOrder): void {
    const { pair } = order;
    if (pair === null || !pair.isOpen) return;
    order.held += pair.held;
    pair.held = 0n;
    this.close(pair, 'Canceled');
    const excess = order.held - (order.isOpen ? neededHold(order) : 0n);
    if (excess <= 0n) return;
    order.payingWallet.release(excess);
    order.held -= excess;
  }

  private close(order: SimulatedOrder, status: string): void {
    const { market } = order;
    if (order.status === 'Inactive') market.stops.remove(order);
    else if (order.status === 'New') market.waiting.delete(order);
    else if (order.level !== null) {
      market.book.remove(order);
      market.bookChangedAtMs = this.nowMs;
    }
    order.status = status;
    this.settleEnd(order);
  }

  private settleEnd(order: SimulatedOrder): void {
    if (order.held > 0n) {
      order.payingWallet.release(order.held);
      order.held = 0n;
    }
    this.register.delist(order);
    this.changed(order);
  }

  /**
   * Triggers the stops that the last price has reached, one by one, as each may move the price further. The
   * trigger of an OCO's second leg counts as its execution: the first is canceled and passes on its hold.
   */
  private wakeStops(market: MarketState): void {
    if (!market.hasMoved) return;
    for (;;) {
      const order = market.stops.removeWoken(market.lastPrice);
      if (order === undefined) break;
      order.status = 'Active';
      this.endPair(order);
      this.enter(order);
    }
    market.hasMoved = false;
  }

  private changed(order: SimulatedOrder): void {
    order.storeVersion(this.nowMs);
    this.onEvent?.({ kind: 'order', order, timeMs: this.nowMs });
  }
}

/** True if an order matches the filter of a call to cancel old orders. No order is a margin order. */
function isChosenBy(filter: CancelOldOrders, order: SimulatedOrder): boolean {
  const { rules } = order.market;
  return (
    filter.tradeType !== 'margin' &&
    (filter.createdAtOrBeforeMs === null || order.createdAtMs <= filter.createdAtOrBeforeMs) &&
    (filter.execution === null || order.execution === filter.execution) &&
    (filter.base === null || rules.base === filter.base) &&
    (filter.quote === null || rules.quote === filter.quote)
  );
}

/** `New` orders by the time they are due, with those that ended meanwhile, until theirs. */
class WaitingOrders {
  private readonly queue: { readonly order: SimulatedOrder; readonly dueMs: number }[] = [];

  /** Inserts an order at its due time: the delay of `New` orders may have changed since the last one. */
  add(order: SimulatedOrder, dueMs: number): void {
    const later = this.queue.findIndex((other) => other.dueMs > dueMs);
    this.queue.splice(later === -1 ? this.queue.length : later, 0, { order, dueMs });
  }

  /** Removes and returns the next order due by `timeMs` in an open market. It may have ended already. */
  removeDue(timeMs: number): { readonly order: SimulatedOrder; readonly dueMs: number } | undefined {
    for (const [index, waiting] of this.queue.entries()) {
      if (waiting.dueMs > timeMs) return undefined;
      if (waiting.order.market.isClosed) continue;
      this.queue.splice(index, 1);
      return waiting;
    }
    return undefined;
  }
}
