import { invariant } from '../../domain/errors.ts';
import { NO_UNITS, type Units } from '../../domain/money.ts';
import type { VenueOrderId } from '../../domain/order.ts';
import { english, sentence, type Sentence } from '../../language/sentence.ts';
import { isFinal, type OrderRecord, type OrderState } from '../../records/order.ts';

/** Exchange's report on an order, from any of its lists and replies. */
export interface OrderStatusReport {
  readonly venueId: VenueOrderId | null;
  readonly status: string | null;
  /** True if the order may still fill by its status; also true if no status was given. */
  readonly isOpen: boolean;
  readonly matched: Units;
  /**
   * Order terms as the exchange accepted them. They can differ from what was sent: digits beyond the market's
   * steps are rounded. Null if not reported.
   */
  readonly terms: VenueTerms | null;
}

interface VenueTerms {
  readonly amount: Units;
  readonly price: Units | null;
  readonly stopPrice: Units | null;
}

/** Something that was done about an order, or learned of it. */
export type OrderEvent =
  /** Its request was submitted; it leaves when its budget permits. */
  | { readonly kind: 'submitted'; readonly atMs: number }
  /** It was decided otherwise before anything left: halted, too old, no slot. */
  | { readonly kind: 'dropped'; readonly atMs: number; readonly reason: Sentence }
  /** The exchange's own no, which says that nothing was registered. */
  | { readonly kind: 'refused'; readonly atMs: number; readonly code: string }
  /** No clear answer; it can have left until `sentAtMs`. */
  | { readonly kind: 'unanswered'; readonly sentAtMs: number }
  | { readonly kind: 'seen'; readonly atMs: number; readonly report: OrderStatusReport }
  /**
   * It matched less than a reading had said, as two later ones say: what is closed does not change any more.
   */
  | { readonly kind: 'matched less'; readonly matched: Units }
  /** The id that a reply gave it is not its own; this one is, as it says itself. */
  | { readonly kind: 'rebound'; readonly venueId: VenueOrderId }
  /**
   * The exchange has nothing under the id that a reply gave it, as two answers say. What it is there has to
   * be found out.
   */
  | { readonly kind: 'unbound' }
  | { readonly kind: 'cancel asked' }
  /** The cancel came to nothing, or to nothing clear. Whether the order is open is asked next. */
  | { readonly kind: 'cancel failed' }
  | {
      readonly kind: 'filled';
      readonly atMs: number;
      readonly amount: Units;
      readonly total: Units;
      readonly fee: Units;
    }
  /** By how much what it filled for was another than it was taken for. */
  | { readonly kind: 'corrected'; readonly total: Units; readonly fee: Units }
  /** Proven that it never arrived. `resend`: it may be sent again under its own id. */
  | { readonly kind: 'absent'; readonly atMs: number; readonly resend: boolean };

/** Every state that a state may become; what is not here is a mistake of ours and stops trading. */
export const NEXT_STATES: Readonly<Record<OrderState, readonly OrderState[]>> = {
  planned: ['sending', 'rejected'],
  sending: ['unknown', 'open', 'settling', 'filled', 'cancelled', 'rejected'],
  unknown: ['planned', 'open', 'settling', 'filled', 'cancelled', 'rejected'],
  // Unknown again: the id that a reply gave it was wrong.
  open: ['cancelling', 'settling', 'filled', 'cancelled', 'unknown'],
  cancelling: ['open', 'settling', 'filled', 'cancelled', 'unknown'],
  settling: ['filled', 'cancelled'],
  filled: [],
  cancelled: [],
  // It was there after all: a refusal that was none, or one that came later than anything can.
  rejected: ['open', 'settling', 'filled', 'cancelled'],
};

/**
 * The life cycle of an order: its next value after a event, or the same value where the event changes
 * nothing. Only positive evidence rejects an order that was sent, and one that turns up after a rejection
 * lives again. Lists lag, so what was matched stays matched, and a closed order does not open again.
 * @throws SarrafError `INVARIANT` for a step that must not happen, such as a fill beyond the amount or of an
 * order that never was.
 */
export function afterEvent(order: OrderRecord, event: OrderEvent): OrderRecord {
  const next = apply(order, event);
  invariant(
    next.state === order.state || NEXT_STATES[order.state].includes(next.state),
    () =>
      `expected one of ${NEXT_STATES[order.state].join(', ') || 'nothing'} after ${order.state} for ${order.key}, was ${next.state} by "${event.kind}"`,
  );
  return next;
}

function apply(order: OrderRecord, event: OrderEvent): OrderRecord {
  switch (event.kind) {
    case 'submitted':
      expectIn(order, event, ['planned']);
      return { ...order, state: 'sending', attempts: order.attempts + 1, sentAtMs: event.atMs };
    case 'dropped':
      // Of one that may have left, that it was not wanted any more says nothing.
      expectIn(order, event, ['planned', 'sending']);
      return { ...order, state: 'rejected', reason: event.reason, closedAtMs: event.atMs };
    case 'refused':
      // One that was seen in a list meanwhile is there, whatever a late answer says.
      if (order.state !== 'sending' && order.state !== 'unknown') return order;
      return { ...order, state: 'rejected', reason: event.code, closedAtMs: event.atMs };
    case 'unanswered':
      if (order.state !== 'sending') return order;
      return { ...order, state: 'unknown', sentAtMs: event.sentAtMs };
    case 'seen':
      return seen(order, event.report, event.atMs);
    case 'matched less':
      if (order.state !== 'settling' || event.matched < order.filled || event.matched >= order.matched)
        return order;
      return { ...order, matched: event.matched, state: settled('settling', { ...order, ...event }) };
    case 'rebound':
      if (isFinal(order) || order.venueId === null || order.venueId === event.venueId) return order;
      return { ...order, venueId: event.venueId };
    case 'unbound':
      return isUnbindable(order) ? { ...order, state: 'unknown', venueId: null, matched: NO_UNITS } : order;
    case 'cancel asked':
      return order.state === 'open' ? { ...order, state: 'cancelling' } : order;
    case 'cancel failed':
      return order.state === 'cancelling' ? { ...order, state: 'open' } : order;
    case 'filled':
      return filled(order, event);
    case 'corrected':
      return {
        ...order,
        filledTotal: (order.filledTotal + event.total) as Units,
        fee: (order.fee + event.fee) as Units,
      };
    case 'absent':
      if (order.state !== 'unknown') return order;
      // One that a reply has shown was there, so it is never sent again.
      if (event.resend && order.venueStatus === null) return { ...order, state: 'planned' };
      return { ...order, state: 'rejected', reason: sentence('order-never-arrived'), closedAtMs: event.atMs };
  }
}

