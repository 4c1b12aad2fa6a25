import { oppositeOf, type Side } from '../../domain/order.ts';
import type { MarketState } from '../market-state.ts';
import type { Chance } from './chance.ts';
import type { FlowTrader } from '../flow-trader.ts';
import { Ladder } from './ladder.ts';
import type { LadderSide } from './ladder-side.ts';
import type { ReplayShape } from './replay-shape.ts';

/** Shown to the public, and kept. */
const LEVELS = 24;

/** A level in public steps. */
export interface StepLevel {
  readonly price: number;
  readonly amount: number;
}

/** A trade to be repeated, in public steps. An amount of 0 moves the book only. */
interface StepTrade {
  readonly price: number;
  readonly amount: number;
  readonly side: Side;
}

/**
 * Makes one market's book go where a recording says. Its own orders never stand in the way: they are taken
 * back first, so a price may jump any distance. Orders of others that lie in the way are traded away, each at
 * its own price, as a market that went through them would have.
 */
export class ReplayBook {
  private readonly market: MarketState;
  private readonly ladder: Ladder;
  private readonly taker: FlowTrader;
  private readonly shape: ReplayShape;
  /** Once the recording has shown a book, its levels count, and no ladder is made up. */
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

  /** Repeats a trade: at its price, with its amount, taken by its side. */
  trade(trade: StepTrade, timeMs: number): void {
    const { price, amount, side } = trade;
    const { market, ladder } = this;
    ladder.heedRules(timeMs);
    const spread = this.shape.spreadAt(price);
    const bid = side === 'sell' ? price : Math.max(1, price - spread);
    const ask = side === 'buy' ? Math.max(2, price) : price + spread;
    this.makeWay(
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
    this.take(trade, timeMs);
  }

  /**
   * Shows a recorded book in place of what was shown before. Both lists best first, bids below asks. Until a
   * trade was recorded the last price goes along, as everybody's orders are held against it.
   */
  show(
    book: { readonly bids: readonly StepLevel[]; readonly asks: readonly StepLevel[] },
    timeMs: number,
  ): void {
    const { ladder } = this;
    const { bids, asks } = book;
    ladder.heedRules(timeMs);
    this.hasRecordedBook = true;
    this.makeWay(
      { bids: asks[0]?.price ?? Number.MAX_SAFE_INTEGER, asks: bids[0]?.price ?? Number.MIN_SAFE_INTEGER },
      timeMs,
    );
    showLevels(ladder.buys, bids, timeMs);
    showLevels(ladder.sells, asks, timeMs);
    const best = bids[0] ?? asks[0];
    if (!this.hasTraded && best !== undefined) this.market.lastPrice = best.price * this.market.priceFactor;
  }

  /**
   * Clears the bids from `bids` up and the asks from `asks` down: own orders are taken back, those of others
   * traded.
   */
  private makeWay(from: { readonly bids: number; readonly asks: number }, timeMs: number): void {
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
    this.take({ side: oppositeOf(side), price, amount: Math.ceil(amount / market.amountFactor) }, timeMs);
  }

  /** An order without a counterparty must not rest. */
  private take(trade: StepTrade, timeMs: number): void {
    const order = this.taker.place(this.market, { ...trade, execution: 'limit' }, timeMs);
    if (order !== null && order.isOpen) this.taker.cancel(order, timeMs);
  }

  /** Without a made-up ladder only the traded level itself is seen to. */
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
