import type { Side } from '../../domain/order.ts';

/** An order that waits for a price. */
interface StopOrder {
  readonly id: number;
  readonly side: Side;
  readonly stopPrice: number;
}

/**
 * The stop orders of a market that wait for their price. A buy wakes when the last price is at its stop or
 * above, a sell when it is at its stop or below; several wake in the order of their distance, then of their
 * ids.
 */
export class StopBook<Order extends StopOrder> {
  /** Highest stop first: the next to wake on a rise is last. */
  private readonly buys: Order[] = [];
  /** Lowest stop first: the next to wake on a fall is last. */
  private readonly sells: Order[] = [];

  get size(): number {
    return this.buys.length + this.sells.length;
  }

  add(order: Order): void {
    const list = this.listOf(order);
    const index = list.findIndex((other) => wakesBefore(other, order));
    if (index === -1) list.push(order);
    else list.splice(index, 0, order);
  }

  remove(order: Order): void {
    const list = this.listOf(order);
    const index = list.indexOf(order);
    if (index !== -1) list.splice(index, 1);
  }

  /** Takes out the next order that `lastPrice` wakes. */
  takeWoken(lastPrice: number): Order | undefined {
    const buy = this.buys[this.buys.length - 1];
    if (buy !== undefined && lastPrice >= buy.stopPrice) return this.buys.pop();
    const sell = this.sells[this.sells.length - 1];
    if (sell !== undefined && lastPrice <= sell.stopPrice) return this.sells.pop();
    return undefined;
  }

  all(): readonly Order[] {
    return [...this.buys, ...this.sells];
  }

  private listOf(order: Order): Order[] {
    return order.side === 'buy' ? this.buys : this.sells;
  }
}

/** True if `one` wakes before `other`, both of the same side. */
function wakesBefore(one: StopOrder, other: StopOrder): boolean {
  if (one.stopPrice !== other.stopPrice) {
    return one.side === 'buy' ? one.stopPrice < other.stopPrice : one.stopPrice > other.stopPrice;
  }
  return one.id < other.id;
}