/** Fills come by the id, so that of an order with fills is right. */
export function isUnbindable({ state, venueId, filled }: OrderRecord): boolean {
  return (state === 'open' || state === 'cancelling') && venueId !== null && filled === NO_UNITS;
}

function seen(order: OrderRecord, report: OrderStatusReport, atMs: number): OrderRecord {
  if (order.state === 'rejected') return report.venueId === null ? order : seen(revived(order), report, atMs);
  if (isFinal(order) || order.state === 'planned') return order;
  const matched = report.matched > order.matched ? report.matched : order.matched;
  const venueId = order.venueId ?? report.venueId;
  const terms = termsOf(order, report.terms);
  const wasClosed = order.state === 'settling';
  const venueStatus = wasClosed ? order.venueStatus : (report.status ?? order.venueStatus);
  const isClosed = wasClosed || !report.isOpen;
  const state = isClosed ? 'settling' : order.state === 'cancelling' ? 'cancelling' : 'open';
  const closedAtMs = isClosed ? (order.closedAtMs ?? atMs) : order.closedAtMs;
  // What a list says again and again: the same value, so that whoever compares sees that nothing happened.
  const isSame =
    terms === null &&
    state === order.state &&
    venueId === order.venueId &&
    venueStatus === order.venueStatus &&
    matched === order.matched &&
    closedAtMs === order.closedAtMs;
  if (isSame) return order;
  const amounts = { amount: terms?.amount ?? order.amount, filled: order.filled, matched };
  const settledState = settled(state, amounts);
  return { ...order, state: settledState, venueId, venueStatus, matched, closedAtMs, ...terms };
}

/** Revives an order that counted as never placed, and exists. */
function revived(order: OrderRecord): OrderRecord {
  return { ...order, state: 'unknown', reason: null, closedAtMs: null };
}

/**
 * Returns the exchange's terms of the order, if they differ: it rounds to the current steps, and ours may be
 * older. Amounts are only ever rounded down, and never below the filled amount; anything else is no record of
 * this order's terms. Null if nothing differs.
 */
function termsOf(
  order: OrderRecord,
  terms: VenueTerms | null,
): Pick<OrderRecord, 'amount' | 'price' | 'stopPrice'> | null {
  if (terms === null) return null;
  const isLess = terms.amount < order.amount && terms.amount > 0n && terms.amount >= order.filled;
  const amount = isLess ? terms.amount : order.amount;
  // The price of a market order is no more than a hint, and lists say what they like for it.
  const hasPrice = order.price !== null && (order.execution === 'limit' || order.execution === 'stop_limit');
  const price = hasPrice ? (terms.price ?? order.price) : order.price;
  const stopPrice = order.stopPrice === null ? null : (terms.stopPrice ?? order.stopPrice);
  if (amount === order.amount && price === order.price && stopPrice === order.stopPrice) return null;
  return { amount, price, stopPrice };
}

function expectIn(order: OrderRecord, event: OrderEvent, states: readonly OrderState[]): void {
  invariant(
    states.includes(order.state),
    () => `expected ${order.key} to be ${states.join(' or ')} when it is "${event.kind}", was ${order.state}`,
  );
}

function filled(
  order: OrderRecord,
  fill: { readonly amount: Units; readonly total: Units; readonly fee: Units },
): OrderRecord {
  const amount = (order.filled + fill.amount) as Units;
  invariant(
    order.state !== 'planned' && order.state !== 'rejected',
    () =>
      `expected no fill of ${order.key}, which is ${order.state} (${english(order.reason)}), was one of ${fill.amount} units`,
  );
  invariant(
    amount <= order.amount && !isFinal(order),
    () =>
      `expected fills of ${order.key} up to its ${order.amount} units, of which ${order.filled} were filled and it is ${order.state}, was one of ${fill.amount} more`,
  );
  const matched = amount > order.matched ? amount : order.matched;
  // A fill is evidence that it arrived.
  const arrived = order.state === 'sending' || order.state === 'unknown' ? 'open' : order.state;
  return {
    ...order,
    state: settled(arrived, { amount: order.amount, filled: amount, matched }),
    filled: amount,
    filledTotal: (order.filledTotal + fill.total) as Units,
    fee: (order.fee + fill.fee) as Units,
    matched,
  };
}

/** A closed order is at its end once its fills add up to what it matched. */
function settled(
  state: OrderState,
  { amount, filled, matched }: Pick<OrderRecord, 'amount' | 'filled' | 'matched'>,
): OrderState {
  if (state !== 'settling' || filled !== matched) return state;
  return filled === amount ? 'filled' : 'cancelled';
}
