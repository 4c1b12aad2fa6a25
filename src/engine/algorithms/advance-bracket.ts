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
 * The exchange ends the other leg of a pair with the first. For so long it is waited for, as lists show the
 * two one after the other.
 */
const PAIR_ENDS_MS = 5_000;

/** While no orders are taken, what rests is left as it is, and looked at again after this. */
const POLL_AGAIN_MS = 1_000;

type BracketStep = AlgorithmStep<BracketAlgorithm>;

/** Current prices of a position's exit, on the steps of the market; null if it has no such leg. */
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
 * - Its entry goes first. The rest of it is canceled when its time is over, and when an exit fills.
 * - The bought amount gets its exit at once, also while the entry still fills. For another amount or price
 *   the exit is canceled, and placed anew when its end and all its fills are known.
 * - The exchange refuses a pair while the last price is that of the target, as after a part of it was filled.
 *   Then the stop goes alone at once, and gives place to a pair when the pause after the refusal is over.
 * - A target farther from the price than the exchange accepts stays in the bot until it is in reach, and the
 *   stop rests alone.
 * - An exit that the exchange refused for the market's price goes as soon as the book shows another one.
 * - An amount too small for an order waits for more of the entry. If none comes it stays with the strategy.
 * - Its strategy can leave it, or a part of it: the exit goes first, then comes one sale. While a limit sale
 *   rests in place of the exit, the stop is in the bot.
 * - After somebody else canceled the exit, or removed coins, none is placed until it is clear what became of
 *   the position.
 * - If the price is beyond a target that does not rest, as after the target fell, a limit sale at the target
 *   goes alone. It gives place to the exit with its stop once the price is below the target again.
 * - It is sold at the market when its time is over; when the price is beyond the stop while no exit rests;
 *   when it is far beyond the target, or such a limit sale was refused; and when it is beyond the limit of
 *   the stop leg, which then cannot fill.
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
  // What a person has taken away the bot would else sell of somebody else's coins.
  if (followed.unclear !== null && stock.exits.length === 0)
    return resting(followed, { stock, view, wantsBooks: false });
  const bracket = changed(followed, { leaving: leavingOf(followed, situation) });
  return stock.exits.length === 0 ? placeExit(bracket, situation) : restoreExit(bracket, situation);
}

/** Other orders that hold the coins end first; what is then there, and no more than was wanted, is sold. */
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

/** Applies what its orders have come to since the last time. */
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
  // A stop that is refused in place of its pair counts with it: the two wait together.
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

/** Returns what is still to be sold of a part that the strategy leaves; null once that is done. */
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

/** Returns the doubt about what became of the position; a person, or coins that come back, ends it. */
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
 * True if somebody else canceled an exit. A stop that the price has reached may have come to nothing by
 * itself.
 */
function wasRemoved(order: OrderRecord, view: AlgorithmView): boolean {
  const { reason, stopPrice, filled, pairKey } = order;
  if (reason !== CANCELED_BY_OTHERS) {
    // Of a pair the bot ends the other leg itself, where the exchange left it.
    const other = pairKey === null ? undefined : view.orders.find(({ key }) => key === pairKey);
    return other?.reason === CANCELED_BY_OTHERS && other.filled === 0n && filled === 0n;
  }
  if (stopPrice === null) return true;
  const bid = view.book?.bestBid ?? view.closes.at(-1)?.price ?? null;
  return filled === 0n && (bid === null || bid > stopPrice);
}

/** From the refusal of a pair on, until a pair may be tried again or the stop is refused as well. */
function isStopAlone(before: BracketAlgorithm, ended: readonly OrderRecord[], view: AlgorithmView): boolean {
  const refused = ended.filter(({ state }) => state === 'rejected');
  if (refused.length > 0) return refused.some(({ pairKey }) => pairKey !== null);
  if (!before.isStopAlone) return false;
  if (isOfMarket(before.setbacks, view) && !hasMarketMoved(before.setbacks, view)) return true;
  return (retryAtMsOf(before.setbacks, view.refusalPauseMs) ?? 0) > view.nowMs;
}

/** Both legs of a pair are refused with one request; a fill of either counts. */
function countsOnce({ clientOrderId, filled }: OrderRecord): boolean {
  return clientOrderId !== null || filled > 0n;
}

/** Returns why nothing is left to do; null while there is something. */
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

/** Returns the next time the target falls; null if it does not. */
function targetFallsAtMs({ terms, heldSinceMs }: BracketAlgorithm, nowMs: number): number | null {
  if (heldSinceMs === null) return null;
  const next = terms.laterTargets.find(({ afterMs }) => heldSinceMs + afterMs > nowMs);
  return next === undefined ? null : heldSinceMs + next.afterMs;
}

/**
 * Returns how the position is sold: a sale of a part, or at a limit, yields to a sale of all at the market.
 */
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

/** So much of the bid a target is at least for a limit sale there: far below it one is refused. */
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

/** So much nearer than the exchange says a target has to be, since the bid is not what it measures from. */
const SAFE_REACH = 99n;
const WHOLE = 100n;

/** True if a target is too far away for the exchange and does not rest already. */
function isBeyondReach(target: Units, exits: readonly OrderRecord[], view: AlgorithmView): boolean {
  const bid = bidOf(view);
  if (view.priceBand === null || bid === null) return false;
  if (exits.some(({ stopPrice, price }) => stopPrice === null && price === target)) return false;
  return target * WHOLE > addUnits(bid, multiplyUnits(bid, view.priceBand, divideDown)) * SAFE_REACH;
}

/** A sale of all that is held. */
function atMarket(exit: ExitKind, why: Sentence): Leaving {
  return { exit, why, price: null, amount: null, tag: null };
}

