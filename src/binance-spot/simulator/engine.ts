import { oppositeOf, type Side } from '../../domain/order.ts';
import type { BookSide } from '../../simulator/matching-book.ts';
import {
  isLimitType,
  type SpotAccount,
  type SpotFill,
  type SpotMarket,
  SpotOrder,
  SpotOrderList,
  type SpotOrderRequest,
} from './state.ts';
import { Commissions } from './commission.ts';
import { checkCounts, isWithinMarketLot, type CountedOrders } from './filters.ts';
import { BALANCE_MESSAGE, DUPLICATE_MESSAGE, refusals } from './refusal.ts';
import type { SpotSettings } from './settings.ts';

/** Limit of a market order: no price is beyond it. */
const ANY_PRICE = { buy: Number.MAX_SAFE_INTEGER, sell: 0 } as const;

/** Notices of what the engine did, for the counts of unfilled orders. */
type OnFirstFill = (account: SpotAccount, isMaker: boolean, timeMs: number) => void;

interface EngineOptions {
  readonly settings: SpotSettings;
  readonly markets: ReadonlyMap<string, SpotMarket>;
  readonly onFirstFill: OnFirstFill;
}

/** Placement, with the fills that it had at once. */
export interface SpotPlacement {
  readonly order: SpotOrder;
  readonly fills: readonly SpotFill[];
}

/** List of orders that is asked for, with its legs in the order of the reply. */
export interface ListRequest {
  readonly clientId: string;
  /** Order that fills first; null for an OCO. */
  readonly working: SpotOrderRequest | null;
  readonly legs: readonly SpotOrderRequest[];
}

/**
 * The matching engine: orders, fills and money of all accounts. It checks a request completely before it
 * changes anything.
 *
 * Unlike the real one: matching needs no time, a triggered order enters the book as soon as the order that
 * moved the price is done, and a market that stops trading keeps its orders.
 */
export class SpotEngine {
  readonly markets: ReadonlyMap<string, SpotMarket>;
  private readonly settings: SpotSettings;
  private readonly commissions: Commissions;
  private readonly onFirstFill: OnFirstFill;
  private readonly isRecorded: boolean;
  private lastListId = 0;
  /** Fills of the call at work. */
  private fills: SpotFill[] = [];
  /** Orders that a price has triggered, in turn, and pending orders whose working order is filled. */
  private due: (() => void)[] = [];

  constructor({ settings, markets, onFirstFill }: EngineOptions) {
    this.settings = settings;
    this.markets = markets;
    this.onFirstFill = onFirstFill;
    this.commissions = new Commissions(settings.choices, markets);
    this.isRecorded = settings.faults.some(({ kind }) => kind === 'stale');
  }

  /** Refuses an order that `place` would refuse. Nothing changes. */
  check(account: SpotAccount, market: SpotMarket, request: SpotOrderRequest): void {
    this.checkTrading(account, market);
    this.checkClientId(account, market, request.clientOrderId);
    this.checkCount(account, market, request);
    this.checkPrices(market, request);
    const { quantity } = this.resolved(account, market, request);
    if (
      this.needed(account, market, { ...request, quantity }) >
      account.wallet(heldAsset(market, request.side)).free
    )
      throw refusals.order(BALANCE_MESSAGE);
  }

  /** Refuses an order that is one too many. */
  checkCount(account: SpotAccount, market: SpotMarket, request: SpotOrderRequest): void {
    checkCounts(
      account,
      market,
      { ...countsOf(request), buys: boughtBy(market, request) },
      this.exchangeCounts,
    );
  }

  /** Places an order, which by its return has traded, rests, waits or has ended. */
  place(account: SpotAccount, market: SpotMarket, request: SpotOrderRequest, nowMs: number): SpotPlacement {
    this.check(account, market, request);
    this.fills = [];
    const whole = this.resolved(account, market, request);
    const order = this.open(account, market, whole, nowMs);
    this.reserve(order, this.needed(account, market, whole));
    this.begin(order, nowMs);
    this.finish();
    return { order, fills: this.fills };
  }

