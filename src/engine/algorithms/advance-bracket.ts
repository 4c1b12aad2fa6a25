import { present } from '../../domain/errors.ts';
import type { ExitKind } from '../../domain/order.ts';
import {
  addUnits,
  formatUnits,
  multiplyUnits,
  NO_UNITS,
  subtractUnits,
  type Units,
  divideDown,
} from '../../domain/money.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import { CANCELED_BY_OTHERS, isFinal, type OrderRecord } from '../../records/order.ts';
import {
  plainOrder,
  type AlgorithmOrder,
  type AlgorithmStep,
  type AlgorithmView,
  NOTHING,
  over,
  placing,
  waiting,
} from './algorithm-step.ts';
import { priceAbove, type ExitLevel } from '../exit-level.ts';
import { followPrice, originOf, stopOf, type StopLevel } from './follow-price.ts';
import { stockOf, type BracketStock } from '../bracket-stock.ts';
import { stopLimitOf, type BracketAlgorithm, type Leaving } from '../bracket.ts';
import { canBeOrdered, onAmountGrid, onPriceGrid } from './requested-units.ts';
import { afterSetbacks, exitRetryAtMs, hasMarketMoved, isOfMarket, retryAtMsOf } from './setbacks.ts';

/**
 * Longest wait for the exchange to end the other leg of a pair after the first, in ms: lists show the two one
 * after the other.
 */
const PAIR_ENDS_MS = 5_000;

/** Delay before the next check while no orders are accepted, in ms; resting orders stay until then. */
const POLL_AGAIN_MS = 1_000;

type BracketStep = AlgorithmStep<BracketAlgorithm>;

/** Current prices of a position's exit, on the steps of the market; null for a leg that it does not have. */
interface ExitPrices {
  readonly target: Units | null;
  readonly stop: Units | null;
  readonly stopKind: StopLevel['kind'];
}

/** Data for computing an exit. */
interface Situation {
  readonly stock: BracketStock;
  readonly prices: ExitPrices;
  /** Amount to be sold, in whole steps. */
  readonly amount: Units;
  readonly view: AlgorithmView;
}

/**
 * Returns the next step of a bracket.
 *
 * - The entry is placed first. Its rest is canceled when its time is over, and when an exit fills.
 * - The bought amount gets its exit at once, also while the entry still fills. For another amount or price
 *   the exit is canceled, and placed again when its end and all its fills are known.
 * - The exchange refuses a pair while the last price is that of the target, as after a part of it was filled.
 *   Then the stop is placed alone at once, and a pair replaces it when the pause after the refusal is over.
 * - A target farther from the price than the exchange accepts stays in the bot until it is in reach, and the
 *   stop rests alone.
 * - An exit that was refused because of the market's price is retried as soon as the book shows another one.
 * - An amount too small for an order waits for more of the entry. If none comes it stays with the strategy.
 * - The strategy can sell all of the position or a part: the exit is canceled first, then comes one sale.
 *   While a limit sale rests in place of the exit, the stop is in the bot.
 * - After somebody else canceled the exit, or removed coins, none is placed until it is clear what became of
 *   the position.
 * - If the price is beyond a target that does not rest, as after the target fell, a limit sale at the target
 *   is placed alone. The exit with its stop replaces it once the price is below the target again.
 * - The position is sold at the market when its time is over; when the price is beyond the stop while no exit
 *   rests; when the price is far beyond the target, or such a limit sale was refused; and when the price is
 *   beyond the limit of the stop leg, which then cannot fill.
 */
