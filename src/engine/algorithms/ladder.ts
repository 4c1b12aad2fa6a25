import type { Market } from '../../domain/market.ts';
import { formatUnits, NO_UNITS, type Units, divideDown, divideUp } from '../../domain/money.ts';
import { isSentence, sentence, type Sentence } from '../../language/sentence.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import { canBeOrdered, onAmountGrid, onPriceGrid, positiveRequestedUnits } from './requested-units.ts';
import { NO_SETBACKS, afterSetbacks, MOST_SETBACKS } from './setbacks.ts';
import {
  refused,
  type Creation,
  NOTHING,
  over,
  plainOrder,
  type AlgorithmStep,
  type AlgorithmView,
} from './algorithm-step.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import type { AlgorithmOf } from '../algorithm-json.ts';

/**
 * Limit orders over a range of prices. `advanceLadder` follows these rules:
 *
 * - The next rung is placed once the one before is known to be at the exchange. So a ladder uses the order
 *   budget one order at a time, and a refusal holds back only the rungs that are not placed yet.
 * - Each rung is placed once. A filled, canceled or expired rung is not placed again.
 */
export type LadderAlgorithm = AlgorithmOf<'ladder'>;

type Rung = LadderAlgorithm['rungs'][number];

/** A ladder intent with its computed amount. */
export type LadderIntent = Extract<Intent, { kind: 'ladder' }> & { readonly amount: DecimalInput };

type Shape = Pick<LadderIntent, 'from' | 'to' | 'orders' | 'scale'>;

/** Maximum number of orders of one ladder; risk limits on live orders apply as well. */
const MOST_RUNGS = 50;

export function createLadder(
  intent: LadderIntent,
  options: { readonly market: Market; readonly nowMs: number },
): Creation<LadderAlgorithm> {
  const { market, nowMs } = options;
  const { side, orders, expireAfterMs } = intent;
  const amount = positiveRequestedUnits(intent.amount);
  if (amount === null)
    return refused(sentence('positive-decimal', { field: 'amount', found: String(intent.amount) }));
  const prices = pricesOf(intent, market);
  if (isSentence(prices)) return refused(prices);
  const rungs = rungsOf(amount, prices, { intent, market });
  if (!areOrders(rungs, market)) {
    const fitting = mostFitting(amount, intent, market);
    const least = `${formatUnits(market.minOrderValue)} ${market.quote}`;
    const fit = fitting === 0 ? 'not even 2 fit' : `${fitting} fit`;
    return refused(
      `expected orders above ${least} at prices of their own from ${String(intent.from)} to ${String(intent.to)}, were ${orders} of ${formatUnits(amount)} ${market.base} in all: ${fit}`,
    );
  }
  const expiresAtMs = expireAfterMs === undefined ? null : nowMs + expireAfterMs;
  const begun = { nextRung: 0, isAsked: false, keys: [], setbacks: NO_SETBACKS };
  return { ok: true, algorithm: { kind: 'ladder', side, rungs, expiresAtMs, ...begun } };
}

/**
 * Returns the average price of a ladder in units of 1e-10, rounded up so that a value divided by it is never
 * exceeded; null if the prices are invalid.
 */
export function ladderPrice(shape: Shape, market: Market): Units | null {
  const prices = pricesOf(shape, market);
  if (isSentence(prices)) return null;
  const weights = weightsOf(shape, prices.length);
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const cost = prices.reduce((sum, price, index) => sum + price * (weights[index] ?? 0n), 0n);
  return divideUp(cost, total) as Units;
}

/** Returns prices evenly from the first to the last, each on the grid; or what is wrong with them. */
function pricesOf({ from, to, orders }: Shape, { priceStep }: Market): readonly Units[] | Sentence {
  const first = positiveRequestedUnits(from);
  const last = positiveRequestedUnits(to);
  if (first === null) return sentence('positive-decimal', { field: 'from', found: String(from) });
  if (last === null) return sentence('positive-decimal', { field: 'to', found: String(to) });
  if (first === last) return `expected from and to to differ, were both ${String(from)}`;
  if (!Number.isSafeInteger(orders) || orders < 2 || orders > MOST_RUNGS)
    return `expected 2 to ${MOST_RUNGS} orders, was ${orders}`;
  const gaps = BigInt(orders - 1);
  return Array.from({ length: orders }, (_, index) =>
    onPriceGrid(first + divideDown((last - first) * BigInt(index), gaps), priceStep),
  );
}

/** Returns the weights of the rungs: all equal, or rising by one with each step away from `from`. */
function weightsOf({ scale = 'equal' }: Pick<Shape, 'scale'>, orders: number): readonly bigint[] {
  return Array.from({ length: orders }, (_, index) => (scale === 'equal' ? 1n : BigInt(index + 1)));
}

/**
 * Spreads the amount over the prices by their weights, in whole steps. Steps left by rounding go to the
 * cheapest rungs, one each, so that a value that was divided by the average price is not exceeded.
 */
