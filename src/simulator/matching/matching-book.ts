import type { Side } from '../../domain/order.ts';
import { BookSide } from './book-side.ts';
import type { BookOrder } from '../price-level.ts';

/** Handler of the matches of a taker. */
export interface MatchHandler<Order extends BookOrder> {
  /**
   * Returns the amount of a possible match to trade; less than all of it ends the taker's matching (its money
   * ran out).
   */
  reach(taker: Order, match: { readonly price: number; readonly amount: number }): number;
  /**
   * Called after each match, when both orders have less remaining and a maker without any is out of the book.
   */
  onMatch(taker: Order, maker: Order, amount: number): void;
}

/**
 * A book matched by price, then time. A match trades at the resting order's price.
 *
 * What is unreal about it: nothing is hidden, orders of one user trade with each other, and matching takes no
 * time.
 */
export class MatchingBook<Order extends BookOrder = BookOrder> {
  readonly buys = new BookSide('buy');
  readonly sells = new BookSide('sell');

  sideOf(side: Side): BookSide {
    return side === 'buy' ? this.buys : this.sells;
  }

  /** Lets an order rest. It must not cross the other side: match it first. */
  add(order: Order): void {
    this.sideOf(order.side).add(order);
  }

  remove(order: Order): void {
    this.sideOf(order.side).remove(order);
  }

  /**
   * Trades `taker` against what rests at `limit` or better, until it is full or nothing is left within the
   * limit.
   */
  match(taker: Order, limit: number, handler: MatchHandler<Order>): void {
    const opposite = taker.side === 'buy' ? this.sells : this.buys;
    while (taker.remaining > 0) {
      const level = opposite.best;
      if (level === undefined || !opposite.reaches(level.price, limit)) return;
      const maker = level.head as Order;
      const possible = taker.remaining < maker.remaining ? taker.remaining : maker.remaining;
      const taken = handler.reach(taker, { price: level.price, amount: possible });
      if (taken === 0) return;
      taker.remaining -= taken;
      maker.remaining -= taken;
      level.amount -= taken;
      if (maker.remaining === 0) opposite.remove(maker);
      handler.onMatch(taker, maker, taken);
      if (taken < possible) return;
    }
  }
}
