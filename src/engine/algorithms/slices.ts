import { NO_UNITS, subtractUnits, type Units, addUnits, divideDown } from '../../domain/money.ts';
import type { Market } from '../../domain/market.ts';
import { sentence } from '../../language/sentence.ts';
import type { OrderRecord } from '../../records/order.ts';
import {
  plainOrder,
  type AlgorithmStep,
  type AlgorithmView,
  NO_TALLY,
  countFills,
  type Stock,
  canceling,
  over,
  placing,
  refused,
  waiting,
  type Creation,
} from './algorithm-step.ts';
import { canBeOrdered, onAmountGrid, positiveRequestedUnits } from './requested-units.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import { afterSetbacks, MOST_SETBACKS, NO_SETBACKS } from './setbacks.ts';
import type { AlgorithmOf } from '../algorithm-json.ts';

/**
 * State of an amount that is traded in slices over a time: slice `i` of `n` is due at `i / n` of the time,
 * the first at once.
 *
 * - Each slice is placed once, when it is due and the one before has ended. Missed slices (the bot was down,
 *   the one before had not ended, it was refused) are not made up for one by one: their amount is spread over
 *   the slices that remain.
 * - A limit order that is not filled when the next slice is due is canceled, and its rest is added to that
 *   slice. The last slice has until the end of the time.
 * - After the end nothing is placed, however much is left: a bot that comes back late does not trade on an
 *   old intent.
 */
export type Sliced = Omit<AlgorithmOf<'twap'>, 'kind'>;

/** Returns the size of a slice, including the amount carried into it; no more than is left. */
type PartOf<Algorithm> = (algorithm: Algorithm, slice: number, market: Market) => Units;

const MOST_SLICES = 1_000;
/** Longest time over which an amount is sliced: thirty days. */
const LONGEST_MS = 2_592_000_000;

/** Returns the initial state of every sliced algorithm. */
export function begunSlices(nowMs: number): Pick<Sliced, 'startedAtMs' | 'nextSlice' | 'carry' | 'tally'> {
  return { startedAtMs: nowMs, nextSlice: 0, carry: NO_UNITS, tally: NO_TALLY };
}

/** Returns the refusal of an invalid timing of slices; null if it is valid. */
export function wrongTimes(overMs: number, slices: number): ReturnType<typeof refused> | null {
  if (!Number.isSafeInteger(slices) || slices < 1 || slices > MOST_SLICES) {
    return refused(`expected 1 to ${MOST_SLICES} slices, was ${slices}`);
  }
  if (!Number.isSafeInteger(overMs) || overMs < slices || overMs > LONGEST_MS) {
    return refused(`expected overMs from ${slices} (one a slice) to ${LONGEST_MS}, was ${overMs}`);
  }
  return null;
}

/**
 * Places the next slice if it is due. `holdsSmall`: a slice too small for an order is added to the next one
 * instead of being refused.
 */
export function advanceSlices<Algorithm extends Sliced>(
  before: Algorithm,
  view: AlgorithmView,
  by: { readonly partOf: PartOf<Algorithm>; readonly holdsSmall: boolean },
): AlgorithmStep<Algorithm> {
  const stock = countFills(before.tally, view.orders);
  const algorithm = afterEnded(before, stock);
  const { nowMs } = view;
  const endMs = dueMs(algorithm, algorithm.slices);
  const current = sliceAt(algorithm, nowMs);
  const nextDueMs = dueMs(algorithm, algorithm.nextSlice);
  if (stock.live !== null) return awaiting(algorithm, stock.live, { nowMs, nextDueMs });
  if (algorithm.tally.filled >= algorithm.amount) return over(algorithm, sentence('filled'));
  if (algorithm.nextSlice >= algorithm.slices || nowMs >= endMs) return ended(algorithm, stock, view);
  if (current < algorithm.nextSlice) return waiting(algorithm, { wakeAtMs: nextDueMs });
  const amount = by.partOf(algorithm, current, view.market);
  const next = { ...algorithm, nextSlice: current + 1, carry: NO_UNITS };
  const wakeAtMs = dueMs(next, next.nextSlice);
  if (by.holdsSmall && isTooSmall(algorithm, amount, view)) {
    const held = { ...next, carry: amount };
    return next.nextSlice < next.slices ? waiting(held, { wakeAtMs }) : ended(held, stock, view);
  }
  return placing(next, plainOrder(algorithm.side, amount, algorithm.price), wakeAtMs);
}

