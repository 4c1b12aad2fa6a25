import type { Candle, Timeframe } from '../domain/candle.ts';
import type { MarketStats } from '../domain/order-book.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { present } from '../domain/errors.ts';
import { priceUnits } from '../domain/market.ts';
import type { Price, Units } from '../domain/money.ts';
import { oppositeOf, type Side } from '../domain/order.ts';
import type { PublicTrade } from '../domain/trade.ts';
import { tradeColumns, type BookColumns, type TradeColumns, knownTime } from '../recording/records.ts';
import type { SimulatedExchange } from '../simulator/exchange.ts';
import type { MarketState, SimulatedOrder } from '../simulator/market-state.ts';
import type { PriceLevel } from '../simulator/matching-book.ts';
import type { Result, PlaceOrder } from '../simulator/requests.ts';
import type { UserId } from '../simulator/accounts.ts';
import { FlowTrader } from '../simulator/flow-trader.ts';
import { replayedMarket } from '../simulator/replay-flow.ts';
import { Liquidity, FollowedSide, StandIns } from './followed/followed-side.ts';
import type { FollowedRules } from './fill-rules.ts';
import { QueuePlaces, FollowedBars, StepReader } from './followed/queue-places.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { FillWith } from '../records/fill.ts';

/** First id of the users who trade with us in place of recorded traders: two users for each market. */
const RECORDED_USER_IDS = 9_300_000;

/** Bound beyond which a product of prices and amounts needs bigints. */
const MOST_EXACT_STEPS = 2 ** 52;

interface FollowedMarketOptions {
  readonly exchange: SimulatedExchange;
  readonly market: MarketSymbol;
  /** Index of the market in its exchange. */
  readonly index: number;
  readonly rules: FollowedRules;
  /** True if trades were recorded. Otherwise each book counts as a trade of one step at its middle. */
  readonly hasTrades: boolean;
}

/**
 * A simulated market that follows a recorded or a live one. A `LiquidityModel` sets how our orders trade in
 * it, and `describePollRules` puts it in words: `Liquidity` is the amount to take, and `QueuePlaces` the
 * queue before our resting orders. Money, holds, fees, stops and pairs are the simulator's own.
 */
export class FollowedMarket {
  readonly state: MarketState;
  readonly bids: Liquidity;
  readonly asks: Liquidity;
  /** True after the first book. */
  hasBook = false;
  /** Exchange time of the shown book; NaN if the exchange gave none. */
  bookTimeMs = Number.NaN;
  /** Last recorded daily statistics of the exchange; null before the first. */
  stats: MarketStats | null = null;
  readonly bars: FollowedBars;
  /** The newest public trades: the recorded ones, and those in which we took. */
  private readonly tape = new FollowedTape();
  private readonly exchange: SimulatedExchange;
  private readonly rules: FollowedRules;
  private readonly hasTrades: boolean;
  private hasTraded = false;
  private readonly steps: StepReader;
  private readonly places: QueuePlaces;
  private readonly maker: FlowTrader;
  private readonly taker: FlowTrader;
  private readonly standIns: StandIns;

  /** Throws `INVALID_OPTIONS` if the exchange lacks the market. */
  constructor(options: FollowedMarketOptions) {
    const { exchange, rules, index, hasTrades } = options;
    this.exchange = exchange;
    this.rules = rules;
    this.hasTrades = hasTrades;
    this.state = replayedMarket(exchange, options.market);
    this.steps = new StepReader(this.state.rules);
    this.bars = new FollowedBars(this.state, this.steps);
    this.bids = new Liquidity(new FollowedSide('buy', this.steps), rules.liquidity);
    this.asks = new Liquidity(new FollowedSide('sell', this.steps), rules.liquidity);
    this.places = new QueuePlaces(rules.queue);
    const trader = (userId: number): FlowTrader =>
      new FlowTrader({ exchange, userId, timeMs: 0, isUnrestricted: true });
    this.maker = trader(RECORDED_USER_IDS + 2 * index);
    this.taker = trader(RECORDED_USER_IDS + 2 * index + 1);
    this.standIns = new StandIns(this.state, this.maker);
  }

  /** Value of one coin: the last price. */
  get price(): Units {
    return priceUnits(this.state.grid, this.state.lastPrice as Price);
  }

  /** True if own orders rest in it. */
  get hasResting(): boolean {
    const { buys, sells } = this.state.book;
    return buys.levelCount > 0 || sells.levelCount > 0;
  }

  /** Applies a recorded book, which replaces the one before. */
  onBook({ bids: allBids, asks: allAsks, venueTimeMs }: BookColumns, row: number, timeMs: number): void {
    this.hasBook = true;
    this.bookTimeMs = present(venueTimeMs[row], 'the time of a book');
    const { bids, asks } = this;
    bids.side.show(allBids, row);
    asks.side.show(allAsks, row);
    bids.onBook();
    asks.onBook();
    if (this.hasResting) {
      this.meetBook('buy', timeMs);
      this.meetBook('sell', timeMs);
    }
    if (!this.hasTraded) this.moveToMiddle(timeMs);
  }

