import { ratesOf, type FeeSchedule, feeOf, stepValue, valueHalfEven, valueUp } from '../../domain/market.ts';
import type { Units } from '../../domain/money.ts';
import type { VenueTrade } from '../../domain/trade.ts';
import { BoundedList, type Wallet } from '../../simulator/accounts.ts';
import {
  accept,
  refuse,
  type Result,
  DEFAULT_TRADING,
  type PlaceOrder,
  type TradingSettings,
} from '../../simulator/requests.ts';
import {
  createOrders,
  OrderRegister,
  decidePlacement,
  neededHold,
  affordable,
} from '../../simulator/placement.ts';
import type { BarMarket, WorkingOrder } from './bar-market.ts';
import { orderIdOf, tradeIdOf } from '../read-records.ts';
import type { SimulatedOrder, Trader } from '../../simulator/market-state.ts';

/**
 * Maximum number of closed orders and most trades that can be requested; older ones are dropped, after all
 * their changes were drained. The number is small, so that they are garbage while they are young.
 */
const HISTORY_SIZE = 100;

const NO_TRADES: readonly VenueTrade[] = [];

const SETTINGS: TradingSettings = { ...DEFAULT_TRADING, historyKept: HISTORY_SIZE, ordersKept: HISTORY_SIZE };

const USER = 1;

/**
 * Orders and trades of one account: placed, filled, triggered and ended with the checks, holds and records of
 * the simulated exchange, whose parts it uses. Other code decides when and at what price an order fills.
 */
export class BarAccount {
  readonly register: OrderRegister;
  readonly trader: Trader;
  /** The newest trades, oldest first. */
  readonly trades = new BoundedList<VenueTrade>(HISTORY_SIZE);
  /** Orders whose changes were not reported yet. The reporter empties the list. */
  readonly changedOrders: SimulatedOrder[] = [];
  private newTrades: VenueTrade[] | null = null;
  /** Counter that rises with every change of a wallet. */
  walletVersion = 0;
  /** Received amounts, for orders that fill at an earlier time although they are processed later. */
  readonly receipts = new RecentReceipts();
  private nextOrderId = 1;
  private nextTradeId = 1;

  constructor(fees: FeeSchedule) {
    this.register = new OrderRegister(SETTINGS, fees);
    this.trader = this.register.trader(USER);
  }

  /** Returns the trades that were not reported yet, by rising id. They then count as reported. */
  drainTrades(): readonly VenueTrade[] {
    const trades = this.newTrades ?? NO_TRADES;
    this.newTrades = null;
    return trades;
  }

  find(reference: {
    readonly id: number | null;
    readonly clientOrderId: string | null;
  }): SimulatedOrder | undefined {
    return this.register.find(USER, reference);
  }

  /** Places an order, or both legs of an OCO (limit first), or refuses as the exchange would. */
  place(request: PlaceOrder, market: BarMarket, timeMs: number): Result<readonly WorkingOrder[]> {
    if (!market.showPrice()) return refuse('MarketClosed', 'the market has had no bar yet');
    const { trader } = this;
    const { state, wallets } = market;
    const { free } = request.side === 'buy' ? wallets.quote : wallets.base;
    const decided = decidePlacement({ request, trader, market: state, free, settings: SETTINGS, timeMs });
    if (!decided.ok) return decided;
    const firstId = this.nextOrderId;
    const legs = createOrders(decided.value, {
      trader,
      market: state,
      wallets,
      createdAtMs: timeMs,
      firstId,
    });
    this.nextOrderId += legs.length;
    this.walletVersion += 1;
    return accept(
      legs.map((order) => {
        if (order.status === 'New') order.status = 'Active';
        this.register.enlist(order);
        return market.add(order);
      }),
    );
  }

  /** Cancels an open order and its open pair. Returns false if it is not open; then nothing has changed. */
  cancel(order: SimulatedOrder, market: BarMarket): boolean {
    if (!order.isOpen) return false;
    this.close(order, 'Canceled', market);
    this.endPair(order, market);
    return true;
  }

  /** Triggers a stop order, which ends its pair. The caller sets what the order waits for now. */
  wake(order: SimulatedOrder, market: BarMarket): void {
    order.status = 'Active';
    this.changed(order);
    this.endPair(order, market);
  }

  /** Books a fill, ends the pair, and ends the order if nothing of it is left. */
  fill(
    order: SimulatedOrder,
    market: BarMarket,
    of: {
      readonly price: number;
      readonly amount: number;
      readonly role: 'maker' | 'taker';
      readonly timeMs: number;
    },
  ): void {
    const { price, amount, role, timeMs } = of;
    const { grid, name } = market;
    const rateMillionths = ratesOf(this.trader.fees, grid.quote)[role];
    const { total, fee, received } = settleFill(order, { price, amount, rateMillionths });
    this.receipts.add(order.receivingWallet, timeMs, received);
    const trade: VenueTrade = {
      id: tradeIdOf(this.nextTradeId++),
      orderId: orderIdOf(order.id),
      market: name,
      timeMs,
      side: order.side,
      price: (BigInt(price) * grid.priceStep) as Units,
      amount: (BigInt(amount) * grid.amountStep) as Units,
      total,
      fee,
      feeCurrency: null,
      tooFine: null,
    };
    this.trades.push(trade);
    if (this.newTrades === null) this.newTrades = [trade];
    else this.newTrades.push(trade);
    this.changed(order);
    this.walletVersion += 1;
    this.endPair(order, market);
    if (order.remaining === 0) this.close(order, 'Done', market);
  }

