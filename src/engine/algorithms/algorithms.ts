import type { Market } from '../../domain/market.ts';
import type { Intent, DecimalInput } from '../../strategy/intents.ts';
import { type OrderRecord, isFinal } from '../../records/order.ts';
import { advanceBracket } from './advance-bracket.ts';
import { advanceLadder, createLadder, type LadderIntent } from './ladder.ts';
import { advancePeg, createPeg, type CreatePegOptions, type PegIntent } from './peg.ts';
import { advanceQuotes, createQuotes, type QuotesIntent } from './quotes.ts';
import {
  createBracket,
  createProtection,
  type BracketIntent,
  type CreateBracketOptions,
  type ProtectIntent,
} from '../bracket.ts';
import { createDca, type DcaAlgorithm, type DcaIntent, costAt } from './dca.ts';
import {
  advanceIceberg,
  createIceberg,
  type IcebergIntent,
  advanceTwap,
  createTwap,
  type TwapIntent,
  advanceSlices,
  begunSlices,
  wrongTimes,
} from './slices.ts';
import {
  type AlgorithmStep,
  type AlgorithmView,
  plainOrder,
  countFills,
  type Stock,
  type Creation,
  canceling,
  over,
  placing,
  waiting,
  refused,
} from './algorithm-step.ts';
import { advanceReplace, createReplace } from './replace.ts';
import { advanceTarget, createTarget } from './target.ts';
import { advanceTargets, createTargets } from './targets.ts';
import {
  NO_UNITS,
  type Units,
  UNITS_PER_ONE,
  addUnits,
  formatUnits,
  subtractUnits,
  divideDown,
} from '../../domain/money.ts';
import { sentence } from '../../language/sentence.ts';
import { canBeOrdered, onAmountGrid, positiveRequestedUnits, requestedUnits } from './requested-units.ts';
import { afterSetbacks, MOST_SETBACKS, NO_SETBACKS } from './setbacks.ts';
import type { Algorithm, AlgorithmOf } from '../algorithm-json.ts';

/** The intents that are served by an algorithm. */
export type AlgorithmIntent = Extract<Intent, { kind: Algorithm['kind'] | 'protect' }>;

/** An algorithm intent whose amount is already worked out. */
export type SizedAlgorithmIntent =
  | Extract<Intent, { kind: 'replace' | 'target' | 'targets' }>
  | QuotesIntent
  | TwapIntent
  | VwapIntent
  | LadderIntent
  | PegIntent
  | DcaIntent
  | IcebergIntent
  | BracketIntent
  | ProtectIntent;

interface CreateAlgorithmOptions extends CreateBracketOptions, CreatePegOptions {
  /** The order that a replace intent names, when it is one of the strategy's own. */
  readonly replaced?: OrderRecord | undefined;
  /** Returns a market that the bot follows, by its symbol; null for others. */
  readonly marketOf: (symbol: string) => Market | null;
  /** Time for which a set of quotes applies without being repeated, in ms; 5 s when left out. */
  readonly maxQuoteAgeMs?: number | undefined;
}

export function isAlgorithmIntent(intent: Intent): intent is AlgorithmIntent {
  switch (intent.kind) {
    case 'quotes':
    case 'replace':
    case 'target':
    case 'targets':
    case 'twap':
    case 'vwap':
    case 'ladder':
    case 'peg':
    case 'dca':
    case 'iceberg':
    case 'bracket':
    case 'protect':
      return true;
    case 'place':
    case 'oco':
    case 'cancel':
    case 'cancel-all':
    case 'exit':
    case 'transfer':
      return false;
  }
}

/**
 * Creates the initial state of an intent's algorithm, or returns the reason why it cannot be served. Nothing
 * is placed yet: `advanceAlgorithm` returns the first orders.
 */