  /** Places an order of the world outside, which has money without end; its rest stays in the book. */
  placeOutside(market: SpotMarket, request: SpotOrderRequest, nowMs: number): SpotOrder {
    this.fills = [];
    const order = new SpotOrder({ id: market.nextOrderId(), market, account: null, request, timeMs: nowMs });
    this.begin(order, nowMs);
    this.finish();
    return order;
  }

  /** Cancels an open order, and the list that it belongs to. */
  cancel(order: SpotOrder, nowMs: number, cancelId: string | null = null): void {
    const all = [order, ...(order.list?.others(order) ?? [])];
    for (const each of all) {
      each.cancelId = cancelId;
      if (cancelId !== null && each.account?.showsCancelId === true) each.account.addClientId(each, cancelId);
    }
    for (const each of all) this.end(each, 'CANCELED', nowMs);
  }

  /** Reduces an open order, and its rivals with it; they keep their places. The new amount is in steps. */
  amend(order: SpotOrder, quantity: number, nowMs: number): void {
    const all = [order, ...(order.list?.rivals(order) ?? [])];
    for (const each of all) {
      const rest = Math.max(0, each.remaining + each.hidden - (each.quantity - quantity));
      const shown = Math.min(each.remaining, rest);
      if (each.level !== null) each.level.amount -= each.remaining - shown;
      each.hidden = rest - shown;
      each.remaining = shown;
      each.quantity = quantity;
      each.amends += 1;
    }
    for (const each of all) {
      this.trim(each);
      each.changed(nowMs, this.isRecorded);
    }
    order.market.updateId += 1;
  }

  /**
   * Places a list of orders. `report` sees it before pending orders begin whose working order has filled at
   * once, as the reply shows it.
   */
  placeList<Report>(
    of: { readonly account: SpotAccount; readonly market: SpotMarket; readonly asked: ListRequest },
    nowMs: number,
    report: (list: SpotOrderList, fills: readonly SpotFill[]) => Report,
  ): Report {
    const { account, market, asked } = of;
    const { working, legs } = asked;
    const all = working === null ? legs : [working, ...legs];
    this.checkTrading(account, market);
    if (account.lists.some((list) => list.isOpen && list.clientId === asked.clientId))
      throw refusals.order(DUPLICATE_MESSAGE);
    const ids = all.map(({ clientOrderId }) => clientOrderId);
    if (new Set([...ids, asked.clientId]).size <= ids.length) throw refusals.order(DUPLICATE_MESSAGE);
    for (const id of ids) this.checkClientId(account, market, id);
    const counts = all.map(countsOf);
    const sum = (field: keyof CountedOrders): number =>
      counts.reduce((total, each) => total + each[field], 0);
    const first = working ?? legs[0];
    checkCounts(
      account,
      market,
      {
        orders: sum('orders'),
        stops: sum('stops'),
        icebergs: sum('icebergs'),
        lists: 1,
        buys: first === undefined ? 0n : boughtBy(market, first),
      },
      this.exchangeCounts,
    );
    for (const request of working === null ? legs : [working]) this.checkPrices(market, request);
    const needed =
      working === null ? this.dearest(account, market, legs) : this.needed(account, market, working);
    if (first !== undefined && needed > account.wallet(heldAsset(market, first.side)).free)
      throw refusals.order(BALANCE_MESSAGE);

    this.fills = [];
    this.lastListId += 1;
    const list = new SpotOrderList({
      id: this.lastListId,
      account,
      market,
      contingencyType: working === null ? 'OCO' : 'OTO',
      clientId: asked.clientId,
      timeMs: nowMs,
    });
    account.addList(list);
    const opened = all.map((request) => {
      const order = this.open(account, market, request, nowMs);
      order.list = list;
      list.orders.push(order);
      return order;
    });
    const [head, ...pending] = opened;
    if (working !== null && head !== undefined) {
      list.working = head;
      for (const order of pending) order.status = 'PENDING_NEW';
      this.reserve(head, needed);
      this.begin(head, nowMs);
    } else this.beginRivals(opened, needed, nowMs);
    for (const order of opened) order.changed(nowMs, this.isRecorded);
    const reported = report(list, this.fills);
    this.finish();
    return reported;
  }

