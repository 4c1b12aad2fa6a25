import { present } from '../../domain/errors.ts';
import type { VenueOrder, VenueOrderId } from '../../domain/order.ts';
import { sentence } from '../../language/sentence.ts';
import { isClosedStatus, type AskedOrder, type VenueAnswer, type VenueProfile } from '../../venues/port.ts';
import { isFinal, mayTrade, type OrderRecord } from '../../records/order.ts';
import { DOUBTED, persistReply } from '../outbox.ts';
import type { OrderBlotter } from './order-blotter.ts';
import type { OrderReportMatcher } from './order-report-matcher.ts';
import { restored, type StoredTexts } from '../stored-records.ts';

/** Maximum wait of a cancel for a slot, in ms. Cancels have reserved slots, so only a lockout delays them. */
const CANCEL_WITHIN_MS = 30_000;

/** Delay before a failed cancel is repeated, and before one of an order that may not exist, in ms. */
const RETRY_AFTER_MS = 2_000;
const RETRY_UNKNOWN_AFTER_MS = 15_000;

/**
 * Cancels orders. A requested cancel is remembered, also over a restart, until the exchange shows that the
 * order has ended; that is never assumed.
 */
export class CancelManager {
  private readonly blotter: OrderBlotter;
  private readonly reports: OrderReportMatcher;
  /** Orders to cancel, by key, with the time of the next request; infinity while an answer is awaited. */
  readonly wanted = new Map<string, number>();
  /**
   * Ids of orders that are canceled although the table does not have them. Bounded by the requests in flight.
   */
  private readonly foreign = new Set<VenueOrderId>();

  constructor(options: { readonly blotter: OrderBlotter; readonly reports: OrderReportMatcher }) {
    this.blotter = options.blotter;
    this.reports = options.reports;
    this.blotter.isEndWanted = (key) => this.wanted.has(key);
    const mattersIn = ['planned', 'open', 'settling', 'filled', 'cancelled', 'rejected'] as const;
    const onOrder = (order: OrderRecord): void => {
      if (!mayTrade(order) && this.wanted.delete(order.key)) this.remember();
      // The order is known to be open only now, so only now can it be canceled.
      else if (order.state === 'open' && this.wanted.get(order.key) === Number.POSITIVE_INFINITY)
        this.wanted.set(order.key, this.blotter.outbox.nowMs);
    };
    this.blotter.listen(mattersIn, onOrder, this.wanted);
  }

  get size(): number {
    return this.wanted.size;
  }

  /** True if a cancel of the order was requested and the order has not ended yet. */
  wantsEndOf(key: string): boolean {
    return this.wanted.has(key);
  }

  /** Cancels an order: drops it if it was not sent yet, otherwise sends the request as soon as possible. */
  cancel(order: OrderRecord): void {
    const { nowMs } = this.blotter.outbox;
    if (order.state === 'planned') {
      this.drop(order, nowMs);
      return;
    }
    if (!mayTrade(order) || this.wanted.has(order.key)) return;
    this.wanted.set(order.key, nowMs);
    this.remember();
    this.ask(order.key);
  }

  /** Requests an order's record from the exchange. */
  query(order: OrderRecord): void {
    this.reports.inquiries.ask(order.venueId, order.market);
  }

  /**
   * Cancels an order that is not in the table: the duplicate of one of our orders or, when the whole account
   * is halted, any order of the account. Returns false if its cancel is already in flight.
   */
  cancelForeign(venueId: VenueOrderId, market: string | null): boolean {
    if (this.foreign.has(venueId)) return false;
    this.foreign.add(venueId);
    this.blotter.outbox.ask(
      { kind: 'cancel', market, venueId, clientOrderId: null },
      { requestClass: 'cancel', dedupe: `cancel ${venueId}`, withinMs: CANCEL_WITHIN_MS },
      () => void this.foreign.delete(venueId),
    );
    return true;
  }

  pump(nowMs: number): void {
    for (const [key, atMs] of this.wanted) if (atMs <= nowMs) this.ask(key);
  }

  wakeAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const atMs of this.wanted.values()) next = Math.min(next, atMs);
    return next;
  }

  restore(stored: StoredTexts): void {
    for (const key of restored(stored, 'wanted-cancels') ?? []) {
      const order = this.blotter.table.get(key);
      if (order !== undefined && !isFinal(order)) this.wanted.set(key, 0);
    }
  }

  /** Drops an order that was not sent. Both legs of a pair are dropped, because they are sent as one. */
  private drop(order: OrderRecord, nowMs: number): void {
    const pair = order.pairKey === null ? undefined : this.blotter.table.get(order.pairKey);
    for (const leg of [order, pair]) {
      if (leg?.state === 'planned')
        this.blotter.apply(leg, { kind: 'dropped', atMs: nowMs, reason: sentence('order-cancelled') });
    }
  }

  private ask(key: string): void {
    const order = this.blotter.table.get(key);
    const { nowMs } = this.blotter.outbox;
    if (order === undefined || !mayTrade(order)) {
      this.wanted.delete(key);
      return;
    }
    // A cancel has to wait for the answer to the request in flight, which shows if the order is open.
    if (order.state === 'sending' || order.state === 'cancelling') {
      this.wanted.set(key, order.state === 'sending' ? nowMs + RETRY_AFTER_MS : Number.POSITIVE_INFINITY);
      return;
    }
    const { canBeQueried } = this.blotter.venue.clientOrderId;
    const name = canBeQueried ? order.clientOrderId : null;
    if (order.state === 'unknown' && name === null) {
      this.wanted.set(key, nowMs + RETRY_UNKNOWN_AFTER_MS);
      return;
    }
    // The id may be wrong if only one reply gave it. Then our own id is used, or, for the stop leg of a pair,
    // which has none, the order is read once more first.
    if (name === null && !this.reports.sureIds.isSure(key)) {
      this.query(order);
      this.wanted.set(key, nowMs + RETRY_AFTER_MS);
      return;
    }
    this.wanted.set(
      key,
      order.state === 'unknown' ? nowMs + RETRY_UNKNOWN_AFTER_MS : Number.POSITIVE_INFINITY,
    );
    this.blotter.apply(order, { kind: 'cancel asked' });
    this.blotter.outbox.ask(
      { kind: 'cancel', ...this.askedAs(order) },
      { requestClass: 'cancel', dedupe: `cancel ${key}`, withinMs: CANCEL_WITHIN_MS },
      (answer, { reply }) => {
        const doubt = this.apply(key, answer);
        persistReply(this.blotter.outbox, key, { step: 'cancel', answer, reply, doubt });
      },
    );
  }

  /** Returns the exchange's id of the order if it is certain, otherwise our client order id. */
  private askedAs({ key, market, venueId, clientOrderId: name }: OrderRecord): AskedOrder {
    if (venueId !== null && this.reports.sureIds.isSure(key)) return { market, venueId, clientOrderId: null };
    const clientOrderId = present(name, () => `the client order id of ${key}`);
    return { market, venueId: null, clientOrderId };
  }

  /** Returns the reason that the record in the answer was not used; null if it was used, or there is none. */
  private apply(key: string, answer: VenueAnswer<'cancel'>): typeof DOUBTED | null {
    const record = recordIn(answer);
    const order = this.blotter.table.get(key);
    if (order === undefined) return null;
    if (statesClosed(this.blotter.venue, answer)) this.reports.endings.corroborate(key);
    const match = record === null ? null : this.reports.apply(record, { known: order });
    this.goOn(match?.kind === 'own' ? match.order : order, answer);
    return match?.kind === 'doubtful' ? DOUBTED : null;
  }

  /** Continues after the answer to a cancel. `seen`: the order after the answer was applied. */
  private goOn(seen: OrderRecord, answer: VenueAnswer<'cancel'>): void {
    const { key } = seen;
    if (seen.pairKey !== null && !mayTrade(seen)) {
      const pair = this.blotter.table.get(seen.pairKey);
      if (pair !== undefined && mayTrade(pair)) this.query(pair);
    }
    if (!mayTrade(seen)) return;
    // The order may have ended: the reply may be lost, or may not have stated it.
    const open = this.blotter.apply(seen, { kind: 'cancel failed' });
    const afterMs = open.state === 'unknown' ? RETRY_UNKNOWN_AFTER_MS : RETRY_AFTER_MS;
    if (this.wanted.has(key)) this.wanted.set(key, this.blotter.outbox.nowMs + afterMs);
    if (answer.outcome !== 'unsent') this.query(open);
  }

  private remember(): void {
    this.blotter.outbox.persist('wanted-cancels', [...this.wanted.keys()]);
  }
}

/** True if the cancel's answer itself states that the order has ended. */
function statesClosed(venue: VenueProfile, answer: VenueAnswer<'cancel'>): boolean {
  if (answer.outcome === 'refused') return answer.status !== null && isClosedStatus(venue, answer.status);
  if (answer.outcome !== 'value') return false;
  const { status } = answer.value;
  return status !== null && isClosedStatus(venue, status);
}

/** Returns the order record in a cancel's answer, also if the cancel was refused; null if there is none. */
function recordIn(answer: VenueAnswer<'cancel'>): VenueOrder | null {
  if (answer.outcome === 'refused') return answer.order;
  if (answer.outcome !== 'value') return null;
  return answer.value.order;
}
