import { createMarket, type Market } from '../domain/market.ts';
import { formatUnits, parseUnits } from '../domain/money.ts';
import {
  rescaleOrder,
  SimulatedOrder,
  type Trader,
  Trade,
  type PlacementPlan,
} from '../simulator/market-state.ts';
import type { SimulatedExchange } from '../simulator/exchange.ts';

/** Steps in which the numbers of an order or trade count. */
export interface StoredGrid {
  readonly priceStep: string;
  readonly amountStep: string;
}

/** An order as plain JSON: steps as numbers, bigints as text. */
export interface SavedOrder
  extends
    StoredGrid,
    Omit<PlacementPlan, 'status' | 'value' | 'hold'>,
    Pick<SimulatedOrder, 'id' | 'userId'> {
  readonly market: string;
  readonly status: string;
  readonly remaining: number;
  readonly held: string;
  readonly filledSteps: string;
  readonly total: string;
  readonly fee: string;
  readonly createdAtMs: number;
  readonly pairId: number | null;
}

export function storeGrid(grid: Market): StoredGrid {
  return { priceStep: formatUnits(grid.priceStep), amountStep: formatUnits(grid.amountStep) };
}

export function storeOrder(order: SimulatedOrder): SavedOrder {
  return {
    id: order.id,
    userId: order.userId,
    market: order.market.rules.symbol,
    ...storeGrid(order.grid),
    side: order.side,
    execution: order.execution,
    status: order.status,
    registeredPrice: order.registeredPrice,
    limit: order.price,
    stopPrice: order.stopPrice,
    amount: order.amount,
    remaining: order.remaining,
    held: String(order.held),
    filledSteps: String(order.filledSteps),
    total: String(order.total),
    fee: String(order.fee),
    clientOrderId: order.clientOrderId,
    createdAtMs: order.createdAtMs,
    pairId: order.pair?.id ?? null,
  };
}

/** Reads a stored grid; returns the market's own object if it is equal. */
function readGrid(stored: StoredGrid, current: Market): Market {
  if (
    parseUnits(stored.priceStep) === current.priceStep &&
    parseUnits(stored.amountStep) === current.amountStep
  ) {
    return current;
  }
  return createMarket({ market: current, priceStep: stored.priceStep, amountStep: stored.amountStep });
}

/** Settings of synthetic traders: a short history, since nobody reads it. */
const NAMELESS = { historyKept: 256, isUnrestricted: false } as const;

function traderOf(userId: number, { trading, services }: SimulatedExchange): Trader {
  return services.users.find(userId) === undefined
    ? trading.openTrader(userId, NAMELESS)
    : trading.trader(userId);
}

/**
 * Reads an order without registering it at the exchange; the caller sets its pair. An open one is on the
 * market's present grid.
 */
export function readOrder(stored: SavedOrder, exchange: SimulatedExchange): SimulatedOrder {
  const market = exchange.markets.get(stored.market as Market['symbol']);
  if (market === undefined)
    throw new RangeError(`expected the market ${stored.market} in the configuration, found none`);
  const trader = traderOf(stored.userId, exchange);
  const wallets = trader.walletsFor(market, exchange.accounts);
  const { side, execution, clientOrderId, amount, registeredPrice, limit, stopPrice, createdAtMs } = stored;
  const isWaiting = stored.status === 'Inactive';
  const order = new SimulatedOrder(
    stored.id,
    {
      side,
      execution,
      amount,
      registeredPrice,
      limit,
      stopPrice,
      status: isWaiting ? 'Inactive' : 'New',
      clientOrderId,
      value: 0n,
      hold: 0n,
    },
    { trader, market, wallets, createdAtMs },
  );
  order.status = stored.status;
  order.remaining = stored.remaining;
  order.held = BigInt(stored.held);
  order.filledSteps = BigInt(stored.filledSteps);
  order.total = BigInt(stored.total);
  order.fee = BigInt(stored.fee);
  order.grid = readGrid(stored, market.grid);
  if (order.isOpen && order.grid !== market.grid) {
    rescaleOrder(order, {
      grid: market.grid,
      priceFactor: Number(order.grid.priceStep / market.grid.priceStep),
      amountFactor: Number(order.grid.amountStep / market.grid.amountStep),
    });
  }
  return order;
}

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

/** Reads a trade between its two orders. */
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