  /** Applies a recorded trade: it takes from the book, and from our orders that it reaches. */
  onTrade(trades: TradeColumns, row: number, timeMs: number): void {
    const { state } = this;
    const side = present(trades.side[row], 'the side of a trade');
    const price = this.steps.price(present(trades.price[row], 'the price of a trade'));
    const amount = this.steps.amount(present(trades.amount[row], 'the amount of a trade'));
    const ours = this.hasResting ? this.meetTrade({ price, amount, side }, timeMs) : 0;
    (side === 'buy' ? this.asks : this.bids).onTrade(price, amount);
    this.tape.push(trades, row);
    this.count(price, Math.max(0, amount - ours), timeMs);
    this.hasTraded = true;
    state.lastPrice = price;
    this.wakeStops(timeMs);
  }

  /** Applies recorded daily statistics of the exchange. */
  onStats(stats: MarketStats): void {
    this.stats = stats;
  }

  /** Applies a recorded bar that has closed. `isFinest`: coarser past bars are built from it. */
  onBar(candle: Candle, of: { readonly timeframe: Timeframe; readonly isFinest: boolean }): void {
    this.bars.add(of.timeframe, candle);
    if (of.isFinest && !this.hasBook && !this.hasTraded) this.bars.seed(of.timeframe, candle);
  }

  /** Places an own order: it takes what is there at its price; the remainder rests behind the others. */
  place(userId: UserId, request: PlaceOrder, timeMs: number): Result<readonly SimulatedOrder[]> {
    const { state, standIns } = this;
    const of = request.side === 'buy' ? this.asks : this.bids;
    const isStop = request.execution === 'stop_limit' || request.execution === 'stop_market';
    if (state.stops.size > 0) this.standAll(timeMs);
    else if (!isStop) {
      const limit = request.execution === 'market' ? null : request.price;
      standIns.stand(of, { amount: request.amount, limit }, timeMs);
    }
    const placed = this.exchange.trading.place(userId, request, timeMs);
    standIns.withdraw(timeMs);
    if (placed.ok) this.enlist();
    return placed;
  }

  /** Puts restored own orders behind the amounts in the book. Call it after the first book. */
  standAgain(): void {
    this.enlist();
  }

  /** Adds a public trade in which we took, and which was therefore not recorded. */
  addTrade(trade: PublicTrade): void {
    this.tape.push(tradeColumns([{ ...trade, seenMs: trade.timeMs }]), 0);
  }

  /** Returns the newest public trades, newest first. */
  lastTrades(count: number): readonly PublicTrade[] {
    return this.tape.newest(count);
  }

  /** Returns the amount of others, in amount steps, ahead of an own resting order. */
  aheadOf(order: SimulatedOrder): number {
    return this.places.aheadOf(order);
  }

  /** Applies a new book to own orders: those at or beyond its other side fill, and queues shrink to it. */
  private meetBook(side: Side, timeMs: number): void {
    const mine = side === 'buy' ? this.bids : this.asks;
    const other = side === 'buy' ? this.asks : this.bids;
    const resting = this.state.book.sideOf(side);
    const { best } = resting;
    if (best === undefined) return;
    const touch = other.side.priceAt(0);
    const isReached = (price: number): boolean => touch !== 0 && !mine.side.isBetter(touch, price);
    const { places } = this;
    if (!places.mayWait(side) && !isReached(best.price)) return;
    let mayWait = false;
    for (const level of resting.top(resting.levelCount)) {
      if (isReached(level.price)) this.fillFromBook(level, other, timeMs);
      else if (places.hasAhead(level)) places.onBook(level, mine.side.at(level.price));
      mayWait ||= places.hasAhead(level);
    }
    if (!mayWait && !isReached(best.price)) places.clear(side);
  }

  /** Fills own orders of a level that the other side of a new book has reached: ours were there first. */
  private fillFromBook(level: PriceLevel, other: Liquidity, timeMs: number): void {
    const whole = level.amount;
    let offered = 0;
    for (let index = 0; index < other.side.length && offered < whole; index += 1) {
      const price = other.side.priceAt(index);
      if (other.side.isBetter(level.price, price)) break;
      const amount = Math.min(other.leftAt(index), whole - offered);
      if (amount > 0) other.consume(price, amount);
      offered += amount;
    }
    this.fill(level, this.rules.through === 'whole' ? whole : offered, timeMs);
  }

  /** Returns the amount of a recorded trade that fills our orders. */
  private meetTrade(trade: Pick<FillWith<number>, 'price' | 'amount' | 'side'>, timeMs: number): number {
    const { price, side } = trade;
    let ours = 0;
    for (const mine of [this.bids.side, this.asks.side]) {
      const resting = this.state.book.sideOf(mine.side);
      const { best } = resting;
      // Most trades reach no order of ours.
      if (best === undefined || mine.isBetter(price, best.price)) continue;
      for (const level of resting.top(resting.levelCount)) {
        const left = Math.max(0, trade.amount - ours);
        if (mine.isBetter(level.price, price)) {
          const through = this.rules.through === 'whole' ? level.amount : Math.min(level.amount, left);
          ours += this.fill(level, through, timeMs);
        } else {
          if (level.price === price && side === oppositeOf(mine.side))
            ours += this.fill(level, this.places.onTrade(level, left), timeMs);
          break;
        }
      }
    }
    return ours;
  }

