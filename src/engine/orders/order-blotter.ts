import { formatUnits } from '../../domain/money.ts';
import { retainNewest } from '../../domain/retain-newest.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import { afterEvent, type OrderEvent } from './order-life.ts';
import {
  CANCELED_BY_OTHERS,
  isFinal,
  mayTrade,
  type OrderRecord,
  type OrderState,
} from '../../records/order.ts';
import { OrderTable } from './order-table.ts';
import { LIST_START } from '../own-list.ts';
import { UnknownOrders } from './unknown-orders.ts';
import type { VenueProfile } from '../../venues/port.ts';
import type { EngineSettings } from '../engine-settings.ts';
import type { MirrorState } from '../mirror-change.ts';
import type { Outbox } from '../outbox.ts';
import type { ListCursor } from '../../domain/order.ts';

/** Cursors that wait for a second reading; the oldest go. A page of a list has up to a thousand. */
const MOST_SEEN_ONCE = 5_000;

/** Orders refused within this time before the last send of an earlier life are looked for once more. */
const LAST_REFUSALS_MS = 600_000;

/** Called with a change of an order, after it was entered. `before` is null for a new one. */
type OrderListener = (order: OrderRecord, before: OrderRecord | null) => void;

/** The things that a listener has at work: it is not called while there are none. */
type AtWork = { readonly size: number };

const ALWAYS: AtWork = { size: 1 };

const NO_LISTENERS: readonly (readonly [OrderListener, AtWork])[] = [];

/**
 * Keeps our orders: every event about one goes through here, into the table, the mirror and the journal, and
 * on to whoever listens.
 */
export class OrderBlotter {
  readonly table = new OrderTable();
  readonly identical: IdenticalOrders;
  readonly venue: VenueProfile;
  readonly unknown: UnknownOrders;
  readonly outbox: Outbox;
  /** True if the venue pushes every change: then nothing has to be read twice. */
  private readonly isPushed: boolean;
  /** Certain ends of the lists of own orders and trades: what a new order brings stands beyond them. */
  furthestOrder: ListCursor = LIST_START;
  furthestTrade: ListCursor = LIST_START;
  /**
   * Cursors beyond it that one reading has shown: a single wrong number must not become a floor under which
   * nothing is looked for.
   */
  private readonly seenOnce = new Map<ListCursor, number>();
  /** True if the end of an order was requested here. */
  isEndWanted: (key: string) => boolean = () => false;
  private readonly listeners = new Map<OrderState | 'end', (readonly [OrderListener, AtWork])[]>();

  constructor(settings: EngineSettings, outbox: Outbox) {
    this.outbox = outbox;
    this.venue = settings.venue;
    this.isPushed = settings.reconciliation === null;
    this.identical = new IdenticalOrders(settings.venue.identicalOrdersMs);
    this.unknown = new UnknownOrders({
      lateArrivalMs: settings.lateArrivalMs,
      scansApartMs: settings.absencePassesApartMs,
      rule: settings.venue.absence,
      list: settings.venue.ownLists.orders,
    });
  }

  /**
   * Adds a listener to changes after which an order is in one of these states; or to ends, which are told
   * after the changes. It is called only while it has something at work.
   */
  listen(states: readonly (OrderState | 'end')[], listener: OrderListener, atWork = ALWAYS): void {
    for (const state of states)
      this.listeners.set(state, [...(this.listeners.get(state) ?? []), [listener, atWork]]);
  }

  /** Enters a new order. */
  add(order: OrderRecord): void {
    this.table.add(order);
    this.notify(order, null);
  }

  /** Enters what was left out of an order when it was entered. */
  complete(order: OrderRecord): void {
    this.table.put(order);
    this.notify(order, null);
  }