function rungsOf(
  amount: Units,
  prices: readonly Units[],
  { intent, market }: { readonly intent: Shape; readonly market: Market },
): readonly Rung[] {
  const step = market.amountStep;
  const whole = onAmountGrid(market, amount);
  const weights = weightsOf(intent, prices.length);
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const amounts = weights.map((weight) => onAmountGrid(market, divideDown(whole * weight, total)));
  let left = whole - amounts.reduce((sum, part) => sum + part, 0n);
  const byPrice = [...prices.keys()].toSorted((one, other) => {
    const [low, high] = [prices[one] ?? NO_UNITS, prices[other] ?? NO_UNITS];
    return low === high ? one - other : low < high ? -1 : 1;
  });
  for (const index of byPrice) {
    if (left <= 0n) break;
    amounts[index] = ((amounts[index] ?? NO_UNITS) + step) as Units;
    left -= step;
  }
  return prices.map((price, index) => ({ price, amount: amounts[index] ?? NO_UNITS }));
}

/** True if each rung is large enough for an order and has a price of its own. */
function areOrders(rungs: readonly Rung[], market: Market): boolean {
  const prices = new Set(rungs.map(({ price }) => price));
  return prices.size === rungs.length && rungs.every((rung) => canBeOrdered(market, rung));
}

/** Returns the largest lower number of orders that would fit; 0 if not even two do. */
function mostFitting(amount: Units, intent: LadderIntent, market: Market): number {
  for (let orders = intent.orders - 1; orders >= 2; orders -= 1) {
    const fewer = { ...intent, orders };
    const prices = pricesOf(fewer, market);
    if (!isSentence(prices) && areOrders(rungsOf(amount, prices, { intent: fewer, market }), market))
      return orders;
  }
  return 0;
}

/** Places one rung after the other, each once, and cancels what rests when its time is over. */
export function advanceLadder(before: LadderAlgorithm, view: AlgorithmView): AlgorithmStep<LadderAlgorithm> {
  const algorithm = afterAsked(before, view);
  const { expiresAtMs } = algorithm;
  const isExpired = expiresAtMs !== null && view.nowMs >= expiresAtMs;
  const live = view.orders.filter((order) => !isFinal(order));
  if (isExpired) {
    if (live.length === 0) return over(algorithm, sentence('over-time'));
    return resting(algorithm, { cancel: live.filter(mayBeCanceled).map(({ key }) => key), wakeAtMs: null });
  }
  const isGivenUp = algorithm.setbacks.inARow >= MOST_SETBACKS;
  if (algorithm.isAsked || isGivenUp || algorithm.nextRung >= algorithm.rungs.length) {
    if (live.length === 0 && !algorithm.isAsked) return over(algorithm, endOf(algorithm, isGivenUp));
    return resting(algorithm, { cancel: NOTHING, wakeAtMs: expiresAtMs });
  }
  return next(algorithm, view);
}

/** Places the next rung once no pause after a refusal holds it back; ends after the last. */
function next(algorithm: LadderAlgorithm, { nowMs }: AlgorithmView): AlgorithmStep<LadderAlgorithm> {
  const { side, rungs, nextRung, expiresAtMs } = algorithm;
  const { retryAtMs } = algorithm.setbacks;
  if (retryAtMs !== null && retryAtMs > nowMs)
    return resting(algorithm, { cancel: NOTHING, wakeAtMs: Math.min(retryAtMs, expiresAtMs ?? retryAtMs) });
  const rung = rungs[nextRung];
  if (rung === undefined) return over(algorithm, sentence('over-rungs-placed'));
  const step = resting({ ...algorithm, isAsked: true }, { cancel: NOTHING, wakeAtMs: expiresAtMs });
  return { ...step, place: [plainOrder(side, rung.amount, rung.price)] };
}

/** Applies the outcome of the last requested rung: its order exists, or it was refused. */
function afterAsked(algorithm: LadderAlgorithm, view: AlgorithmView): LadderAlgorithm {
  if (!algorithm.isAsked) return algorithm;
  const { keys, nextRung } = algorithm;
  const order = view.orders.find(({ key }) => !keys.includes(key));
  if (order !== undefined && !isKnown(order)) return algorithm;
  const ended = order?.state === 'rejected' ? [order] : [];
  if (order !== undefined && ended.length === 0) {
    const placed = { keys: [...keys, order.key], nextRung: nextRung + 1, setbacks: NO_SETBACKS };
    return { ...algorithm, ...placed, isAsked: false };
  }
  const setbacks = afterSetbacks(algorithm.setbacks, { ended, view });
  const known = order === undefined ? keys : [...keys, order.key];
  return { ...algorithm, keys: known, isAsked: false, setbacks };
}

/** True if it is known that an order arrived, or that it never did. */
function isKnown({ state }: OrderRecord): boolean {
  return state !== 'planned' && state !== 'sending' && state !== 'unknown';
}

function mayBeCanceled({ state }: OrderRecord): boolean {
  return state !== 'planned' && state !== 'cancelling' && state !== 'settling';
}

function resting(
  algorithm: LadderAlgorithm,
  { cancel, wakeAtMs }: { readonly cancel: readonly string[]; readonly wakeAtMs: number | null },
): AlgorithmStep<LadderAlgorithm> {
  return { algorithm, cancel, place: NOTHING, wakeAtMs, wantsBooks: false, done: null };
}

function endOf({ nextRung, rungs, setbacks }: LadderAlgorithm, isGivenUp: boolean): Sentence {
  if (!isGivenUp) return sentence('over-rungs-ended');
  return sentence('over-rungs-refused', {
    placed: nextRung,
    all: rungs.length,
    count: setbacks.inARow,
    reason: setbacks.reason ?? sentence('no-reason'),
  });
}
