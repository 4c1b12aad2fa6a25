import type { FeeSchedule } from '../../../domain/fee-schedule.ts';
import type { MarketSymbol } from '../../../domain/market-symbol.ts';
import type { Accounts } from '../accounts.ts';
import type { UserId } from '../wallet.ts';
import type { MarketState } from '../market/market-state.ts';
import { valueUp } from '../../../domain/market.ts';
import { UNITS_PER_ONE } from '../../../domain/money.ts';
import type { MatchHandler } from '../matching/matching-book.ts';
import { accept, refuse, type Result } from '../result.ts';
import { SimulatedOrder } from './order.ts';
import { holdFor, type Placement } from './order-plan.ts';
import { decidePlacement } from './placement.ts';
import { OrderTable } from './order-table.ts';
import type { CancelOldOrders, OrderReference, PlaceOrder, TradingSettings } from './requests.ts';
import { settleTrade } from './settlement.ts';
import { Trade } from './trade.ts';
import { Trader } from './trader.ts';

/** A change that observers are told of, in the order in which it happened. */
export type TradingEvent =
  | { readonly kind: 'order'; readonly order: SimulatedOrder; readonly timeMs: number }
  | { readonly kind: 'trade'; readonly trade: Trade };

/**
 * The trading half of the exchange: from an order's acceptance to its end, with holds and fees.
 *
 * What is unreal about it: requests are handled in one instant and in the order given; an order is checked once, at its acceptance.
 */
export class Trading {
  readonly settings: TradingSettings;
  private readonly accounts: Accounts;
  private readonly markets: ReadonlyMap<MarketSymbol, MarketState>;
  private readonly traders = new Map<UserId, Trader>();
  private readonly orders: OrderTable;
  private readonly defaultFees: FeeSchedule;
  private readonly waiting: { readonly order: SimulatedOrder; readonly dueMs: number }[] = [];
  private nextOrderId: number;
  private nextTradeId: number;
  private nowMs = 0;
  /** Told of every change; null costs nothing. */
  onEvent: ((event: TradingEvent) => void) | null = null;

  constructor(options: {
    readonly accounts: Accounts;
    readonly markets: ReadonlyMap<MarketSymbol, MarketState>;
    readonly fees: FeeSchedule;
    readonly settings: TradingSettings;
    readonly firstOrderId?: number;
    readonly firstTradeId?: number;
  }) {
    this.accounts = options.accounts;
    this.markets = options.markets;
    this.defaultFees = options.fees;
    this.settings = options.settings;
    this.orders = new OrderTable(options.settings.ordersKept);
    this.nextOrderId = options.firstOrderId ?? 1;
    this.nextTradeId = options.firstTradeId ?? 1;
  }

  trader(userId: UserId): Trader {
    let trader = this.traders.get(userId);
    if (trader === undefined) {
      trader = new Trader({ userId, fees: this.defaultFees, historyKept: this.settings.historyKept });
      this.traders.set(userId, trader);
    }
    return trader;
  }

  /** The same for a user whose history nobody reads, or who stands outside the rules; to be called before anything else of that user. */
  openTrader(userId: UserId, options: { readonly historyKept: number; readonly isUnrestricted: boolean }): Trader {
    let trader = this.traders.get(userId);
    if (trader === undefined) {
      trader = new Trader({ userId, fees: this.defaultFees, historyKept: options.historyKept });
      this.traders.set(userId, trader);
    }
    trader.isUnrestricted = options.isUnrestricted;
    return trader;
  }

  allTraders(): Iterable<Trader> {
    return this.traders.values();
  }

  /** Next ids to be given, for a stored state. */
  get counters(): { readonly nextOrderId: number; readonly nextTradeId: number } {
    return { nextOrderId: this.nextOrderId, nextTradeId: this.nextTradeId };
  }

  resumeFrom(counters: { readonly nextOrderId: number; readonly nextTradeId: number }): void {
    this.nextOrderId = counters.nextOrderId;
    this.nextTradeId = counters.nextTradeId;
  }

  /** Puts back an order of a stored state; a resting one must not cross. */
  restore(order: SimulatedOrder): void {
    this.enlist(order);
    if (!order.isOpen) {
      this.delist(order);
      return;
    }
    if (order.status === 'Active') order.market.book.add(order);
    else if (order.status === 'Inactive') order.market.stops.add(order);
    else order.market.waiting.add(order);
  }