  /** Refuses a cancel or an amend whose own client id belongs to an open order of the same symbol. */
  checkClientId(
    account: SpotAccount,
    market: SpotMarket,
    id: string,
    besides: SpotOrder | null = null,
  ): void {
    const scope = this.settings.choices.clientIdScope === 'symbol' ? market.rules.symbol : undefined;
    if (account.openOrders(scope).some((order) => order !== besides && order.clientOrderId === id))
      throw refusals.order(DUPLICATE_MESSAGE);
  }

  private get exchangeCounts() {
    const { exchangeMaxNumOrders, exchangeMaxNumAlgoOrders, choices } = this.settings;
    return { orders: exchangeMaxNumOrders, stops: exchangeMaxNumAlgoOrders, code: choices.countFilterCode };
  }

  private checkTrading(account: SpotAccount, market: SpotMarket): void {
    if (market.status !== 'TRADING')
      throw refusals.order('Market is closed.', this.settings.choices.closedMarketCode);
    if (!account.settings.mayTrade) throw refusals.order('This account may not place or cancel orders.');
  }

  private checkPrices(market: SpotMarket, request: SpotOrderRequest): void {
    if (request.type === 'LIMIT_MAKER') {
      const other = market.side(oppositeOf(request.side));
      if (other.best !== undefined && other.reaches(other.best.price, request.price))
        throw refusals.order('Order would immediately match and take.');
    }
    if (request.stopPrice > 0 && isReached(request, market.lastPrice))
      throw refusals.order('Order would trigger immediately.');
  }

  /** Returns a request with its amount: a market order by value is worked out from the book. */
  private resolved(account: SpotAccount, market: SpotMarket, request: SpotOrderRequest): SpotOrderRequest {
    if (request.type !== 'MARKET') return request;
    const { choices } = this.settings;
    const reach = reachable(account, market, request);
    if (reach.quantity === 0 && reach.lastPrice === 0)
      throw choices.emptyBookCode === -1112
        ? refusals.noDepth()
        : refusals.order('Order book liquidity is less than symbol filter minimum quantity.');
    if (request.quoteOrderQty === 0n) return request;
    const { rules } = market;
    const left = request.quoteOrderQty - reach.value;
    // Where the book ends, the rest of the amount is one that can not be traded.
    const quantity = reach.quantity + (reach.isDry ? rules.stepsFor(left, reach.lastPrice) : 0);
    const units = rules.amount(quantity);
    if (quantity === 0 || units < rules.sent(rules.settings.minQty, 'minQty'))
      throw refusals.order('Order book liquidity is less than `LOT_SIZE` filter minimum quantity.');
    if (!isWithinMarketLot(market, units)) throw refusals.filter('MARKET_LOT_SIZE');
    return { ...request, quantity };
  }

  /** Money that an order holds at its placement: the value of a purchase, the amount of a sale. */
  private needed(account: SpotAccount, market: SpotMarket, request: SpotOrderRequest): bigint {
    const { rules } = market;
    if (request.side === 'sell') return rules.amount(request.quantity);
    if (isLimitType(request.type)) return rules.value(request.price, request.quantity);
    if (request.type === 'MARKET') return reachable(account, market, { ...request, quoteOrderQty: 0n }).value;
    return rules.value(request.stopPrice > 0 ? request.stopPrice : market.lastPrice, request.quantity);
  }

  private dearest(account: SpotAccount, market: SpotMarket, legs: readonly SpotOrderRequest[]): bigint {
    return legs.reduce((most, leg) => {
      const needed = this.needed(account, market, leg);
      return needed > most ? needed : most;
    }, 0n);
  }

  private open(
    account: SpotAccount,
    market: SpotMarket,
    request: SpotOrderRequest,
    nowMs: number,
  ): SpotOrder {
    const order = new SpotOrder({ id: market.nextOrderId(), market, account, request, timeMs: nowMs });
    account.add(order);
    return order;
  }

