import { invariant } from '../../domain/errors.ts';
import { NO_UNITS, type Units } from '../../domain/money.ts';
import type { VenueOrderId } from '../../domain/order.ts';
import { english, sentence, type Sentence } from '../../language/sentence.ts';
import { isFinal, type OrderRecord, type OrderState } from '../../records/order.ts';

/** Status of an order as any list or reply of the exchange shows it. */
export interface OrderStatusReport {
  readonly venueId: VenueOrderId | null;
  readonly status: string | null;
  /** True if the order can still fill, by its status; also true without a status. */
  readonly isOpen: boolean;
  readonly matched: Units;
  /**
   * Terms that the exchange accepted; null if not reported. They can differ from the sent ones: the exchange
   * rounds digits beyond the market's steps.
   */
  readonly terms: VenueTerms | null;
}

interface VenueTerms {
  readonly amount: Units;
  readonly price: Units | null;
  readonly stopPrice: Units | null;
}

/** An action on an order, or news about it. */
export type OrderEvent =
  /** The request was queued; it leaves when its budget allows. */
  | { readonly kind: 'submitted'; readonly atMs: number }
  /** The order was given up before anything was sent: halted, too old, or no slot. */
  | { readonly kind: 'dropped'; readonly atMs: number; readonly reason: Sentence }
  /** The exchange refused the order, so it does not exist there. */
  | { readonly kind: 'refused'; readonly atMs: number; readonly code: string }
  /** There was no clear answer. The request may have left up to `sentAtMs`. */
  | { readonly kind: 'unanswered'; readonly sentAtMs: number }
  | { readonly kind: 'seen'; readonly atMs: number; readonly report: OrderStatusReport }
  /** Two readings of a closed order show a smaller matched amount than an earlier one: they are right. */
  | { readonly kind: 'matched less'; readonly matched: Units }
  /** The id from a reply was wrong; `venueId` is the order's id, by its own record. */
  | { readonly kind: 'rebound'; readonly venueId: VenueOrderId }
  /**
   * Two answers show that the exchange has no order under the id from a reply, so the order has to be found
   * again.
   */
  | { readonly kind: 'unbound' }
  | { readonly kind: 'cancel asked' }
  /** The cancel failed or had no clear result. Next the order's status is read. */
  | { readonly kind: 'cancel failed' }
  | {
      readonly kind: 'filled';
      readonly atMs: number;
      readonly amount: Units;
      readonly total: Units;
      readonly fee: Units;
    }
  /** Booked fills were corrected by this difference of value and fee. */
  | { readonly kind: 'corrected'; readonly total: Units; readonly fee: Units }
  /** The order is proven never to have arrived. `resend`: it may be sent again under the same id. */
  | { readonly kind: 'absent'; readonly atMs: number; readonly resend: boolean };

/** States that may follow each state. Any other change is a bug and stops trading. */
export const NEXT_STATES: Readonly<Record<OrderState, readonly OrderState[]>> = {
  planned: ['sending', 'rejected'],
  sending: ['unknown', 'open', 'settling', 'filled', 'cancelled', 'rejected'],
  unknown: ['planned', 'open', 'settling', 'filled', 'cancelled', 'rejected'],
  // `unknown` again: the id that a reply gave was wrong.
  open: ['cancelling', 'settling', 'filled', 'cancelled', 'unknown'],
  cancelling: ['open', 'settling', 'filled', 'cancelled', 'unknown'],
  settling: ['filled', 'cancelled'],
  filled: [],
  cancelled: [],
  // The order exists after all: the refusal was wrong, or it arrived later than should be possible.
  rejected: ['open', 'settling', 'filled', 'cancelled'],
};

/**
 * Returns an order after an event; the same object if the event changes nothing. Only positive evidence
 * rejects a sent order, and a rejected order that shows up is open again. Lists lag, so the matched amount
 * never falls by a list, and a closed order does not open again. @throws SarrafError `INVARIANT` for a change
 * that must not happen, such as a fill beyond the amount.
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
      // Dropping an order proves nothing once its request may have left.
      expectIn(order, event, ['planned', 'sending']);
      return { ...order, state: 'rejected', reason: event.reason, closedAtMs: event.atMs };
    case 'refused':
      // An order that a list has shown exists, whatever a late answer states.
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
      // An order that a reply has shown existed, so it is never sent again.
      if (event.resend && order.venueStatus === null) return { ...order, state: 'planned' };
      return { ...order, state: 'rejected', reason: sentence('order-never-arrived'), closedAtMs: event.atMs };
  }
}

/** True if an order can lose its id. Fills arrive by id, so the id of an order with fills is right. */
export function isUnbindable({ state, venueId, filled }: OrderRecord): boolean {
  return (state === 'open' || state === 'cancelling') && venueId !== null && filled === NO_UNITS;
}

function seen(order: OrderRecord, report: OrderStatusReport, atMs: number): OrderRecord {
  if (order.state === 'rejected') {
    if (report.venueId === null) return order;
    // It exists after all.
    return seen({ ...order, state: 'unknown', reason: null, closedAtMs: null }, report, atMs);
  }
  if (isFinal(order) || order.state === 'planned') return order;
  const matched = report.matched > order.matched ? report.matched : order.matched;
  const venueId = order.venueId ?? report.venueId;
  const terms = termsOf(order, report.terms);
  const wasClosed = order.state === 'settling';
  const venueStatus = wasClosed ? order.venueStatus : (report.status ?? order.venueStatus);
  const isClosed = wasClosed || !report.isOpen;
  const state = isClosed ? 'settling' : order.state === 'cancelling' ? 'cancelling' : 'open';
  const closedAtMs = isClosed ? (order.closedAtMs ?? atMs) : order.closedAtMs;
  // Lists repeat the same status often: the same object shows callers that nothing changed.
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

/**
 * Returns the exchange's terms if they differ from the order's: the exchange rounds to its current steps.
 * Amounts are only rounded down, never below the filled amount; other amounts are ignored. Null if nothing
 * differs.
 */
function termsOf(
  order: OrderRecord,
  terms: VenueTerms | null,
): Pick<OrderRecord, 'amount' | 'price' | 'stopPrice'> | null {
  if (terms === null) return null;
  const isLess = terms.amount < order.amount && terms.amount > 0n && terms.amount >= order.filled;
  const amount = isLess ? terms.amount : order.amount;
  // The price of a market order is only a hint, and lists can show any value for it.
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
  // A fill proves that the order arrived.
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

/** Returns the final state of a closed order once all its matched amount is filled; otherwise `state`. */
function settled(
  state: OrderState,
  { amount, filled, matched }: Pick<OrderRecord, 'amount' | 'filled' | 'matched'>,
): OrderState {
  if (state !== 'settling' || filled !== matched) return state;
  return filled === amount ? 'filled' : 'cancelled';
}
