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
import { ListPlaces, ownListOf, OwnMarkets, type ListPlace } from '../own-list.ts';
import { UnknownOrders } from './unknown-orders.ts';
import type { VenueProfile } from '../../venues/port.ts';
import type { EngineSettings } from '../engine-settings.ts';
import type { MirrorState } from '../mirror-change.ts';
import type { Outbox } from '../outbox.ts';
import type { ListCursor } from '../../domain/order.ts';
import { requiredMarkets } from '../strategy-instance.ts';

/**
 * Maximum number of places that are remembered after one reading; the oldest are dropped. A page has up to
 * 1,000.
 */
const MOST_SEEN_ONCE = 5_000;

/** Period before the last send, in ms: orders refused in it are searched for again after a restart. */
const LAST_REFUSALS_MS = 600_000;

/** Called after a change of an order was stored. `before` is null for a new order. */
type OrderListener = (order: OrderRecord, before: OrderRecord | null) => void;

/** Work of a listener: the listener is not called while `size` is 0. */
type AtWork = { readonly size: number };

const ALWAYS: AtWork = { size: 1 };

const NO_LISTENERS: readonly (readonly [OrderListener, AtWork])[] = [];

/**
 * The book of our orders: every event on an order goes through it, into the table, the mirror and the
 * journal, and on to the listeners.
 */
export class OrderBlotter {
  readonly table = new OrderTable();
  readonly identical: IdenticalOrders;
  readonly venue: VenueProfile;
  readonly unknown: UnknownOrders;
  readonly outbox: Outbox;
  /** True if the venue pushes every change, so that nothing has to be read twice. */
  private readonly isPushed: boolean;
  /** Certain ends of the lists of own orders and trades; new orders and trades come beyond them. */
  readonly furthestOrder: ListPlaces;
  readonly furthestTrade: ListPlaces;
  readonly ownMarkets: OwnMarkets;
  /**
   * Places beyond the end of each list that one reading has shown, with its step. One wrong number must not
   * become the end, because searches begin there.
   */
  private readonly seenOnce = new Map<string | null, Map<ListCursor, number>>();
  /** Returns true if the bot has requested a cancel of the order with this key. */
  isEndWanted: (key: string) => boolean = () => false;
  private readonly listeners = new Map<OrderState | 'end', (readonly [OrderListener, AtWork])[]>();

  constructor(settings: EngineSettings, outbox: Outbox) {
    this.outbox = outbox;
    this.venue = settings.venue;
    this.isPushed = settings.reconciliation === null;
    this.identical = new IdenticalOrders(settings.venue.identicalOrdersMs);
    const { orders, trades } = settings.venue.ownLists;
    this.furthestOrder = new ListPlaces(orders);
    this.furthestTrade = new ListPlaces(trades);
    this.ownMarkets = new OwnMarkets(
      settings.instances.flatMap(({ runner }) => requiredMarkets(runner)),
      settings.markets.map(({ symbol }) => symbol),
    );
    this.unknown = new UnknownOrders({
      lateArrivalMs: settings.lateArrivalMs,
      scansApartMs: settings.absencePassesApartMs,
      rule: settings.venue.absence,
      list: orders,
    });
  }

  /**
   * Adds a listener for changes to one of the given states; `end` is any final state, and its listeners are
   * called last. A listener is called only while `atWork` is not empty.
   */
  listen(states: readonly (OrderState | 'end')[], listener: OrderListener, atWork = ALWAYS): void {
    for (const state of states)
      this.listeners.set(state, [...(this.listeners.get(state) ?? []), [listener, atWork]]);
  }

  /** Adds a new order. `ahead`: amount before it in its queue; undefined for one that does not rest. */
  add(order: OrderRecord, ahead?: string | null): void {
    this.table.add(order);
    this.ownMarkets.add(order.market);
    this.notify(order, null, ahead);
  }

  /** Stores an order again after fields were added that were missing when it was added. */
  complete(order: OrderRecord): void {
    this.table.put(order);
    this.notify(order, null);
  }

