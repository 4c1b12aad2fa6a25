import {
  midOfUnits,
  multiplyUnits,
  negateUnits,
  NO_UNITS,
  subtractUnits,
  type Units,
  UNITS_PER_ONE,
  divideDown,
} from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { sentence } from '../../language/sentence.ts';
import type { Intent } from '../../strategy/intents.ts';
import type { SeenBook } from '../risk/risk-view.ts';
import { canBeOrdered, onAmountGrid, positiveRequestedUnits, requestedUnits } from './requested-units.ts';
import {
  plainOrder,
  type AlgorithmStep,
  type AlgorithmView,
  NO_TALLY,
  countFills,
  waitingFor,
  NO_EQUITY,
  noPriceOf,
  over,
  placing,
  refused,
  waiting,
  type Creation,
} from './algorithm-step.ts';
import { afterSetbacks, MOST_SETBACKS, NO_SETBACKS } from './setbacks.ts';
import type { AlgorithmOf } from '../algorithm-json.ts';

/**
 * Brings the strategy's position to a target: the difference is placed as one order, its end is awaited, and
 * the new difference is placed again, until it is too small for an order. There is never more than one order
 * at a time, and never a sale of more than the strategy has. A value or a share of the equity is converted to
 * an amount once, at the first known price. It also ends when somebody cancels its limit order, after three
 * rejections in a row, and after `MOST_ORDERS`.
 */
export type TargetAlgorithm = AlgorithmOf<'target'>;

type TargetIntent = Extract<Intent, { kind: 'target' }>;

/**
 * Maximum number of orders of one target. Each leaves a fraction of the difference; more means that others
 * trade too.
 */
const MOST_ORDERS = 20;

export function createTarget(intent: TargetIntent): Creation<TargetAlgorithm> {
  const { position: requested, value: worth, equityShare: share } = intent;
  if ([requested, worth, share].filter((one) => one !== undefined).length !== 1) {
    return refused('expected one of position, value, equityShare for a target, was none or more');
  }
  const price = intent.price === undefined ? null : positiveRequestedUnits(intent.price);
  if (intent.price !== undefined && price === null) {
    return refused(sentence('positive-decimal', { field: 'price', found: String(intent.price) }));
  }
  const position = requested === undefined ? null : requestedUnits(requested);
  if (requested !== undefined && position === null) {
    return refused(`expected a position of zero or more, was "${String(requested)}"`);
  }
  const value = worth === undefined ? null : requestedUnits(worth);
  if (worth !== undefined && value === null) {
    return refused(`expected a value of zero or more, was "${String(worth)}"`);
  }
  const equityShare = share === undefined ? null : requestedUnits(share);
  if (share !== undefined && (equityShare === null || equityShare > UNITS_PER_ONE)) {
    return refused(`expected an equityShare from 0 to 1, was "${String(share)}"`);
  }
  const algorithm = { kind: 'target', placed: 0, setbacks: NO_SETBACKS, tally: NO_TALLY } as const;
  return { ok: true, algorithm: { ...algorithm, position, value, equityShare, price } };
}

export function advanceTarget(before: TargetAlgorithm, view: AlgorithmView): AlgorithmStep<TargetAlgorithm> {
  const { tally, ended, live } = countFills(before.tally, view.orders);
  const setbacks = afterSetbacks(before.setbacks, { ended, view });
  const isUnchanged = tally === before.tally && setbacks === before.setbacks;
  const algorithm = isUnchanged ? before : { ...before, tally, setbacks };
  if (live !== null) return waiting(algorithm);
  if (ended.at(-1)?.state === 'cancelled' && ended.at(-1)?.execution === 'limit') {
    return over(algorithm, sentence('over-order-canceled'));
  }
  if (setbacks.inARow >= MOST_SETBACKS) {
    return over(
      algorithm,
      sentence('over-refused', { count: setbacks.inARow, reason: setbacks.reason ?? sentence('no-reason') }),
    );
  }
  const position = algorithm.position ?? positionOf(algorithm, view);
  if (position === null)
    return waitingFor(algorithm, middleOf(view.book) === null ? noPriceOf(view.market.symbol) : NO_EQUITY);
  return approach(algorithm.position === null ? { ...algorithm, position } : algorithm, position, view);
}

/** Places the next order towards the target, if there is one to place now. */
function approach(
  algorithm: TargetAlgorithm,
  target: Units,
  view: AlgorithmView,
): AlgorithmStep<TargetAlgorithm> {
  const { retryAtMs } = algorithm.setbacks;
  const { side, amount } = differenceOf(target, view);
  if (onAmountGrid(view.market, amount) === 0n) return over(algorithm, sentence('reached'));
  const price = algorithm.price ?? (side === 'buy' ? view.book?.bestAsk : view.book?.bestBid) ?? null;
  if (price === null) return waitingFor(algorithm, noPriceOf(view.market.symbol));
  if (!canBeOrdered(view.market, { amount, price })) return over(algorithm, sentence('reached'));
  if (retryAtMs !== null && retryAtMs > view.nowMs) return waiting(algorithm, { wakeAtMs: retryAtMs });
  const short = side === 'sell' ? heldByExits(amount, view) : NO_UNITS;
  if (canBeOrdered(view.market, { amount: short, price })) {
    const sale = { market: view.market.symbol, amount: short, price: algorithm.price };
    return { ...waiting(algorithm, { wantsBooks: true }), leave: [sale], awaitsOthers: true };
  }
  const free = subtractUnits(amount, short);
  if (!canBeOrdered(view.market, { amount: free, price })) return over(algorithm, sentence('reached'));
  if (algorithm.placed >= MOST_ORDERS)
    return over(algorithm, sentence('over-not-reached', { count: MOST_ORDERS }));
  return placing({ ...algorithm, placed: algorithm.placed + 1 }, plainOrder(side, free, algorithm.price));
}

/** Returns the part of a sale that the strategy's own exits hold: they sell it, each in place of its exit. */
function heldByExits(amount: Units, { position, inExits }: AlgorithmView): Units {
  const free = subtractUnits(position, inExits);
  const short = free > 0n ? subtractUnits(amount, free) : amount;
  return short > 0n && inExits > 0n ? short : NO_UNITS;
}

function differenceOf(target: Units, view: AlgorithmView): { readonly side: Side; readonly amount: Units } {
  const difference = subtractUnits(target, view.position);
  if (difference >= 0n) return { side: 'buy', amount: difference };
  // The target is not negative, so the sale is never larger than the position.
  return { side: 'sell', amount: negateUnits(difference) };
}

/** Converts the value or the share to an amount; null while a price or the equity is not known. */
function positionOf(algorithm: TargetAlgorithm, view: AlgorithmView): Units | null {
  const price = algorithm.price ?? middleOf(view.book);
  const value = algorithm.value ?? shareOf(algorithm, view);
  if (price === null || value === null) return null;
  return onAmountGrid(view.market, divideDown(value * UNITS_PER_ONE, price));
}

/** Returns the value of the equity share; 0 if the equity is used up, and null if it is not known. */
function shareOf({ equityShare }: TargetAlgorithm, { equity }: AlgorithmView): Units | null {
  if (equity === null || equityShare === null) return null;
  return equity <= 0n ? NO_UNITS : multiplyUnits(equity, equityShare, divideDown);
}

function middleOf(book: SeenBook | null): Units | null {
  const bid = book?.bestBid ?? null;
  const ask = book?.bestAsk ?? null;
  if (bid === null || ask === null) return bid ?? ask;
  return midOfUnits(bid, ask);
}
