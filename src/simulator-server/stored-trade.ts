import { readGrid, storeGrid, type StoredGrid } from './stored-order.ts';
import { type SimulatedOrder, Trade } from '../simulator/market-state.ts';

/** A trade as plain JSON. */
export interface StoredTrade extends StoredGrid {
  readonly id: number;
  readonly timeMs: number;
  readonly makerId: number;
  readonly takerId: number;
  readonly price: number;
  readonly amount: number;
  readonly makerTotal: string;
  readonly makerFee: string;
  readonly takerTotal: string;
  readonly takerFee: string;
}

export function storeTrade(trade: Trade): StoredTrade {
  return {
    id: trade.id,
    timeMs: trade.timeMs,
    makerId: trade.maker.id,
    takerId: trade.taker.id,
    ...storeGrid(trade.grid),
    price: trade.price,
    amount: trade.amount,
    makerTotal: String(trade.makerTotal),
    makerFee: String(trade.makerFee),
    takerTotal: String(trade.takerTotal),
    takerFee: String(trade.takerFee),
  };
}

/** The trade again, between its two orders. */
export function readTrade(
  stored: StoredTrade,
  orders: { readonly maker: SimulatedOrder; readonly taker: SimulatedOrder },
): Trade {
  const { amount, price } = stored;
  const trade = new Trade(stored.id, stored.timeMs, { ...orders, amount });
  // The maker may stand on a finer grid by now than when it traded; the trade keeps its own.
  Object.assign(trade, {
    price,
    steps: BigInt(price) * BigInt(amount),
    grid: readGrid(stored, orders.maker.market.grid),
  });
  trade.makerTotal = BigInt(stored.makerTotal);
  trade.makerFee = BigInt(stored.makerFee);
  trade.takerTotal = BigInt(stored.takerTotal);
  trade.takerFee = BigInt(stored.takerFee);
  return trade;
}
