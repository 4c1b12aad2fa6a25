import type { Market } from '../../domain/market.ts';
import {
  formatUnits,
  NO_UNITS,
  type Units,
  UNITS_PER_ONE,
  subtractUnits,
  unitsOf,
  divideDown,
  divideUp,
} from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { sentence } from '../../language/sentence.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import { canBeOrdered, positiveRequestedUnits, requestedUnits } from './requested-units.ts';
import { NO_SETBACKS, afterSetbacks, MOST_SETBACKS } from './setbacks.ts';
import {
  refused,
  type Creation,
  canceling,
  over,
  placing,
  waiting,
  NO_TALLY,
  countFills,
  type Stock,
  plainOrder,
  type AlgorithmStep,
  type AlgorithmView,
} from './algorithm-step.ts';
import type { OrderRecord } from '../../records/order.ts';
import type { AlgorithmOf } from '../algorithm-json.ts';

/**
 * A limit order that follows the best price of its own side up to a bound. There is one order at a time: it
 * is canceled, its end and its fills are awaited, and the rest is placed at the new price. See `advancePeg`.
 */
export type PegAlgorithm = AlgorithmOf<'peg'>;

/** A peg intent with its computed amount. */
export type PegIntent = Extract<Intent, { kind: 'peg' }> & { readonly amount: DecimalInput };

/** Maximum share of the order budget for all pegs together: a half. */
const MOST_PEG_SHARE = (UNITS_PER_ONE / 2n) as Units;

const DEFAULT_SHARE = (UNITS_PER_ONE / 10n) as Units;
const DEFAULT_EVERY_MS = 10_000;
const LEAST_EVERY_MS = 1_000;
const MOST_OFFSET = 1_000;
const PERCENT = 100n;

export interface CreatePegOptions {
  readonly market: Market;
  readonly nowMs: number;
  /** Moves (a cancel and a new order) that the limits allow per minute; null if there is no limit. */
  readonly movesPerMinute: number | null;
  /** Share already used by running pegs. */
  readonly pegShares: Units;
}

export function createPeg(intent: PegIntent, options: CreatePegOptions): Creation<PegAlgorithm> {
  const { market, nowMs, movesPerMinute, pegShares } = options;
  const { side, offset = 0, everyMs: requestedEveryMs = DEFAULT_EVERY_MS, expireAfterMs } = intent;
  const amount = positiveRequestedUnits(intent.amount);
  const bound = positiveRequestedUnits(intent.bound);
  const minStep = intent.minStep === undefined ? NO_UNITS : requestedUnits(intent.minStep);
  const share = intent.share === undefined ? DEFAULT_SHARE : positiveRequestedUnits(intent.share);
  if (amount === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (bound === null)
    return refused(sentence('positive-decimal', { field: 'bound', found: String(intent.bound) }));
  if (minStep === null)
    return refused(`expected a minStep from 0 on, in percent, was "${String(intent.minStep)}"`);
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > MOST_OFFSET)
    return refused(`expected an offset of 0 to ${MOST_OFFSET} steps, was ${offset}`);
  if (!Number.isSafeInteger(requestedEveryMs) || requestedEveryMs < LEAST_EVERY_MS)
    return refused(`expected everyMs from ${LEAST_EVERY_MS} on, was ${requestedEveryMs}`);
  if (share === null || share > MOST_PEG_SHARE - pegShares) {
    const left = formatUnits(MOST_PEG_SHARE - pegShares);
    return refused(
      `expected a share of at most ${left}, which other pegs leave of ${formatUnits(MOST_PEG_SHARE)}, was ${String(intent.share ?? formatUnits(DEFAULT_SHARE))}`,
    );
  }
  if (!canBeOrdered(market, { amount, price: bound })) {
    return refused(
      `expected more than ${formatUnits(market.minOrderValue)} ${market.quote} at the bound of ${formatUnits(bound)}, was ${formatUnits(amount)} ${market.base}`,
    );
  }
  const everyMs = Math.max(requestedEveryMs, pauseOf(share, movesPerMinute));
  const expiresAtMs = expireAfterMs === undefined ? null : nowMs + expireAfterMs;
  const begun = {
    movedAtMs: null,
    restsSinceMs: null,
    isMoving: false,
    setbacks: NO_SETBACKS,
    tally: NO_TALLY,
  };
  const terms = { amount, bound, offset, minStep: divideDown(minStep, PERCENT) as Units, everyMs, share };
  return { ok: true, algorithm: { kind: 'peg', side, ...terms, expiresAtMs, ...begun } };
}

