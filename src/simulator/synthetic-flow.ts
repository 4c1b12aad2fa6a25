import type { SimulatedExchange } from './exchange.ts';
import { Chance, FlowTrader, Ladder, leastAmount, typicalAmount } from './flow-trader.ts';
import { MINUTE_MS } from '../domain/time-text.ts';
import type { Side } from '../domain/order.ts';
import type { MarketState } from './market-state.ts';
import type { SimulatedBar } from './candle-series.ts';

/** First id of the flow's users, far from the ids of configured users. */
const FLOW_USER_IDS = 9_000_000;
const MAKERS = 3;
const TAKERS = 3;
const THREE_DAYS_MIN = 3 * 1_440;
/** Longest jump of time with the usual number of events, in ms; in a longer one they are further apart. */
const LIVED_THROUGH_MS = 60_000;

interface SyntheticFlowOptions {
  readonly exchange: SimulatedExchange;
  readonly seed: number;
  /** Time at which trading starts. */
  readonly startMs: number;
  readonly firstUserId?: number;
  /** Minutes of candles before the start, for readers that need a past; 0 for none. */
  readonly historyMinutes?: number;
}

/**
 * Synthetic traders on every market of an exchange: makers that keep at least 24 levels on each side around a
 * fair price that only they know, and takers that come at random. Everything follows from the seed; if
 * `advance` is called at least once a minute, the number of calls does not matter.
 *
 * Rules: makers quote once a second. A level that still fits keeps its place in the queue, and what was taken
 * is replaced at the next quote. The spread widens with volatility and is never less than four price steps.
 * Takers are a Poisson process whose rate rises with volatility, with Pareto sizes, and tend to repeat the
 * last one's side. All are ordinary users under the exchange's rules (steps, minimum, band, closed markets),
 * except that their money never runs out. A jump of time of any length costs what a minute costs: the same
 * number of events, spread over it.
 *
 * Unlike a real market: makers do not react to others, never withdraw and are not moved by a large order,
 * so the price comes back at the next quote; markets are independent (no arbitrage between tether and rial
 * prices); see also `FairPrice`.
 */
export class SyntheticFlow {
  private readonly exchange: SimulatedExchange;
  private readonly markets: readonly SyntheticMarket[];
  private reachedMs: number;

  constructor(options: SyntheticFlowOptions) {
    const { exchange, seed, startMs } = options;
    this.exchange = exchange;
    this.reachedMs = startMs;
    const firstUserId = options.firstUserId ?? FLOW_USER_IDS;
    const traders = Array.from(
      { length: MAKERS + TAKERS },
      (_, index) => new FlowTrader({ exchange, userId: firstUserId + index, timeMs: startMs }),
    );
    this.markets = [...exchange.markets.values()].map(
      (market, index) =>
        new SyntheticMarket({
          market,
          makers: traders.slice(0, MAKERS),
          takers: traders.slice(MAKERS),
          chance: new Chance(seed + index * 0x9e3779b1),
          startMs,
          historyMinutes: options.historyMinutes ?? THREE_DAYS_MIN,
        }),
    );
  }

  /**
   * Does everything that is due by `timeMs`, each at its own time. The caller does this before others act at
   * that time; time never goes back.
   */
  advance(timeMs: number): void {
    const pace = Math.max(1, (timeMs - this.reachedMs) / LIVED_THROUGH_MS);
    for (;;) {
      const market = this.next();
      if (market === undefined || market.nextMs > timeMs) break;
      this.exchange.trading.advance(market.nextMs);
      market.step(pace);
    }
    if (timeMs > this.reachedMs) this.reachedMs = timeMs;
  }

  private next(): SyntheticMarket | undefined {
    let first: SyntheticMarket | undefined;
    for (const market of this.markets)
      if (first === undefined || market.nextMs < first.nextMs) first = market;
    return first;
  }
}

