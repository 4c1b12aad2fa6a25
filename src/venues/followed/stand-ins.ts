import type { MarketState, SimulatedOrder } from '../../simulator/market-state.ts';
import type { FlowTrader } from '../../simulator/flow-trader.ts';
import type { Liquidity } from './liquidity.ts';

interface StandIn {
  readonly order: SimulatedOrder;
  readonly of: Liquidity;
}

/**
 * Orders that stand in the simulator's own book for recorded levels, for as long as something of ours may
 * trade with them. At all other times that book holds our orders alone, so that a recorded book costs nothing
 * while nobody trades in it.
 */
export class StandIns {
  private readonly market: MarketState;
  private readonly maker: FlowTrader;
  private readonly standing: StandIn[] = [];

  constructor(market: MarketState, maker: FlowTrader) {
    this.market = market;
    this.maker = maker;
  }

  /**
   * Has the best levels of a side stand, until they hold `amount` or one is worse than `limit`, and none that
   * is better than `from`. A level that what is in the book on the other side would trade with stays away:
   * books are recorded crossed at times.
   */
  stand(
    of: Liquidity,
    reach: { readonly amount: number; readonly limit: number | null; readonly from?: number },
    timeMs: number,
  ): void {
    const { side } = of;
    const { limit, from } = reach;
    const opposite = this.market.book.sideOf(side.side === 'buy' ? 'sell' : 'buy').best;
    let missing = reach.amount;
    for (let index = 0; index < side.length && missing > 0; index += 1) {
      const price = side.priceAt(index);
      if (limit !== null && side.isBetter(limit, price)) return;
      const amount = of.leftAt(index);
      if (amount === 0 || (from !== undefined && side.isBetter(price, from))) continue;
      if (opposite !== undefined && !side.isBetter(opposite.price, price)) continue;
      missing -= amount;
      const order = this.maker.place(
        this.market,
        { side: side.side, price, amount, execution: 'limit' },
        timeMs,
      );
      if (order !== null) this.standing.push({ order, of });
    }
  }

  /** Takes them all back. What was traded with them is missing from their levels from now on. */
  withdraw(timeMs: number): void {
    for (const { order, of } of this.standing) {
      if (order.matched > 0) of.take(order.price, order.matched);
      if (order.isOpen) this.maker.cancel(order, timeMs);
    }
    this.standing.length = 0;
  }
}