  /**
   * Places an order, or the two of an OCO (limit first), or refuses with a code (see `decidePlacement`); then nothing has changed.
   */
  place(userId: UserId, request: PlaceOrder, timeMs: number): Result<readonly SimulatedOrder[]> {
    this.nowMs = timeMs;
    const market = this.markets.get(request.market);
    if (market === undefined) return refuse('InvalidMarketPair', 'no such market');
    const trader = this.trader(userId);
    const free = trader.freeFor(request.side, market, this.accounts);
    const decided = decidePlacement({ request, trader, market, free, settings: this.settings, timeMs });
    if (!decided.ok) return decided;
    const legs = this.register(trader, { market, placement: decided.value, free });
    this.start(legs);
    return accept(legs);
  }

  /** An open or closed order of a user, or undefined. A client id finds open orders only. */
  find(userId: UserId, reference: OrderReference): SimulatedOrder | undefined {
    if (reference.id !== null) {
      const order = this.orders.find(reference.id);
      return order?.userId === userId ? order : undefined;
    }
    return reference.clientOrderId === null
      ? undefined
      : this.trader(userId).openByClientId.get(reference.clientOrderId);
  }

  /** Cancels an open order, and its pair if neither has executed. False when it is not open; then nothing has changed. */
  cancel(order: SimulatedOrder, timeMs: number): boolean {
    this.nowMs = timeMs;
    if (!order.isOpen) return false;
    const { pair } = order;
    this.close(order, 'Canceled');
    if (pair !== null && pair.isOpen) this.close(pair, 'Canceled');
    return true;
  }

  /** Ends an open order with the word for a rejection after its acceptance. */
  reject(order: SimulatedOrder, timeMs: number): boolean {
    this.nowMs = timeMs;
    if (!order.isOpen) return false;
    this.close(order, this.settings.rejectedStatus);
    return true;
  }

  /** Cancels the active orders that match; inactive stops stay unless their pair goes. Answers how many were ended. */
  cancelOld(userId: UserId, filter: CancelOldOrders, timeMs: number): number {
    this.nowMs = timeMs;
    if (filter.tradeType === 'margin') return 0;
    const chosen = this.trader(userId)
      .open.values()
      .filter(
        (order) =>
          order.status === 'Active' &&
          (filter.createdAtOrBeforeMs === null || order.createdAtMs <= filter.createdAtOrBeforeMs) &&
          (filter.execution === null || order.execution === filter.execution) &&
          (filter.srcCurrency === null || order.market.rules.src === filter.srcCurrency) &&
          (filter.dstCurrency === null || order.market.rules.dst === filter.dstCurrency),
      );
    return chosen.filter((order) => this.cancel(order, timeMs)).length;
  }

  /** Cancels a user's newest orders that pay in `currency` until its wallet covers what is held. For forced withdrawals. */
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

  /** Lets an order that is `New` enter the book. */
  activate(order: SimulatedOrder, timeMs: number): boolean {
    this.nowMs = timeMs;
    if (order.status !== 'New') return false;
    this.enter(order);
    this.wakeStops(order.market);
    return true;
  }

  /** Moves on what time alone moves: orders that were `New` long enough. */
  advance(timeMs: number): void {
    this.nowMs = timeMs;
    for (;;) {
      const first = this.waiting[0];
      if (first === undefined || first.dueMs > timeMs) return;
      this.waiting.shift();
      this.activate(first.order, first.dueMs);
    }
  }

  /** Makes the orders of an accepted placement. The first holds for both of an OCO: the dearer of the two. */
  private register(
    trader: Trader,
    { market, placement, free }: { readonly market: MarketState; readonly placement: Placement; readonly free: bigint },
  ): readonly SimulatedOrder[] {
    const of = { trader, market, wallets: trader.walletsFor(market, this.accounts), createdAtMs: this.nowMs };
    const first = new SimulatedOrder(this.nextOrderId++, placement.first, of);
    let { hold } = placement.first;
    if (placement.second !== null && placement.second.hold > hold) hold = placement.second.hold;
    const { payingWallet } = first;
    first.held = hold < free ? hold : free;
    payingWallet.hold(first.held);
    this.enlist(first);
    if (placement.second === null) return [first];
    const second = new SimulatedOrder(this.nextOrderId++, placement.second, of);
    first.pair = second;
    second.pair = first;
    this.enlist(second);
    return [first, second];
  }

