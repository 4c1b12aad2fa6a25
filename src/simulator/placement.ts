import { type MarketState, Trader, SimulatedOrder, type WalletPair, type Trade } from './market-state.ts';
import {
  accept,
  refuse,
  type Refusal,
  type Result,
  type PlaceOrder,
  type TradingSettings,
  type OrderReference,
} from './requests.ts';
import {
  duplicateKeyOf,
  planOrders,
  type Placement,
  checkAmount,
  checkBalance,
  checkClientOrderId,
  checkMayTrade,
  checkValue,
  type IsBarred,
  checkPriceConditions,
  checkPricesGiven,
  type OrderPrices,
  holdFor,
} from './trading/order-plan.ts';
import { type FeeSchedule, feeOf, ratesOf, stepValue, valueHalfEven, valueUp } from '../domain/market.ts';
import type { UserId, Accounts } from './accounts.ts';
import { divideHalfEven, UNITS_PER_ONE } from '../domain/money.ts';

/**
 * Decides on a request for an order: returns the planned orders, or a code of the interface's table of order
 * placement. The checks run in this order: market and user, prices given, amount, client id, duplicate, price
 * conditions, minimum value, balance. A duplicate is refused whatever has changed since the first request,
 * such as the balance. An accepted request is remembered.
 */
export function decidePlacement(of: {
  readonly request: PlaceOrder;
  readonly trader: Trader;
  readonly market: MarketState;
  /** Free units of the currency that the order pays with. */
  readonly free: bigint;
  readonly settings: TradingSettings;
  readonly isBarred?: IsBarred | null;
  readonly timeMs: number;
}): Result<Placement> {
  const { request, trader, market, free, settings } = of;
  const prices = onGrid(request, market);
  const amount = request.amount * market.amountFactor;
  const window = { timeMs: of.timeMs, lengthMs: settings.duplicateWindowMs };
  const parameters = request.pro ? null : duplicateKeyOf(request);
  const refusal =
    checkMayTrade(market, trader, of.isBarred ?? null) ??
    checkPricesGiven(request) ??
    checkAmount(amount) ??
    checkClientOrderId(trader, request) ??
    (parameters === null ? null : checkDuplicate(trader, parameters, window)) ??
    (trader.isUnrestricted ? null : checkPriceConditions({ request, prices, market, settings }));
  if (refusal !== null) return refusal;
  const placement = planOrders({ request, prices, amount, market, settings });
  const refusedValue =
    (trader.isUnrestricted ? null : checkValue(market, placement)) ?? checkBalance(placement, free);
  if (refusedValue !== null) return refusedValue;
  if (parameters !== null) trader.remember(parameters, window);
  return accept(placement);
}

function checkDuplicate(
  trader: Trader,
  parameters: string,
  window: { readonly timeMs: number; readonly lengthMs: number },
): Refusal | null {
  if (!trader.isDuplicate(parameters, window)) return null;
  return refuse('DuplicateOrder', 'an identical order was accepted within the last ten seconds');
}

/** Converts the prices of a request from public steps to steps of the book's grid. */
function onGrid(request: PlaceOrder, market: MarketState): OrderPrices {
  const factor = market.priceFactor;
  if (factor === 1) return request;
  const scaled = (value: number | null): number | null => (value === null ? null : value * factor);
  return {
    price: scaled(request.price),
    stopPrice: scaled(request.stopPrice),
    stopLimitPrice: scaled(request.stopLimitPrice),
  };
}

/**
 * Makes the orders of an accepted placement and holds their money. In an OCO the first order holds for both:
 * the larger of the two holds. A market buy whose band needs more than is free holds all that is free.
 */
export function createOrders(
  placement: Placement,
  of: {
    readonly trader: Trader;
    readonly market: MarketState;
    readonly wallets: WalletPair;
    readonly createdAtMs: number;
    readonly firstId: number;
  },
): readonly SimulatedOrder[] {
  const first = new SimulatedOrder(of.firstId, placement.first, of);
  let { hold } = placement.first;
  if (placement.second !== null && placement.second.hold > hold) hold = placement.second.hold;
  const { payingWallet } = first;
  const { free } = payingWallet;
  first.held = hold < free ? hold : free;
  payingWallet.hold(first.held);
  if (placement.second === null) return [first];
  const second = new SimulatedOrder(of.firstId + 1, placement.second, of);
  first.pair = second;
  second.pair = first;
  return [first, second];
}

/** Traders and orders of the exchange. It finds an order by its id, and open ones also by client id. */
export class OrderRegister {
  private readonly traders = new Map<UserId, Trader>();
  private readonly orders: OrderIndex;
  private readonly settings: TradingSettings;
  private readonly defaultFees: FeeSchedule;

  constructor(settings: TradingSettings, defaultFees: FeeSchedule) {
    this.settings = settings;
    this.defaultFees = defaultFees;
    this.orders = new OrderIndex(settings.ordersKept);
  }

