import { MINUTE_MS } from '../../domain/time-text.ts';
import type { Side } from '../../domain/order.ts';
import { Chance } from '../../simulator/flow-trader.ts';
import { FairPrice } from '../../simulator/synthetic-flow.ts';
import type { SpotEngine } from './engine.ts';
import type { SpotMarket, SpotOrder, SpotOrderRequest } from './state.ts';

const LEVELS = 20;
const QUOTE_EVERY_MS = 1_000;
const TRADE_EVERY_MS = 1_500;
const HALF_SPREAD_SHARE = 0.0002;
/** Distance of levels as a share of the price. */
const GAP_SHARE = 0.0001;
/** Value of a level, as a multiple of the least value of an order. */
const LEVEL_ORDERS = 200;
const TRADES_A_MINUTE = 4;
/** Longest jump of time with the usual number of events, in ms; in a longer one they are further apart. */
const LIVED_THROUGH_MS = 60_000;

/** Order of the world outside. */
export const outsideRequest = (of: {
  readonly side: Side;
  readonly price: number;
  readonly quantity: number;
  readonly isMarket?: boolean;
}): SpotOrderRequest => ({
  side: of.side,
  type: of.isMarket === true ? 'MARKET' : 'LIMIT',
  timeInForce: 'GTC',
  quantity: of.quantity,
  price: of.isMarket === true ? 0 : of.price,
  stopPrice: 0,
  trailingDelta: 0,
  icebergQty: 0,
  quoteOrderQty: 0n,
  clientOrderId: '',
  stpMode: 'NONE',
  strategyId: null,
  strategyType: null,
});

/** Trades and quotes of the world outside on one market: a price that wanders, by a seed alone. */
class MarketFlow {
  private readonly engine: SpotEngine;
  private readonly market: SpotMarket;
  private readonly chance: Chance;
  private readonly fair: FairPrice;
  /** Amount of a level, in steps. */
  private readonly levelAmount: number;
  private readonly quotes = { buy: new Map<number, SpotOrder>(), sell: new Map<number, SpotOrder>() };
  private nextQuoteMs: number;
  private nextTradeMs: number;

  constructor(of: {
    readonly engine: SpotEngine;
    readonly market: SpotMarket;
    readonly seed: number;
    readonly startMs: number;
    readonly historyMinutes: number;
  }) {
    const { market, startMs, historyMinutes } = of;
    const { rules, lastPrice } = market;
    this.engine = of.engine;
    this.market = market;
    this.chance = new Chance(of.seed);
    const least = rules.sent(rules.settings.minNotional, 'minNotional');
    const smallest = rules.stepsOf(rules.sent(rules.settings.minQty, 'minQty'));
    this.levelAmount = Math.max(smallest, rules.stepsFor(least, lastPrice), 1) * LEVEL_ORDERS;
    const firstMs = Math.floor(startMs / MINUTE_MS - historyMinutes) * MINUTE_MS;
    this.fair = new FairPrice({ chance: this.chance, price: lastPrice, timeMs: firstMs });
    this.tradePast(firstMs, startMs);
    this.nextQuoteMs = startMs;
    this.nextTradeMs = startMs + this.delayMs();
  }

  get nextMs(): number {
    return Math.min(this.nextQuoteMs, this.nextTradeMs);
  }

  /** Does the next event; `pace` is how much rarer events are than usual. */
  step(pace: number): void {
    const timeMs = this.nextMs;
    this.fair.moveTo(timeMs);
    if (timeMs === this.nextQuoteMs) {
      this.quote(timeMs);
      this.nextQuoteMs = timeMs + QUOTE_EVERY_MS * pace;
    } else {
      if (this.market.status === 'TRADING') this.placeTaker(timeMs);
      this.nextTradeMs = timeMs + this.delayMs() * pace;
    }
  }

  private delayMs(): number {
    return Math.ceil(this.chance.exponential(TRADE_EVERY_MS));
  }

