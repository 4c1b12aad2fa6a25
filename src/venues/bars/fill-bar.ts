import type { Market } from '../../domain/market.ts';
import type { Side } from '../../domain/order.ts';
import { divideDown, divideUp } from '../../domain/money.ts';
import { millionthsOfBps, type BarRules, type BarPath } from '../fill-rules.ts';
import { SarrafError } from '../../domain/errors.ts';
import { type BarAccount, payable } from './bar-account.ts';
import { type BarMarket, type ReachedPrice, isReached, type WorkingOrder } from './bar-market.ts';
import type { BarValues } from '../../domain/candle.ts';

const TWO_MILLION = 2_000_000n;

/** Costs of a taker order, computed once for a set of rules. */
interface TakerCosts {
  /** Part of the price, in halves of a millionth, so that half a spread is a whole number. */
  readonly priceHalfMillionths: bigint;
  /** Part of the bar's high minus its low, in millionths. */
  readonly rangeMillionths: bigint;
}

const NO_COSTS: TakerCosts = { priceHalfMillionths: 0n, rangeMillionths: 0n };

export function takerCostsOf({ spreadBps, slippage }: BarRules): TakerCosts {
  const slip = slippage.kind === 'bps' ? millionthsOfBps(slippage.bps) : 0;
  return {
    priceHalfMillionths: BigInt(millionthsOfBps(spreadBps) + 2 * slip),
    rangeMillionths: slippage.kind === 'range' ? BigInt(slippage.millionths) : 0n,
  };
}

/**
 * Returns the price of a taker order in price steps: `at` plus the costs, rounded to the step against the
 * order, at least one step. It may lie beyond the bar's high or low, since a flat bar would otherwise have no
 * costs.
 */
export function takerPrice(of: {
  readonly market: Market;
  readonly side: Side;
  /** The price in the bar at which it takes, in units. */
  readonly at: bigint;
  /** The bar's high minus its low, in units. */
  readonly range: bigint;
  readonly costs: TakerCosts;
}): number {
  const { market, side, at, range, costs } = of;
  const { priceHalfMillionths, rangeMillionths } = costs;
  // The sum is rounded once: if each half unit were rounded up by itself, the result could be a step too high
  // where a step is one unit.
  const cost = at * priceHalfMillionths + 2n * range * rangeMillionths;
  if (cost === 0n) {
    if (side === 'buy') return Number(divideUp(at, market.priceStep));
    return Math.max(1, Number(divideDown(at, market.priceStep)));
  }
  const perStep = TWO_MILLION * market.priceStep;
  if (side === 'buy') return Number(divideUp(at * TWO_MILLION + cost, perStep));
  const steps = divideDown(at * TWO_MILLION - cost, perStep);
  return steps < 1n ? 1 : Number(steps);
}

/** All that is needed to fill a bar, besides the bar. */
export interface FillContext {
  readonly account: BarAccount;
  readonly rules: BarRules;
  readonly costs: TakerCosts;
}

/** Place of an event in a bar: its price, in units, and its time. */
interface Spot {
  readonly at: bigint;
  readonly timeMs: number;
}

/** The next event of a bar between its open and its close, and its moment on the path. */
interface Happening {
  readonly working: WorkingOrder;
  readonly moment: number;
}

/** Applies one bar to the orders of its market: the open, then the path, or the close alone. */
export class BarFiller {
  private readonly market: BarMarket;
  private readonly context: FillContext;
  private readonly bar: PathBar;

  constructor(market: BarMarket, context: FillContext) {
    const { columns, index } = market;
    if (columns === null)
      throw new SarrafError('INVARIANT', `expected a bar of ${market.name.symbol}, was none`);
    this.market = market;
    this.context = context;
    this.bar = {
      open: columns.open[index] ?? Number.NaN,
      high: columns.high[index] ?? Number.NaN,
      low: columns.low[index] ?? Number.NaN,
      close: columns.close[index] ?? Number.NaN,
    };
  }

  /** Runs the events at the bar's open, those of older orders first. */
  runOpen(): void {
    this.market.makeReady();
    const spot = this.openSpot();
    // Iterates over a copy, since orders that end leave the list.
    for (const working of this.market.working.slice()) {
      if (working.order.isOpen && !working.isServed) this.openFor(working, spot);
    }
  }

  /** Runs the next event between the open and the close; returns null if there is none. */
  advance(): ReachedPrice | null {
    const { market } = this;
    market.makeReady();
    const next = this.next(market.working);
    if (next === null) return null;
    const { order, waiting } = next.working;
    const price = BigInt(waiting === 'stop' ? order.stopPrice : order.price);
    this.happen(next, market.lastMs);
    return { at: price * market.grid.priceStep, moment: next.moment };
  }