  private reserve(order: SpotOrder, units: bigint): void {
    const { account } = order;
    if (account === null) return;
    const wallet = account.wallet(heldAsset(order.market, order.side));
    wallet.free -= units;
    wallet.locked += units;
    order.hold += units;
  }

  /** Frees what an order holds beyond what its rest needs, or that of a rival, for which it holds too. */
  private trim(order: SpotOrder): void {
    const { market, side, list } = order;
    const needs = [order, ...(list?.rivals(order) ?? [])].map(({ request, rest }) => {
      const price = isLimitType(request.type) ? request.price : request.stopPrice;
      return side === 'sell' ? market.rules.amount(rest) : market.rules.value(price, rest);
    });
    const needed = needs.reduce((most, each) => (each > most ? each : most), 0n);
    if (order.hold > needed) this.reserve(order, needed - order.hold);
  }

  /** Starts an order that holds its money: a stop waits, any other enters the book. */
  private begin(order: SpotOrder, nowMs: number): void {
    if (order.isStop) {
      order.market.stops.add(order);
      order.changed(nowMs, this.isRecorded);
    } else this.enter(order, nowMs);
  }

  /** Starts orders of which only one will trade: they hold the money of the dearest once. */
  private beginRivals(orders: readonly SpotOrder[], needed: bigint, nowMs: number): void {
    const holder = orders.find((order) => !order.isStop) ?? orders[0];
    if (holder === undefined) return;
    this.reserve(holder, needed);
    for (const order of orders.toSorted((one, other) => Number(other.isStop) - Number(one.isStop)))
      if (order.isOpen) this.begin(order, nowMs);
  }

  /** Trades an order with the book, and lets its rest stay there or end. */
  private enter(order: SpotOrder, nowMs: number): void {
    const { market, request } = order;
    const isLimit = isLimitType(request.type);
    const limit = isLimit ? request.price : ANY_PRICE[order.side];
    order.workingMs = nowMs;
    order.changed(nowMs, this.isRecorded);
    if (request.timeInForce === 'FOK') {
      const reach = reachable(order.account, market, {
        ...presentRequest(order),
        price: limit,
        quoteOrderQty: 0n,
      });
      if (reach.quantity < order.quantity) {
        this.end(order, 'EXPIRED', nowMs, 'UNFILLED_FOK_ORDER_EXPIRED');
        return;
      }
    }
    this.match(order, limit, nowMs);
    if (!order.isOpen) return;
    if (!isLimit) this.end(order, 'EXPIRED', nowMs, 'INSUFFICIENT_LIQUIDITY');
    else if (request.timeInForce === 'IOC')
      this.end(order, 'EXPIRED', nowMs, 'UNFILLED_IOC_QUANTITY_EXPIRED');
    else this.rest(order);
  }

  private rest(order: SpotOrder): void {
    const { market, request } = order;
    const rest = order.remaining + order.hidden;
    order.remaining = request.icebergQty > 0 ? Math.min(rest, request.icebergQty) : rest;
    order.hidden = rest - order.remaining;
    market.side(order.side).add(order);
    market.updateId += 1;
  }

  private match(taker: SpotOrder, limit: number, nowMs: number): void {
    const { market } = taker;
    const opposite = market.side(oppositeOf(taker.side));
    market.beginTaker();
    while (taker.isOpen && taker.remaining > 0) {
      const level = opposite.best;
      if (level === undefined || !opposite.reaches(level.price, limit)) return;
      const maker = level.head as SpotOrder;
      if (isOwn(taker.account, maker) && taker.request.stpMode !== 'NONE') {
        this.prevent(taker, maker, nowMs);
        continue;
      }
      const quantity = Math.min(taker.remaining, maker.remaining, this.payable(taker, level.price));
      if (quantity === 0) return;
      this.trade(taker, maker, quantity, nowMs);
    }
  }

  /** Most that a market order can still pay at a price: it holds what the book cost before it. */
  private payable(taker: SpotOrder, price: number): number {
    const { account, market } = taker;
    if (account === null || taker.side === 'sell' || isLimitType(taker.request.type)) return taker.remaining;
    return market.rules.stepsFor(taker.hold + account.wallet(market.rules.quote).free, price);
  }

