import { valueUp, type Market } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import type { UserId } from './accounts.ts';
import type { SimulatedExchange } from './exchange.ts';
import type { MarketState, SimulatedOrder } from './market-state.ts';
import type { PlaceOrder, Result } from './requests.ts';
import { present } from '../domain/errors.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { UNITS_PER_ONE } from '../domain/money.ts';
import { createRandom, type RandomSource } from '../domain/random.ts';

/** Maximum number of closed orders, trades and wallet transactions of a trader of the flow. */
const HISTORY_SIZE = 256;
/** Size of a deposit, as a multiple of the order that the trader could not pay. */
const TOP_UP_ORDERS = 1_000n;

/** An order of the flow in public steps. A market order trades at most 1 % beyond its price. */
interface FlowOrder {
  readonly side: Side;
  readonly price: number;
  readonly amount: number;
  readonly execution: 'limit' | 'market';
}

/** A user of the exchange that belongs to the flow. Money is deposited whenever it runs out. */
export class FlowTrader {
  readonly userId: UserId;
  private readonly exchange: SimulatedExchange;

  /** Cancels the orders that an earlier run left open (a stored state). */
  constructor(options: {
    readonly exchange: SimulatedExchange;
    readonly userId: UserId;
    readonly timeMs: number;
    /** True to ignore the price band and the minimum value, for trades recorded elsewhere. */
    readonly isUnrestricted?: boolean;
  }) {
    this.exchange = options.exchange;
    this.userId = options.userId;
    const { accounts, trading } = this.exchange;
    accounts.retainTransactions(this.userId, HISTORY_SIZE);
    const trader = trading.openTrader(this.userId, {
      historyKept: HISTORY_SIZE,
      isUnrestricted: options.isUnrestricted ?? false,
    });
    for (const order of trader.open.values()) trading.cancel(order, options.timeMs);
  }

  /** Places an order, which by its return has traded, rests or has ended. Null if it is refused. */
  place(market: MarketState, order: FlowOrder, timeMs: number): SimulatedOrder | null {
    const request: PlaceOrder = {
      market: market.rules.symbol,
      side: order.side,
      execution: order.execution,
      mode: 'default',
      amount: order.amount,
      price: order.price,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: null,
      pro: true,
    };
    const { trading } = this.exchange;
    let result: Result<readonly SimulatedOrder[]> = trading.place(this.userId, request, timeMs);
    if (!result.ok && result.code === 'OverValueOrder') {
      this.topUp(market, order, timeMs);
      result = trading.place(this.userId, request, timeMs);
    }
    if (!result.ok) return null;
    const placed = result.value[0] ?? null;
    if (placed !== null && placed.status === 'New') trading.activate(placed, timeMs);
    return placed;
  }

  cancel(order: SimulatedOrder, timeMs: number): void {
    this.exchange.trading.cancel(order, timeMs);
  }

  private topUp(market: MarketState, order: FlowOrder, timeMs: number): void {
    const { rules } = market;
    const needed =
      order.side === 'sell'
        ? BigInt(order.amount) * rules.amountStep
        : valueUp(rules, BigInt(order.price) * BigInt(order.amount));
    const wallet = this.exchange.accounts.ensure(
      this.userId,
      order.side === 'sell' ? rules.base : rules.quote,
    );
    this.exchange.accounts.post(wallet, 'outside', {
      units: needed * TOP_UP_ORDERS,
      description: 'Deposit',
      timeMs,
    });
  }
}

/** Prices of a ladder, in public price steps: bid < ask, and `gap` between the levels behind them. */
interface LadderPlace {
  readonly bid: number;
  readonly ask: number;
  readonly gap: number;
  /** Approximate amount of levels near the best price, in public amount steps; it grows further back. */
  readonly typicalAmount: number;
  /** Least amount at the best bid and at the best ask. */
  readonly leastBid?: number;
  readonly leastAsk?: number;
}

/** Growth of the amount from each level to the next, and the spread of sizes around it. */
const GROWTH = 0.06;
const SPREAD_OF_SIZES = 0.55;

/** The makers' quotes on both sides of one market. It holds at most `levels` orders on each side. */
export class Ladder {
  readonly buys: LadderSide;
  readonly sells: LadderSide;
  private readonly market: MarketState;
  private readonly chance: Chance;
  private readonly levels: number;
  /** Market rules and gap under which the resting orders were placed. */
  private rules: MarketState['rules'];
  private gap = 0;

