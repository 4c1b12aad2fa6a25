import { NO_UNITS, type Units } from '../domain/money.ts';
import type { ExitKind } from '../domain/exit-kind.ts';
import type { Execution, ORDER_STATES, Side } from '../domain/order.ts';
import type { VenueOrderId } from '../domain/venue-id.ts';
import { sentence } from '../language/sentence.ts';
import type { ListCursor } from '../venues/port.ts';

export type OrderState = (typeof ORDER_STATES)[number];

/**
 * An order of ours, from its plan on. A value: each step makes a new one. Prices and amounts are units of
 * 1e-10, not steps of the market, so that an order outlives a change of the steps it was fitted to.
 */
export interface OrderRecord {
  /**
   * Its name here. The first leg's own for a single order and the limit leg of an OCO; the stop leg, which
   * has none on the wire, has it with `/2`.
   */
  readonly key: string;
  /** Id at the exchange; null for the stop leg of an OCO. */
  readonly clientOrderId: string | null;
  /** The intent it serves. */
  readonly intentId: string;
  readonly strategy: string;
  readonly tag: string | null;
  /** Kind of bracket exit; null for any other order. */
  readonly exit: ExitKind | null;
  /** A symbol such as `BTCIRT`. */
  readonly market: string;
  readonly marketVersion: number;
  readonly side: Side;
  readonly execution: Execution;
  /**
   * Units of the quote currency for one of the source currency. Null for market and stop-market orders
   * without a bound.
   */
  readonly price: Units | null;
  readonly stopPrice: Units | null;
  readonly amount: Units;
  /** The other leg of an OCO, by its key. */
  readonly pairKey: string | null;
  readonly plannedAtMs: number;
  /** The last instant at which its request can have been sent; null before. */
  readonly sentAtMs: number | null;
  /**
   * Number of times its request was passed on; a second time only if that is allowed, after proof that the
   * first never arrived.
   */
  readonly attempts: number;
  readonly state: OrderState;
  readonly venueId: VenueOrderId | null;
  /** The exchange's own word. */
  readonly venueStatus: string | null;
  /** As the exchange last said it. */
  readonly matched: Units;
  /**
   * As the fills that we have read add up. `filledTotal` is before fees; `fee` is in the currency received.
   */
  readonly filled: Units;
  readonly filledTotal: Units;
  readonly fee: Units;
  /** Reason it was rejected, or that somebody else canceled it: a code or a sentence. */
  readonly reason: string | null;
  readonly closedAtMs: number | null;
  /** The furthest that the list of own orders was known to go when it was planned: it stands beyond that. */
  readonly orderFloor: ListCursor;
  /** The same of trades. */
  readonly tradeFloor: ListCursor;
}

/**
 * The reason of an order that the exchange closed before all of it traded, and whose end nobody here wanted.
 */
export const CANCELED_BY_OTHERS = sentence('order-canceled-by-others');

/** Fields that an order has only once its request was made. */
type SincePlanned =
  | 'sentAtMs'
  | 'attempts'
  | 'state'
  | 'venueId'
  | 'venueStatus'
  | 'matched'
  | 'filled'
  | 'filledTotal'
  | 'fee'
  | 'reason'
  | 'closedAtMs';

/** Fields in which a strategy writes what it likes; the bot only passes them on. */
export type OrderLabels = Pick<OrderRecord, 'tag'>;

export const NO_LABELS: OrderLabels = { tag: null };

type OrderTerms = Omit<OrderRecord, SincePlanned | keyof OrderLabels>;

/** An order that was never sent yet. Each field by itself: an object that grows out of another is slow. */
export function unsentOrder(plan: OrderTerms & { readonly labels?: OrderLabels }): OrderRecord {
  const { labels = NO_LABELS } = plan;
  return {
    key: plan.key,
    clientOrderId: plan.clientOrderId,
    intentId: plan.intentId,
    strategy: plan.strategy,
    tag: labels.tag,
    exit: plan.exit,
    market: plan.market,
    marketVersion: plan.marketVersion,
    side: plan.side,
    execution: plan.execution,
    price: plan.price,
    stopPrice: plan.stopPrice,
    amount: plan.amount,
    pairKey: plan.pairKey,
    plannedAtMs: plan.plannedAtMs,
    orderFloor: plan.orderFloor,
    tradeFloor: plan.tradeFloor,
    sentAtMs: null,
    attempts: 0,
    state: 'planned',
    venueId: null,
    venueStatus: null,
    matched: NO_UNITS,
    filled: NO_UNITS,
    filledTotal: NO_UNITS,
    fee: NO_UNITS,
    reason: null,
    closedAtMs: null,
  };
}

/** True if it may still trade, as far as is known. */
export function mayTrade(order: OrderRecord): boolean {
  const { state } = order;
  return state === 'sending' || state === 'unknown' || state === 'open' || state === 'cancelling';
}

/** True if nothing about it will change any more. */
export function isFinal({ state }: Pick<OrderRecord, 'state'>): boolean {
  return state === 'filled' || state === 'cancelled' || state === 'rejected';
}