export function advanceBracket(before: BracketAlgorithm, view: AlgorithmView): BracketStep {
  if (before.entry === 'planned') return before.terms.entry === null ? withdraw(before, view) : enter(before);
  const stock = stockOf(before, view);
  const counted = afterOrders(before, stock, view);
  const ended = whyOver(before, counted, { stock, view });
  if (ended !== null) return over(counted, ended);
  if (stock.gross === 0n) return resting(counted, { stock, view, wantsBooks: false });
  const followed = changed(counted, followPrice(counted, stock, view));
  const prices = pricesOf(followed, stock, view);
  const amount = onAmountGrid(view.market, stock.held > 0n ? stock.held : 0n);
  const situation = { stock, prices, amount, view };
  // If a person removed the coins, a sale would sell coins of somebody else.
  if (followed.unclear !== null && stock.exits.length === 0)
    return resting(followed, { stock, view, wantsBooks: false });
  const bracket = changed(followed, { leaving: leavingOf(followed, situation) });
  return stock.exits.length === 0 ? placeExit(bracket, situation) : restoreExit(bracket, situation);
}

/** Waits for other orders that hold the coins to end, then sells what is there, at most the wanted amount. */
function withdraw(bracket: BracketAlgorithm, view: AlgorithmView): BracketStep {
  const live = view.liveAmong(bracket.awaited);
  if (live.length > 0) {
    const wakeAtMs = view.nowMs + POLL_AGAIN_MS;
    return { ...waiting(bracket, { wakeAtMs }), cancel: view.canPlace ? live : NOTHING, awaitsOthers: true };
  }
  const leaving = present(bracket.leaving, 'how a position is left that has no bracket');
  const { position } = view;
  const bought = leaving.amount === null || leaving.amount > position ? position : leaving.amount;
  if (onAmountGrid(view.market, bought > 0n ? bought : 0n) === 0n)
    return over(bracket, sentence('bracket-nothing-left'));
  const begun = { bought, gross: bought, heldSinceMs: view.nowMs, leaving: { ...leaving, amount: null } };
  return advanceBracket({ ...bracket, ...begun, entry: 'ended' }, view);
}

function enter(bracket: BracketAlgorithm): BracketStep {
  if (bracket.leaving !== null)
    return over(
      { ...bracket, entry: 'ended' },
      sentence('bracket-not-entered', { reason: bracket.leaving.why }),
    );
  const entry = present(bracket.terms.entry, 'the entry of a bracket that is planned');
  const order = plainOrder('buy', entry.amount, entry.price);
  return placing({ ...bracket, entry: 'asked' }, order, entry.expiresAtMs);
}

/** Applies the fills and ends of its orders since the last step. */
function afterOrders(
  before: BracketAlgorithm,
  { entryEnded, exits, exitsEnded, exitTally, gross, spent }: BracketStock,
  view: AlgorithmView,
): BracketAlgorithm {
  const entered =
    entryEnded === null
      ? {}
      : {
          entry: 'ended' as const,
          bought: (before.bought + entryEnded.filled - entryEnded.fee) as Units,
          gross,
          spent,
        };
  // A stop refused in place of its pair counts with the pair: both wait for the same pause.
  const isWithPair = before.isStopAlone && before.leaving === null;
  const setbacks = afterSetbacks(before.setbacks, {
    ended: exitsEnded.filter((order) => countsOnce(order) && !(isWithPair && order.state === 'rejected')),
    view: isWithPair ? { ...view, refusals: [] } : view,
  });
  return changed(before, {
    ...entered,
    exits: exitTally,
    heldSinceMs: before.heldSinceMs ?? (gross > 0n ? view.nowMs : null),
    isMoving: before.isMoving && exits.length > 0,
    isStopAlone: isStopAlone({ ...before, setbacks }, exitsEnded, view),
    leaving: afterSales(before.leaving, exitsEnded),
    unclear: unclearOf(before, { exits, exitsEnded, gross }, view),
    setbacks,
  });
}

/** Returns the sale of a part of the position, less what was sold of it; null once all of it is sold. */
function afterSales(leaving: Leaving | null, ended: readonly OrderRecord[]): Leaving | null {
  if (leaving === null || leaving.amount === null) return leaving;
  const sold = soldByDecision(ended);
  if (sold === 0n) return leaving;
  return sold < leaving.amount ? { ...leaving, amount: subtractUnits(leaving.amount, sold) } : null;
}