/** Returns the shortest time between two moves that a share of the order budget allows, in ms. */
function pauseOf(share: Units, movesPerMinute: number | null): number {
  if (movesPerMinute === null) return 0;
  return Math.ceil((60_000 * Number(UNITS_PER_ONE)) / (Number(share) * movesPerMinute));
}

/**
 * Time after the start or end of an order from which every book shows it, in ms. An earlier book may be
 * older: the exchange repeats books, and answers take a while.
 */
const SHOWN_AFTER_MS = 3_000;

/**
 * Keeps one order at the best price of its own side.
 *
 * - The best price is that of others: its own order is taken out of the book. So it never follows itself.
 * - The order lies `offset` steps behind that price, never beyond the bound, and at least one step away from
 *   the other side of the last book, so that it does not trade at once.
 * - It moves when the price differs by `minStep` or more, and no sooner than `everyMs` after it was placed.
 * - Filled amounts stay filled, and only the rest is placed again.
 * - The peg is over when all is filled, when the rest is too small for an order, when its time is over, when
 *   somebody else cancels its order, and after three rejections in a row.
 */
export function advancePeg(before: PegAlgorithm, view: AlgorithmView): AlgorithmStep<PegAlgorithm> {
  const stock = countFills(before.tally, view.orders);
  const algorithm = afterNews(before, stock, view);
  const { expiresAtMs, setbacks, tally } = algorithm;
  const isExpired = expiresAtMs !== null && view.nowMs >= expiresAtMs;
  if (stock.live !== null) return follow(algorithm, { live: stock.live, isExpired }, view);
  const left = subtractUnits(algorithm.amount, tally.filled);
  if (left <= 0n) return over(algorithm, sentence('filled'));
  if (stock.ended.at(-1)?.state === 'cancelled' && !before.isMoving && !isExpired)
    return over(algorithm, sentence('over-order-canceled'));
  if (isExpired) return over(algorithm, sentence('over-time'));
  if (!canBeOrdered(view.market, { amount: left, price: algorithm.bound }))
    return over(algorithm, sentence('over-rest'));
  if (setbacks.inARow >= MOST_SETBACKS) {
    const reason = setbacks.reason ?? sentence('no-reason');
    return over(algorithm, sentence('over-refused', { count: setbacks.inARow, reason }));
  }
  return place(algorithm, left, view);
}

/** Places the rest, once a price is known and no pause after a refusal holds it back. */
function place(algorithm: PegAlgorithm, left: Units, view: AlgorithmView): AlgorithmStep<PegAlgorithm> {
  const { retryAtMs } = algorithm.setbacks;
  if (retryAtMs !== null && retryAtMs > view.nowMs)
    return waiting(algorithm, { wakeAtMs: orExpiry(algorithm, retryAtMs) });
  const price = priceFor(algorithm, stillShown(view), view);
  if (price === null) return waitingForBook(algorithm);
  const next = { ...algorithm, movedAtMs: view.nowMs, restsSinceMs: null, isMoving: false };
  return placing(next, plainOrder(algorithm.side, left, price), algorithm.expiresAtMs);
}

/** Moves the live order with the price, or cancels it when the peg expires. */
function follow(
  algorithm: PegAlgorithm,
  { live, isExpired }: { readonly live: OrderRecord; readonly isExpired: boolean },
  view: AlgorithmView,
): AlgorithmStep<PegAlgorithm> {
  const { state, key } = live;
  if (isExpired || algorithm.isMoving) {
    if (state === 'planned' || state === 'cancelling' || state === 'settling') return waiting(algorithm);
    return canceling(algorithm, key);
  }
  if (state !== 'open') return waitingUntil(algorithm, null);
  const { movedAtMs, restsSinceMs, everyMs } = algorithm;
  const freeAtMs = (movedAtMs ?? view.nowMs) + everyMs;
  if (view.nowMs < freeAtMs) return waitingUntil(algorithm, freeAtMs);
  const isShown = restsSinceMs !== null && (view.book?.seenAtMs ?? 0) >= restsSinceMs + SHOWN_AFTER_MS;
  const price = isShown ? priceFor(algorithm, live, view) : null;
  // While no orders are accepted, a resting order stays.
  if (price === null || !view.canPlace || !isFarEnough(algorithm, live, price))
    return waitingForBook(algorithm);
  return canceling({ ...algorithm, isMoving: true, movedAtMs: view.nowMs }, key);
}

