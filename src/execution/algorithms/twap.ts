import type { Market } from '../../domain/market.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../../domain/money.ts';
import type { Side } from '../../domain/order.ts';
import { divideDown } from '../../domain/rounding.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import type { OrderRecord } from '../order-record.ts';
import { canBeOrdered, onAmountGrid } from './market-grid.ts';
import { plainOrder, type AlgorithmStep, type AlgorithmView } from './algorithm-step.ts';
import { canceling, over, placing, refused, waiting, type Creation } from './step.ts';
import { NO_TALLY, takeStock, type Stock, type Tally } from './tally.ts';
import { positiveWishUnits } from './wish-units.ts';

/**
 * Trades an amount in equal slices over a time: slice `i` of `n` is due at `i / n` of it, the first at once.
 * What rounding leaves goes to the last.
 *
 * - Each slice is placed once, when it is due and the one before has ended. Slices that were missed (nobody
 *   ran, the one before was not ended, it was refused) are not made up for one by one: what they should have
 *   filled is spread evenly over the slices that remain.
 * - A limit order that is not filled when the next slice is due is canceled, and its rest goes into that
 *   slice whole. The last has until the end of the time.
 * - After that nothing is placed any more, however much is left: a bot that comes back late does not trade on
 *   an old wish.
 */
export interface TwapAlgorithm {
  readonly kind: 'twap';
  readonly side: Side;
  readonly amount: Units;
  /** Null: market orders. */
  readonly price: Units | null;
  readonly overMs: number;
  readonly slices: number;
  readonly startedAtMs: number;
  /** The first slice, counted from 0, that is neither placed nor missed. */
  readonly nextSlice: number;
  /** What the last limit order left. */
  readonly carry: Units;
  readonly tally: Tally;
}

/** With its amount worked out. */
export type TwapIntent = Extract<Intent, { kind: 'twap' }> & { readonly amount: DecimalInput };

const MOST_SLICES = 1_000;
/** Thirty days. */
const LONGEST_MS = 2_592_000_000;

export function createTwap(
  intent: TwapIntent,
  options: { readonly market: Market; readonly nowMs: number },
): Creation<TwapAlgorithm> {
  const { side, overMs, slices } = intent;
  const { market, nowMs } = options;
  if (!Number.isSafeInteger(slices) || slices < 1 || slices > MOST_SLICES) {
    return refused(`expected 1 to ${MOST_SLICES} slices, was ${slices}`);
  }
  if (!Number.isSafeInteger(overMs) || overMs < slices || overMs > LONGEST_MS) {
    return refused(`expected overMs from ${slices} (one a slice) to ${LONGEST_MS}, was ${overMs}`);
  }
  const amount = positiveWishUnits(intent.amount);
  const price = intent.price === undefined ? null : positiveWishUnits(intent.price);
  if (amount === null)
    return refused(`expected a positive decimal as amount, was "${String(intent.amount)}"`);
  if (intent.price !== undefined && price === null) {
    return refused(`expected a positive decimal as price, was "${String(intent.price)}"`);
  }
  const slice = onAmountGrid(market, amount / BigInt(slices));
  if (slice === 0n || (price !== null && !canBeOrdered(market, { amount: slice, price }))) {
    return refused(
      `expected slices of at least one step and above the minimum value, was an amount for fewer than ${slices}`,
    );
  }
  const begin = { startedAtMs: nowMs, nextSlice: 0, carry: NO_UNITS, tally: NO_TALLY };
  return { ok: true, algorithm: { kind: 'twap', side, amount, price, overMs, slices, ...begin } };
}

export function advanceTwap(before: TwapAlgorithm, view: AlgorithmView): AlgorithmStep<TwapAlgorithm> {
  const stock = takeStock(before.tally, view.orders);
  const algorithm = afterEnded(before, stock);
  const { nowMs } = view;
  const endMs = dueMs(algorithm, algorithm.slices);
  const current = sliceAt(algorithm, nowMs);
  const nextDueMs = dueMs(algorithm, algorithm.nextSlice);
  if (stock.live !== null) return awaiting(algorithm, stock.live, { nowMs, nextDueMs });
  if (algorithm.tally.filled >= algorithm.amount) return over(algorithm, 'filled');
  if (algorithm.nextSlice >= algorithm.slices || nowMs >= endMs) {
    const last = stock.ended.at(-1);
    const reason =
      view.refusals.at(-1)?.reason ?? (last?.state === 'rejected' ? (last.reason ?? 'rejected') : undefined);
    return over(
      algorithm,
      reason === undefined ? 'its time is over' : `its last slice was refused: ${reason}`,
    );
  }
  if (current < algorithm.nextSlice) return waiting(algorithm, { wakeAtMs: nextDueMs });
  const { side, price } = algorithm;
  const amount = partOf(algorithm, current, view.market);
  const next: TwapAlgorithm = { ...algorithm, nextSlice: current + 1, carry: NO_UNITS };
  return placing(next, plainOrder(side, amount, price), dueMs(next, next.nextSlice));
}

/** A live order goes on until the next slice is due. */
function awaiting(
  algorithm: TwapAlgorithm,
  live: OrderRecord,
  times: { readonly nowMs: number; readonly nextDueMs: number },
): AlgorithmStep<TwapAlgorithm> {
  if (times.nowMs < times.nextDueMs) return waiting(algorithm, { wakeAtMs: times.nextDueMs });
  return live.state === 'cancelling' || live.state === 'settling'
    ? waiting(algorithm)
    : canceling(algorithm, live.key);
}

function afterEnded(algorithm: TwapAlgorithm, { tally, ended }: Stock): TwapAlgorithm {
  const last = ended.at(-1);
  if (last === undefined) return algorithm;
  const isCarried = last.state === 'cancelled' && last.execution === 'limit';
  return { ...algorithm, tally, carry: isCarried ? subtractUnits(last.amount, last.filled) : NO_UNITS };
}

/** When a slice is due; the one after the last is due at the end. */
function dueMs(algorithm: TwapAlgorithm, slice: number): number {
  return algorithm.startedAtMs + Math.floor((slice * algorithm.overMs) / algorithm.slices);
}

/** The slice whose time it is; below zero before the first. */
function sliceAt(algorithm: TwapAlgorithm, nowMs: number): number {
  const { startedAtMs, slices, overMs } = algorithm;
  let slice = Math.min(slices - 1, Math.floor(((nowMs - startedAtMs) * slices) / overMs));
  // Due times are whole milliseconds, rounded down.
  while (slice + 1 < slices && dueMs(algorithm, slice + 1) <= nowMs) slice += 1;
  return slice;
}

/** The rest of the slice before, and an even share of what is left for this slice and those after it. */
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