function ended<Algorithm extends Sliced>(
  algorithm: Algorithm,
  stock: Stock,
  view: AlgorithmView,
): AlgorithmStep<Algorithm> {
  const last = stock.ended.at(-1);
  const reason =
    view.refusals.at(-1)?.reason ?? (last?.state === 'rejected' ? (last.reason ?? 'rejected') : undefined);
  if (reason !== undefined) return over(algorithm, sentence('over-last-slice', { reason }));
  const left = subtractUnits(algorithm.amount, algorithm.tally.filled);
  const isRest = algorithm.nextSlice >= algorithm.slices && isTooSmall(algorithm, left, view);
  return over(algorithm, sentence(isRest ? 'over-rest' : 'over-time'));
}

/** True if an amount is too small for an order, at its price or the book's; without a price, if it is 0. */
function isTooSmall({ side, price }: Sliced, amount: Units, { book, market }: AlgorithmView): boolean {
  const at = price ?? (side === 'buy' ? book?.bestAsk : book?.bestBid) ?? null;
  return at === null ? amount === 0n : !canBeOrdered(market, { amount, price: at });
}

/** Waits for a live order until the next slice is due, then cancels it. */
function awaiting<Algorithm extends Sliced>(
  algorithm: Algorithm,
  live: OrderRecord,
  times: { readonly nowMs: number; readonly nextDueMs: number },
): AlgorithmStep<Algorithm> {
  if (times.nowMs < times.nextDueMs) return waiting(algorithm, { wakeAtMs: times.nextDueMs });
  return live.state === 'cancelling' || live.state === 'settling'
    ? waiting(algorithm)
    : canceling(algorithm, live.key);
}

function afterEnded<Algorithm extends Sliced>(
  algorithm: Algorithm,
  { tally, ended: orders }: Stock,
): Algorithm {
  const last = orders.at(-1);
  if (last === undefined) return algorithm;
  const isCarried = last.state === 'cancelled' && last.execution === 'limit';
  return { ...algorithm, tally, carry: isCarried ? subtractUnits(last.amount, last.filled) : NO_UNITS };
}

/** Returns the time at which a slice is due; the index after the last gives the end. */
function dueMs(algorithm: Sliced, slice: number): number {
  return algorithm.startedAtMs + Math.floor((slice * algorithm.overMs) / algorithm.slices);
}

/** Returns the index of the slice that is due now; below zero before the first. */
function sliceAt(algorithm: Sliced, nowMs: number): number {
  const { startedAtMs, slices, overMs } = algorithm;
  let slice = Math.min(slices - 1, Math.floor(((nowMs - startedAtMs) * slices) / overMs));
  // Due times are whole milliseconds, rounded down.
  while (slice + 1 < slices && dueMs(algorithm, slice + 1) <= nowMs) slice += 1;
  return slice;
}

/** Trades an amount in equal slices over a time. The rest of rounding goes to the last slice. */
export type TwapAlgorithm = AlgorithmOf<'twap'>;

/** A TWAP intent with its computed amount. */
export type TwapIntent = Extract<Intent, { kind: 'twap' }> & { readonly amount: DecimalInput };