/** Returns its last order if the book may still show it, as it was read too soon after the end. */
function stillShown({ orders, book }: AlgorithmView): OrderRecord | null {
  const last = orders.at(-1);
  if (last === undefined || last.closedAtMs === null || book === null) return null;
  return book.seenAtMs < last.closedAtMs + SHOWN_AFTER_MS ? last : null;
}

/**
 * True if only the open of a bar is known. An order that arrives within a bar can fill in the next bar only,
 * so it is moved at closes.
 */
function isOpenOfBar({ book }: AlgorithmView): boolean {
  return book !== null && book.freshUntilMs !== null && book.venueAtMs === null;
}

/** Returns the price at which its order is to rest; null if the book does not show it. */
function priceFor(
  { side, offset, bound }: PegAlgorithm,
  own: OrderRecord | null,
  view: AlgorithmView,
): Units | null {
  const { priceStep } = view.market;
  const best = bestOfOthers(view, side, own);
  const other = side === 'buy' ? view.book?.bestAsk : view.book?.bestBid;
  if (best === null || isOpenOfBar(view)) return null;
  const isBuy = side === 'buy';
  const behind = BigInt(offset) * priceStep;
  const bounds = [isBuy ? best - behind : best + behind, bound];
  if (other !== null && other !== undefined) bounds.push(isBuy ? other - priceStep : other + priceStep);
  const price = bounds.reduce((one, next) => (isBuy === next < one ? next : one));
  const steps = isBuy ? divideDown(price, priceStep) : divideUp(price, priceStep);
  return steps <= 0n ? null : ((steps * priceStep) as Units);
}

function isFarEnough({ minStep }: PegAlgorithm, { price: now }: OrderRecord, price: Units): boolean {
  if (now === null || now === price) return false;
  const distance = now < price ? price - now : now - price;
  return distance * UNITS_PER_ONE >= now * minStep;
}

/** Applies ended and refused orders, and notes since when its order rests. */
function afterNews(before: PegAlgorithm, { tally, ended, live }: Stock, view: AlgorithmView): PegAlgorithm {
  const setbacks = afterSetbacks(before.setbacks, { ended, view });
  const restsSinceMs = live?.state === 'open' ? (before.restsSinceMs ?? view.nowMs) : before.restsSinceMs;
  if (tally === before.tally && setbacks === before.setbacks && restsSinceMs === before.restsSinceMs)
    return before;
  return { ...before, tally, setbacks, restsSinceMs, isMoving: before.isMoving && ended.length === 0 };
}

function waitingForBook(algorithm: PegAlgorithm): AlgorithmStep<PegAlgorithm> {
  const { expiresAtMs } = algorithm;
  return waiting(algorithm, { wantsBooks: true, ...(expiresAtMs === null ? {} : { wakeAtMs: expiresAtMs }) });
}

function waitingUntil(algorithm: PegAlgorithm, timeMs: number | null): AlgorithmStep<PegAlgorithm> {
  const wakeAtMs = timeMs === null ? algorithm.expiresAtMs : orExpiry(algorithm, timeMs);
  return waiting(algorithm, wakeAtMs === null ? {} : { wakeAtMs });
}

function orExpiry({ expiresAtMs }: PegAlgorithm, timeMs: number): number {
  return Math.min(timeMs, expiresAtMs ?? timeMs);
}

/**
 * Returns the best price of a side without an own order: a level at its price counts only if it holds more
 * than the order's rest. Null if nobody else is there. Without a book the price is a bar's close, which never
 * contains the own order.
 */
function bestOfOthers(
  { book, levels }: Pick<AlgorithmView, 'book' | 'levels'>,
  side: Side,
  own: OrderRecord | null,
): Units | null {
  if (levels === null) return (side === 'buy' ? book?.bestBid : book?.bestAsk) ?? null;
  for (const [price, amount] of side === 'buy' ? levels.bids : levels.asks) {
    const units = unitsOf(price);
    const isOwn = own !== null && own.price === units && unitsOf(amount) <= own.amount - own.matched;
    if (!isOwn) return units;
  }
  return null;
}