function soldByDecision(orders: readonly OrderRecord[]): Units {
  return orders.reduce(
    (sum, { exit, filled }) => (exit === 'decision' ? addUnits(sum, filled) : sum),
    NO_UNITS,
  );
}

/** Returns why it is unclear what became of the position; null if it is clear, or the coins came back. */
function unclearOf(
  { terms, unclear }: BracketAlgorithm,
  { exits, exitsEnded, gross }: Pick<BracketStock, 'exits' | 'exitsEnded' | 'gross'>,
  view: AlgorithmView,
): BracketAlgorithm['unclear'] {
  const { areCoinsMissing, nowMs } = view;
  if (unclear !== null) return unclear.why === 'coins-left' && !areCoinsMissing ? null : unclear;
  if (exits.length > 0 || gross === 0n) return null;
  const isGone =
    exitsEnded.some((order) => wasRemoved(order, view)) &&
    exitsEnded.every((order) => order.filled === 0n || wasRemoved(order, view));
  if (isGone && terms.whenCanceled === 'ask') return { why: 'exit-canceled', sinceMs: nowMs };
  return areCoinsMissing ? { why: 'coins-left', sinceMs: nowMs } : null;
}

/**
 * True if somebody else canceled an exit. A stop that the price has reached is not counted: it may have ended
 * without a fill by itself.
 */
function wasRemoved(order: OrderRecord, view: AlgorithmView): boolean {
  const { reason, stopPrice, filled, pairKey } = order;
  if (reason !== CANCELED_BY_OTHERS) {
    // If the exchange leaves the other leg of a pair open, the bot itself ends it.
    const other = pairKey === null ? undefined : view.orders.find(({ key }) => key === pairKey);
    return other?.reason === CANCELED_BY_OTHERS && other.filled === 0n && filled === 0n;
  }
  if (stopPrice === null) return true;
  const bid = view.book?.bestBid ?? view.closes.at(-1)?.price ?? null;
  return filled === 0n && (bid === null || bid > stopPrice);
}

/** True from the refusal of a pair until a pair may be tried again, or until the stop is refused as well. */
function isStopAlone(before: BracketAlgorithm, ended: readonly OrderRecord[], view: AlgorithmView): boolean {
  const refused = ended.filter(({ state }) => state === 'rejected');
  if (refused.length > 0) return refused.some(({ pairKey }) => pairKey !== null);
  if (!before.isStopAlone) return false;
  if (isOfMarket(before.setbacks, view) && !hasMarketMoved(before.setbacks, view)) return true;
  return (retryAtMsOf(before.setbacks, view.refusalPauseMs) ?? 0) > view.nowMs;
}

/** True if an ended order counts: any order with a fill, but only one leg of a refused pair. */
function countsOnce({ clientOrderId, filled }: OrderRecord): boolean {
  return clientOrderId !== null || filled > 0n;
}

/** Returns why the bracket is over; null while something is left to do. */
function whyOver(
  before: BracketAlgorithm,
  { entry, terms }: BracketAlgorithm,
  { stock, view }: Pick<Situation, 'stock' | 'view'>,
): Sentence | null {
  if (stock.gross === 0n) {
    if (stock.entryEnded !== null)
      return sentence('bracket-not-entered', { reason: stock.entryEnded.reason ?? stock.entryEnded.state });
    const refusal = view.refusals.at(-1)?.reason ?? sentence('reason-forgotten');
    return stock.entry === null ? sentence('bracket-entry-refused', { reason: refusal }) : null;
  }
  if (stock.exits.length > 0) return null;
  const isCanceled =
    stock.exitsEnded.some(({ state }) => state === 'cancelled') &&
    stock.exitsEnded.every(({ filled }) => filled === 0n);
  const isByBot = before.isMoving && !stock.exitsEnded.some((order) => wasRemoved(order, view));
  if (terms.whenCanceled === 'leave' && isCanceled && !isByBot)
    return sentence('bracket-left', { held: heldText(stock, view) });
  if (entry !== 'ended' || onAmountGrid(view.market, stock.held > 0n ? stock.held : 0n) > 0n) return null;
  const last = stock.exitsEnded.findLast(({ filled }) => filled > 0n);
  if (before.leaving !== null) return sentence('bracket-sold', { reason: before.leaving.why });
  if (last === undefined) return sentence('bracket-nothing-left');
  return sentence(last.stopPrice === null ? 'bracket-target' : 'bracket-stop');
}