  /**
   * Lets an order arrive that reacts to the last event on the path. The price continues from there to the
   * close, and the order fills on that way. One that the price has passed already waits for the next open.
   */
  arriveBetween(working: WorkingOrder): void {
    const { passing, hasTraded } = this.market;
    if (passing === null || hasTraded || working.waiting === 'open') return;
    if (working.waiting === 'limit' && this.isWithinLimit(working, passing.at)) return;
    working.isServed = false;
    working.since = passing.moment;
  }

  /** True if a stop of these orders still waits in the bar; with `anything`, if any order of them does. */
  isWaiting(legs: readonly WorkingOrder[], forWhat: 'stop' | 'anything'): boolean {
    this.market.makeReady();
    return legs.some(
      ({ waiting, isServed }) =>
        !isServed && (waiting === 'stop' || (forWhat === 'anything' && waiting === 'limit')),
    );
  }

  /**
   * Applies the whole bar to orders before they are canceled inside it, since the bar may have reached them
   * sooner. Limit orders are included only with `withLimits`.
   */
  touch(legs: readonly WorkingOrder[], timeMs: number, withLimits: boolean): void {
    for (;;) {
      const next = this.next(
        legs.filter(({ order, waiting }) => order.isOpen && (withLimits || waiting === 'stop')),
      );
      if (next === null) return;
      this.happen(next, timeMs);
    }
  }

  /** Fills an order that was just placed at the close of the bar, if it would fill there. */
  arriveAtClose(working: WorkingOrder, timeMs: number): void {
    if (working.waiting === 'stop') return;
    if (working.waiting === 'limit' && !isReached(working, this.bar.close)) return;
    this.fillAt(working, { at: this.market.unitsOf(this.bar.close), timeMs });
  }

  /**
   * Lets an order arrive while the bar is in progress. Only the open is known, so the order takes there, if
   * it would. An order that came at the open itself takes part in the path, too; a later one waits for the
   * next open, since the rest of the path is unknown.
   */
  arriveInside(working: WorkingOrder, timeMs: number): void {
    const { market } = this;
    market.makeReady();
    const spot = { ...this.openSpot(), timeMs };
    const isBeyond = working.waiting !== 'open' && isReached(working, this.bar.open);
    if (working.waiting === 'open' || (working.waiting === 'limit' && isBeyond)) this.fillAt(working, spot);
    else if (!working.isServed && isBeyond) this.wake(working, spot);
  }

  private openSpot(): Spot {
    return { at: this.market.unitsOf(this.bar.open), timeMs: this.market.openMs };
  }

  private openFor(working: WorkingOrder, spot: Spot): void {
    const { order, waiting } = working;
    if (waiting === 'open') this.fillAt(working, spot);
    else if (!isReached(working, this.bar.open)) return;
    else if (waiting === 'stop') this.wake(working, spot);
    else if (this.fillsAtOpen(working)) this.fillAt(working, spot);
    else {
      const isOwn = this.context.rules.limitGap === 'own-price';
      this.rest(working, isOwn ? order.price : this.takerPrice(working, spot.at, NO_COSTS), spot.timeMs);
    }
  }

  /** Returns true if a limit order that the open has passed does not rest yet: it is new, or was short. */
  private fillsAtOpen({ order, enteredMs }: WorkingOrder): boolean {
    const { previousOpenMs } = this.market;
    const isItsFirst = order.createdAtMs > previousOpenMs;
    if (!isItsFirst) return enteredMs === previousOpenMs;
    return this.context.rules.arrival === 'next-open' || !Number.isNaN(enteredMs);
  }

  /** Returns the next event of the bar: by moment, then stops before limits, then older orders first. */
  private next(among: readonly WorkingOrder[]): Happening | null {
    const { path } = this.context.rules;
    let found: Happening | null = null;
    for (const working of among) {
      if (working.waiting === 'open' || working.isServed) continue;
      const moment = momentOf(working, this.bar, path);
      if (moment === NEVER) continue;
      const isEarlier =
        found === null ||
        moment < found.moment ||
        (moment === found.moment && working.waiting === 'stop' && found.working.waiting !== 'stop');
      if (isEarlier) found = { working, moment };
    }
    return found;
  }

  private happen({ working, moment }: Happening, timeMs: number): void {
    const { order, waiting } = working;
    if (waiting === 'limit') {
      this.rest(working, order.price, timeMs);
      return;
    }
    working.since = moment;
    this.wake(working, { at: BigInt(order.stopPrice) * this.market.grid.priceStep, timeMs });
  }

  /** Triggers a stop order, which takes there; a stop-limit order takes within its limit, else rests. */
  private wake(working: WorkingOrder, spot: Spot): void {
    const { order } = working;
    this.context.account.wake(order, this.market);
    working.waiting = order.isMarket ? 'open' : 'limit';
    this.market.changed(working);
    if (order.isMarket || this.isWithinLimit(working, spot.at)) this.fillAt(working, spot);
  }