export function createAlgorithm(
  intent: SizedAlgorithmIntent,
  options: CreateAlgorithmOptions,
): Creation<Algorithm> {
  switch (intent.kind) {
    case 'quotes':
      return createQuotes(intent, options);
    case 'replace':
      return createReplace(intent, options);
    case 'target':
      return createTarget(intent);
    case 'targets':
      return createTargets(intent, options);
    case 'twap':
      return createTwap(intent, options);
    case 'vwap':
      return createVwap(intent, options);
    case 'ladder':
      return createLadder(intent, options);
    case 'peg':
      return createPeg(intent, options);
    case 'dca':
      return createDca(intent, options);
    case 'iceberg':
      return createIceberg(intent, options);
    case 'bracket':
      return createBracket(intent, options);
    case 'protect':
      return createProtection(intent, options);
  }
}

/**
 * Returns the algorithm's next step. The same algorithm with the same view gives the same step. The same
 * object is returned if nothing about the algorithm changed, so that nothing has to be stored. Orders to
 * place count as requested: each must be among the orders or the refusals of the next view.
 */
export function advanceAlgorithm(algorithm: Algorithm, view: AlgorithmView): AlgorithmStep<Algorithm> {
  switch (algorithm.kind) {
    case 'quotes':
      return advanceQuotes(algorithm, view);
    case 'replace':
      return advanceReplace(algorithm, view);
    case 'target':
      return advanceTarget(algorithm, view);
    case 'targets':
      return advanceTargets(algorithm, view);
    case 'twap':
      return advanceTwap(algorithm, view);
    case 'vwap':
      return advanceSlices(algorithm, view, { partOf, holdsSmall: true });
    case 'ladder':
      return advanceLadder(algorithm, view);
    case 'peg':
      return advancePeg(algorithm, view);
    case 'dca':
      return advanceDca(algorithm, view);
    case 'iceberg':
      return advanceIceberg(algorithm, view);
    case 'bracket':
      return advanceBracket(algorithm, view);
    case 'expiring':
      return advanceExpiring(algorithm, view);
  }
}

/** Advances a DCA: one purchase for each due time, in one order, which is tried again while it is refused. */
function advanceDca(before: DcaAlgorithm, view: AlgorithmView): AlgorithmStep<DcaAlgorithm> {
  const stock = countFills(before.tally, view.orders);
  const algorithm = afterEnded(before, stock, view);
  const time = timeAt(algorithm, view.nowMs);
  const isDue = time >= algorithm.nextTime;
  if (stock.live !== null) return awaiting(algorithm, stock.live, isDue);
  const price = view.book?.bestAsk ?? null;
  if (isDue && price === null) return waiting(algorithm, { wantsBooks: true });
  return goOn(isDue && price !== null ? begun(algorithm, time, price) : algorithm, view);
}

/** Begins the purchase of a due time; the rest of an older purchase is dropped. */
function begun(algorithm: DcaAlgorithm, time: number, price: Units): DcaAlgorithm {
  const { highest: before, overspent } = algorithm;
  const highest = before === null || price > before ? price : before;
  const cost = costAt(algorithm, price, highest);
  const deducted = cost < overspent ? cost : overspent;
  return {
    ...algorithm,
    nextTime: time + 1,
    highest,
    toSpend: (cost - deducted) as Units,
    overspent: (overspent - deducted) as Units,
    setbacks: NO_SETBACKS,
  };
}

/** Orders the current purchase, if it is large enough for an order and no pause holds it back. */
function goOn(algorithm: DcaAlgorithm, view: AlgorithmView): AlgorithmStep<DcaAlgorithm> {
  const { toSpend, setbacks } = algorithm;
  if (toSpend === 0n) return rested(algorithm);
  if (setbacks.inARow >= MOST_SETBACKS) return rested({ ...algorithm, toSpend: NO_UNITS });
  const { retryAtMs } = setbacks;
  const dueMs = nextDueMs(algorithm);
  if (retryAtMs !== null && retryAtMs > view.nowMs)
    return waiting(algorithm, { wakeAtMs: Math.min(retryAtMs, dueMs ?? retryAtMs) });
  const price = view.book?.bestAsk ?? null;
  if (price === null)
    return waiting(algorithm, { wantsBooks: true, ...(dueMs === null ? {} : { wakeAtMs: dueMs }) });
  const amount = divideDown(toSpend * UNITS_PER_ONE, price) as Units;
  if (!canBeOrdered(view.market, { amount, price })) return rested({ ...algorithm, toSpend: NO_UNITS });
  return placing(algorithm, plainOrder('buy', amount, null), dueMs);
}