  constructor(options: {
    readonly market: MarketState;
    readonly makers: readonly FlowTrader[];
    readonly chance: Chance;
    readonly levels: number;
  }) {
    const { market, makers } = options;
    this.market = market;
    this.chance = options.chance;
    this.levels = options.levels;
    this.rules = market.rules;
    this.buys = new LadderSide({ market, side: 'buy', makers });
    this.sells = new LadderSide({ market, side: 'sell', makers });
  }

  /** Drops the ladder after a change of steps. It must run before prices are computed. */
  applyRules(timeMs: number): void {
    if (this.rules === this.market.rules) return;
    this.rules = this.market.rules;
    this.clear(timeMs);
  }

  /** Moves the quotes. Own orders never match: those that would cross are canceled first. */
  follow(place: LadderPlace, timeMs: number): void {
    this.applyRules(timeMs);
    if (place.gap !== this.gap) {
      this.gap = place.gap;
      this.clear(timeMs);
    }
    this.buys.withdrawFrom(place.ask, timeMs);
    this.sells.withdrawFrom(place.bid, timeMs);
    this.buys.show(this.pricesOf('buy', place), this.sizing(place, place.leastBid ?? 1), timeMs);
    this.sells.show(this.pricesOf('sell', place), this.sizing(place, place.leastAsk ?? 1), timeMs);
  }

  clear(timeMs: number): void {
    this.buys.clear(timeMs);
    this.sells.clear(timeMs);
  }

  private pricesOf(side: 'buy' | 'sell', place: LadderPlace): number[] {
    const { gap } = place;
    return ladderPrices({ side, touch: side === 'buy' ? place.bid : place.ask, gap, count: this.levels });
  }

  private sizing(place: LadderPlace, least: number): LevelSizing {
    const smallest = leastAmount(this.rules, place.bid);
    return {
      amountAt: (index) => {
        const size =
          place.typicalAmount * (1 + GROWTH * index) * Math.exp(SPREAD_OF_SIZES * this.chance.normal());
        return Math.max(smallest, Math.floor(size)) + (index === 0 ? least : 0);
      },
      isEnough: (index, remaining) => index !== 0 || remaining >= least,
    };
  }
}

/**
 * Returns the price of a possible level: one in every `gap` price steps, slightly off its regular position so
 * that a book looks natural. Levels do not depend on the price, so a ladder that moves by one gap changes one
 * level at each end, not all of them.
 */
const latticePrice = (index: number, gap: number): number =>
  index * gap + (gap < 3 ? 0 : offsetOf(index, gap));

/** Returns the prices of one side: the best one and the next `count - 1` levels, from one step on. */
function ladderPrices(of: {
  readonly side: Side;
  readonly touch: number;
  readonly gap: number;
  readonly count: number;
}): number[] {
  const { side, touch, gap, count } = of;
  const away = side === 'buy' ? -1 : 1;
  const prices = [touch];
  let index = Math.floor(touch / gap);
  while ((latticePrice(index, gap) - touch) * away <= 0) index += away;
  for (; prices.length < count; index += away) {
    const price = latticePrice(index, gap);
    if (price < 1) break;
    prices.push(price);
  }
  return prices;
}