  /** Fills own resting orders of a level as maker. Returns the amount. */
  private fill(level: PriceLevel, amount: number, timeMs: number): number {
    if (amount === 0 || level.head === null) return 0;
    const { price } = level;
    const { side } = level.head;
    const { state, standIns } = this;
    const before = level.amount;
    // Stops that the fill triggers must find the book in place.
    if (state.stops.size > 0) {
      standIns.stand(this.bids, { amount: Number.MAX_SAFE_INTEGER, limit: null, from: price - 1 }, timeMs);
      standIns.stand(this.asks, { amount: Number.MAX_SAFE_INTEGER, limit: null, from: price + 1 }, timeMs);
    }
    const order = this.taker.place(
      state,
      { side: oppositeOf(side), price, amount, execution: 'limit' },
      timeMs,
    );
    if (order !== null && order.isOpen) this.taker.cancel(order, timeMs);
    standIns.withdraw(timeMs);
    this.places.onFill();
    return before - level.amount;
  }

  /** Triggers own stops that the last price has reached; they trade against the book. */
  private wakeStops(timeMs: number): void {
    const { state } = this;
    const last = state.lastPrice;
    if (state.stops.size === 0) return;
    const wakes = state.stops
      .all()
      .some(({ side, stopPrice }) => (side === 'buy' ? last >= stopPrice : last <= stopPrice));
    if (!wakes) return;
    this.standAll(timeMs);
    state.hasMoved = true;
    // The exchange checks stops whenever an order is placed, so one is placed far from the market, and
    // canceled at once.
    const bell = this.maker.place(state, { side: 'buy', price: 1, amount: 1, execution: 'limit' }, timeMs);
    if (bell !== null && bell.isOpen) this.maker.cancel(bell, timeMs);
    this.standIns.withdraw(timeMs);
    this.enlist();
  }

  private standAll(timeMs: number): void {
    const all = { amount: Number.MAX_SAFE_INTEGER, limit: null };
    this.standIns.stand(this.bids, all, timeMs);
    this.standIns.stand(this.asks, all, timeMs);
  }

  private enlist(): void {
    for (const mine of [this.bids, this.asks]) {
      const resting = this.state.book.sideOf(mine.side.side);
      for (const level of resting.top(resting.levelCount))
        this.places.enlist(level, mine.side.at(level.price));
    }
  }

  /** Moves the last price with the book until a trade was recorded, since orders are checked against it. */
  private moveToMiddle(timeMs: number): void {
    const bid = this.bids.side.priceAt(0);
    const ask = this.asks.side.priceAt(0);
    if (bid === 0 && ask === 0) return;
    const price = bid === 0 ? ask : ask === 0 ? bid : Math.floor((bid + ask) / 2);
    if (!this.hasTrades) this.count(price, 1, timeMs);
    this.state.lastPrice = price;
    this.wakeStops(timeMs);
  }

  /** Adds a trade to the bars. */
  private count(price: number, amount: number, timeMs: number): void {
    if (amount <= 0) return;
    const steps = price * amount;
    const isExact = steps < MOST_EXACT_STEPS;
    this.state.candles.onTrade({
      timeMs,
      price,
      amount,
      steps: isExact ? steps : BigInt(price) * BigInt(amount),
    });
  }
}

/** Public trades that are kept: as many as a reply shows, and some more. */
const TRADES_RETAINED = 200;

/** The newest public trades of a market in a ring of columns: millions pass, and few are read. */
class FollowedTape {
  private readonly timeMs = new Float64Array(TRADES_RETAINED);
  private readonly price: DecimalText[] = [];
  private readonly amount: DecimalText[] = [];
  private readonly side: Side[] = [];
  /** Index of the next trade. */
  private place = 0;

  push(trades: TradeColumns, row: number): void {
    const { place } = this;
    const timeMs = knownTime(trades.timeMs[row] ?? Number.NaN) ?? trades.seenMs[row];
    this.timeMs[place] = present(timeMs, 'the time of a trade');
    this.price[place] = present(trades.price[row], 'the price of a trade');
    this.amount[place] = present(trades.amount[row], 'the amount of a trade');
    this.side[place] = present(trades.side[row], 'the side of a trade');
    this.place = (place + 1) % TRADES_RETAINED;
  }

  /** Returns at most `count` trades, newest first. */
  newest(count: number): readonly PublicTrade[] {
    const kept = this.side.length;
    return Array.from({ length: Math.min(count, kept) }, (_, index) =>
      this.at((this.place - 1 - index + TRADES_RETAINED) % TRADES_RETAINED),
    );
  }

  private at(place: number): PublicTrade {
    return {
      timeMs: present(this.timeMs[place], 'the time of a kept trade'),
      price: present(this.price[place], 'the price of a kept trade'),
      amount: present(this.amount[place], 'the amount of a kept trade'),
      side: present(this.side[place], 'the side of a kept trade'),
    };
  }
}