/** Levels on each side: a few more than are shown, so that one taker does not reveal the book's end. */
const LEVELS = 28;
const LEAST_LEVELS = 24;
const QUOTE_INTERVAL_MS = 1_000;
/** Mean time between takers while the market is calm, in ms. */
const TAKER_INTERVAL_MS = 1_500;
/** Bound of the factor by which volatility makes takers more frequent. */
const MOST_HASTE = 6;
const GAP_SHARE = 0.0002;
const HALF_SPREAD_SHARE = 0.0006;
/** Least distance between the fair price and each best quote, in price steps: room for other users. */
const LEAST_HALF_SPREAD = 2;
/** Share of the exchange's price band, around the last price, that makers use. */
const BAND_SHARE = 0.25;
/** Size of takers: mostly a fraction of a level, sometimes several levels. */
const TAKER_SHARE = 0.12;
const TAKER_EXPONENT = 1.4;
const LARGEST_TAKER = 150;
/** Share of takers that repeat the last one's side; the others follow the trend a little more often. */
const HERD_SHARE = 0.55;
const TREND_SHARE = 0.55;

/** The makers and takers of one market. */
class SyntheticMarket {
  private readonly market: MarketState;
  private readonly ladder: Ladder;
  private readonly takers: readonly FlowTrader[];
  private readonly chance: Chance;
  private readonly fair: FairPrice;
  private nextQuoteMs: number;
  private nextTakerMs: number;
  private lastSide: Side = 'buy';

  constructor(options: {
    readonly market: MarketState;
    readonly makers: readonly FlowTrader[];
    readonly takers: readonly FlowTrader[];
    readonly chance: Chance;
    readonly startMs: number;
    readonly historyMinutes: number;
  }) {
    const { market, chance, startMs } = options;
    this.market = market;
    this.takers = options.takers;
    this.chance = chance;
    this.ladder = new Ladder({ market, makers: options.makers, chance, levels: LEVELS });
    const { lastPrice } = market;
    this.fair = new FairPrice({
      chance,
      price: this.quoteOf(lastPrice),
      timeMs: startMs - (options.historyMinutes + 1) * 60_000,
    });
    this.seedHistory(startMs, options.historyMinutes);
    this.fair.moveTo(startMs);
    this.fair.price = this.quoteOf(lastPrice);
    this.nextQuoteMs = startMs;
    this.nextTakerMs = startMs + this.takerDelayMs();
  }

  /** Time of the next event. */
  get nextMs(): number {
    return Math.min(this.nextQuoteMs, this.nextTakerMs);
  }

  /** Does the next event. `pace` is 1, or more if time is skipped: the next event is as many times later. */
  step(pace: number): void {
    const timeMs = this.nextMs;
    this.fair.moveTo(timeMs);
    if (timeMs === this.nextQuoteMs) {
      this.quote(timeMs);
      this.nextQuoteMs = timeMs + Math.ceil(QUOTE_INTERVAL_MS * pace * (0.8 + 0.4 * this.chance.uniform()));
    } else {
      this.placeTaker(timeMs);
      this.nextTakerMs = timeMs + Math.ceil(this.takerDelayMs() * pace);
    }
  }

  private quote(timeMs: number): void {
    const { market } = this;
    if (market.isClosed) return;
    this.ladder.applyRules(timeMs);
    const last = market.lastPrice / market.priceFactor;
    const fair = this.fair.price / this.quoteOf(market.priceFactor);
    const middle = Math.min(Math.max(fair, last * (1 - BAND_SHARE)), last * (1 + BAND_SHARE));
    const half = Math.max(LEAST_HALF_SPREAD, middle * HALF_SPREAD_SHARE * Math.sqrt(this.fair.agitation));
    const bid = Math.max(1, Math.floor(middle - half));
    this.ladder.follow(
      {
        bid,
        ask: Math.max(bid + 1, Math.ceil(middle + half)),
        gap: this.gapFor(middle),
        typicalAmount: typicalAmount(market.rules, middle),
      },
      timeMs,
    );
  }

