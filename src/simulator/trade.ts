import type { Market } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import type { SimulatedOrder } from './order.ts';

/**
 * One match: the same object in both users' lists and on the public tape. Price and amount are in steps of
 * `grid`, totals and fees in units; a total is before the fee, a fee is in the currency its order receives.
 */
export class Trade {
  readonly id: number;
  readonly timeMs: number;
  readonly price: number;
  readonly amount: number;
  readonly maker: SimulatedOrder;
  readonly taker: SimulatedOrder;
  readonly grid: Market;
  /** Price times amount, in steps. */
  readonly steps: bigint;
  makerTotal = 0n;
  makerFee = 0n;
  takerTotal = 0n;
  takerFee = 0n;

  constructor(
    id: number,
    timeMs: number,
    match: { readonly maker: SimulatedOrder; readonly taker: SimulatedOrder; readonly amount: number },
  ) {
    this.id = id;
    this.timeMs = timeMs;
    this.price = match.maker.price;
    this.amount = match.amount;
    this.maker = match.maker;
    this.taker = match.taker;
    this.grid = match.maker.grid;
    this.steps = BigInt(this.price) * BigInt(this.amount);
  }

  /** Side of the taker. */
  get side(): Side {
    return this.taker.side;
  }
}

/** A trade from the side of one of its two orders. */
export interface TradeOfOrder {
  readonly trade: Trade;
  readonly order: SimulatedOrder;
  readonly total: bigint;
  readonly fee: bigint;
}

export function takerSide(trade: Trade): TradeOfOrder {
  return { trade, order: trade.taker, total: trade.takerTotal, fee: trade.takerFee };
}

export function makerSide(trade: Trade): TradeOfOrder {
  return { trade, order: trade.maker, total: trade.makerTotal, fee: trade.makerFee };
}