  /** Takes in a event; answers the order as it then is, the same value where nothing changed. */
  apply(order: OrderRecord, event: OrderEvent): OrderRecord {
    const after = afterEvent(order, event);
    if (after === order) return order;
    const isEnding = !this.isPushed && mayTrade(order) && !mayTrade(after) && after.state !== 'rejected';
    const next = isEnding ? this.withEnder(after) : after;
    const { nowMs } = this.outbox;
    // What was sent is what another may be identical to, whatever the exchange made of it.
    if (event.kind === 'submitted') this.identical.sent(next);
    else if (order.state === 'sending' && next.state !== 'unknown') this.identical.answered(order, nowMs);
    if (next.state === 'unknown' && order.state !== 'unknown') this.unknown.track(next, nowMs);
    if (order.state === 'unknown' && next.state !== 'unknown') {
      this.unknown.forget(next.key);
      this.identical.answered(order, nowMs);
    }
    this.table.put(next);
    this.notify(next, order);
    return next;
  }

  /** Notes that somebody else canceled an order, where that is so. A market order ends by itself. */
  private withEnder(next: OrderRecord): OrderRecord {
    const { key, pairKey, execution, reason } = next;
    if (next.matched >= next.amount || execution === 'market' || reason !== null) return next;
    const other = pairKey === null ? undefined : this.table.get(pairKey);
    // The exchange ends one leg of a pair with the other.
    const isWithOther =
      other !== undefined &&
      (this.isEndWanted(other.key) || (!mayTrade(other) && other.reason !== CANCELED_BY_OTHERS));
    return this.isEndWanted(key) || isWithOther ? next : { ...next, reason: CANCELED_BY_OTHERS };
  }

  /** One reading shows where an order stands. The second that does makes it sure. */
  sawOrderAt(cursor: ListCursor | null): void {
    if (cursor === null || cursor <= this.furthestOrder) return;
    if (this.isPushed) {
      this.furthestOrder = cursor;
      return;
    }
    const { seenOnce } = this;
    const { steps } = this.outbox;
    const step = seenOnce.get(cursor);
    if (step === undefined) {
      seenOnce.set(cursor, steps);
      retainNewest(seenOnce, MOST_SEEN_ONCE);
    } else if (step !== steps) {
      this.furthestOrder = cursor;
      for (const seen of seenOnce.keys()) if (seen <= cursor) seenOnce.delete(seen);
    }
  }

  /**
   * Takes over what the mirror kept. Whether a request that was being sent has left is not known, so
   * it may be there, as an order may that was refused last of all: its trade may have been read, and its
   * owner not found yet. A cancel that was on its way is asked for again. Nothing was sent later than now:
   * what says so is of a clock that has been set back since, and would be waited for until then.
   */
  restore(state: MirrorState, nowMs: number): void {
    const orders = state.orders.map((order) =>
      order.sentAtMs !== null && order.sentAtMs > nowMs ? { ...order, sentAtMs: nowMs } : order,
    );
    for (const order of orders) {
      // Not where it stands itself, which one wrong reading may have shown: a floor was made of two.
      this.furthestOrder = Math.max(this.furthestOrder, order.orderFloor);
      this.table.put(order);
    }
    for (const { cursor } of state.fills) this.furthestTrade = Math.max(this.furthestTrade, cursor);
    this.identical.restore(orders, nowMs);
    const lastSentMs = orders.reduce((last, { sentAtMs }) => Math.max(last, sentAtMs ?? 0), 0);
    for (const order of orders) {
      if (order.state === 'sending') this.apply(order, { kind: 'unanswered', sentAtMs: nowMs });
      else if (order.state === 'unknown') this.unknown.track(order, nowMs);
      else if (order.state === 'rejected' && (order.sentAtMs ?? 0) > lastSentMs - LAST_REFUSALS_MS)
        this.unknown.track(order, nowMs);
      else if (order.state === 'cancelling') this.apply(order, { kind: 'cancel failed' });
      else if (order.state === 'planned')
        this.apply(order, { kind: 'dropped', atMs: nowMs, reason: sentence('order-restarted') });
    }
  }

