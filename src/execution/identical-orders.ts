import { mayTrade, type OrderRecord } from './order-record.ts';

/** What makes two orders identical to the exchange: all but their clientOrderId. */
export function identityOf(order: OrderRecord): string {
  const { market, side, execution, price, stopPrice, amount, pairKey } = order;
  return `${market} ${side} ${execution} ${price} ${stopPrice} ${amount} ${pairKey === null}`;
}

interface Arrival {
  readonly key: string;
  atMs: number;
}

const NO_ARRIVALS: readonly Arrival[] = [];

/**
 * What becomes of an order while an identical one may count as its first copy at the exchange. `hold`: it
 * waits, and is given up when that takes too long. `send`: it goes, and turns the exchange's check for
 * duplicates off where there is such an order. `insist`: it always turns it off. Its clientOrderId tells it
 * from the other in every list.
 */
export type WhenIdentical = 'hold' | 'send' | 'insist';

/**
 * Remembers what was sent lately, whoever wanted it: an identical order within the exchange's window would be
 * refused, or, should the first be lost, be taken for it. Bounded by what can be sent in the window.
 */
export class IdenticalOrders {
  private readonly heldBackMs: number;
  /**
   * By identity, those that were sent, the newest last: when each may have arrived last; infinity while that
   * is not known.
   */
  private readonly arrivals = new Map<string, Arrival[]>();
  /** Nothing is to be forgotten before this time. */
  private heldUntilMs = Number.POSITIVE_INFINITY;
  /**
   * An order is asked about several times in a row, and putting its identity together costs more than looking
   * it up.
   */
  private last: { readonly order: OrderRecord; readonly identity: string } | null = null;

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
    const arrival = this.arrivals.get(this.identityOf(order))?.find(({ key }) => key === order.key);
    if (arrival?.atMs !== Number.POSITIVE_INFINITY) return;
    arrival.atMs = atMs;
    this.heldUntilMs = Math.min(this.heldUntilMs, atMs + this.heldBackMs);
  }

  /** When such an order may go; infinity while another one's fate is not known. */
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
    return this.lastOther(order)?.key ?? null;
  }

  /** Forgets what no longer holds anything back. */
  expire(nowMs: number): void {
    if (nowMs < this.heldUntilMs) return;
    this.heldUntilMs = Number.POSITIVE_INFINITY;
    for (const [identity, arrivals] of this.arrivals) {
      const kept = arrivals.filter(({ atMs }) => atMs + this.heldBackMs > nowMs);
      if (kept.length === 0) this.arrivals.delete(identity);
      else if (kept.length < arrivals.length) this.arrivals.set(identity, kept);
      for (const { atMs } of kept) this.heldUntilMs = Math.min(this.heldUntilMs, atMs + this.heldBackMs);
    }
  }

  /** Another order like this one, of which is known that it was sent. */
  knowsOther(order: OrderRecord): boolean {
    return this.lastOther(order) !== null;
  }

  /** Of other orders like this one, that which may have arrived last. */
  private lastOther(order: OrderRecord): Arrival | null {
    let last: Arrival | null = null;
    for (const arrival of this.arrivals.get(this.identityOf(order)) ?? NO_ARRIVALS) {
      if (arrival.key !== order.key && (last === null || arrival.atMs >= last.atMs)) last = arrival;
    }
    return last;
  }

  private enter(order: OrderRecord, atMs: number): void {
    const identity = this.identityOf(order);
    const arrivals = this.arrivals.get(identity);
    const known = arrivals?.find(({ key }) => key === order.key);
    if (known !== undefined) known.atMs = atMs;
    else if (arrivals === undefined) this.arrivals.set(identity, [{ key: order.key, atMs }]);
    else arrivals.push({ key: order.key, atMs });
  }

  private identityOf(order: OrderRecord): string {
    const { last } = this;
    if (last !== null && isSame(last.order, order)) return last.identity;
    const identity = identityOf(order);
    this.last = { order, identity };
    return identity;
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

/** Whether one is the other at a later time, on the same terms. */
function isSame(one: OrderRecord, other: OrderRecord): boolean {
  const { key, amount, price, stopPrice, pairKey } = other;
  return (
    one.key === key &&
    one.amount === amount &&
    one.price === price &&
    one.stopPrice === stopPrice &&
    one.pairKey === pairKey
  );
}