/** The best price that somebody pays; null where nobody does, or none is known. */
function bidOf({ book, closes }: AlgorithmView): Units | null {
  return book === null ? (closes.at(-1)?.price ?? null) : book.bestBid;
}

/** True if the position is to be sold at the market, but nobody buys. */
function hasNoBuyer({ leaving }: BracketAlgorithm, view: AlgorithmView): boolean {
  return leaving !== null && leaving.price === null && bidOf(view) === null;
}

/** An exit rests: it stays where it is right, and goes where it is not. */
function restoreExit(bracket: BracketAlgorithm, situation: Situation): BracketStep {
  const { stock, view } = situation;
  const { exits } = stock;
  const isChanging = exits.some(({ state }) => CHANGING.has(state));
  const step = withNextOpen(resting(bracket, { ...situation, wantsBooks: true }), situation);
  if (isChanging || isAsWanted(exits, wantedExit(bracket, situation))) return step;
  // What rests protects more than what could not be placed.
  if (hasNoBuyer(bracket, view)) return step;
  if (!view.canPlace)
    return { ...step, wakeAtMs: Math.min(step.wakeAtMs ?? Infinity, view.nowMs + POLL_AGAIN_MS) };
  // One that stays behind beyond its limit is not ending.
  const mayEnd = bracket.leaving === null || bracket.isMoving;
  const pairEndsMs = pairEndsAtMs(exits, view);
  if (mayEnd && pairEndsMs > view.nowMs)
    return { ...step, wakeAtMs: Math.min(step.wakeAtMs ?? pairEndsMs, pairEndsMs) };
  // The exchange ends the other leg with it.
  const [first] = exits;
  const key = present(first, 'an exit that rests').key;
  return { ...step, algorithm: changed(bracket, { isMoving: true }), cancel: [...step.cancel, key] };
}

/**
 * A target that went alone by the close of a bar lacks its stop where the next bar opens below it: candles
 * are looked at again with that open.
 */
function withNextOpen(step: BracketStep, { stock, prices, view }: Situation): BracketStep {
  const { book, nowMs } = view;
  const isAlone = stock.exits.every(({ stopPrice, pairKey }) => stopPrice === null && pairKey === null);
  const isByClose = book !== null && book.freshUntilMs !== null && book.venueAtMs === nowMs;
  return isAlone && isByClose && prices.stop !== null && step.algorithm.leaving === null
    ? { ...step, wakeAtMs: nowMs + 1 }
    : step;
}

/** Until when a leg whose other one has ended is expected to end by itself; the past where none has. */
function pairEndsAtMs([exit]: readonly OrderRecord[], { orders }: AlgorithmView): number {
  const other = orders.find(({ key }) => key === exit?.pairKey);
  if (other === undefined || !isFinal(other) || other.closedAtMs === null) return Number.NEGATIVE_INFINITY;
  return other.closedAtMs + PAIR_ENDS_MS;
}

const CHANGING: ReadonlySet<OrderRecord['state']> = new Set(['planned', 'cancelling', 'settling']);

/** No exit rests: the right one is placed, if there is enough for it and nothing is in the way. */
function placeExit(bracket: BracketAlgorithm, situation: Situation): BracketStep {
  const { view, stock } = situation;
  const step = resting(bracket, { ...situation, wantsBooks: true });
  const order = wantedExit(bracket, situation);
  // The next book shows whether somebody buys.
  if (order === null || hasNoBuyer(bracket, view)) return step;
  const lowest = order.stopLimitPrice ?? order.price ?? order.stopPrice ?? priceOf(situation);
  if (!canBeOrdered(view.market, { amount: order.amount, price: lowest })) {
    // What is left of a part is too little: the exit comes back.
    if ((bracket.leaving?.amount ?? null) !== null)
      return placeExit({ ...bracket, leaving: null }, situation);
    return bracket.entry === 'ended'
      ? over(bracket, sentence('bracket-dust', { held: heldText(stock, view) }))
      : step;
  }
  // No refusal, after which it would wait longer and longer: it goes as soon as orders are taken.
  if (!view.canPlace)
    return { ...step, wakeAtMs: Math.min(step.wakeAtMs ?? Infinity, view.nowMs + POLL_AGAIN_MS) };
  const retryAtMs = bracket.isStopAlone ? null : exitRetryAtMs(bracket.setbacks, view);
  if (retryAtMs !== null && retryAtMs > view.nowMs)
    return { ...step, wakeAtMs: Math.min(step.wakeAtMs ?? retryAtMs, retryAtMs) };
  return { ...step, place: [order] };
}

/** The exit that belongs to a position now; null where it is only held until its time is over. */
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

/** True if the resting orders match the wanted exit: each leg with all that is held. */
function isAsWanted(exits: readonly OrderRecord[], wanted: AlgorithmOrder | null): boolean {
  if (wanted === null || exits.length !== (wanted.stopLimitPrice === null ? 1 : 2)) return false;
  return exits.every(({ amount, filled, price, stopPrice, execution }) => {
    // What it is bound by is the engine's to say.
    if (execution === 'market') return wanted.price === null && wanted.stopPrice === null;
    if (subtractUnits(amount, filled) !== wanted.amount) return false;
    return stopPrice === null ? price === wanted.price : stopPrice === wanted.stopPrice;
  });
}

/** Nothing to place: the entry goes when it is not wanted any more. */
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

/** The same value where nothing differs, so that nothing has to be stored. */
function changed(bracket: BracketAlgorithm, fields: Partial<BracketAlgorithm>): BracketAlgorithm {
  const next = { ...bracket, ...fields };
  const names = Object.keys(fields) as (keyof BracketAlgorithm)[];
  return names.every((name) => next[name] === bracket[name]) ? bracket : next;
}