  private trade(taker: SpotOrder, maker: SpotOrder, quantity: number, nowMs: number): void {
    const { market } = taker;
    const { price } = maker;
    taker.remaining -= quantity;
    this.shrink(maker, quantity);
    const tradeId = market.record({ price, quantity, timeMs: nowMs, isBuyerMaker: taker.side === 'sell' });
    const fill = { tradeId, price, quantity, timeMs: nowMs };
    this.settle(maker, { ...fill, isMaker: true });
    this.settle(taker, { ...fill, isMaker: false });
    this.observe(market, price, nowMs);
  }

  /** Reduces a resting order. An iceberg whose visible part is gone shows the next one, behind its level. */
  private shrink(maker: SpotOrder, quantity: number): void {
    const { market, level } = maker;
    const side: BookSide = market.side(maker.side);
    maker.remaining -= quantity;
    if (level !== null) level.amount -= quantity;
    market.updateId += 1;
    if (maker.remaining > 0) return;
    side.remove(maker);
    if (maker.hidden > 0) this.rest(maker);
  }

  /** Enters a trade into one of its orders: amounts, money, commission, and what depends on it. */
  private settle(
    order: SpotOrder,
    trade: Pick<SpotFill, 'tradeId' | 'price' | 'quantity' | 'timeMs' | 'isMaker'>,
  ): void {
    const { account, market, request } = order;
    const { rules } = market;
    const { price, quantity, timeMs, isMaker } = trade;
    const value = rules.value(price, quantity);
    const amount = rules.amount(quantity);
    const isFirst = order.filled === 0;
    order.filled += quantity;
    order.filledValue += value;
    order.status = order.rest === 0 ? 'FILLED' : 'PARTIALLY_FILLED';
    order.changed(timeMs, this.isRecorded);
    if (account === null) return;
    const isBuyer = order.side === 'buy';
    const paid = isBuyer ? value : amount;
    const planned = isBuyer && isLimitType(request.type) ? rules.value(request.price, quantity) : paid;
    const held = planned < order.hold ? planned : order.hold;
    this.reserve(order, -held);
    account.wallet(heldAsset(market, order.side)).free -= paid;
    account.wallet(isBuyer ? rules.base : rules.quote).free += isBuyer ? amount : value;
    const commission = this.commissions.of(account, { market, isBuyer, isMaker, amount, value });
    account.wallet(commission.asset).free -= commission.units;
    const fill: SpotFill = {
      ...trade,
      order,
      value,
      commission: commission.units,
      commissionAsset: commission.asset,
    };
    account.addFill(fill);
    this.fills.push(fill);
    if (isFirst) {
      this.onFirstFill(account, isMaker, timeMs);
      for (const rival of order.list?.rivals(order) ?? []) this.end(rival, 'EXPIRED', timeMs, 'OCO_TRIGGER');
      if (order.list !== null) this.trim(order);
    }
    if (order.status === 'FILLED') this.closed(order, timeMs);
  }

  /** Ends an order that has not filled. */
  private end(
    order: SpotOrder,
    status: 'CANCELED' | 'EXPIRED' | 'EXPIRED_IN_MATCH' | 'REJECTED',
    nowMs: number,
    reason: SpotOrder['expiryReason'] = null,
  ): void {
    if (!order.isOpen) return;
    if (order.level !== null) order.market.updateId += 1;
    order.market.side(order.side).remove(order);
    order.market.stops.delete(order);
    order.status = status;
    order.expiryReason = reason;
    order.changed(nowMs, this.isRecorded);
    this.closed(order, nowMs);
  }

  /** Frees what a closed order held, and does what its list demands. */
  private closed(order: SpotOrder, nowMs: number): void {
    const { account, list, status } = order;
    if (account === null) return;
    this.reserve(order, -order.hold);
    account.open.delete(order);
    account.updatedMs = nowMs;
    if (list === null) return;
    if (status !== 'FILLED') {
      if (order.expiryReason === 'OCO_TRIGGER') return;
      const isCanceled = status === 'CANCELED';
      for (const other of list.others(order)) {
        if (isCanceled) this.end(other, 'CANCELED', nowMs);
        else
          this.end(other, 'EXPIRED', nowMs, order === list.working ? 'OTO_PHASE_ONE_EXPIRED' : 'OCO_TRIGGER');
      }
    } else if (order === list.working) this.due.push(() => this.beginPending(list, nowMs));
  }