function pricesOf(
  bracket: BracketAlgorithm,
  stock: BracketStock,
  { market, nowMs }: AlgorithmView,
): ExitPrices {
  const takeProfit = targetAt(bracket, nowMs);
  const stop = stopOf(bracket, stock);
  return {
    target:
      takeProfit === null ? null : onPriceGrid(priceAbove(takeProfit, originOf(stock)), market.priceStep),
    stop: stop === null ? null : onPriceGrid(stop.price, market.priceStep),
    stopKind: stop?.kind ?? 'stop-loss',
  };
}

/** Returns the current target; null if there is none yet. */
function targetAt({ terms, heldSinceMs }: BracketAlgorithm, nowMs: number): ExitLevel | null {
  const heldMs = nowMs - (heldSinceMs ?? nowMs);
  return terms.laterTargets.findLast(({ afterMs }) => afterMs <= heldMs)?.at ?? terms.takeProfit;
}

/** Returns the time at which the target falls next; null if it falls no more. */
function targetFallsAtMs({ terms, heldSinceMs }: BracketAlgorithm, nowMs: number): number | null {
  if (heldSinceMs === null) return null;
  const next = terms.laterTargets.find(({ afterMs }) => heldSinceMs + afterMs > nowMs);
  return next === undefined ? null : heldSinceMs + next.afterMs;
}

/** Returns how the position is to be sold; null if it is kept. A sale of all at the market goes first. */
function leavingOf(bracket: BracketAlgorithm, situation: Situation): Leaving | null {
  const { leaving } = bracket;
  if (leaving !== null && leaving.price === null && leaving.amount === null) return leaving;
  return whyAtMarket(bracket, situation) ?? leaving;
}

/** Returns the reason to sell everything at the market; null if there is none. */
function whyAtMarket(bracket: BracketAlgorithm, { stock, prices, view }: Situation): Leaving | null {
  const endMs = timeStopAtMs(bracket);
  if (endMs !== null && endMs <= view.nowMs) return atMarket('time-stop', sentence('bracket-time'));
  const bid = bidOf(view);
  if (bid === null) return null;
  const { target, stop, stopKind } = prices;
  const isAbove = target !== null && bid >= target && !sellsAtTarget(bracket, { target, stock, view });
  const isBare = stock.exits.every(({ exit }) => exit === 'decision');
  if (isAbove && stock.exits.every((exit) => exit.exit === 'decision' || isAlone(exit)))
    return atMarket('take-profit', sentence('bracket-beyond-target'));
  if (isBare) {
    const isBelow = stop !== null && bid <= stop;
    return isBelow ? atMarket(stopKind, sentence('bracket-beyond-stop')) : null;
  }
  const leg = stock.exits.find(({ stopPrice }) => stopPrice !== null);
  const isBeyond = leg !== undefined && leg.price !== null && bid < leg.price;
  return isBeyond ? atMarket(stopKind, sentence('bracket-beyond-limit')) : null;
}

/** Least target of a limit sale, in percent of the bid: the exchange refuses prices far below the bid. */
const LEAST_OF_BID = 95n;

/**
 * True if a limit sale at the target is placed alone: the price is beyond the target, and the target does not
 * rest in a pair.
 */