/** Waits for the next purchase time; ends if there is none. */
function rested(algorithm: DcaAlgorithm): AlgorithmStep<DcaAlgorithm> {
  const dueMs = nextDueMs(algorithm);
  return dueMs === null
    ? over(algorithm, sentence('over-last-purchase'))
    : waiting(algorithm, { wakeAtMs: dueMs });
}

/** Waits for the end of a live order; cancels it once the next purchase is due. */
function awaiting(
  algorithm: DcaAlgorithm,
  { state, key }: OrderRecord,
  isDue: boolean,
): AlgorithmStep<DcaAlgorithm> {
  const wakeAtMs = nextDueMs(algorithm);
  if (!isDue) return waiting(algorithm, wakeAtMs === null ? {} : { wakeAtMs });
  return state === 'planned' || state === 'cancelling' || state === 'settling'
    ? waiting(algorithm)
    : canceling(algorithm, key);
}

/** Applies ended and refused orders. A purchase that has filled anything is over. */
function afterEnded(before: DcaAlgorithm, { tally, ended }: Stock, view: AlgorithmView): DcaAlgorithm {
  const setbacks = afterSetbacks(before.setbacks, { ended, view });
  if (tally === before.tally && setbacks === before.setbacks) return before;
  const spent = ended.reduce((sum, { filledTotal }) => sum + filledTotal, 0n);
  if (spent === 0n) return { ...before, tally, setbacks };
  const beyond = spent > before.toSpend ? spent - before.toSpend : 0n;
  return { ...before, tally, setbacks, toSpend: NO_UNITS, overspent: (before.overspent + beyond) as Units };
}

/** Returns the time the next purchase is due; null after the last. */
function nextDueMs({ startedAtMs, nextTime, everyMs, times }: DcaAlgorithm): number | null {
  return times !== null && nextTime >= times ? null : startedAtMs + nextTime * everyMs;
}

/** Returns the index of the last purchase time that has come, from 0; at most the index of the last one. */
function timeAt({ startedAtMs, everyMs, times }: DcaAlgorithm, nowMs: number): number {
  const time = Math.floor((nowMs - startedAtMs) / everyMs);
  return times === null ? time : Math.min(times - 1, time);
}

/**
 * Trades an amount over a time in slices as large as the volume that is usual then. The slices are fixed at
 * the start and add up to the amount. A slice too small for an order is added to the next one.
 */
type VwapAlgorithm = AlgorithmOf<'vwap'>;

/** A VWAP intent with its computed amount. */
type VwapIntent = Extract<Intent, { kind: 'vwap' }> & { readonly amount: DecimalInput };

