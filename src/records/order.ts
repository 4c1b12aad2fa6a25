import { NO_UNITS } from '../domain/money.ts';
import { ORDER_STATES } from '../domain/order.ts';
import { sentence } from '../language/sentence.ts';
import { field, optional, type EngineValues, type RecordOf, type ValuesWith } from './field.ts';

export type OrderState = EngineValues['orderState'];

/** States of an order whose request was sent or failed: all but `planned` and `sending`. */
export const STATES_ONCE_SENT = ORDER_STATES.filter((state) => state !== 'planned' && state !== 'sending');

/**
 * Fields of an order of the bot, from its plan on. Prices and amounts are units of 1e-10, not steps of the
 * market, so that they stay right when the market's steps change.
 */
export const ORDER = {
  /**
   * Client order id of a single order or of the limit leg of an OCO. The stop leg of an OCO has no such id at
   * the exchange; its key is that of the limit leg with `/2`.
   */
  key: field('name', 'Its name here.'),
  /** Id at the exchange; null for the stop leg of an OCO. */
  clientOrderId: optional('text'),
  /** Id of the intent that the order serves. */
  intentId: field('name'),
  strategy: field('name'),
  tag: optional('text'),
  /** Null unless the order is the exit of a bracket. */
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
  /** Key of the other leg. */
  pairKey: optional('text', 'The other leg of an OCO.'),
  plannedAtMs: field('time'),
  /** Furthest known position in the list of own orders when it was planned: the order stands beyond that. */
  orderFloor: field('cursor'),
  /** Furthest known position in the list of own trades when it was planned. */
  tradeFloor: field('cursor'),
  /** Best prices that the bot knew when it planned the order; null without a book. On bars the last close. */
  arrivalBid: optional('money', 'The best bid that the bot knew when it planned the order.'),
  arrivalAsk: optional('money', 'The best ask that the bot knew when it planned the order.'),
  /** Latest time at which its request can have been sent; null before. */
  sentAtMs: optional('time'),
  /** Number of times its request was passed on. A second time needs proof that the first never arrived. */
  attempts: field('count'),
  state: field('orderState'),
  venueId: optional('orderId', 'Its id at the exchange.'),
  /** Status in the exchange's own words. */
  venueStatus: optional('text'),
  /** Matched amount as the exchange last stated it. */
  matched: field('amount'),
  /** Matched amount as the sum of the fills read so far. */
  filled: field('amount'),
  filledTotal: field('money', 'Value of its fills, before fees.'),
  fee: field('amount', 'In the currency received.'),
  /** Reason it was rejected, or canceled by somebody else: a code or a sentence. */
  reason: optional('reason'),
  closedAtMs: optional('time'),
};

/** An order as a value: each change makes a new one. */
export interface OrderRecord extends RecordOf<typeof ORDER> {}

/** An order with its money and amounts in another type, such as text. */
export type OrderWith<Decimal> = RecordOf<typeof ORDER, ValuesWith<Decimal>>;

/** Fields of an order that has a price: any but a market order. */
export const PRICED_ORDER = { ...ORDER, price: field('money') };

export interface PricedOrder extends RecordOf<typeof PRICED_ORDER> {}

/** Tag of the orders that a person places. */
export const BY_HAND_TAG = 'by-hand';

/** Fields of an order that a person places. */
export const BY_HAND_ORDER = ['strategy', 'market', 'side', 'amount', 'price', 'stopPrice'] as const;

/** Fields of an order and those that are computed for readers. */
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
  'arrivalBid',
  'arrivalAsk',
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

/** Reason of an order that the exchange closed early, although the bot had not asked for it. */
export const CANCELED_BY_OTHERS = sentence('order-canceled-by-others');

/** Fields of an order that have a value only once its request was made. */
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

/** Fields in which a strategy writes any text; the bot only passes them on. */
export const ORDER_LABELS = ['tag'] as const;

type Label = (typeof ORDER_LABELS)[number];
export type OrderLabels = Pick<OrderRecord, Label>;

/** Returns the labels of an order or an intent. */
export function labelsOf({ tag = null }: { readonly [Name in Label]?: string | null }): OrderLabels {
  return { tag };
}

export const NO_LABELS = labelsOf({});

type OrderTerms = Omit<OrderRecord, SincePlanned | keyof OrderLabels>;

/** Makes an order that was never sent. Each field is written by itself: spreading an object is slow. */
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
    arrivalBid: plan.arrivalBid,
    arrivalAsk: plan.arrivalAsk,
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

/** True if the order may still trade, as far as is known. */
export function mayTrade(order: OrderRecord): boolean {
  const { state } = order;
  return state === 'sending' || state === 'unknown' || state === 'open' || state === 'cancelling';
}

/** True if nothing about the order will change any more. */
export function isFinal({ state }: Pick<OrderRecord, 'state'>): boolean {
  return state === 'filled' || state === 'cancelled' || state === 'rejected';
}