function sellsAtTarget(
  { setbacks }: BracketAlgorithm,
  { target, stock, view }: { readonly target: Units } & Pick<Situation, 'stock' | 'view'>,
): boolean {
  const bid = bidOf(view);
  if (bid === null || bid < target || target * WHOLE < bid * LEAST_OF_BID || setbacks.inARow > 0)
    return false;
  return stock.exits.every(({ price, pairKey }) => price !== target || pairKey === null);
}

/** True if an order is a stop without a target beside it. */
function isAlone({ stopPrice, pairKey }: OrderRecord): boolean {
  return stopPrice !== null && pairKey === null;
}

/** Highest target, in percent of the highest accepted price: the exchange does not measure from the bid. */
const SAFE_REACH = 99n;
const WHOLE = 100n;

/** True if a target is too far away for the exchange and does not rest already. */
function isBeyondReach(target: Units, exits: readonly OrderRecord[], view: AlgorithmView): boolean {
  const bid = bidOf(view);
  if (view.priceBand === null || bid === null) return false;
  if (exits.some(({ stopPrice, price }) => stopPrice === null && price === target)) return false;
  return target * WHOLE > addUnits(bid, multiplyUnits(bid, view.priceBand, divideDown)) * SAFE_REACH;
}

/** Returns a sale of the whole position at the market. */
function atMarket(exit: ExitKind, why: Sentence): Leaving {
  return { exit, why, price: null, amount: null, tag: null };
}

/** Returns the best bid, or the last close if there is no book; null if nobody buys or neither is known. */
function bidOf({ book, closes }: AlgorithmView): Units | null {
  return book === null ? (closes.at(-1)?.price ?? null) : book.bestBid;
}

/** True if the position is to be sold at the market, but nobody buys. */
function hasNoBuyer({ leaving }: BracketAlgorithm, view: AlgorithmView): boolean {
  return leaving !== null && leaving.price === null && bidOf(view) === null;
}

/** Leaves a resting exit where it is right, and cancels it where it is not. */
function restoreExit(bracket: BracketAlgorithm, situation: Situation): BracketStep {
  const { stock, view } = situation;
  const { exits } = stock;
  const isChanging = exits.some(({ state }) => CHANGING.has(state));
  const step = withNextOpen(resting(bracket, { ...situation, wantsBooks: true }), situation);
  if (isChanging) return step;
  if (isAsWanted(exits, wantedExit(bracket, situation)))
    return { ...step, restsAbove: restsAbove(bracket, situation) };
  // A resting exit protects more than a sale that finds no buyer.
  if (hasNoBuyer(bracket, view)) return step;
  if (!view.canPlace)
    return { ...step, wakeAtMs: Math.min(step.wakeAtMs ?? Infinity, view.nowMs + POLL_AGAIN_MS) };
  // When the position is to be sold, the other leg may be beyond its limit and never end by itself.
  const mayEnd = bracket.leaving === null || bracket.isMoving;
  const pairEndsMs = pairEndsAtMs(exits, view);
  if (mayEnd && pairEndsMs > view.nowMs)
    return { ...step, wakeAtMs: Math.min(step.wakeAtMs ?? pairEndsMs, pairEndsMs) };
  // The exchange ends the other leg with the first one.
  const [first] = exits;
  const key = present(first, 'an exit that rests').key;
  return { ...step, algorithm: changed(bracket, { isMoving: true }), cancel: [...step.cancel, key] };
}

/** Returns the least bid at which an exit that is as wanted stays so; null if any price may change it. */
function restsAbove(
  { leaving, isStopAlone, terms }: BracketAlgorithm,
  { stock, prices }: Situation,
): Units | null {
  const isPair = stock.exits.length === 2;
  const follows = terms.trail !== null || terms.breakEvenAt !== null;
  if (leaving !== null || isStopAlone || follows) return null;
  // A stop alone waits for its target to come into reach, and a target alone for its stop to be needed.
  if (!isPair && prices.target !== null && prices.stop !== null) return null;
  return stock.exits.find(({ stopPrice }) => stopPrice !== null)?.price ?? NO_UNITS;
}