  /** Places the orders of a list that waited for its working order. */
  private beginPending(list: SpotOrderList, nowMs: number): void {
    const { account, market } = list;
    const pending = list.orders.filter((order) => order.status === 'PENDING_NEW');
    const requests = pending.map(presentRequest);
    const [first] = pending;
    if (first === undefined) return;
    const needed = this.dearest(account, market, requests);
    const isPaid = needed <= account.wallet(heldAsset(market, first.side)).free;
    if (!isPaid || requests.some((request) => isRefused(market, request))) {
      for (const order of pending) this.end(order, 'REJECTED', nowMs, 'REJECTED');
      return;
    }
    for (const order of pending) order.status = 'NEW';
    this.beginRivals(pending, needed, nowMs);
  }

  /** Prevents a self trade by the taker's mode. Each time at least one of the two ends. */
  private prevent(taker: SpotOrder, maker: SpotOrder, nowMs: number): void {
    const { market, request } = taker;
    const { rules } = market;
    const mode = request.stpMode;
    const isDecrement = mode === 'DECREMENT';
    const both = Math.min(taker.remaining, maker.remaining);
    const takerLoss = isDecrement ? both : mode === 'EXPIRE_MAKER' ? 0 : taker.remaining;
    const makerLoss = isDecrement ? both : mode === 'EXPIRE_TAKER' ? 0 : maker.remaining + maker.hidden;
    const {
      taker: _taker,
      maker: _maker,
      timeMs: _timeMs,
      ...shown
    } = market.addPrevented({
      taker,
      maker,
      timeMs: nowMs,
      makerOrderId: maker.id,
      price: rules.priceText(maker.price),
      ...(takerLoss > 0 ? { takerPreventedQuantity: rules.amountText(takerLoss) } : {}),
      ...(makerLoss > 0 ? { makerPreventedQuantity: rules.amountText(makerLoss) } : {}),
    });
    taker.preventedMatches.push(shown);
    for (const [order, loss] of [
      [maker, makerLoss],
      [taker, takerLoss],
    ] as const) {
      if (loss === 0) continue;
      order.prevented += loss;
      order.preventedMatchId = shown.preventedMatchId;
      if (order.rest === 0) {
        this.end(order, 'EXPIRED_IN_MATCH', nowMs);
        continue;
      }
      if (order === maker) this.shrink(order, loss);
      else order.remaining -= loss;
      this.trim(order);
      order.changed(nowMs, this.isRecorded);
    }
  }

  /** Follows trailing stops to a price, and lets those begin that it triggers. */
  private observe(market: SpotMarket, price: number, nowMs: number): void {
    for (const order of market.stops) {
      if (!isTriggered(order, price, nowMs)) continue;
      market.stops.delete(order);
      this.due.push(() => this.trigger(order, nowMs));
    }
  }

  /** Lets a triggered stop enter the book, after the others of its list have ended. */
  private trigger(order: SpotOrder, nowMs: number): void {
    const { account, market, request, list } = order;
    if (account === null || !order.isOpen) return;
    for (const rival of list?.rivals(order) ?? []) this.end(rival, 'EXPIRED', nowMs, 'OCO_TRIGGER');
    this.reserve(order, -order.hold);
    const present = presentRequest(order);
    const needed = this.needed(
      account,
      market,
      isLimitType(request.type) ? present : { ...present, type: 'MARKET' },
    );
    if (needed > account.wallet(heldAsset(market, order.side)).free) {
      this.end(order, 'REJECTED', nowMs, 'REJECTED');
      return;
    }
    this.reserve(order, needed);
    this.enter(order, nowMs);
  }

  /** Does what trades of this call have made due, until nothing is. */
  private finish(): void {
    for (let next = this.due.shift(); next !== undefined; next = this.due.shift()) next();
  }
}

