import { present } from '../../domain/invariant.ts';
import {
  midOfUnits,
  multiplyUnits,
  NO_UNITS,
  subtractUnits,
  type Units,
  UNITS_PER_ONE,
} from '../../domain/money.ts';
import { divideDown } from '../../domain/rounding.ts';
import { sentence } from '../../language/sentence.ts';
import { paymentFor, worstPrice } from '../orders/claims.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import type { AlgorithmOrder, AlgorithmStep, AlgorithmView, ExitSale, MarketLook } from './algorithm-step.ts';
import { canBeOrdered, onAmountGrid } from './market-grid.ts';
import { waitingFor, NO_EQUITY, noPriceOf, NOTHING, over, waiting } from './step.ts';
import { advanceTarget } from './target.ts';
import type { TargetsAlgorithm, TargetsLeg } from './targets.ts';

/** Data collected in one step. */
interface Round {
  readonly view: AlgorithmView;
  /** Its own. */
  readonly orders: readonly OrderRecord[];
  readonly place: AlgorithmOrder[];
  readonly leave: ExitSale[];
  readonly atOnce: number;
  /** Orders that are live, those of this round among them. */
  live: number;
  /** Money left to buy with. */
  money: Units;
  wakeAtMs: number | null;
  wantsBooks: boolean;
  /** Missing precondition of the first leg that waits for something. */
  lacks: string | null;
}

/**
 * Brings several markets to their shares of the equity, each as a target does, by market orders: equity and
 * shares become positions once, at the first moment at which all prices are known. A market whose share is
 * within its band is left alone. Sales come first; purchases begin when all sales have ended and their fills
 * are read, in the order in which they were named, and never for more than there is: the last gets what is
 * left. Never more than `atOnce` orders at a time.
 */
export function advanceTargets(
  before: TargetsAlgorithm,
  view: AlgorithmView,
): AlgorithmStep<TargetsAlgorithm> {
  const { awaited, atOnce } = before;
  const isAwaited = ({ key }: OrderRecord): boolean => awaited.includes(key);
  if (view.orders.some((order) => isAwaited(order) && !isFinal(order))) return waiting(before);
  const orders = awaited.length === 0 ? view.orders : view.orders.filter((order) => !isAwaited(order));
  const algorithm = before.legs.some(({ side }) => side === null) ? decided(before, view) : before;
  if (typeof algorithm === 'string') return waitingFor(before, algorithm);
  const live = orders.reduce((sum, order) => sum + (isFinal(order) ? 0 : 1), 0);
  const money = present(view.portfolio, 'a look at the portfolio').spendable();
  const nothing = { place: [], leave: [], wakeAtMs: null, wantsBooks: false, lacks: null };
  const round: Round = { view, orders, atOnce, live, money, ...nothing };
  const sold = algorithm.legs.map((leg) => (leg.side === 'sell' ? advanced(leg, round) : leg));
  const isSold = sold.every(({ side, done }) => side === 'buy' || done !== null);
  const legs = isSold ? sold.map((leg) => (leg.side === 'buy' ? advanced(leg, round) : leg)) : sold;
  const isSame = legs.every((leg, index) => leg === algorithm.legs[index]);
  const next = isSame ? algorithm : { ...algorithm, legs };
  if (legs.every(({ done }) => done !== null)) return over(next, sayEnds(legs));
  const { place, leave, wakeAtMs, wantsBooks, lacks } = round;
  const awaitsOthers = leave.length > 0;
  const step = {
    algorithm: next,
    cancel: NOTHING,
    place,
    leave,
    awaitsOthers,
    wakeAtMs,
    wantsBooks,
    done: null,
  };
  // A leg that waits says nothing of itself while others trade.
  return lacks === null || live > 0 || place.length > 0 ? step : { ...step, lacks };
}