/**
 * Adds a wake-up at the next bar's open if a target rests alone by the close of a bar: if the bar opens below
 * the target, the stop is needed again.
 */
function withNextOpen(step: BracketStep, { stock, prices, view }: Situation): BracketStep {
  const { book, nowMs } = view;
  const isAlone = stock.exits.every(({ stopPrice, pairKey }) => stopPrice === null && pairKey === null);
  const isByClose = book !== null && book.freshUntilMs !== null && book.venueAtMs === nowMs;
  return isAlone && isByClose && prices.stop !== null && step.algorithm.leaving === null
    ? { ...step, wakeAtMs: nowMs + 1 }
    : step;
}

/** Returns the time until which the rest of a pair may end by itself; minus infinity if no leg has ended. */
function pairEndsAtMs([exit]: readonly OrderRecord[], { orders }: AlgorithmView): number {
  const other = orders.find(({ key }) => key === exit?.pairKey);
  if (other === undefined || !isFinal(other) || other.closedAtMs === null) return Number.NEGATIVE_INFINITY;
  return other.closedAtMs + PAIR_ENDS_MS;
}

const CHANGING: ReadonlySet<OrderRecord['state']> = new Set(['planned', 'cancelling', 'settling']);

/** Places the right exit while none rests, if there is enough to sell and no pause holds it back. */
function placeExit(bracket: BracketAlgorithm, situation: Situation): BracketStep {
  const { view, stock } = situation;
  const step = resting(bracket, { ...situation, wantsBooks: true });
  const order = wantedExit(bracket, situation);
  // The next book shows whether somebody buys.
  if (order === null || hasNoBuyer(bracket, view)) return step;
  const lowest = order.stopLimitPrice ?? order.price ?? order.stopPrice ?? priceOf(situation);
  if (!canBeOrdered(view.market, { amount: order.amount, price: lowest })) {
    // The rest of a partial sale is too small for an order: the normal exit is placed again.
    if ((bracket.leaving?.amount ?? null) !== null)
      return placeExit({ ...bracket, leaving: null }, situation);
    return bracket.entry === 'ended'
      ? over(bracket, sentence('bracket-dust', { held: heldText(stock, view) }))
      : step;
  }
  // Not counted as a refusal, which would make the pause longer: it is placed once orders are accepted.
  if (!view.canPlace)
    return { ...step, wakeAtMs: Math.min(step.wakeAtMs ?? Infinity, view.nowMs + POLL_AGAIN_MS) };
  const retryAtMs = bracket.isStopAlone ? null : exitRetryAtMs(bracket.setbacks, view);
  if (retryAtMs !== null && retryAtMs > view.nowMs)
    return { ...step, wakeAtMs: Math.min(step.wakeAtMs ?? retryAtMs, retryAtMs) };
  return { ...step, place: [order] };
}

/** Returns the exit that the position needs now; null if it is only held until its time is over. */
function wantedExit(
  bracket: BracketAlgorithm,
  { prices, amount, stock, view }: Situation,
): AlgorithmOrder | null {
  const { leaving, terms, isStopAlone: goesAlone } = bracket;
  const { target, stop, stopKind } = prices;
  const price = target !== null && isBeyondReach(target, stock.exits, view) ? null : target;
  if (leaving !== null) {
    const limit = leaving.price === null ? null : onPriceGrid(leaving.price, view.market.priceStep);
    const left =
      leaving.amount === null
        ? amount
        : onAmountGrid(view.market, subtractUnits(leaving.amount, soldByDecision(stock.exits)));
    return { ...plainOrder('sell', left < amount ? left : amount, limit), exit: leaving.exit };
  }
  const isAtTarget = target !== null && sellsAtTarget(bracket, { target, stock, view });
  if (stop === null || isAtTarget)
    return price === null ? null : { ...plainOrder('sell', amount, price), exit: 'take-profit' };
  if (price === null || goesAlone)
    return { side: 'sell', amount, price: null, stopPrice: stop, stopLimitPrice: null, exit: stopKind };
  return {
    side: 'sell',
    amount,
    price,
    stopPrice: stop,
    stopLimitPrice: stopLimitOf(stop, terms.stopSlip),
    exit: 'take-profit',
    stopLegExit: stopKind,
  };
}