const heldAsset = ({ rules }: SpotMarket, side: Side): string => (side === 'buy' ? rules.quote : rules.base);

/** Request of an order with the amount that amends have left. */
const presentRequest = ({ request, quantity }: SpotOrder): SpotOrderRequest => ({ ...request, quantity });

const boughtBy = ({ rules }: SpotMarket, request: SpotOrderRequest): bigint =>
  request.side === 'buy' ? rules.amount(request.quantity) : 0n;

const countsOf = (request: SpotOrderRequest): CountedOrders => ({
  orders: request.type === 'MARKET' ? 0 : 1,
  stops: request.stopPrice > 0 || request.trailingDelta > 0 ? 1 : 0,
  icebergs: request.icebergQty > 0 ? 1 : 0,
  lists: 0,
});

const isOwn = (account: SpotAccount | null, maker: SpotOrder): boolean =>
  account !== null && maker.account !== null && account.isSameTrader(maker.account);

/** True if an order triggers, or begins to trail, on a rise to its stop price; else on a fall to it. */
const isOnRise = ({ type, side }: SpotOrderRequest): boolean => type.startsWith('STOP_') === (side === 'buy');

/** True if a price has reached the stop price. */
const isReached = (request: SpotOrderRequest, price: number): boolean =>
  isOnRise(request) ? price >= request.stopPrice : price <= request.stopPrice;

/** True if a pending order can not be placed as the book is. */
function isRefused(market: SpotMarket, request: SpotOrderRequest): boolean {
  const other = market.side(oppositeOf(request.side));
  return (
    request.type === 'LIMIT_MAKER' &&
    other.best !== undefined &&
    other.reaches(other.best.price, request.price)
  );
}

/** Follows a stop to a price; true if it triggers. */
function isTriggered(order: SpotOrder, price: number, nowMs: number): boolean {
  const { request, side } = order;
  if (request.trailingDelta === 0) return isReached(request, price);
  if (order.extreme === null) {
    if (request.stopPrice > 0 && !isReached(request, price)) return false;
    order.extreme = price;
    order.trackingMs = nowMs;
    return false;
  }
  const whole = 10_000n;
  const delta = BigInt(request.trailingDelta);
  if (side === 'buy') {
    order.extreme = Math.min(order.extreme, price);
    return BigInt(price) * whole >= BigInt(order.extreme) * (whole + delta);
  }
  order.extreme = Math.max(order.extreme, price);
  return BigInt(price) * whole <= BigInt(order.extreme) * (whole - delta);
}

/** Part of the book that an order can trade with at its limit. */
interface Reach {
  readonly quantity: number;
  readonly value: bigint;
  /** Price of the last order in reach; 0 for none. */
  readonly lastPrice: number;
  /** True if more was asked for than there is. */
  readonly isDry: boolean;
}

/** Finds the part of the book that an order would trade with, by amount or by value. */
function reachable(account: SpotAccount | null, market: SpotMarket, request: SpotOrderRequest): Reach {
  const { rules } = market;
  const opposite = market.side(oppositeOf(request.side));
  const limit = request.price > 0 ? request.price : ANY_PRICE[request.side];
  const isByValue = request.quoteOrderQty > 0n;
  const { stpMode } = request;
  let [quantity, value, lastPrice] = [0, 0n, 0];
  for (const maker of opposite.orders()) {
    if (!opposite.reaches(maker.price, limit)) break;
    if (isOwn(account, maker as SpotOrder) && stpMode !== 'NONE') {
      if (stpMode === 'EXPIRE_TAKER' || stpMode === 'EXPIRE_BOTH') break;
      continue;
    }
    lastPrice = maker.price;
    const there = maker.remaining + (maker as SpotOrder).hidden;
    const asked = isByValue
      ? rules.stepsFor(request.quoteOrderQty - value, maker.price)
      : request.quantity - quantity;
    const part = Math.min(there, asked);
    quantity += part;
    value += rules.value(maker.price, part);
    if (part === asked) return { quantity, value, lastPrice, isDry: false };
  }
  return { quantity, value, lastPrice, isDry: true };
}
