import { NO_UNITS } from '../domain/money.ts';
import { ORDER_STATES } from '../domain/order.ts';
import { sentence } from '../language/sentence.ts';
import { field, optional, type EngineValues, type RecordOf, type ValuesWith } from './field.ts';

export type OrderState = EngineValues['orderState'];

/** States of an order whose request has left or come to nothing. */
export const STATES_ONCE_SENT = ORDER_STATES.filter((state) => state !== 'planned' && state !== 'sending');

/**
 * The fields of an order of ours, from its plan on. Prices and amounts are units of 1e-10, not steps of the
 * market, so that an order outlives a change of the steps it was fitted to.
 */
export const ORDER = {
  /**
   * The first leg's own for a single order and the limit leg of an OCO; the stop leg, which has none on the
   * wire, has it with `/2`.
   */
  key: field('name', 'Its name here.'),
  /** Id at the exchange; null for the stop leg of an OCO. */
  clientOrderId: optional('text'),
  /** The intent it serves. */
  intentId: field('name'),
  strategy: field('name'),
  tag: optional('text'),
  /** Null for any order but that of a bracket exit. */
  exit: optional('exit', 'Which exit of a bracket it is, such as `stop-loss`.'),
  /** A symbol such as `BTCIRT`. */
  market: field('name'),
  marketVersion: field('count'),
  side: field('side'),
  execution: field('execution'),
  /** Null for market and stop-market orders without a bound. */
  price: optional('money'),
  stopPrice: optional('money'),
  amount: field('amount'),
  /** By its key. */
  pairKey: optional('text', 'The other leg of an OCO.'),
  plannedAtMs: field('time'),
  /** The furthest that the list of own orders was known to go when it was planned: it stands beyond that. */
  orderFloor: field('cursor'),
  /** The same of trades. */
  tradeFloor: field('cursor'),
  /** The last instant at which its request can have been sent; null before. */
  sentAtMs: optional('time'),
  /**
   * Number of times its request was passed on; a second time only if that is allowed, after proof that the
   * first never arrived.
   */
  attempts: field('count'),
  state: field('orderState'),
  venueId: optional('orderId', 'Its id at the exchange.'),
  /** The exchange's own word. */
  venueStatus: optional('text'),
  /** As the exchange last said it. */
  matched: field('amount'),
  /** As the fills that we have read add up. */
  filled: field('amount'),
  filledTotal: field('money', 'Value of its fills, before fees.'),
  fee: field('amount', 'In the currency received.'),
  /** Reason it was rejected, or that somebody else canceled it: a code or a sentence. */
  reason: optional('reason'),
  closedAtMs: optional('time'),
};

/** An order. A value: each step makes a new one. */
export interface OrderRecord extends RecordOf<typeof ORDER> {}

/** An order with its money and amounts in another type, such as text. */
export type OrderWith<Decimal> = RecordOf<typeof ORDER, ValuesWith<Decimal>>;

/** An order with a price: no market order. */
export const PRICED_ORDER = { ...ORDER, price: field('money') };

export interface PricedOrder extends RecordOf<typeof PRICED_ORDER> {}

/** Fields of an order that a person places. */
export const BY_HAND_ORDER = ['strategy', 'market', 'side', 'amount', 'price', 'stopPrice'] as const;

/** The fields with those that are worked out for readers. */
export const SHOWN_ORDER = { ...ORDER, averagePrice: optional('money'), reasonFacts: optional('text') };

/** Fields that the control API shows, in its order. */
export const ORDER_ITEM = [
  'key',
  'clientOrderId',
  'venueId',
  'intentId',
  'strategy',
  'tag',
  'exit',
  'market',
  'side',
  'execution',
  'price',
  'stopPrice',
  'amount',
  'filled',
  'filledTotal',
  'fee',
  'state',
  'reason',
  'reasonFacts',
  'pairKey',
  'attempts',
  'plannedAtMs',
  'sentAtMs',
  'closedAtMs',
] as const;

/** Fields that a result shows, in its order. */
export const ORDER_RESULT = [
  'key',
  'clientOrderId',
  'pairKey',
  'strategy',
  'tag',
  'market',
  'side',
  'execution',
  'price',
  'stopPrice',
  'amount',
  'filled',
  'filledTotal',
  'averagePrice',
  'fee',
  'state',
  'reason',
  'plannedAtMs',
  'sentAtMs',
  'closedAtMs',
  'exit',
] as const;

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
export const ORDER_LABELS = ['tag'] as const;

type Label = (typeof ORDER_LABELS)[number];
export type OrderLabels = Pick<OrderRecord, Label>;

/** The labels of an order or an intent. */
export function labelsOf({ tag = null }: { readonly [Name in Label]?: string | null }): OrderLabels {
  return { tag };
}

export const NO_LABELS = labelsOf({});

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
