import { mayTrade, type OrderRecord } from './order-record.ts';

/** The exchange's own ten seconds ("Spot trading", rule 5), and a bit for its clock and the way there. */
export const IDENTICAL_HELD_BACK_MS = 10_500;

/** What makes two orders identical to the exchange: all but their clientOrderId. */
export function identityOf(order: OrderRecord): string {
  const { market, side, execution, price, stopPrice, amount, pairKey } = order;
  return `${market} ${side} ${execution} ${price} ${stopPrice} ${amount} ${pairKey === null}`;
}

/**
 * Remembers what was sent lately, whoever wanted it: an identical order within the exchange's window would be refused, or, should the first be lost, be
 * taken for it. Bounded by what can be sent in the window.
 */
export class IdenticalOrders {
  /** When each may have arrived last; infinity while that is not known. */
  private readonly arrivals = new Map<string, { readonly key: string; atMs: number }>();
  /** Nothing is to be forgotten before this time. */
  private heldUntilMs = Number.POSITIVE_INFINITY;
  /** An order is asked about several times in a row, and putting its identity together costs more than looking it up. */
  private last: { readonly order: OrderRecord; readonly identity: string } | null = null;

  /** The order was handed over. */
  sent(order: OrderRecord): void {
    this.arrivals.set(this.identityOf(order), { key: order.key, atMs: Number.POSITIVE_INFINITY });
  }

  /** Its fate is known: by then it had arrived, or never will. */
  answered(order: OrderRecord, atMs: number): void {
    const arrival = this.arrivals.get(this.identityOf(order));
    if (arrival?.key !== order.key || arrival.atMs !== Number.POSITIVE_INFINITY) return;
    arrival.atMs = atMs;
    this.heldUntilMs = Math.min(this.heldUntilMs, atMs + IDENTICAL_HELD_BACK_MS);
  }

  /** When such an order may go; infinity while another one's fate is not known. */
  freeAtMs(order: OrderRecord, nowMs: number): number {
    const identity = this.identityOf(order);
    const arrival = this.arrivals.get(identity);
    if (arrival === undefined || arrival.key === order.key) return nowMs;
    const freeMs = arrival.atMs + IDENTICAL_HELD_BACK_MS;
    if (freeMs > nowMs) return freeMs;
    this.arrivals.delete(identity);
    return nowMs;
  }

  /** Forgets what no longer holds anything back. */
  expire(nowMs: number): void {
    if (nowMs < this.heldUntilMs) return;
    this.heldUntilMs = Number.POSITIVE_INFINITY;
    for (const [identity, { atMs }] of this.arrivals) {
      const untilMs = atMs + IDENTICAL_HELD_BACK_MS;
      if (untilMs <= nowMs) this.arrivals.delete(identity);
      else this.heldUntilMs = Math.min(this.heldUntilMs, untilMs);
    }
  }

  /** Another order like this one, of which is known that it was sent. */
  knowsOther(order: OrderRecord): boolean {
    const arrival = this.arrivals.get(this.identityOf(order));
    return arrival !== undefined && arrival.key !== order.key;
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
      else if (order.sentAtMs + IDENTICAL_HELD_BACK_MS > nowMs) {
        this.arrivals.set(this.identityOf(order), { key: order.key, atMs: nowMs });
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
