import type { Market } from '../../domain/market.ts';
import {
  formatUnits,
  NO_UNITS,
  parseUnits,
  type Units,
  UNITS_PER_ONE,
  midOfUnits,
  multiplyUnits,
  subtractUnits,
  divideDown,
} from '../../domain/money.ts';
import type { Intent } from '../../strategy/intents.ts';
import { NO_SETBACKS } from './setbacks.ts';
import {
  refused,
  type Creation,
  waitingFor,
  NO_EQUITY,
  noPriceOf,
  NOTHING,
  over,
  waiting,
  NO_TALLY,
  type AlgorithmOrder,
  type AlgorithmStep,
  type AlgorithmView,
  type ExitSale,
  type MarketSnapshot,
} from './algorithm-step.ts';
import { type TargetAlgorithm, advanceTarget } from './target.ts';
import { requestedUnits, canBeOrdered, onAmountGrid } from './requested-units.ts';
import { present } from '../../domain/errors.ts';
import { isSentence, joinSentences, sentence, type Sentence } from '../../language/sentence.ts';
import { paymentFor, worstPrice } from '../orders/claims.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import type { AlgorithmOf } from '../algorithm-json.ts';

/** Shares of the strategy's equity over several markets of one quote currency. See `advanceTargets`. */
export type TargetsAlgorithm = AlgorithmOf<'targets'>;

type TargetsLeg = TargetsAlgorithm['legs'][number];

type TargetsIntent = Extract<Intent, { kind: 'targets' }>;

/** Default taker fee: the first tier of the exchange, in percent. */
const DEFAULT_FEE_PERCENT = 0.25;
const DEFAULT_AT_ONCE = 5;
const MOST_MARKETS = 100;
const PERCENT = 100;

/** Factor in the formula of `noTradeBand`, for two sides and a risk aversion of one. */
const THREE_HALVES = 1.5;

/**
 * Returns the drift of a share from which trading it back is worth its cost: half the width of the no-trade
 * region for proportional costs and log utility, (3/2 x fee x share^2 x (1 - share)^2)^(1/3) (Shreve and
 * Soner 1994; Gerhold, Muhle-Karbe and Schachermayer 2013). The arguments and the result are parts of 1.
 */
export function noTradeBand(share: number, fee: number): number {
  const spread = share * (1 - share);
  return Math.cbrt(THREE_HALVES * fee * spread * spread);
}

export function createTargets(
  intent: TargetsIntent,
  { marketOf }: { readonly marketOf: (symbol: string) => Market | null },
): Creation<TargetsAlgorithm> {
  const symbols = Object.keys(intent.shares);
  if (symbols.length === 0 || symbols.length > MOST_MARKETS)
    return refused(`expected shares of 1 to ${MOST_MARKETS} markets, was ${symbols.length}`);
  const quotes = new Set<string>();
  const legs: TargetsLeg[] = [];
  let sum = 0n;
  for (const [market, requested] of Object.entries(intent.shares)) {
    const share = requestedUnits(requested);
    const known = marketOf(market);
    if (known === null) return refused(`expected a market that the bot follows in shares, was ${market}`);
    if (share === null || share > UNITS_PER_ONE)
      return refused(`expected shares.${market} from 0 to 1, was "${String(requested)}"`);
    quotes.add(known.quote);
    sum += share;
    legs.push({ market, share, band: bandOf(share, intent), side: null, target: NEW_TARGET, done: null });
  }
  if (quotes.size > 1)
    return refused(
      `expected markets of one quote currency, were ${symbols.join(', ')}: say one set for each, with its part of the equity`,
    );
  if (sum > UNITS_PER_ONE)
    return refused(`expected shares of at most 1 together, was ${formatUnits(sum)}: ${sharesOf(legs)}`);
  const { atOnce = DEFAULT_AT_ONCE } = intent;
  return { ok: true, algorithm: { kind: 'targets', legs, atOnce, awaited: [] } };
}

const NEW_TARGET: TargetAlgorithm = {
  kind: 'target',
  position: null,
  value: null,
  equityShare: null,
  price: null,
  placed: 0,
  setbacks: NO_SETBACKS,
  tally: NO_TALLY,
};

/** Returns the band of a share; 0 for a share of 0, whose coins are all sold. */
function bandOf(share: Units, { band, fee }: TargetsIntent): Units {
  if (share === NO_UNITS) return NO_UNITS;
  if (band !== undefined) return requestedUnits(band) ?? NO_UNITS;
  const rate = fee === undefined ? DEFAULT_FEE_PERCENT : Number(fee);
  const width = noTradeBand(Number(formatUnits(share)), rate / PERCENT);
  return parseUnits(width.toFixed(10));
}

const sharesOf = (legs: readonly TargetsLeg[]): string =>
  legs.map(({ market, share }) => `${market} ${formatUnits(share)}`).join(', ');

/** State of one step that all legs read and change. */
interface Round {
  readonly view: AlgorithmView;
  /** Orders of this set, without those that it waits for. */
  readonly orders: readonly OrderRecord[];
  readonly place: AlgorithmOrder[];
  readonly leave: ExitSale[];
  readonly atOnce: number;
  /** Number of live orders, including those of this step. */
  live: number;
  /** Money left for purchases, in the quote currency. */
  money: Units;
  wakeAtMs: number | null;
  wantsBooks: boolean;
  /** Thing that the first waiting leg lacks; null if none waits. */
  missing: Sentence | null;
}