/** Returns an offset of less than half a gap, always the same for one index. */
function offsetOf(index: number, gap: number): number {
  const mixed = Math.imul((index | 0) ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
  return Math.floor((mixed / 4_294_967_296) * 0.49 * gap);
}

/** Sizes of the levels of a side in public steps; index 0 is the best level. */
interface LevelSizing {
  amountAt(index: number): number;
  /** True if a level with `remaining` left may stay as it is. */
  isEnough(index: number, remaining: number): boolean;
}

interface Shown {
  order: SimulatedOrder;
  readonly owner: FlowTrader;
  /** Number of the last call of `show` that wanted it. */
  wantedBy: number;
}

/** Resting orders of the flow on one side of a market: at most one for each requested price. */
export class LadderSide {
  private readonly market: MarketState;
  private readonly side: Side;
  private readonly makers: readonly FlowTrader[];
  private readonly shown = new Map<number, Shown>();
  private calls = 0;
  private placed = 0;

  constructor(options: {
    readonly market: MarketState;
    readonly side: Side;
    /** Owners of new orders, in rotation. */
    readonly makers: readonly FlowTrader[];
  }) {
    this.market = options.market;
    this.side = options.side;
    this.makers = options.makers;
  }

  /** Cancels its orders at `price` or better. */
  withdrawFrom(price: number, timeMs: number): void {
    for (const [at, { order, owner }] of this.shown) {
      if (this.side === 'buy' ? at < price : at > price) continue;
      this.shown.delete(at);
      if (order.isOpen) owner.cancel(order, timeMs);
    }
  }

  /** Rests orders at exactly these prices (best first). Orders already there stay in the queue. */
  show(prices: readonly number[], sizing: LevelSizing, timeMs: number): void {
    this.calls += 1;
    const missing: number[] = [];
    for (let index = 0; index < prices.length; index += 1) {
      const found = this.shown.get(prices[index] ?? 0);
      if (found !== undefined && this.isWhole(found.order, index, sizing)) found.wantedBy = this.calls;
      else missing.push(index);
    }
    for (const [price, { order, owner, wantedBy }] of this.shown) {
      if (wantedBy === this.calls) continue;
      this.shown.delete(price);
      if (order.isOpen) owner.cancel(order, timeMs);
    }
    for (const index of missing) this.place(prices[index] ?? 0, sizing.amountAt(index), timeMs);
  }

  clear(timeMs: number): void {
    for (const { order, owner } of this.shown.values()) if (order.isOpen) owner.cancel(order, timeMs);
    this.shown.clear();
  }

  /** Makes sure that `least` rests at a price: if there is less, an order of `amount` replaces it. */
  ensure(
    level: { readonly price: number; readonly least: number; readonly amount: number },
    timeMs: number,
  ): void {
    const found = this.shown.get(level.price);
    if (found !== undefined) {
      if (found.order.isOpen && found.order.remaining >= level.least * this.market.amountFactor) return;
      this.shown.delete(level.price);
      if (found.order.isOpen) found.owner.cancel(found.order, timeMs);
    }
    this.place(level.price, level.amount, timeMs);
  }

  private isWhole(order: SimulatedOrder, index: number, sizing: LevelSizing): boolean {
    return order.isOpen && sizing.isEnough(index, order.remaining / this.market.amountFactor);
  }

  private place(price: number, amount: number, timeMs: number): void {
    const owner = this.makers[this.placed % this.makers.length];
    if (owner === undefined || price < 1) return;
    this.placed += 1;
    const order = owner.place(this.market, { side: this.side, price, amount, execution: 'limit' }, timeMs);
    if (order !== null && order.isOpen) this.shown.set(price, { order, owner, wantedBy: this.calls });
  }
}

/** Default value of a level in an ordinary book, in units of the quote currency. */
const LEVEL_VALUE: Readonly<Record<Currency, number>> = { rls: 400_000_000, usdt: 800 };
/** Least value of a level, as a multiple of the smallest order of its market. */
const LEAST_ORDERS = 60;

/** Returns the size around which orders of the flow vary, in public amount steps, as a float. */
export function typicalAmount(rules: Market, price: number): number {
  const value = Math.max(
    present(LEVEL_VALUE[rules.quote], () => `what a level is worth in ${rules.quote}`),
    (Number(rules.minOrderValue) / Number(UNITS_PER_ONE)) * LEAST_ORDERS,
  );
  return value / stepValueOf(rules, price);
}

/** Returns the smallest amount whose value is safely above the market's minimum. */
export function leastAmount(rules: Market, price: number): number {
  const minimum = Number(rules.minOrderValue) / Number(UNITS_PER_ONE);
  return Math.floor((minimum * 1.05) / stepValueOf(rules, price)) + 1;
}

/** Returns the value of one amount step at a price. */
const stepValueOf = (rules: Market, price: number): number =>
  (price * Number(rules.stepProduct)) / Number(UNITS_PER_ONE * UNITS_PER_ONE);

/** Random distributions for a market, all from one seeded source. */
export class Chance {
  private readonly source: RandomSource;
  /** Second number of Box-Muller, which makes two at a time. */
  private spare: number | null = null;

  constructor(seed: number) {
    this.source = createRandom(seed);
  }

  /** Returns a number of the uniform distribution in [0, 1). */
  uniform(): number {
    return this.source.next();
  }

  /** Returns a number of the normal distribution with mean 0 and standard deviation 1. */
  normal(): number {
    if (this.spare !== null) {
      const { spare } = this;
      this.spare = null;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.source.next()));
    const angle = 2 * Math.PI * this.source.next();
    this.spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  /** Returns a waiting time between independent events. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.source.next());
  }

  /** Returns a number from 1 to `most`, with a tail so heavy that a few are most of the sum. */
  pareto(exponent: number, most: number): number {
    return Math.min(most, (1 - this.source.next()) ** (-1 / exponent));
  }
}