  /** Returns the trader of a user, made at the first call. Their number is that of the exchange's users. */
  trader(userId: UserId, historyKept = this.settings.historyKept): Trader {
    let trader = this.traders.get(userId);
    if (trader === undefined) {
      trader = new Trader({ userId, fees: this.defaultFees, historyKept });
      this.traders.set(userId, trader);
    }
    return trader;
  }

  allTraders(): Iterable<Trader> {
    return this.traders.values();
  }

  /**
   * Returns an open or closed order of a user; undefined if there is none. A client id finds open orders
   * only. An order that a busy exchange has dropped from its own table is still in the user's list.
   */
  find(userId: UserId, reference: OrderReference): SimulatedOrder | undefined {
    if (reference.id !== null) {
      const order = this.orders.find(reference.id) ?? this.trader(userId).retainedOrder(reference.id);
      return order?.userId === userId ? order : undefined;
    }
    return reference.clientOrderId === null
      ? undefined
      : this.trader(userId).openByClientId.get(reference.clientOrderId);
  }

  /** Registers an open order, whose id must be higher than all before. */
  enlist(order: SimulatedOrder): void {
    const { trader } = order;
    this.orders.add(order);
    trader.orders.push(order);
    trader.open.add(order);
    if (order.clientOrderId !== null) trader.openByClientId.set(order.clientOrderId, order);
    if (this.settings.recordVersions) order.versions = [];
  }

  /** Moves an ended order from the open orders to the stored ones. */
  delist(order: SimulatedOrder): void {
    const { trader, clientOrderId } = order;
    this.orders.onClosed(order);
    trader.open.remove(order);
    if (clientOrderId !== null) trader.openByClientId.delete(clientOrderId);
  }
}

const CHUNK = 128;

type Chunk = (SimulatedOrder | undefined)[];

/**
 * All orders by id. Ids are given in sequence, so they index an array, which is kept in chunks. Closed orders
 * in chunks beyond the newest `capacity` ids are dropped; open ones stay, however old.
 */
class OrderIndex {
  private readonly chunks: (Chunk | undefined)[] = [];
  private firstId = 0;
  /** Index of the first chunk that may hold closed orders; earlier ones hold open orders only. */
  private swept = 0;
  private readonly chunksRetained: number;

  constructor(capacity: number) {
    this.chunksRetained = Math.max(1, Math.ceil(capacity / CHUNK));
  }

  find(id: number): SimulatedOrder | undefined {
    const place = id - this.firstId;
    return place < 0 ? undefined : this.chunks[Math.floor(place / CHUNK)]?.[place % CHUNK];
  }

  /** Adds an order whose id must be higher than all before; ids may leave gaps. */
  add(order: SimulatedOrder): void {
    if (this.chunks.length === 0) this.firstId = order.id;
    const place = order.id - this.firstId;
    const index = Math.floor(place / CHUNK);
    let chunk = this.chunks[index];
    if (chunk === undefined) {
      chunk = [];
      this.chunks[index] = chunk;
      this.sweepBefore(index - this.chunksRetained);
    }
    chunk[place % CHUNK] = order;
  }

  /** Drops an order that closes, if it is in an old chunk. */
  onClosed(order: SimulatedOrder): void {
    const place = order.id - this.firstId;
    const index = Math.floor(place / CHUNK);
    if (index >= this.swept) return;
    const chunk = this.chunks[index];
    if (chunk !== undefined) chunk[place % CHUNK] = undefined;
  }

  private sweepBefore(end: number): void {
    for (; this.swept < end; this.swept += 1) {
      const chunk = this.chunks[this.swept];
      if (chunk === undefined) continue;
      let open = 0;
      for (let place = 0; place < chunk.length; place += 1) {
        if (chunk[place]?.isOpen === true) open += 1;
        else chunk[place] = undefined;
      }
      if (open === 0) this.chunks[this.swept] = undefined;
    }
  }
}

/**
 * Books a trade of two orders whose `remaining` is already reduced: their running totals and holds, all four
 * wallets, and the house.
 *
 * A buy pays the total in the quote currency and receives the amount less the fee; a sell pays the amount and
 * receives the total less the fee (deployments, "Fees"), unless a `FeeCoin` pays it. The two totals of one
 * trade are differences of two cumulative values and can differ in the last digit; that digit goes to the
 * house's rounding account.
 */