  private isWithinLimit({ order }: WorkingOrder, at: bigint): boolean {
    const better = (BigInt(order.price) * order.grid.priceStep - at) * (order.side === 'buy' ? 1n : -1n);
    return this.context.rules.limitFill === 'touch' ? better >= 0n : better > 0n;
  }

  /** Fills an order as taker: a limit order within its price, a market order to its bound or money's end. */
  private fillAt(working: WorkingOrder, { at, timeMs }: Spot): void {
    const { order } = working;
    const { market, context } = this;
    const { side } = order;
    working.isServed = true;
    working.enteredMs = market.openMs;
    let price = this.takerPrice(working, at, context.costs);
    const isBeyond = side === 'buy' ? price > order.price : price < order.price;
    if (isBeyond && order.isMarket && context.rules.marketBand === 'exchange') {
      context.account.close(order, 'Canceled', market);
      return;
    }
    if (isBeyond && !order.isMarket) ({ price } = order);
    const wanted = Math.min(order.remaining, market.volume);
    if (wanted === 0) return;
    const amount = payable(order, { price, amount: wanted, timeMs, receipts: context.account.receipts });
    if (amount > 0) this.book(working, { price, amount, role: 'taker', timeMs });
    if (amount < wanted && order.isOpen) context.account.close(order, 'Canceled', market);
  }

  private takerPrice({ order }: WorkingOrder, at: bigint, costs: TakerCosts): number {
    const { bar, market } = this;
    const range = costs.rangeMillionths === 0n ? 0n : market.unitsOf(bar.high) - market.unitsOf(bar.low);
    return takerPrice({ market: market.grid, side: order.side, at, range, costs });
  }

  /** Fills an order as maker. */
  private rest(working: WorkingOrder, price: number, timeMs: number): void {
    working.isServed = true;
    const amount = Math.min(working.order.remaining, this.market.volume);
    if (amount > 0) this.book(working, { price, amount, role: 'maker', timeMs });
  }

  private book(
    { order }: WorkingOrder,
    fill: {
      readonly price: number;
      readonly amount: number;
      readonly role: 'maker' | 'taker';
      readonly timeMs: number;
    },
  ): void {
    const { market } = this;
    market.consumeVolume(fill.amount);
    this.context.account.fill(order, market, fill);
  }
}

/** Prices of one bar, in cells of its columns. */
type PathBar = Omit<BarValues<number>, 'volume'>;

/** Moment of an event that never happens. */
const NEVER = Number.POSITIVE_INFINITY;

/** Moments of a bar whose path is not known. */
const STOPS = 1;
const LIMITS = 2;
const AT_CLOSE = 3;

/**
 * Returns the moment of a bar, after its open, at which it reaches what an order waits for; `NEVER` if it
 * does not. With a path it is the distance from the open in cells. Under `worst-first` there are three
 * moments: all stops that the bar reaches, then all limits, then the close, for orders that were triggered
 * inside the bar.
 */
function momentOf(working: WorkingOrder, bar: PathBar, path: BarPath): number {
  if (path === 'worst-first') {
    if (working.since > 0) return isReached(working, bar.close) ? AT_CLOSE : NEVER;
    if (!isReached(working, working.isBelow ? bar.low : bar.high)) return NEVER;
    return working.waiting === 'stop' ? STOPS : LIMITS;
  }
  const isHighFirst =
    path === 'nearest-first' ? bar.high - bar.open < bar.open - bar.low : path.startsWith('open-high');
  const [first, second] = isHighFirst ? [bar.high, bar.low] : [bar.low, bar.high];
  const firstAt = Math.abs(first - bar.open);
  const secondAt = firstAt + Math.abs(second - first);
  return Math.min(
    onLeg(working, { start: bar.open, end: first, startsAt: 0 }),
    onLeg(working, { start: first, end: second, startsAt: firstAt }),
    onLeg(working, { start: second, end: bar.close, startsAt: secondAt }),
  );
}

/** Returns that moment on one straight part of the path, from one price to another. */
function onLeg(
  working: WorkingOrder,
  leg: { readonly start: number; readonly end: number; readonly startsAt: number },
): number {
  const { start, end, startsAt } = leg;
  const { since } = working;
  const endsAt = startsAt + Math.abs(end - start);
  if (since > endsAt) return NEVER;
  const gone = Math.max(0, since - startsAt);
  const here = end > start ? start + gone : start - gone;
  if (isReached(working, here)) return startsAt + gone;
  return isReached(working, end) ? startsAt + Math.abs(working.reach - start) : NEVER;
}