  private placeTaker(timeMs: number): void {
    const { market, chance } = this;
    const side = this.sideOfTaker();
    const best = side === 'buy' ? market.book.sells.best : market.book.buys.best;
    const taker = this.takers[Math.floor(chance.uniform() * this.takers.length)];
    const size = TAKER_SHARE * chance.pareto(TAKER_EXPONENT, LARGEST_TAKER);
    this.lastSide = side;
    if (market.isClosed || best === undefined || taker === undefined) return;
    const steps = best.price / market.priceFactor;
    const price = side === 'buy' ? Math.ceil(steps) : Math.max(1, Math.floor(steps));
    const amount = Math.max(
      leastAmount(market.rules, price),
      Math.floor(size * typicalAmount(market.rules, price)),
    );
    taker.place(market, { side, price, amount, execution: 'market' }, timeMs);
    // A taker who eats far into the book wakes the makers at once.
    const left = side === 'buy' ? market.book.sells : market.book.buys;
    if (left.levelCount < LEAST_LEVELS) this.quote(timeMs);
  }

  private sideOfTaker(): Side {
    if (this.chance.uniform() < HERD_SHARE) return this.lastSide;
    const isWithTrend = this.chance.uniform() < TREND_SHARE;
    return isWithTrend === (this.fair.direction === 1) ? 'buy' : 'sell';
  }

  private takerDelayMs(): number {
    return Math.ceil(this.chance.exponential(TAKER_INTERVAL_MS) / Math.min(MOST_HASTE, this.fair.agitation));
  }

  /** Returns the gap between levels. It changes only after a large move, since that moves every level. */
  private gapFor(price: number): number {
    const gap = Math.max(1, price * GAP_SHARE);
    const size = 2 ** Math.floor(Math.log2(gap));
    return Math.max(1, Math.round(size));
  }

  /** Converts grid steps to a price in the quote currency. */
  private quoteOf(gridSteps: number): number {
    return gridSteps * Number(this.market.grid.priceStep);
  }

  /** Makes past candles, only for a market without candles: a stored state brings its own. */
  private seedHistory(startMs: number, minutes: number): void {
    const { market } = this;
    if (minutes === 0 || market.candles.bars('1m').length > 0) return;
    const bars = priceHistory({
      fair: this.fair,
      chance: this.chance,
      endMs: startMs,
      minutes,
      lastPrice: market.lastPrice,
      typicalAmount: typicalAmount(market.grid, market.lastPrice),
    });
    market.candles.seed('1m', bars);
  }
}

/** Prices in each minute of the made-up past: open, two between, close. */
const STEPS_A_MINUTE = 4;

/**
 * Makes minute bars of a market's past, in steps: a path of the fair price that ends at `lastPrice` in the
 * minute before `endMs`. Volumes are random around `typicalAmount` and rise with the range of the bar.
 */
function priceHistory(of: {
  readonly fair: FairPrice;
  readonly chance: Chance;
  readonly endMs: number;
  readonly minutes: number;
  readonly lastPrice: number;
  readonly typicalAmount: number;
}): readonly SimulatedBar[] {
  const { fair, chance, minutes, lastPrice, typicalAmount } = of;
  const firstMs = Math.floor(of.endMs / MINUTE_MS) * MINUTE_MS - minutes * MINUTE_MS;
  const path: number[] = [];
  for (let step = 0; step < minutes * STEPS_A_MINUTE; step += 1) {
    fair.moveTo(firstMs + (step * MINUTE_MS) / STEPS_A_MINUTE);
    path.push(fair.price);
  }
  const scale = lastPrice / (path[path.length - 1] ?? lastPrice);
  const steps = path.map((price) => Math.max(1, Math.round(price * scale)));
  return Array.from({ length: minutes }, (_, minute) => {
    const last = (minute + 1) * STEPS_A_MINUTE - 1;
    const open = steps[Math.max(0, last - STEPS_A_MINUTE)] ?? lastPrice;
    const close = steps[last] ?? lastPrice;
    let [high, low] = [open, open];
    for (let step = minute * STEPS_A_MINUTE; step <= last; step += 1) {
      const price = steps[step] ?? lastPrice;
      if (price > high) high = price;
      if (price < low) low = price;
    }
    const unrest = 1 + (2_000 * (high - low)) / close;
    const volume = Math.max(1, Math.round(typicalAmount * unrest * Math.exp(0.6 * chance.normal())));
    return {
      openTimeMs: firstMs + minute * MINUTE_MS,
      open,
      high,
      low,
      close,
      volume,
      value: BigInt(volume) * BigInt(close),
    };
  });
}