export function createTwap(
  intent: TwapIntent,
  options: { readonly market: Market; readonly nowMs: number },
): Creation<TwapAlgorithm> {
  const { side, overMs, slices } = intent;
  const { market, nowMs } = options;
  const wrong = wrongTimes(overMs, slices);
  if (wrong !== null) return wrong;
  const amount = positiveRequestedUnits(intent.amount);
  const price = intent.price === undefined ? null : positiveRequestedUnits(intent.price);
  if (amount === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (intent.price !== undefined && price === null) {
    return refused(sentence('positive-decimal', { field: 'price', found: String(intent.price) }));
  }
  const slice = onAmountGrid(market, amount / BigInt(slices));
  if (slice === 0n || (price !== null && !canBeOrdered(market, { amount: slice, price }))) {
    return refused(
      `expected slices of at least one step and above the minimum value, was an amount for fewer than ${slices}`,
    );
  }
  return {
    ok: true,
    algorithm: { kind: 'twap', side, amount, price, overMs, slices, ...begunSlices(nowMs) },
  };
}

export function advanceTwap(before: TwapAlgorithm, view: AlgorithmView): AlgorithmStep<TwapAlgorithm> {
  return advanceSlices(before, view, { partOf, holdsSmall: false });
}

/** Returns the size of a slice: the rest of the slice before, and an even share of the amount left. */
function partOf(algorithm: TwapAlgorithm, slice: number, market: Market): Units {
  const { amount, slices, carry, tally } = algorithm;
  const left = subtractUnits(amount, tally.filled);
  if (slice >= slices - 1) return left;
  const roundingRest = amount - onAmountGrid(market, amount / BigInt(slices)) * BigInt(slices);
  const toSpread = left - carry - roundingRest;
  const share =
    toSpread <= 0n ? NO_UNITS : onAmountGrid(market, divideDown(toSpread, BigInt(slices - slice)));
  const part = addUnits(carry, share);
  return part < left ? part : left;
}

/**
 * A limit order of which only a part rests at a time. The next part is placed once the last is filled and its
 * fills are read, so the parts never add up to more than the amount. Over when all is filled, when the rest
 * is too little to be ordered, when somebody cancels a part, and after three rejections in a row.
 */
export type IcebergAlgorithm = AlgorithmOf<'iceberg'>;

/** An iceberg intent with its computed amount. */
export type IcebergIntent = Extract<Intent, { kind: 'iceberg' }> & { readonly amount: DecimalInput };

const MOST_PARTS = 1_000n;

export function createIceberg(
  intent: IcebergIntent,
  options: { readonly market: Market },
): Creation<IcebergAlgorithm> {
  const amount = positiveRequestedUnits(intent.amount);
  const visible = positiveRequestedUnits(intent.visible);
  const price = positiveRequestedUnits(intent.price);
  if (amount === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (visible === null)
    return refused(sentence('positive-decimal', { field: 'visible', found: String(intent.visible) }));
  if (price === null)
    return refused(sentence('positive-decimal', { field: 'price', found: String(intent.price) }));
  if (visible > amount) {
    return refused(
      `expected at most the amount as visible, was "${String(intent.visible)}" of "${String(intent.amount)}"`,
    );
  }
  if (visible * MOST_PARTS < amount) {
    return refused(
      `expected an amount of at most ${MOST_PARTS} visible parts, was "${String(intent.amount)}"`,
    );
  }
  if (!canBeOrdered(options.market, { amount: visible, price })) {
    return refused(`expected a visible part above the minimum value, was "${String(intent.visible)}"`);
  }
  const begin = { setbacks: NO_SETBACKS, tally: NO_TALLY };
  return { ok: true, algorithm: { kind: 'iceberg', side: intent.side, amount, visible, price, ...begin } };
}

export function advanceIceberg(
  before: IcebergAlgorithm,
  view: AlgorithmView,
): AlgorithmStep<IcebergAlgorithm> {
  const { tally, ended, live } = countFills(before.tally, view.orders);
  const setbacks = afterSetbacks(before.setbacks, { ended, view });
  const isUnchanged = tally === before.tally && setbacks === before.setbacks;
  const algorithm = isUnchanged ? before : { ...before, tally, setbacks };
  if (live !== null) return waiting(algorithm);
  const { side, price, visible } = algorithm;
  const left = subtractUnits(algorithm.amount, tally.filled);
  if (left <= 0n) return over(algorithm, sentence('filled'));
  if (ended.at(-1)?.state === 'cancelled') return over(algorithm, sentence('over-order-canceled'));
  if (setbacks.inARow >= MOST_SETBACKS) {
    return over(
      algorithm,
      sentence('over-refused', { count: setbacks.inARow, reason: setbacks.reason ?? sentence('no-reason') }),
    );
  }
  if (!canBeOrdered(view.market, { amount: left, price })) {
    return over(algorithm, sentence('over-rest'));
  }
  const { retryAtMs } = setbacks;
  if (retryAtMs !== null && retryAtMs > view.nowMs) return waiting(algorithm, { wakeAtMs: retryAtMs });
  return placing(algorithm, plainOrder(side, left < visible ? left : visible, price));
}