/**
 * Brings several markets to their shares of the equity by market orders, each as a target does. Shares become
 * positions once, at the first moment at which the equity and all prices are known. A market whose share is
 * within its band is left alone. Sales come first. Purchases begin when all sales have ended and their fills
 * are read, in the order in which they were named, and never for more money than there is: the last gets the
 * rest. Never more than `atOnce` orders at a time.
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
  if (isSentence(algorithm)) return waitingFor(before, algorithm);
  const live = orders.reduce((sum, order) => sum + (isFinal(order) ? 0 : 1), 0);
  const money = present(view.portfolio, 'a look at the portfolio').spendable();
  const nothing = { place: [], leave: [], wakeAtMs: null, wantsBooks: false, missing: null };
  const round: Round = { view, orders, atOnce, live, money, ...nothing };
  const sold = algorithm.legs.map((leg) => (leg.side === 'sell' ? advanced(leg, round) : leg));
  const isSold = sold.every(({ side, done }) => side === 'buy' || done !== null);
  const legs = isSold ? sold.map((leg) => (leg.side === 'buy' ? advanced(leg, round) : leg)) : sold;
  const isSame = legs.every((leg, index) => leg === algorithm.legs[index]);
  const next = isSame ? algorithm : { ...algorithm, legs };
  if (legs.every(({ done }) => done !== null)) return over(next, endsText(legs));
  const { place, leave, wakeAtMs, wantsBooks, missing } = round;
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
  // A waiting leg reports nothing missing while others trade.
  return missing === null || live > 0 || place.length > 0 ? step : { ...step, missing };
}

/** Converts shares to positions; returns what is missing while the equity or a price is not known. */
function decided(algorithm: TargetsAlgorithm, view: AlgorithmView): TargetsAlgorithm | Sentence {
  const { equity } = view;
  const unpriced = algorithm.legs.find((leg) => middleOf(marketSnapshotOf(leg, view)) === null);
  if (unpriced !== undefined) return noPriceOf(unpriced.market);
  if (equity === null) return NO_EQUITY;
  const legs: TargetsLeg[] = [];
  for (const leg of algorithm.legs) {
    const market = marketSnapshotOf(leg, view);
    const price = present(middleOf(market), 'the price of a market of the set');
    const worth = multiplyUnits(market.position, price, divideDown);
    const wanted = equity <= 0n ? NO_UNITS : multiplyUnits(equity, leg.share, divideDown);
    const position = onAmountGrid(market.market, divideDown(wanted * UNITS_PER_ONE, price));
    const isLess = position < market.position;
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

/** Advances one market as a target of its own would. */
function advanced(leg: TargetsLeg, round: Round): TargetsLeg {
  if (leg.done !== null) return leg;
  const market = marketSnapshotOf(leg, round.view);
  const { refusals } = round.view;
  const step = advanceTarget(leg.target, {
    ...round.view,
    ...market,
    orders: round.orders.filter(({ market }) => market === leg.market),
    refusals: refusals.filter(({ order }) => order.market === leg.market),
  });
  if (step.done !== null) return { ...leg, target: step.algorithm, done: step.done };
  const [placement] = step.place;
  if (placement === undefined) {
    if (step.wakeAtMs !== null) round.wakeAtMs = Math.min(step.wakeAtMs, round.wakeAtMs ?? Infinity);
    if (step.wantsBooks) round.wantsBooks = true;
    round.leave.push(...(step.leave ?? NOTHING));
    round.missing ??= step.missing ?? null;
    return step.algorithm === leg.target ? leg : { ...leg, target: step.algorithm };
  }
  // The position is beyond its target, as when another order has traded the same coin.
  if (placement.side !== leg.side) return { ...leg, done: REACHED };
  const order = placement.side === 'sell' ? placement : affordable(placement, market, round.money);
  const unplaced = { ...leg, target: { ...step.algorithm, placed: leg.target.placed } };
  if (order === null) return round.live > 0 ? unplaced : { ...unplaced, done: sentence('over-no-money') };
  if (round.live >= round.atOnce) return unplaced;
  round.live += 1;
  round.place.push({ ...order, market: leg.market });
  if (order.side === 'buy') {
    const price = worstPrice(
      present(market.book?.bestAsk, 'the price of a purchase'),
      market.market.priceStep,
    );
    round.money = subtractUnits(round.money, paymentFor('buy', order.amount, price));
  }
  return { ...leg, target: step.algorithm };
}

/** Returns a purchase reduced to what the money can buy; null if that is too small for an order. */
function affordable(
  order: AlgorithmOrder,
  { market, book }: MarketSnapshot,
  money: Units,
): AlgorithmOrder | null {
  const price = book?.bestAsk ?? null;
  if (price === null) return null;
  const most = onAmountGrid(market, divideDown((money > 0n ? money : 0n) * UNITS_PER_ONE, price));
  const amount = most < order.amount ? most : order.amount;
  return canBeOrdered(market, { amount, price }) ? { ...order, amount } : null;
}

function marketSnapshotOf({ market }: TargetsLeg, { portfolio }: AlgorithmView): MarketSnapshot {
  return present(portfolio, 'a look at the portfolio').of(market);
}

function middleOf({ book }: MarketSnapshot): Units | null {
  const bid = book?.bestBid ?? null;
  const ask = book?.bestAsk ?? null;
  return bid === null || ask === null ? (bid ?? ask) : midOfUnits(bid, ask);
}

function endsText(legs: readonly TargetsLeg[]): Sentence {
  const others = legs.filter(({ done }) => done !== REACHED && done !== WITHIN);
  return others.length === 0
    ? REACHED
    : joinSentences(
        'both',
        others.map(({ market, done }) => sentence('of-subject', { subject: market, said: done ?? '' })),
      );
}