/** Yearly volatility before clusters and trends, which raise it to about one (100 %). */
const BASE_VOLATILITY = 0.6;
const YEAR_S = 365 * 86_400;
/** Standard deviation and memory of the log of volatility: a quick part (bursts) and a slow one (phases). */
const QUICK = { deviation: 0.45, memoryS: 180 };
const SLOW = { deviation: 0.35, memoryS: 3 * 3_600 };
/** A drift that comes and goes, in log price per second. */
const TREND = { deviation: 2e-6, memoryS: 1_500 };

/** Parameters for one step of a process that returns to zero: exact for a step of any length. */
interface Reversion {
  /** Share of the old value that remains. */
  readonly memory: number;
  /** Standard deviation of the added noise. */
  readonly deviation: number;
}

function reversionOf(
  of: { readonly deviation: number; readonly memoryS: number },
  seconds: number,
): Reversion {
  const memory = Math.exp(-seconds / of.memoryS);
  return { memory, deviation: of.deviation * Math.sqrt(1 - memory * memory) };
}

/** Returns everything that depends only on the length of a step. */
const paceOf = (seconds: number) => ({
  seconds,
  quick: reversionOf(QUICK, seconds),
  slow: reversionOf(SLOW, seconds),
  trend: reversionOf(TREND, seconds),
  rootYears: Math.sqrt(seconds / YEAR_S),
});

/**
 * Fair value of a currency, which no trader sees: a random walk in the logarithm whose volatility comes in
 * clusters (two log-normal factors, of minutes and of hours), with a drift that lasts for tens of minutes.
 *
 * Unlike a real market: no jumps, no daily rhythm, no news, no other market; the trends are stronger than
 * those of real markets, so that they show within minutes; nothing pulls the price back over weeks.
 */
export class FairPrice {
  /** Fair price in the quote currency. A float: it only decides where orders are put. */
  price: number;
  private timeMs: number;
  private quick: number;
  private slow: number;
  private trend = 0;
  /** Parameters of the last step, cached: a history has thousands of steps of equal length. */
  private pace = paceOf(0);
  private readonly chance: Chance;

  constructor(options: { readonly chance: Chance; readonly price: number; readonly timeMs: number }) {
    this.chance = options.chance;
    this.price = options.price;
    this.timeMs = options.timeMs;
    this.quick = QUICK.deviation * this.chance.normal();
    this.slow = SLOW.deviation * this.chance.normal();
  }

  /** Volatility as a multiple of its usual level. */
  get agitation(): number {
    return Math.exp(this.quick + this.slow);
  }

  /** 1 while the price drifts up, -1 while it drifts down. */
  get direction(): 1 | -1 {
    return this.trend >= 0 ? 1 : -1;
  }

  moveTo(timeMs: number): void {
    const seconds = (timeMs - this.timeMs) / 1_000;
    if (seconds <= 0) return;
    this.timeMs = timeMs;
    const { chance } = this;
    if (seconds !== this.pace.seconds) this.pace = paceOf(seconds);
    const { quick, slow, trend, rootYears } = this.pace;
    this.quick = this.quick * quick.memory + quick.deviation * chance.normal();
    this.slow = this.slow * slow.memory + slow.deviation * chance.normal();
    const drift = this.trend * TREND.memoryS * (1 - trend.memory);
    this.trend = this.trend * trend.memory + trend.deviation * chance.normal();
    const deviation = BASE_VOLATILITY * this.agitation * rootYears;
    this.price *= Math.exp(drift + deviation * chance.normal());
  }
}
