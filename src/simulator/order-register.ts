import type { FeeSchedule } from '../domain/fee-schedule.ts';
import type { UserId } from './wallet.ts';
import type { OrderReference, TradingSettings } from './requests.ts';
import { type SimulatedOrder, Trader } from './market-state.ts';

/**
 * Register of traders and orders: all orders by id, a user's own by client id, open and stored ones apart.
 */
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

  /** The trader of a user, made at the first question. As many are kept as the exchange has users. */
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
   * An open or closed order of a user, or undefined. A client id finds open orders only. What a busy exchange
   * has forgotten in its table is still in its user's own list.
   */
  find(userId: UserId, reference: OrderReference): SimulatedOrder | undefined {
    if (reference.id !== null) {
      const order = this.orders.find(reference.id) ?? this.trader(userId).keptOrder(reference.id);
      return order?.userId === userId ? order : undefined;
    }
    return reference.clientOrderId === null
      ? undefined
      : this.trader(userId).openByClientId.get(reference.clientOrderId);
  }

  /** Writes down an open order, whose id is higher than every one before. */
  enlist(order: SimulatedOrder): void {
    const { trader } = order;
    this.orders.add(order);
    trader.orders.push(order);
    trader.open.add(order);
    if (order.clientOrderId !== null) trader.openByClientId.set(order.clientOrderId, order);
    if (this.settings.recordVersions) order.versions = [];
  }

  /** Called when an order ends. */
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
 * All orders by id. Ids are given in sequence, so a place in an array is enough; the array is kept in chunks.
 * Closed orders of the chunks beyond the newest `kept` ids are forgotten; what is open stays, however old.
 */
class OrderIndex {
  private readonly chunks: (Chunk | undefined)[] = [];
  private firstId = 0;
  /** Chunks before this one hold open orders only. */
  private swept = 0;
  private readonly keptChunks: number;

  constructor(kept: number) {
    this.keptChunks = Math.max(1, Math.ceil(kept / CHUNK));
  }

  find(id: number): SimulatedOrder | undefined {
    const place = id - this.firstId;
    return place < 0 ? undefined : this.chunks[Math.floor(place / CHUNK)]?.[place % CHUNK];
  }

  /** Adds an order whose id is higher than every one before; ids may leave gaps. */
  add(order: SimulatedOrder): void {
    if (this.chunks.length === 0) this.firstId = order.id;
    const place = order.id - this.firstId;
    const index = Math.floor(place / CHUNK);
    let chunk = this.chunks[index];
    if (chunk === undefined) {
      chunk = [];
      this.chunks[index] = chunk;
      this.sweepBefore(index - this.keptChunks);
    }
    chunk[place % CHUNK] = order;
  }

  /** Called when an order closes: an old one is then forgotten. */
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