/** True if the resting orders match the wanted exit, each leg for the whole amount. */
function isAsWanted(exits: readonly OrderRecord[], wanted: AlgorithmOrder | null): boolean {
  if (wanted === null || exits.length !== (wanted.stopLimitPrice === null ? 1 : 2)) return false;
  return exits.every(({ amount, filled, price, stopPrice, execution }) => {
    // The engine decides the price bound of a market order.
    if (execution === 'market') return wanted.price === null && wanted.stopPrice === null;
    if (subtractUnits(amount, filled) !== wanted.amount) return false;
    return stopPrice === null ? price === wanted.price : stopPrice === wanted.stopPrice;
  });
}

/** Returns a step that places nothing, and cancels the entry when it is not wanted any more. */
function resting(
  bracket: BracketAlgorithm,
  { stock, view, wantsBooks }: Pick<Situation, 'stock' | 'view'> & { readonly wantsBooks: boolean },
): BracketStep {
  const { entry } = stock;
  const expiresAtMs = bracket.terms.entry?.expiresAtMs ?? null;
  const isUnwanted =
    (expiresAtMs !== null && expiresAtMs <= view.nowMs) ||
    bracket.leaving !== null ||
    bracket.exits.filled > 0n ||
    stock.exits.some(({ filled }) => filled > 0n);
  const isLeaving = entry !== null && isUnwanted && !CHANGING.has(entry.state);
  const times = [
    entry === null || isUnwanted ? null : expiresAtMs,
    bracket.leaving === null ? timeStopAtMs(bracket) : null,
    bracket.leaving === null && bracket.isStopAlone ? pairRetryAtMs(bracket, view) : null,
    bracket.leaving === null ? targetFallsAtMs(bracket, view.nowMs) : null,
  ].filter((atMs) => atMs !== null);
  return {
    algorithm: bracket,
    cancel: isLeaving ? [entry.key] : NOTHING,
    place: NOTHING,
    wakeAtMs: times.length === 0 ? null : Math.min(...times),
    wantsBooks,
    done: null,
  };
}

/** Returns the time of the next try of a pair; null if a book has to show a different market first. */
function pairRetryAtMs({ setbacks }: BracketAlgorithm, view: AlgorithmView): number | null {
  const retryAtMs = retryAtMsOf(setbacks, view.refusalPauseMs);
  return retryAtMs === null || retryAtMs <= view.nowMs ? null : retryAtMs;
}

function timeStopAtMs({ terms, heldSinceMs }: BracketAlgorithm): number | null {
  return terms.timeStopMs === null || heldSinceMs === null ? null : heldSinceMs + terms.timeStopMs;
}

/** Returns the price at which a sale at the market is valued. */
function priceOf({ stock, view }: Situation): Units {
  return bidOf(view) ?? originOf(stock).price;
}

function heldText({ held }: BracketStock, { market }: AlgorithmView): string {
  return `${formatUnits(held)} ${market.base}`;
}

/** Returns the bracket with other fields; the same object if none differs, so that it is not stored again. */
function changed(bracket: BracketAlgorithm, fields: Partial<BracketAlgorithm>): BracketAlgorithm {
  const next = { ...bracket, ...fields };
  const names = Object.keys(fields) as (keyof BracketAlgorithm)[];
  return names.every((name) => next[name] === bracket[name]) ? bracket : next;
}
