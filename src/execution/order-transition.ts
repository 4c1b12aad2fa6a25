import { invariant } from '../domain/errors.ts';
import { NO_UNITS, type Units } from '../domain/money.ts';
import type { OrderEvent, OrderStatusReport, VenueTerms } from './order-event.ts';
import { isFinal, type OrderRecord, type OrderState } from './order-record.ts';

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
 * The life cycle of an order: its next value after a fact, or the same value where the fact changes nothing. Only positive evidence rejects an order
 * that was sent, and one that turns up after a rejection lives again. Lists lag, so what was matched stays matched, and a closed order does not open again.
 * @throws SarrafError `INVARIANT` for a step that must not happen, such as a fill beyond the amount or of an order that never was.
 */
export function afterEvent(order: OrderRecord, fact: OrderEvent): OrderRecord {
  const next = apply(order, fact);
  invariant(
    next.state === order.state || NEXT_STATES[order.state].includes(next.state),
    () =>
      `expected one of ${NEXT_STATES[order.state].join(', ') || 'nothing'} after ${order.state} for ${order.key}, was ${next.state} by "${fact.kind}"`,
  );
  return next;
}

function apply(order: OrderRecord, fact: OrderEvent): OrderRecord {
  switch (fact.kind) {
    case 'handed over':
      expectIn(order, fact, ['planned']);
      return { ...order, state: 'sending', attempts: order.attempts + 1, sentAtMs: fact.atMs };
    case 'dropped':
      // Of one that may have left, that it was not wanted any more says nothing.
      expectIn(order, fact, ['planned', 'sending']);
      return { ...order, state: 'rejected', reason: fact.reason, closedAtMs: fact.atMs };
    case 'refused':
      // One that was seen in a list meanwhile is there, whatever a late answer says.
      if (order.state !== 'sending' && order.state !== 'unknown') return order;
      return { ...order, state: 'rejected', reason: fact.code, closedAtMs: fact.atMs };
    case 'unanswered':
      if (order.state !== 'sending') return order;
      return { ...order, state: 'unknown', sentAtMs: fact.sentAtMs };
    case 'seen':
      return seen(order, fact.sight, fact.atMs);
    case 'matched less':
      if (order.state !== 'settling' || fact.matched < order.filled || fact.matched >= order.matched) return order;
      return settled({ ...order, matched: fact.matched });
    case 'rebound':
      return isFinal(order) || order.venueId === null ? order : changed(order, { venueId: fact.venueId });
    case 'unbound':
      return isUnbindable(order) ? { ...order, state: 'unknown', venueId: null, matched: NO_UNITS } : order;
    case 'cancel asked':
      return order.state === 'open' ? { ...order, state: 'cancelling' } : order;
    case 'cancel failed':
      return order.state === 'cancelling' ? { ...order, state: 'open' } : order;
    case 'filled':
      return filled(order, fact);
    case 'absent':
      if (order.state !== 'unknown') return order;
      // One that a reply has told of was there, so it is never sent again.
      if (fact.resend && order.venueStatus === null) return { ...order, state: 'planned' };
      return { ...order, state: 'rejected', reason: 'NeverArrived', closedAtMs: fact.atMs };
  }
}

/** Fills come by the id, so that of an order with fills is right. */
export function isUnbindable({ state, venueId, filled }: OrderRecord): boolean {
  return (state === 'open' || state === 'cancelling') && venueId !== null && filled === NO_UNITS;
}

function seen(order: OrderRecord, sight: OrderStatusReport, atMs: number): OrderRecord {
  if (order.state === 'rejected') return sight.venueId === null ? order : seen(revived(order), sight, atMs);
  if (isFinal(order) || order.state === 'planned') return order;
  const matched = sight.matched > order.matched ? sight.matched : order.matched;
  const venueId = order.venueId ?? sight.venueId;
  const terms = termsOf(order, sight.terms);
  const isClosed = order.state === 'settling';
  // What a list says again and again.
  if (
    matched === order.matched &&
    venueId === order.venueId &&
    terms === null &&
    sight.status === order.venueStatus &&
    (order.state === 'open' || order.state === 'cancelling') &&
    sight.status !== null &&
    sight.isOpen
  ) {
    return order;
  }
  const status = isClosed ? order.venueStatus : (sight.status ?? order.venueStatus);
  if (isClosed || !sight.isOpen) {
    const closedAtMs = order.closedAtMs ?? atMs;
    return settled(changed(order, { state: 'settling', venueId, venueStatus: status, matched, closedAtMs, ...terms }));
  }
  const state = order.state === 'cancelling' ? 'cancelling' : 'open';
  return changed(order, { state, venueId, venueStatus: status, matched, ...terms });
}

/** One that was taken never to have been there, and is. */
function revived(order: OrderRecord): OrderRecord {
  return { ...order, state: 'unknown', reason: null, closedAtMs: null };
}

/**
 * What the exchange made of the order, where that differs: it rounds to the steps of now, and ours may be those of a while ago. Amounts are only ever
 * rounded down, and never below what was filled; anything else is no record of this order's terms. Null where nothing differs.
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

function expectIn(order: OrderRecord, fact: OrderEvent, states: readonly OrderState[]): void {
  invariant(
    states.includes(order.state),
    () => `expected ${order.key} to be ${states.join(' or ')} when it is "${fact.kind}", was ${order.state}`,
  );
}

/** The same value where nothing differs, so that whoever compares sees that nothing happened. */
function changed(order: OrderRecord, fields: Partial<OrderRecord>): OrderRecord {
  for (const name in fields) {
    const key = name as keyof OrderRecord;
    if (fields[key] !== order[key]) return { ...order, ...fields };
  }
  return order;
}

function filled(
  order: OrderRecord,
  fill: { readonly amount: Units; readonly total: Units; readonly fee: Units },
): OrderRecord {
  const amount = (order.filled + fill.amount) as Units;
  invariant(
    order.state !== 'planned' && order.state !== 'rejected',
    () =>
      `expected no fill of ${order.key}, which is ${order.state} (${order.reason}), was one of ${fill.amount} units`,
  );
  invariant(
    amount <= order.amount && !isFinal(order),
    () =>
      `expected fills of ${order.key} up to its ${order.amount} units, of which ${order.filled} were filled and it is ${order.state}, was one of ${fill.amount} more`,
  );
  const next: OrderRecord = {
    ...order,
    // A fill is evidence that it arrived.
    state: order.state === 'sending' || order.state === 'unknown' ? 'open' : order.state,
    filled: amount,
    filledTotal: (order.filledTotal + fill.total) as Units,
    fee: (order.fee + fill.fee) as Units,
    matched: amount > order.matched ? amount : order.matched,
  };
  return settled(next);
}

/** A closed order is at its end once its fills add up to what it matched. */
function settled(order: OrderRecord): OrderRecord {
  if (order.state !== 'settling' || order.filled !== order.matched) return order;
  return { ...order, state: order.filled === order.amount ? 'filled' : 'cancelled' };
}