  /** The oldest order that keeps the books from being compared, in words; null where none does. */
  unsettled(): Sentence | null {
    const order = this.table
      .unfinished()
      .find(({ state }) => state === 'sending' || state === 'unknown' || state === 'settling');
    if (order === undefined) return null;
    const { key, state, matched, filled } = order;
    if (state === 'sending') return sentence('order-on-its-way', { order: key });
    if (state === 'unknown') return sentence('order-being-found', { order: key });
    return sentence('order-trades-missing', {
      order: key,
      matched: formatUnits(matched),
      filled: formatUnits(filled),
    });
  }

  private notify(order: OrderRecord, before: OrderRecord | null): void {
    const { outbox } = this;
    const isAtEnd = isFinal(order);
    // Without a journal nobody reads what an order was between its plan and its end.
    if (outbox.isJournaled || before === null || isAtEnd) outbox.change({ kind: 'order', order });
    if (outbox.isJournaled) {
      const { key, state, venueId, venueStatus: status, matched, filled, reason } = order;
      const [amount, traded] = [formatUnits(matched), formatUnits(filled)];
      const fields = { state, venueId, status, matched: amount, filled: traded };
      outbox.journal('order', key, reason === null ? fields : { ...fields, reason });
    }
    if (outbox.isWatched && (before === null || before.state !== order.state || isAtEnd))
      outbox.notify({ kind: 'order', order });
    for (const [listener, atWork] of this.listeners.get(order.state) ?? NO_LISTENERS)
      if (atWork.size > 0) listener(order, before);
    if (!isAtEnd) return;
    for (const [listener, atWork] of this.listeners.get('end') ?? NO_LISTENERS)
      if (atWork.size > 0) listener(order, before);
  }
}

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
  readonly order: OrderRecord;
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
  /** Those that were sent, by key, the newest last. */
  private readonly arrivals = new Map<string, Arrival>();
  /** Nothing is to be forgotten before this time. */
  heldUntilMs = Number.POSITIVE_INFINITY;
  /** `heldBackMs`: for how long the exchange holds an order against identical ones; 0 where it takes them. */
  constructor(heldBackMs: number) {
    this.heldBackMs = heldBackMs;
  }

  /** The order was sent. */
  sent(order: OrderRecord): void {
    this.arrivals.set(order.key, { order, atMs: Number.POSITIVE_INFINITY });
  }

  /** The outcome of the order is known: it had arrived at `atMs`, or it never will. */
  answered(order: OrderRecord, atMs: number): void {
    const arrival = this.arrivals.get(order.key);
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
    for (const [key, { atMs }] of this.arrivals) {
      if (atMs + this.heldBackMs <= nowMs) this.arrivals.delete(key);
      else this.heldUntilMs = Math.min(this.heldUntilMs, atMs + this.heldBackMs);
    }
  }

  /** Another order like this one, of which is known that it was sent. */
  knowsOther(order: OrderRecord): boolean {
    return this.lastOther(order) !== null;
  }

  /** Of other orders like this one, that which may have arrived last. */
  private lastOther(order: OrderRecord): Arrival | null {
    let last: Arrival | null = null;
    for (const arrival of this.arrivals.values()) {
      if (last !== null && arrival.atMs < last.atMs) continue;
      if (arrival.order.key !== order.key && areIdentical(arrival.order, order)) last = arrival;
    }
    return last;
  }

  /** After a restart: what may have been sent just before. */
  restore(orders: Iterable<OrderRecord>, nowMs: number): void {
    for (const order of orders) {
      if (order.sentAtMs === null) continue;
      if (mayTrade(order) && order.venueId === null) this.sent(order);
      else if (order.sentAtMs + this.heldBackMs > nowMs) {
        this.arrivals.set(order.key, { order, atMs: nowMs });
        this.heldUntilMs = nowMs;
      }
    }
  }
}
