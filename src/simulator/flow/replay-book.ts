import { oppositeOf, type Side } from '../../domain/order.ts';
import type { BarValues } from '../../domain/candle.ts';
import type { MarketState } from '../market-state.ts';
import { type Chance, Ladder, type LadderSide, typicalAmount, type FlowTrader } from '../flow-trader.ts';
import { MINUTE_MS } from '../../domain/time-text.ts';
import type { Market } from '../../domain/market.ts';

/** Levels of the ladder on each side: as many as the public is shown. */
const LEVELS = 24;

/** A level in public steps. */
export interface StepLevel {
  readonly price: number;
  readonly amount: number;
}

/** A trade to repeat, in public steps. An amount of 0 only moves the book. */
interface StepTrade {
  readonly price: number;
  readonly amount: number;
  readonly side: Side;
}

/**
 * Moves one market's book as a recording says. Its own orders never block a price: they are canceled first,
 * so a price may jump any distance. Orders of others at better prices are traded away, each at its own price,
 * as in a market that went through them.
 */
export class ReplayBook {
  private readonly market: MarketState;
  private readonly ladder: Ladder;
  private readonly taker: FlowTrader;
  private readonly shape: ReplayShape;
  /** True once the recording has shown a book: its levels then count, and no ladder is made up. */
  private hasRecordedBook = false;
  private hasTraded = false;

  constructor(options: {
    readonly market: MarketState;
    readonly maker: FlowTrader;
    readonly taker: FlowTrader;
    readonly chance: Chance;
    readonly shape: ReplayShape;
  }) {
    const { market, maker, chance } = options;
    this.market = market;
    this.taker = options.taker;
    this.shape = options.shape;
    this.ladder = new Ladder({ market, makers: [maker], chance, levels: LEVELS });
  }

  /** Repeats a trade at its price, with its amount and its taker side. */
  trade(trade: StepTrade, timeMs: number): void {
    const { price, amount, side } = trade;
    const { market, ladder } = this;
    ladder.applyRules(timeMs);
    const spread = this.shape.spreadAt(price);
    const bid = side === 'sell' ? price : Math.max(1, price - spread);
    const ask = side === 'buy' ? Math.max(2, price) : price + spread;
    this.makeRoom(
      side === 'sell' ? { bids: price + 1, asks: price } : { bids: price, asks: price - 1 },
      timeMs,
    );
    if (this.hasRecordedBook) this.restAt(side === 'buy' ? ladder.sells : ladder.buys, trade, timeMs);
    else {
      const gap = this.shape.gapAt(price);
      const typicalAmount = this.shape.amountAt(market.rules, price);
      const least = Math.max(1, amount);
      const touch = side === 'buy' ? { leastAsk: least } : { leastBid: least };
      ladder.follow({ bid, ask, gap, typicalAmount, ...touch }, timeMs);
    }
    if (amount === 0) return;
    this.hasTraded = true;
    this.match(trade, timeMs);
  }

  /**
   * Shows a recorded book in place of the former one. Both lists are best first, bids below asks. Until a
   * trade was recorded it also moves the last price, by which everybody's orders are checked.
   */
  show(
    book: { readonly bids: readonly StepLevel[]; readonly asks: readonly StepLevel[] },
    timeMs: number,
  ): void {
    const { ladder } = this;
    const { bids, asks } = book;
    ladder.applyRules(timeMs);
    this.hasRecordedBook = true;
    this.makeRoom(
      { bids: asks[0]?.price ?? Number.MAX_SAFE_INTEGER, asks: bids[0]?.price ?? Number.MIN_SAFE_INTEGER },
      timeMs,
    );
    showLevels(ladder.buys, bids, timeMs);
    showLevels(ladder.sells, asks, timeMs);
    const best = bids[0] ?? asks[0];
    if (!this.hasTraded && best !== undefined) this.market.lastPrice = best.price * this.market.priceFactor;
  }

  /** Clears bids from `bids` up, asks from `asks` down: own orders are canceled, others traded. */
  private makeRoom(from: { readonly bids: number; readonly asks: number }, timeMs: number): void {
    this.ladder.buys.withdrawFrom(from.bids, timeMs);
    this.ladder.sells.withdrawFrom(from.asks, timeMs);
    this.sweep('buy', from.bids, timeMs);
    this.sweep('sell', from.asks, timeMs);
  }

  private sweep(side: Side, price: number, timeMs: number): void {
    const { market } = this;
    const resting = market.book.sideOf(side);
    const limit = price * market.priceFactor;
    if (resting.best === undefined || !resting.reaches(resting.best.price, limit)) return;
    let amount = 0;
    for (const level of resting.top(resting.levelCount)) {
      if (!resting.reaches(level.price, limit)) break;
      amount += level.amount;
    }
    this.match({ side: oppositeOf(side), price, amount: Math.ceil(amount / market.amountFactor) }, timeMs);
  }

  /** Trades the amount; an order without a counterparty must not rest. */
  private match(trade: StepTrade, timeMs: number): void {
    const order = this.taker.place(this.market, { ...trade, execution: 'limit' }, timeMs);
    if (order !== null && order.isOpen) this.taker.cancel(order, timeMs);
  }