export function settleTrade(accounts: Accounts, trade: Trade): void {
  const { taker, maker } = trade;
  const { market } = taker;
  const amount = BigInt(trade.amount) * trade.grid.amountStep;
  const { quote } = market.rules;
  trade.takerTotal = addFill(taker, trade);
  trade.makerTotal = addFill(maker, trade);
  const takerBuys = taker.side === 'buy';
  trade.takerFee = feeOf(takerBuys ? amount : trade.takerTotal, ratesOf(taker.trader.fees, quote).taker);
  trade.makerFee = feeOf(takerBuys ? trade.makerTotal : amount, ratesOf(maker.trader.fees, quote).maker);
  const takerFee = receivedFeeOf(accounts, trade, taker);
  const makerFee = receivedFeeOf(accounts, trade, maker);
  taker.fee += takerFee;
  maker.fee += makerFee;
  if (takerBuys) {
    transfer(accounts, taker, {
      trade,
      paid: trade.takerTotal,
      received: amount - takerFee,
      fee: takerFee,
    });
    transfer(accounts, maker, {
      trade,
      paid: amount,
      received: trade.makerTotal - makerFee,
      fee: makerFee,
    });
    market.baseHouse.fees += takerFee;
    market.quoteHouse.fees += makerFee;
    if (trade.takerTotal !== trade.makerTotal)
      market.quoteHouse.rounding += trade.takerTotal - trade.makerTotal;
  } else {
    transfer(accounts, taker, {
      trade,
      paid: amount,
      received: trade.takerTotal - takerFee,
      fee: takerFee,
    });
    transfer(accounts, maker, {
      trade,
      paid: trade.makerTotal,
      received: amount - makerFee,
      fee: makerFee,
    });
    market.quoteHouse.fees += takerFee;
    market.baseHouse.fees += makerFee;
    if (trade.takerTotal !== trade.makerTotal)
      market.quoteHouse.rounding += trade.makerTotal - trade.takerTotal;
  }
}

/**
 * Returns the fee to be taken from what an order receives: all of it, or nothing if the account's fee coin
 * can pay it and does so here.
 */
function receivedFeeOf(accounts: Accounts, trade: Trade, order: SimulatedOrder): bigint {
  const { trader, market, side } = order;
  const isTaker = order === trade.taker;
  const fee = isTaker ? trade.takerFee : trade.makerFee;
  if (trader.feeCoin === null) return fee;
  const { base, quote } = market.rules;
  const { currency, prices } = trader.feeCoin;
  const price = prices.get(quote);
  if (price === undefined || currency === (side === 'buy' ? base : quote)) return fee;
  const priceUnits = BigInt(trade.price) * trade.grid.priceStep;
  const worth = side === 'buy' ? fee * priceUnits : fee * UNITS_PER_ONE;
  const coins = divideHalfEven(worth, price);
  const wallet = accounts.ensure(trader.userId, currency);
  if (coins === 0n || wallet.free < coins) return fee;
  accounts.writeTrade(wallet, trade, -coins, 0n);
  accounts.houseOf(currency).fees += coins;
  if (isTaker) [trade.takerFee, trade.takerFeeCoin] = [coins, currency];
  else [trade.makerFee, trade.makerFeeCoin] = [coins, currency];
  return 0n;
}

/** Adds a fill to an order's running value; returns the fill's own total. */
function addFill(order: SimulatedOrder, trade: Trade): bigint {
  order.filledSteps += trade.steps;
  const cumulative = valueHalfEven(order.grid, order.filledSteps);
  const total = cumulative - order.total;
  order.total = cumulative;
  return total;
}

function transfer(
  accounts: Accounts,
  order: SimulatedOrder,
  of: { readonly trade: Trade; readonly paid: bigint; readonly received: bigint; readonly fee: bigint },
): void {
  const released = releasedBy(order, of.trade.price, of.paid);
  order.held -= released;
  order.payingWallet.held -= released;
  accounts.writeTrade(order.payingWallet, of.trade, -of.paid, 0n);
  accounts.writeTrade(order.receivingWallet, of.trade, of.received, of.fee);
}

/** Returns the part of an order's hold that a fill releases. */
function releasedBy(order: SimulatedOrder, price: number, paid: bigint): bigint {
  // At its own limit a fill costs exactly what was held for it.
  if (order.side === 'sell' || (price === order.price && order.grid.exactStepProduct !== null)) return paid;
  const rest = neededHold(order);
  const afterPaying = order.held - paid;
  return order.held - (rest < afterPaying ? rest : afterPaying);
}

/**
 * Returns the hold that an open order still needs to fill at its limit. If values are not whole units, it is
 * one unit more once the order has a fill, because the half-even difference of two cumulative totals can
 * exceed the rounded-up value of the rest by one.
 */
export function neededHold(order: SimulatedOrder): bigint {
  const { grid, remaining } = order;
  if (remaining === 0) return 0n;
  const spare = order.side === 'buy' && grid.exactStepProduct === null && order.filledSteps > 0n ? 1n : 0n;
  return holdFor(grid, order, remaining) + spare;
}

/** Returns the part of a match that a taker can pay: all of it, unless a market buy runs out of money. */
export function affordable(
  taker: SimulatedOrder,
  match: { readonly price: number; readonly amount: number },
): number {
  if (taker.side === 'sell' || !taker.isMarket) return match.amount;
  const { grid } = taker;
  // A half-even difference of two cumulative totals can exceed the value of a match rounded up by one unit.
  const money = grid.exactStepProduct === null && taker.filledSteps > 0n ? taker.held - 1n : taker.held;
  if (valueUp(grid, stepValue(match.price, match.amount)) <= money) return match.amount;
  return money <= 0n ? 0 : Number((money * UNITS_PER_ONE) / (BigInt(match.price) * grid.stepProduct));
}