  private enlist(order: SimulatedOrder): void {
    const { trader } = order;
    this.orders.add(order);
    trader.orders.push(order);
    trader.open.add(order);
    if (order.clientOrderId !== null) trader.openByClientId.set(order.clientOrderId, order);
    if (this.settings.recordVersions) order.versions = [];
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
      this.wait(first, this.nowMs + this.settings.newForMs);
      this.changed(first);
      return;
    }
    this.enter(first);
    this.wakeStops(first.market);
  }

  /** Puts an order into the queue of the waiting, by when it is due: the setting may have changed since the last. */
  private wait(order: SimulatedOrder, dueMs: number): void {
    const later = this.waiting.findIndex((other) => other.dueMs > dueMs);
    this.waiting.splice(later === -1 ? this.waiting.length : later, 0, { order, dueMs });
  }

  /** Takes from the book, then rests, or ends if it may not rest. */
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
      this.changed(order);
    }
  }

  private readonly matchHandler: MatchHandler<SimulatedOrder> = {
    reach: affordable,
    onMatch: (taker, maker, amount) => {
      if (taker.pair !== null) this.endPair(taker);
      if (maker.pair !== null) this.endPair(maker);
      this.book(taker, maker, amount);
      if (maker.remaining === 0) {
        maker.status = 'Done';
        this.settleEnd(maker);
      } else this.changed(maker);
    },
  };

  /** One trade: its money, both users' lists, the tape, the candles. */
  private book(taker: SimulatedOrder, maker: SimulatedOrder, amount: number): void {
    const { market } = taker;
    const trade = new Trade(this.nextTradeId++, this.nowMs, { maker, taker, amount });
    settleTrade(this.accounts, trade);
    taker.trader.trades.push(trade);
    if (maker.trader !== taker.trader) maker.trader.trades.push(trade);
    market.lastPrice = trade.price;
    market.candles.onTrade(trade);
    market.tape.push(trade);
    market.hasMoved = true;
    this.onEvent?.({ kind: 'trade', trade });
  }

  /** Executing one order of an OCO cancels the other. */
  private endPair(order: SimulatedOrder): void {
    const { pair } = order;
    if (pair !== null && pair.isOpen) this.close(pair, 'Canceled');
  }

  private close(order: SimulatedOrder, status: string): void {
    const { market } = order;
    if (order.status === 'Inactive') market.stops.remove(order);
    else if (order.status === 'New') market.waiting.delete(order);
    else market.book.remove(order);
    order.status = status;
    this.settleEnd(order);
  }

  private settleEnd(order: SimulatedOrder): void {
    if (order.held > 0n) {
      order.payingWallet.release(order.held);
      order.held = 0n;
    }
    this.delist(order);
    this.changed(order);
  }

  private delist(order: SimulatedOrder): void {
    const { trader, clientOrderId } = order;
    this.orders.onClosed(order);
    trader.open.remove(order);
    if (clientOrderId !== null) trader.openByClientId.delete(clientOrderId);
  }

  /**
   * Wakes the stops that the last price has reached, one after the other, as each may move the price further. Waking counts as the
   * execution of an OCO's second leg: the first is canceled, and its hold passes over.
   */
  private wakeStops(market: MarketState): void {
    if (!market.hasMoved) return;
    for (;;) {
      const order = market.stops.takeWoken(market.lastPrice);
      if (order === undefined) break;
      order.status = 'Active';
      const { pair } = order;
      if (pair !== null && pair.isOpen) {
        order.held = pair.held;
        pair.held = 0n;
        this.close(pair, 'Canceled');
        const excess = order.held - holdFor(order.grid, order, order.remaining);
        if (excess > 0n) {
          order.payingWallet.release(excess);
          order.held -= excess;
        }
      }
      this.enter(order);
    }
    market.hasMoved = false;
  }

  private changed(order: SimulatedOrder): void {
    if (order.versions === null && this.onEvent === null) return;
    order.versions?.push({
      timeMs: this.nowMs,
      status: order.status,
      matched: order.matched,
      total: order.total,
      fee: order.fee,
    });
    this.onEvent?.({ kind: 'order', order, timeMs: this.nowMs });
  }
}

/** How much of a match a taker can still pay: all of it, unless the money of a market buy runs out within its band. */
function affordable(taker: SimulatedOrder, match: { readonly price: number; readonly amount: number }): number {
  if (taker.side === 'sell' || !taker.isMarket) return match.amount;
  const { grid, held } = taker;
  if (valueUp(grid, BigInt(match.price) * BigInt(match.amount)) <= held) return match.amount;
  return Number((held * UNITS_PER_ONE) / (BigInt(match.price) * grid.stepProduct));
}
