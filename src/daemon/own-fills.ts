import type { VenueTrade } from '../domain/trade.ts';
import type { OwnFill } from '../execution/own-order.ts';
import type { OwnOrders } from '../execution/own-orders.ts';
import type { TradeReader } from './trade-reader.ts';

/** Trades that wait until the order of theirs is known; beyond it they are left out, and their order stays unsettled, which is seen. */
const MOST_WAITING = 1_000;

/** Finds the order that each of our trades belongs to, and hands it on once. */
export class OwnFills {
  private readonly reader: TradeReader;
  private readonly orders: OwnOrders;
  private readonly onFill: (fill: OwnFill) => void;
  private readonly waiting: VenueTrade[] = [];

  constructor(options: {
    readonly reader: TradeReader;
    readonly orders: OwnOrders;
    readonly onFill: (fill: OwnFill) => void;
  }) {
    this.reader = options.reader;
    this.orders = options.orders;
    this.onFill = options.onFill;
  }

  /** Reads what is new, a page after the other. */
  async look(): Promise<void> {
    // Orders that were not known the last time may be by now.
    for (const trade of this.waiting.splice(0)) this.take(trade);
    for (;;) {
      const { trades, mayBeMore } = await this.reader.look();
      for (const trade of trades) this.take(trade);
      if (!mayBeMore) return;
    }
  }

  private take(trade: VenueTrade): void {
    const order = this.orders.findByVenueId(trade.orderId);
    if (order === undefined) {
      this.keep(trade);
      return;
    }
    const { id: tradeId, timeMs, price, amount, total, fee } = trade;
    this.onFill({ tradeId, order, timeMs, price, amount, total, fee });
  }

  /** A trade of nobody that we know may be of an order whose reply was lost, and whose id is not known yet. */
  private keep(trade: VenueTrade): void {
    const mayBeOurs = this.orders.unfinished().some(({ stage }) => stage === 'sending');
    if (mayBeOurs && this.waiting.length < MOST_WAITING) this.waiting.push(trade);
  }
}