  /** Ends an open order. */
  close(order: SimulatedOrder, status: 'Done' | 'Canceled', market: BarMarket): void {
    order.status = status;
    if (order.held > 0n) {
      order.payingWallet.release(order.held);
      order.held = 0n;
    }
    this.walletVersion += 1;
    this.register.delist(order);
    market.remove(order);
    this.changed(order);
  }

  /** Records a change. An order that changes again keeps its place in the list. */
  private changed(order: SimulatedOrder): void {
    if (!this.changedOrders.includes(order)) this.changedOrders.push(order);
  }

  /** Removes an order from the unreported changes: it was reported. */
  forgetChange(order: SimulatedOrder): void {
    const place = this.changedOrders.indexOf(order);
    if (place >= 0) this.changedOrders.splice(place, 1);
  }

  /** Ends the other leg of an OCO. Its hold goes to this order, which releases what it does not need. */
  private endPair(order: SimulatedOrder, market: BarMarket): void {
    const { pair } = order;
    if (pair === null || !pair.isOpen) return;
    order.held += pair.held;
    pair.held = 0n;
    this.close(pair, 'Canceled', market);
    const excess = order.held - (order.isOpen ? neededHold(order) : 0n);
    if (excess <= 0n) return;
    order.payingWallet.release(excess);
    order.held -= excess;
  }
}

/** Amounts of one fill, in units: total before the fee, fee in what is received, and amount after it. */
interface SettledFill {
  readonly total: Units;
  readonly fee: Units;
  readonly received: bigint;
}

/**
 * Books a fill of one order: its totals, its hold, and both wallets. A bar has no account on the other side.
 * Totals are differences of the rounded cumulative total, as on the exchange.
 */
function settleFill(
  order: SimulatedOrder,
  fill: { readonly price: number; readonly amount: number; readonly rateMillionths: number },
): SettledFill {
  const { grid, payingWallet, receivingWallet } = order;
  const isBuy = order.side === 'buy';
  const amount = BigInt(fill.amount) * grid.amountStep;
  order.remaining -= fill.amount;
  order.filledSteps += stepValue(fill.price, fill.amount);
  const cumulative = valueHalfEven(grid, order.filledSteps);
  const total = (cumulative - order.total) as Units;
  order.total = cumulative;
  const received = isBuy ? amount : total;
  const fee = feeOf(received, fill.rateMillionths);
  order.fee += fee;
  const paid = isBuy ? total : amount;
  const released = isBuy ? releasedBy(order, paid) : paid;
  order.held -= released;
  payingWallet.held -= released;
  payingWallet.total -= paid;
  receivingWallet.total += received - fee;
  payingWallet.check('fill');
  return { total, fee, received: received - fee };
}

/** Returns the part of a buy's hold to release: all but what the rest of the order needs, if any. */
function releasedBy(order: SimulatedOrder, paid: bigint): bigint {
  const rest = neededHold(order);
  const afterPaying = order.held - paid;
  return order.held - (rest < afterPaying ? rest : afterPaying);
}

/**
 * Returns the part of a match that an order can pay, in amount steps. Unlike on the exchange, a market buy
 * may meet a price far beyond its valuation: it then uses free money of its wallet too, except money that was
 * received after this match.
 */
export function payable(
  order: SimulatedOrder,
  match: {
    readonly price: number;
    readonly amount: number;
    readonly timeMs: number;
    readonly receipts: RecentReceipts;
  },
): number {
  if (order.side === 'sell' || !order.isMarket) return match.amount;
  const { grid, payingWallet } = order;
  // If values are not whole units, the half-even difference of two cumulative totals can be one more than the
  // value of a match, rounded up.
  const spare = grid.exactStepProduct === null && order.filledSteps > 0n ? 1n : 0n;
  const shortfall = valueUp(grid, stepValue(match.price, match.amount)) + spare - order.held;
  if (shortfall > 0n) {
    const free = payingWallet.free - match.receipts.after(payingWallet, match.timeMs);
    const used = shortfall < free ? shortfall : free > 0n ? free : 0n;
    payingWallet.hold(used);
    order.held += used;
  }
  return affordable(order, match);
}

const PRUNED_FROM = 32;

/**
 * Receipts of fills, with their times. Bars of several markets are processed one after another, so a receipt
 * may be booked before an earlier fill of another market, which must not use that money. With one market
 * nothing is stored. The bound is twice the fills of the longest bar.
 */
export class RecentReceipts {
  #receipts: { readonly wallet: Wallet; readonly atMs: number; readonly amount: bigint }[] = [];
  #pruneAt = PRUNED_FROM;
  #retainedMs = 0;

  /** Keeps receipts for the length of a bar of several markets, or longer if that was set before. */
  retainFor(barMs: number): void {
    this.#retainedMs = Math.max(this.#retainedMs, barMs);
  }

  add(wallet: Wallet, atMs: number, amount: bigint): void {
    if (this.#retainedMs === 0 || this.#receipts.push({ wallet, atMs, amount }) < this.#pruneAt) return;
    this.#receipts = this.#receipts.filter((receipt) => receipt.atMs > atMs - this.#retainedMs);
    this.#pruneAt = Math.max(PRUNED_FROM, this.#receipts.length * 2);
  }

  /** Returns the amount that a wallet received after a time. */
  after(of: Wallet, timeMs: number): bigint {
    let sum = 0n;
    for (const { wallet, atMs, amount } of this.#receipts) if (atMs > timeMs && wallet === of) sum += amount;
    return sum;
  }
}
