import { mayTrade, type OrderRecord } from '../../records/order.ts';

/** True if two orders are identical to the exchange: in all but their clientOrderId. */
export function areIdentical(one: OrderRecord, other: OrderRecord): boolean {
  return (
    one.amount === other.amount &&
    one.side === other.side &&
    one.price === other.price &&
    one.stopPrice === other.stopPrice &&
    one.execution === other.execution &&
    one.market === other.market &&
    (one.pairKey === null) === (other.pairKey === null)
  );
}

/** An order that was sent, on the terms on which it was. */
interface Arrival {
  order: OrderRecord;
  /** Latest time it may have arrived; infinity while unknown. */
  atMs: number;
}

/**
 * Policy for an order while an identical one may count as its first copy at the exchange. `hold`: it waits,
 * and is given up if that takes too long. `send`: it is sent, and turns off the exchange's check for
 * duplicates if there is such an order. `insist`: it always turns the check off. Its clientOrderId
 * distinguishes it from the other in every list.
 */
export type WhenIdentical = 'hold' | 'send' | 'insist';

/**
 * Remembers what was sent lately, whoever wanted it: an identical order within the exchange's window would be
 * refused, or, should the first be lost, be taken for it. Bounded by what can be sent in the window.
 */
export class IdenticalOrders {
  private readonly heldBackMs: number;
  /** Those that were sent, the newest last. */
  private arrivals: Arrival[] = [];
  /** Nothing is to be forgotten before this time. */
  heldUntilMs = Number.POSITIVE_INFINITY;
  /** `heldBackMs`: for how long the exchange holds an order against identical ones; 0 where it takes them. */
  constructor(heldBackMs: number) {
    this.heldBackMs = heldBackMs;
  }

  /** The order was sent. */
  sent(order: OrderRecord): void {
    this.enter(order, Number.POSITIVE_INFINITY);
  }

  /** Its fate is known: by then it had arrived, or never will. */
  answered(order: OrderRecord, atMs: number): void {
    const arrival = this.arrivalOf(order.key);
    if (arrival?.atMs !== Number.POSITIVE_INFINITY) return;
    arrival.atMs = atMs;
    this.heldUntilMs = Math.min(this.heldUntilMs, atMs + this.heldBackMs);
  }

  /**
   * Returns the time from which such an order may be sent; infinity while another one's outcome is unknown.
   */
  freeAtMs(order: OrderRecord, nowMs: number): number {
    const arrival = this.heldBackMs === 0 ? null : this.lastOther(order);
    if (arrival === null) return nowMs;
    const freeMs = arrival.atMs + this.heldBackMs;
    if (freeMs > nowMs) return freeMs;
    this.expire(nowMs);
    return nowMs;
  }

  /** The key of the other order that holds this one back for longest; null where none was sent lately. */
  otherThan(order: OrderRecord): string | null {
    return this.lastOther(order)?.order.key ?? null;
  }

  /** Forgets what no longer holds anything back. */
  expire(nowMs: number): void {
    this.heldUntilMs = Number.POSITIVE_INFINITY;
    this.arrivals = this.arrivals.filter(({ atMs }) => atMs + this.heldBackMs > nowMs);
    for (const { atMs } of this.arrivals)
      this.heldUntilMs = Math.min(this.heldUntilMs, atMs + this.heldBackMs);
  }

  /** Another order like this one, of which is known that it was sent. */
  knowsOther(order: OrderRecord): boolean {
    return this.lastOther(order) !== null;
  }

  /** Of other orders like this one, that which may have arrived last. */
  private lastOther(order: OrderRecord): Arrival | null {
    let last: Arrival | null = null;
    for (const arrival of this.arrivals) {
      if (last !== null && arrival.atMs < last.atMs) continue;
      if (arrival.order.key !== order.key && areIdentical(arrival.order, order)) last = arrival;
    }
    return last;
  }

  private enter(order: OrderRecord, atMs: number): void {
    const known = this.arrivalOf(order.key);
    if (known === undefined) this.arrivals.push({ order, atMs });
    else {
      known.order = order;
      known.atMs = atMs;
    }
  }

  private arrivalOf(key: string): Arrival | undefined {
    return this.arrivals.find(({ order }) => order.key === key);
  }

  /** After a restart: what may have been sent just before. */
  restore(orders: Iterable<OrderRecord>, nowMs: number): void {
    for (const order of orders) {
      if (order.sentAtMs === null) continue;
      if (mayTrade(order) && order.venueId === null) this.sent(order);
      else if (order.sentAtMs + this.heldBackMs > nowMs) {
        this.enter(order, nowMs);
        this.heldUntilMs = nowMs;
      }
    }
  }
}