/** With positions in place of shares; what it lacks, while the equity or a price is not known. */
function decided(algorithm: TargetsAlgorithm, view: AlgorithmView): TargetsAlgorithm | string {
  const { equity } = view;
  const unpriced = algorithm.legs.find((leg) => middleOf(lookAt(leg, view)) === null);
  if (unpriced !== undefined) return noPriceOf(unpriced.market);
  if (equity === null) return NO_EQUITY;
  const legs: TargetsLeg[] = [];
  for (const leg of algorithm.legs) {
    const look = lookAt(leg, view);
    const price = present(middleOf(look), 'the price of a market of the set');
    const worth = multiplyUnits(look.position, price, divideDown);
    const wanted = equity <= 0n ? NO_UNITS : multiplyUnits(equity, leg.share, divideDown);
    const position = onAmountGrid(look.market, divideDown(wanted * UNITS_PER_ONE, price));
    const isLess = position < look.position;
    const drift = wanted > worth ? wanted - worth : worth - wanted;
    const isWithin = leg.share > 0n && equity > 0n && drift * UNITS_PER_ONE <= equity * leg.band;
    legs.push({
      ...leg,
      side: isLess ? 'sell' : 'buy',
      target: { ...leg.target, position },
      done: isWithin ? WITHIN : null,
    });
  }
  return { ...algorithm, legs };
}

const REACHED = sentence('reached');
const WITHIN = sentence('over-within-band');

/** One market, as its own target would do it. */
function advanced(leg: TargetsLeg, round: Round): TargetsLeg {
  if (leg.done !== null) return leg;
  const look = lookAt(leg, round.view);
  const { refusals } = round.view;
  const step = advanceTarget(leg.target, {
    ...round.view,
    ...look,
    orders: round.orders.filter(({ market }) => market === leg.market),
    refusals: refusals.filter(({ order }) => order.market === leg.market),
  });
  if (step.done !== null) return { ...leg, target: step.algorithm, done: step.done };
  const [wished] = step.place;
  if (wished === undefined) {
    if (step.wakeAtMs !== null) round.wakeAtMs = Math.min(step.wakeAtMs, round.wakeAtMs ?? Infinity);
    if (step.wantsBooks) round.wantsBooks = true;
    round.leave.push(...(step.leave ?? NOTHING));
    round.lacks ??= step.lacks ?? null;
    return step.algorithm === leg.target ? leg : { ...leg, target: step.algorithm };
  }
  // It has gone beyond its target, as when something else has traded the same coin.
  if (wished.side !== leg.side) return { ...leg, done: REACHED };
  const order = wished.side === 'sell' ? wished : affordable(wished, look, round.money);
  const unplaced = { ...leg, target: { ...step.algorithm, placed: leg.target.placed } };
  if (order === null) return round.live > 0 ? unplaced : { ...unplaced, done: sentence('over-no-money') };
  if (round.live >= round.atOnce) return unplaced;
  round.live += 1;
  round.place.push({ ...order, market: leg.market });
  if (order.side === 'buy') {
    const price = worstPrice(present(look.book?.bestAsk, 'the price of a purchase'), look.market.priceStep);
    round.money = subtractUnits(round.money, paymentFor('buy', order.amount, price));
  }
  return { ...leg, target: step.algorithm };
}

/** A purchase as far as the money goes; null where too little is left for an order. */
function affordable(
  order: AlgorithmOrder,
  { market, book }: MarketLook,
  money: Units,
): AlgorithmOrder | null {
  const price = book?.bestAsk ?? null;
  if (price === null) return null;
  const most = onAmountGrid(market, divideDown((money > 0n ? money : 0n) * UNITS_PER_ONE, price));
  const amount = most < order.amount ? most : order.amount;
  return canBeOrdered(market, { amount, price }) ? { ...order, amount } : null;
}

function lookAt({ market }: TargetsLeg, { portfolio }: AlgorithmView): MarketLook {
  return present(portfolio, 'a look at the portfolio').of(market);
}

function middleOf({ book }: MarketLook): Units | null {
  const bid = book?.bestBid ?? null;
  const ask = book?.bestAsk ?? null;
  return bid === null || ask === null ? (bid ?? ask) : midOfUnits(bid, ask);
}

function sayEnds(legs: readonly TargetsLeg[]): string {
  const others = legs.filter(({ done }) => done !== REACHED && done !== WITHIN);
  return others.length === 0
    ? REACHED
    : others
        .map(({ market, done }) => sentence('of-subject', { subject: market, said: done ?? '' }))
        .join('; ');
}