function createVwap(
  intent: VwapIntent,
  options: { readonly market: Market; readonly nowMs: number; readonly bestAsk: Units | null },
): Creation<VwapAlgorithm> {
  const { side, overMs, profile } = intent;
  const { market, nowMs, bestAsk } = options;
  const slices = profile.length;
  const wrong = wrongTimes(overMs, slices);
  if (wrong !== null) return wrong;
  const requested = positiveRequestedUnits(intent.amount);
  const price = intent.price === undefined ? null : positiveRequestedUnits(intent.price);
  if (requested === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  if (intent.price !== undefined && price === null) {
    return refused(sentence('positive-decimal', { field: 'price', found: String(intent.price) }));
  }
  const weights = profile.map((weight) => requestedUnits(weight));
  if (!weights.every((weight) => weight !== null) || weights.every((weight) => weight === 0n)) {
    return refused(`expected a profile of volumes from 0 on, one of them above 0, was ${profile.join(', ')}`);
  }
  const amount = onAmountGrid(market, requested);
  const parts = sharedOut(amount, weights, market.amountStep);
  const largest = parts.reduce((most, part) => (part > most ? part : most), NO_UNITS);
  const at = price ?? bestAsk;
  if (largest === 0n || (at !== null && !canBeOrdered(market, { amount: largest, price: at }))) {
    return refused(
      `expected slices above ${formatUnits(market.minOrderValue)} ${market.quote}, the largest of ${slices} is ${formatUnits(largest)} ${market.base}: take fewer`,
    );
  }
  const begun = { overMs, slices, parts, ...begunSlices(nowMs) };
  return { ok: true, algorithm: { kind: 'vwap', side, amount, price, ...begun } };
}

/**
 * Returns a slice's amount: its part, the rest of the one before, and a share of what earlier ones missed.
 */
function partOf(
  { amount, slices, carry, tally, parts }: VwapAlgorithm,
  slice: number,
  market: Market,
): Units {
  const left = subtractUnits(amount, tally.filled);
  if (slice >= slices - 1) return left;
  const own = parts[slice] ?? NO_UNITS;
  const planned = parts.slice(slice).reduce(addUnits, NO_UNITS);
  const missed = left - carry - planned;
  const share =
    missed <= 0n || planned === 0n ? NO_UNITS : onAmountGrid(market, divideDown(missed * own, planned));
  const part = addUnits(addUnits(carry, own), share);
  return part < left ? part : left;
}

/**
 * Splits an amount in whole steps by weights into parts that add up to it. Each share is rounded down, and
 * the steps left go one each to the largest remainders, of equal ones to the first. `weights` are 0 or more,
 * one of them is above 0; a weight of 0 gets nothing.
 */
export function sharedOut(amount: Units, weights: readonly bigint[], step: bigint): readonly Units[] {
  const steps = divideDown(amount, step);
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  const shares = weights.map((weight, index) => {
    const exact = steps * weight;
    return { index, steps: divideDown(exact, whole), remainder: exact % whole };
  });
  let left = steps - shares.reduce((sum, share) => sum + share.steps, 0n);
  const parts: Units[] = shares.map((share) => (share.steps * step) as Units);
  const byRemainder = shares.toSorted((one, other) =>
    one.remainder === other.remainder ? one.index - other.index : one.remainder > other.remainder ? -1 : 1,
  );
  for (const { index } of byRemainder) {
    if (left === 0n) break;
    parts[index] = ((parts[index] ?? NO_UNITS) + step) as Units;
    left -= 1n;
  }
  return parts;
}

/** One order that is canceled when its time is over. What it has filled by then stays. */
export type ExpiringAlgorithm = AlgorithmOf<'expiring'>;

function advanceExpiring(
  algorithm: ExpiringAlgorithm,
  view: AlgorithmView,
): AlgorithmStep<ExpiringAlgorithm> {
  const { side, amount, price, stopPrice, expiresAtMs } = algorithm;
  if (!algorithm.isPlaced) {
    const order = { side, amount, price, stopPrice, stopLimitPrice: null };
    return placing({ ...algorithm, isPlaced: true }, order, expiresAtMs);
  }
  const [order] = view.orders;
  if (order === undefined)
    return over(
      algorithm,
      sentence('over-refused-once', { reason: view.refusals.at(-1)?.reason ?? sentence('reason-forgotten') }),
    );
  if (isFinal(order)) return over(algorithm, order.reason ?? order.state);
  if (view.nowMs < expiresAtMs) return waiting(algorithm, { wakeAtMs: expiresAtMs });
  const { state, key } = order;
  // An order that was not sent or is ending already needs no cancel.
  if (state === 'planned' || state === 'cancelling' || state === 'settling') return waiting(algorithm);
  return canceling(algorithm, key);
}
