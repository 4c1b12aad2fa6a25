import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import type { PublicTrade } from '../../domain/trade.ts';
import type { SimulatedExchange } from '../core/exchange.ts';
import type { MarketState } from '../core/market/market-state.ts';
import { levelsOnGrid } from './book-levels.ts';
import { Chance } from './chance.ts';
import { FlowTrader } from './flow-trader.ts';
import { ReplayBook } from './replay-book.ts';
import { ReplayShape } from './replay-shape.ts';
import { RowGrid } from './row-grid.ts';
import { replayedMarket } from './seed-replay.ts';

/** Ids of the users through whom a market follows another: two a market, far from those that people are given. */
const LIVE_USER_IDS = 9_200_000;

/**
 * Makes one market follow another exchange's as it is seen now: its book replaces the one shown, its trades are taken from the book at their price.
 *
 * What is unreal about it: the other market does not mind what is done here; an order at the best price is filled by the trades that show on the tape,
 * and before it only what was there when it came; between two readings the book stands still; what traded and was not read is not known.
 */
export class LiveFlow {
  private readonly market: MarketState;
  private readonly grid = new RowGrid();
  private readonly shape = new ReplayShape();
  private readonly book: ReplayBook;

  /** `index` tells the markets of one exchange apart. Throws `INVALID_OPTIONS` when the exchange lacks the market. */
  constructor(options: {
    readonly exchange: SimulatedExchange;
    readonly market: MarketSymbol;
    readonly index: number;
  }) {
    const { exchange, index } = options;
    this.market = replayedMarket(exchange, options.market);
    const trader = (userId: number): FlowTrader =>
      new FlowTrader({ exchange, userId, timeMs: 0, isUnrestricted: true });
    this.book = new ReplayBook({
      market: this.market,
      maker: trader(LIVE_USER_IDS + 2 * index),
      taker: trader(LIVE_USER_IDS + 2 * index + 1),
      chance: new Chance(index + 1),
      shape: this.shape,
    });
  }

  /** The book that was read. */
  show(book: OrderBook, timeMs: number): void {
    if (this.market.isClosed) return;
    const { bids, asks } = book;
    this.book.show(levelsOnGrid({ kind: 'book', timeMs, bids, asks }, this.market.rules, this.grid), timeMs);
  }

  /** New trades of the tape, oldest first. */
  trade(trades: readonly PublicTrade[], timeMs: number): void {
    if (this.market.isClosed) return;
    for (const { price, amount, side } of trades) {
      const steps = this.grid.amount(this.market.rules, amount);
      this.shape.onTrade(steps);
      this.book.trade({ price: this.grid.price(this.market.rules, price), amount: steps, side }, timeMs);
    }
  }
}