  /** Records trades before the start, which end at the market's first price. */
  private tradePast(firstMs: number, startMs: number): void {
    const { market, chance } = this;
    const price = market.lastPrice;
    const times: number[] = [];
    for (let timeMs = firstMs; timeMs < startMs; timeMs += MINUTE_MS / TRADES_A_MINUTE)
      times.push(timeMs + Math.floor((chance.uniform() * MINUTE_MS) / TRADES_A_MINUTE));
    const path = times
      .filter((timeMs) => timeMs < startMs)
      .map((timeMs) => {
        this.fair.moveTo(timeMs);
        return { timeMs, price: this.fair.price };
      });
    const scale = price / (path.at(-1)?.price ?? price);
    for (const point of path) {
      market.beginTaker();
      market.record({
        timeMs: point.timeMs,
        price: Math.max(1, Math.round(point.price * scale)),
        quantity: this.takerAmount(),
        isBuyerMaker: chance.uniform() < 0.5,
      });
    }
    this.fair.price = price;
  }

  private takerAmount(): number {
    return Math.max(1, Math.ceil(0.1 * this.levelAmount * this.chance.pareto(1.4, 60)));
  }

  /** Moves the quotes around the fair price. A level that still fits keeps its place in the queue. */
  private quote(timeMs: number): void {
    if (this.market.status !== 'TRADING') return;
    const middle = this.fair.price;
    const half = Math.max(1, middle * HALF_SPREAD_SHARE);
    const gap = Math.max(1, Math.round(middle * GAP_SHARE));
    const bid = Math.max(1, Math.floor(middle - half));
    const ask = Math.max(bid + 1, Math.ceil(middle + half));
    const below = Array.from({ length: LEVELS }, (_, index) => (Math.floor(bid / gap) - index) * gap);
    const above = Array.from({ length: LEVELS }, (_, index) => (Math.ceil(ask / gap) + index) * gap);
    const wanted = {
      buy: new Set([bid, ...below].filter((price) => price > 0)),
      sell: new Set([ask, ...above]),
    };
    for (const side of ['buy', 'sell'] as const)
      for (const [price, order] of this.quotes[side]) {
        if (wanted[side].has(price) && order.isOpen) continue;
        this.quotes[side].delete(price);
        this.engine.cancel(order, timeMs);
      }
    for (const side of ['buy', 'sell'] as const)
      for (const price of wanted[side]) {
        if (this.quotes[side].has(price)) continue;
        const quantity = Math.max(1, Math.round(this.levelAmount * (0.5 + this.chance.uniform())));
        const order = this.engine.placeOutside(
          this.market,
          outsideRequest({ side, price, quantity }),
          timeMs,
        );
        if (order.isOpen) this.quotes[side].set(price, order);
      }
  }

  private placeTaker(timeMs: number): void {
    const side = this.chance.uniform() < 0.5 ? 'buy' : 'sell';
    const request = outsideRequest({ side, price: 0, quantity: this.takerAmount(), isMarket: true });
    this.engine.placeOutside(this.market, request, timeMs);
  }
}

/** The world outside on every market. Each event has its own time; jumps of any length cost the same. */
export class SpotFlow {
  private readonly markets: readonly MarketFlow[];
  private reachedMs: number;

  constructor(of: {
    readonly engine: SpotEngine;
    readonly seed: number;
    readonly startMs: number;
    readonly historyMinutes: number;
  }) {
    const { engine, seed, startMs, historyMinutes } = of;
    this.reachedMs = startMs;
    this.markets = [...engine.markets.values()].map(
      (market, index) =>
        new MarketFlow({ engine, market, seed: seed + index * 0x9e37_79b1, startMs, historyMinutes }),
    );
  }

  /** Does everything that is due by a time. */
  advance(timeMs: number): void {
    const pace = Math.max(1, (timeMs - this.reachedMs) / LIVED_THROUGH_MS);
    for (;;) {
      let next = this.markets[0];
      for (const flow of this.markets) if (next !== undefined && flow.nextMs < next.nextMs) next = flow;
      if (next === undefined || next.nextMs > timeMs) break;
      next.step(pace);
    }
    this.reachedMs = Math.max(this.reachedMs, timeMs);
  }
}