  /** Makes sure that the traded level alone has the amount; no ladder is made up. */
  private restAt(side: LadderSide, trade: StepTrade, timeMs: number): void {
    if (trade.amount > 0)
      side.ensure({ price: trade.price, least: trade.amount, amount: trade.amount }, timeMs);
  }
}

function showLevels(side: LadderSide, levels: readonly StepLevel[], timeMs: number): void {
  side.show(
    levels.map(({ price }) => price),
    {
      amountAt: (index) => levels[index]?.amount ?? 0,
      isEnough: (index, remaining) => levels[index]?.amount === remaining,
    },
    timeMs,
  );
}

/** Number of levels in a bar's usual range; the gap stays between the next two shares of the price. */
const LEVELS_A_RANGE = 8;
const LEAST_GAP_SHARE = 0.00015;
const MOST_GAP_SHARE = 0.005;
/** The gap changes only if the wanted one is this many times larger or smaller: a change moves all levels. */
const GAP_TOLERANCE = 2;
/** Amount of a level near the best price: this share of a minute's volume, or of a usual level if more. */
const MINUTE_SHARE = 0.25;
const LEAST_SHARE = 0.25;
/** Amount of a level as a multiple of the usual trade. */
const TRADES_A_LEVEL = 10;
/** Weight of the past in the running averages of bars and trades. */
const MEMORY = 0.9;
/** Distance between the two best quotes as a share of the price. */
const SPREAD_SHARE = 0.0001;

/** Width and depth of the ladder of a replay, from the rows so far: never from later ones. */
export class ReplayShape {
  private range = 0;
  private level = 0;
  private gapSteps = 0;

  onBar(bar: StepBar): void {
    this.range = blend(this.range, bar.high - bar.low);
    this.level = blend(this.level, (bar.volume * MINUTE_MS * MINUTE_SHARE) / bar.lengthMs);
  }

  onTrade(amount: number): void {
    this.level = blend(this.level, amount * TRADES_A_LEVEL);
  }

  /** Returns the distance between levels in price steps. */
  gapAt(price: number): number {
    const least = price * LEAST_GAP_SHARE;
    const wanted = Math.max(
      1,
      Math.min(Math.max(this.range / LEVELS_A_RANGE, least), price * MOST_GAP_SHARE),
    );
    if (wanted > this.gapSteps * GAP_TOLERANCE || wanted * GAP_TOLERANCE < this.gapSteps)
      this.gapSteps = Math.max(1, Math.round(wanted));
    return this.gapSteps;
  }

  /** Returns the distance between the two best quotes in price steps. */
  spreadAt(price: number): number {
    return Math.max(1, Math.round(price * SPREAD_SHARE));
  }

  amountAt(rules: Market, price: number): number {
    return Math.max(this.level, LEAST_SHARE * typicalAmount(rules, price));
  }

  /** Drops the figures after the market's steps have changed. */
  forget(): void {
    this.range = 0;
    this.level = 0;
    this.gapSteps = 0;
  }
}

const blend = (before: number, value: number): number =>
  before === 0 ? value : before * MEMORY + value * (1 - MEMORY);

/** A bar in public steps of its market. */
export interface StepBar extends BarValues<number> {
  readonly openTimeMs: number;
  readonly lengthMs: number;
}

/** A point of a path: `amount` is traded at `price`; 0 if the price only passes. */
export interface PathPoint {
  readonly timeMs: number;
  readonly price: number;
  readonly amount: number;
}

/** Bars of at least this length, in ms, have legs in pieces, each below this share of the price. */
const LONG_BAR_MS = 300_000;
const PIECE_SHARE = 0.008;
const MOST_PIECES = 8;

/**
 * Returns a possible path of the price within a bar: open, then the nearer of high and low to the open (the
 * low if equal), then the other, then the close. There is one trade at each and at points between them, at
 * equal distances in time, the first at the bar's start and the last in its last millisecond. The volume is
 * split evenly, the rest goes to the close; each trade has at least one step, so a bar with fewer steps than
 * points becomes larger. A bar without volume has no trades.
 */
export function candlePath(bar: StepBar): readonly PathPoint[] {
  const { open, high, low, close } = bar;
  const extremes = high - open < open - low ? [high, low] : [low, high];
  const corners = [open, ...extremes, close];
  const prices = bar.lengthMs < LONG_BAR_MS ? corners : cutIntoPieces(corners);
  const last = prices.length - 1;
  const share = bar.volume === 0 ? 0 : Math.max(1, Math.floor(bar.volume / prices.length));
  const rest = bar.volume === 0 ? 0 : Math.max(1, bar.volume - share * last);
  return prices.map((price, index) => ({
    timeMs: bar.openTimeMs + Math.floor(((bar.lengthMs - 1) * index) / last),
    price,
    amount: index === last ? rest : share,
  }));
}

function cutIntoPieces(corners: readonly number[]): number[] {
  return corners.flatMap((price, index) => {
    const next = corners[index + 1];
    if (next === undefined) return [price];
    const pieces = Math.min(
      MOST_PIECES,
      Math.max(2, Math.ceil(Math.abs(next - price) / (price * PIECE_SHARE))),
    );
    return Array.from({ length: pieces }, (_, piece) =>
      Math.round(price + ((next - price) * piece) / pieces),
    );
  });
}