  /** Applies an event and returns the order after it: the same object if nothing changed. */
  apply(order: OrderRecord, event: OrderEvent): OrderRecord {
    const after = afterEvent(order, event);
    if (after === order) return order;
    const isEnding = !this.isPushed && mayTrade(order) && !mayTrade(after) && after.state !== 'rejected';
    const next = isEnding ? this.withEnder(after) : after;
    const { nowMs } = this.outbox;
    // Once it is sent, an order blocks identical ones, whatever its outcome.
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

  /** Marks an order as canceled by others if the bot did not cancel it. A market order ends by itself. */
  private withEnder(next: OrderRecord): OrderRecord {
    const { key, pairKey, execution, reason } = next;
    if (next.matched >= next.amount || execution === 'market' || reason !== null) return next;
    const other = pairKey === null ? undefined : this.table.get(pairKey);
    // When one leg of a pair ends, the exchange ends the other.
    const isWithOther =
      other !== undefined &&
      (this.isEndWanted(other.key) || (!mayTrade(other) && other.reason !== CANCELED_BY_OTHERS));
    return this.isEndWanted(key) || isWithOther ? next : { ...next, reason: CANCELED_BY_OTHERS };
  }

  /** Reads the lists of a market no more, since the venue refuses them. False if something is open there. */
  dropListsOf(market: string, code: string): boolean {
    if (this.table.unfinished().some((order) => order.market === market)) return false;
    if (!this.ownMarkets.drop(market)) return false;
    this.outbox.warn(
      `the exchange refuses the own orders and trades of ${market} (${code}): the bot reads them no more, as nothing of it is open there`,
    );
    return true;
  }

  /** Notes a place that a reading shows in a list of own orders. The second reading makes it certain. */
  sawOrderAt(place: ListPlace): void {
    const { market, cursor } = place;
    if (cursor <= this.furthestOrder.of(market)) return;
    if (this.isPushed) {
      this.furthestOrder.set(place);
      return;
    }
    const list = ownListOf(this.venue.ownLists.orders, market);
    let seenOnce = this.seenOnce.get(list);
    if (seenOnce === undefined) this.seenOnce.set(list, (seenOnce = new Map()));
    const { steps } = this.outbox;
    const step = seenOnce.get(cursor);
    if (step === undefined) {
      seenOnce.set(cursor, steps);
      retainNewest(seenOnce, MOST_SEEN_ONCE);
    } else if (step !== steps) {
      this.furthestOrder.set(place);
      for (const seen of seenOnce.keys()) if (seen <= cursor) seenOnce.delete(seen);
    }
  }

  /**
   * Restores the orders from the mirror. A request that was in flight may have left, so its order may exist.
   * An order refused just before the restart may exist too, with a trade that was read but not booked.
   * Cancels in flight are requested again. A send time later than now comes from a clock that has been set
   * back since; it counts as now.
   */
  restore(state: MirrorState, nowMs: number): void {
    const orders = state.orders.map((order) =>
      order.sentAtMs !== null && order.sentAtMs > nowMs ? { ...order, sentAtMs: nowMs } : order,
    );
    for (const order of orders) {
      // The order's own place may come from one wrong reading; its floor was confirmed by two.
      this.furthestOrder.raise({ market: order.market, cursor: order.orderFloor });
      this.table.put(order);
    }
    for (const fill of state.fills) this.furthestTrade.raise(fill);
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

  /** Returns the text on the oldest order that prevents a comparison of the books; null if none does. */
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

  private notify(order: OrderRecord, before: OrderRecord | null, ahead?: string | null): void {
    const { outbox } = this;
    const isAtEnd = isFinal(order);
    // Without a journal nobody reads the states between an order's start and its end.
    if (outbox.isJournaled || before === null || isAtEnd) outbox.change({ kind: 'order', order });
    if (outbox.isJournaled) {
      const { key, state, venueId, venueStatus: status, matched, filled, reason } = order;
      const [amount, traded] = [formatUnits(matched), formatUnits(filled)];
      const fields = { state, venueId, status, matched: amount, filled: traded };
      // JSON leaves out what is undefined.
      outbox.journal('order', key, { ...fields, ahead, reason: reason ?? undefined });
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

/** True if two orders are identical to the exchange: they differ only in their clientOrderId. */
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

/** An order that was sent, with its terms at that time. */
interface Arrival {
  readonly order: OrderRecord;
  /** Latest time at which it may have arrived, in ms since 1970; infinity while that is unknown. */
  atMs: number;
}

/**
 * Choices for an order that the exchange may take for a repetition of an identical one. `hold`: it waits, and
 * is given up if that takes too long. `send`: it is sent, without the exchange's check for duplicates if an
 * identical order was sent. `insist`: it is always sent without that check. Its clientOrderId distinguishes
 * it from the other one in every list.
 */
export type WhenIdentical = 'hold' | 'send' | 'insist';

/**
 * Remembers the orders sent within the exchange's window for identical orders: an identical one would be
 * refused, or taken for a lost one. Bounded by the number of orders that can be sent in the window.
 */
export class IdenticalOrders {
  private readonly heldBackMs: number;
  /** Orders that were sent, by key, the newest last. */
  private readonly arrivals = new Map<string, Arrival>();
  /** Time before which no entry expires, in ms since 1970. */
  heldUntilMs = Number.POSITIVE_INFINITY;
  /** `heldBackMs`: how long the exchange refuses identical orders, in ms; 0 if it accepts them. */
  constructor(heldBackMs: number) {
    this.heldBackMs = heldBackMs;
  }

  /** Notes that an order was sent. */
  sent(order: OrderRecord): void {
    this.arrivals.set(order.key, { order, atMs: Number.POSITIVE_INFINITY });
  }

  /** Notes the outcome of an order: it arrived by `atMs`, or never will. */
  answered(order: OrderRecord, atMs: number): void {
    const arrival = this.arrivals.get(order.key);
    if (arrival?.atMs !== Number.POSITIVE_INFINITY) return;
    arrival.atMs = atMs;
    this.heldUntilMs = Math.min(this.heldUntilMs, atMs + this.heldBackMs);
  }

  /**
   * Returns the time from which an order may be sent; infinity while an identical one's outcome is unknown.
   */
  freeAtMs(order: OrderRecord, nowMs: number): number {
    const arrival = this.heldBackMs === 0 ? null : this.lastOther(order);
    if (arrival === null) return nowMs;
    const freeMs = arrival.atMs + this.heldBackMs;
    if (freeMs > nowMs) return freeMs;
    this.expire(nowMs);
    return nowMs;
  }

  /** Returns the key of the identical order that blocks this one for longest; null if none does. */
  otherThan(order: OrderRecord): string | null {
    return this.lastOther(order)?.order.key ?? null;
  }

  /** Forgets the orders that no longer block another one. */
  expire(nowMs: number): void {
    this.heldUntilMs = Number.POSITIVE_INFINITY;
    for (const [key, { atMs }] of this.arrivals) {
      if (atMs + this.heldBackMs <= nowMs) this.arrivals.delete(key);
      else this.heldUntilMs = Math.min(this.heldUntilMs, atMs + this.heldBackMs);
    }
  }

  /** True if another identical order is known to have been sent. */
  knowsOther(order: OrderRecord): boolean {
    return this.lastOther(order) !== null;
  }

  /** Returns the other identical order that may have arrived last; null if there is none. */
  private lastOther(order: OrderRecord): Arrival | null {
    let last: Arrival | null = null;
    for (const arrival of this.arrivals.values()) {
      if (last !== null && arrival.atMs < last.atMs) continue;
      if (arrival.order.key !== order.key && areIdentical(arrival.order, order)) last = arrival;
    }
    return last;
  }

  /** Restores the orders that may have been sent just before a restart. */
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
