import type { FeeSchedule } from '../../../domain/fee-schedule.ts';
import type { UserId } from '../wallet.ts';
import type { SimulatedOrder } from './order.ts';
import { OrderIndex } from './order-table.ts';
import type { OrderReference, TradingSettings } from './requests.ts';
import { Trader } from './trader.ts';

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
