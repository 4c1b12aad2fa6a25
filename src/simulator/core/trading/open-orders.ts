import type { SimulatedOrder } from './order.ts';

/**
 * A user's open orders. Each knows its place, so that one goes by letting the last take its place: no
 * look-up, and no other order is touched than the newest. Their sequence means nothing.
 */
export class OpenOrders {
  private readonly orders: SimulatedOrder[] = [];

  get size(): number {
    return this.orders.length;
  }

  add(order: SimulatedOrder): void {
    order.openPlace = this.orders.length;
    this.orders.push(order);
  }

  /** Takes out an order that is in. */
  remove(order: SimulatedOrder): void {
    const last = this.orders.pop();
    if (last === undefined || last === order) return;
    this.orders[order.openPlace] = last;
    last.openPlace = order.openPlace;
  }

  /** Oldest first; a copy, so that orders may end while it is walked. */
  values(): SimulatedOrder[] {
    const orders = this.orders.slice();
    return isInOrder(orders) ? orders : orders.sort((left, right) => left.id - right.id);
  }
}

/** Most users have few orders, which ended in no other sequence than they came in. */
function isInOrder(orders: readonly SimulatedOrder[]): boolean {
  let lastId = Number.NEGATIVE_INFINITY;
  for (const { id } of orders) {
    if (id < lastId) return false;
    lastId = id;
  }
  return true;
}
