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

/** Progress of an order since it was made. */
type OrderProgress = Pick<SimulatedOrder, 'status' | 'remaining' | 'held' | 'filledSteps' | 'total' | 'fee'>;

/** An order as plain data. */
export interface SavedOrder
  extends
    StoredGrid,
    Omit<PlacementPlan, 'status' | 'value' | 'hold'>,
    Readonly<OrderProgress>,
    Pick<SimulatedOrder, 'id' | 'userId' | 'createdAtMs'> {
  readonly market: string;
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
    held: order.held,
    filledSteps: order.filledSteps,
    total: order.total,
    fee: order.fee,
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

/** Reads an order without registering it; the caller sets its pair. An open one is on the present grid. */
export function readOrder(stored: SavedOrder, exchange: SimulatedExchange): SimulatedOrder {
  const market = exchange.markets.get(stored.market as Market['symbol']);
  if (market === undefined)
    throw new RangeError(`expected the market ${stored.market} in the configuration, found none`);
  const trader = traderOf(stored.userId, exchange);
  const wallets = trader.walletsFor(market, exchange.accounts);
  const { status, remaining, held, filledSteps, total, fee, createdAtMs } = stored;
  const order = new SimulatedOrder(
    stored.id,
    { ...stored, status: status === 'Inactive' ? 'Inactive' : 'New', value: 0n, hold: 0n },
    { trader, market, wallets, createdAtMs },
  );
  const progress: OrderProgress = { status, remaining, held, filledSteps, total, fee };
  Object.assign(order, progress, { grid: readGrid(stored, market.grid) });
  if (order.isOpen && order.grid !== market.grid)
    rescaleOrder(order, {
      grid: market.grid,
      priceFactor: Number(order.grid.priceStep / market.grid.priceStep),
      amountFactor: Number(order.grid.amountStep / market.grid.amountStep),
    });
  return order;
}

type FeeCoins = 'makerFeeCoin' | 'takerFeeCoin';

/** A trade as plain data. */
export interface StoredTrade
  extends
    StoredGrid,
    Readonly<Omit<Trade, 'maker' | 'taker' | 'grid' | 'steps' | 'side' | FeeCoins>>,
    // Missing in older states.
    Partial<Readonly<Pick<Trade, FeeCoins>>> {
  readonly makerId: number;
  readonly takerId: number;
}

export function storeTrade({ maker, taker, grid, steps: _steps, ...trade }: Trade): StoredTrade {
  return { ...trade, ...storeGrid(grid), makerId: maker.id, takerId: taker.id };
}

/** Reads a trade between its two orders. */
export function readTrade(
  stored: StoredTrade,
  orders: { readonly maker: SimulatedOrder; readonly taker: SimulatedOrder },
): Trade {
  const { amount, price, makerTotal, makerFee, takerTotal, takerFee } = stored;
  const { makerFeeCoin = null, takerFeeCoin = null } = stored;
  const trade = new Trade(stored.id, stored.timeMs, { ...orders, amount });
  // The maker may stand on a finer grid by now than when it traded; the trade keeps its own.
  const own = {
    price,
    steps: BigInt(price) * BigInt(amount),
    grid: readGrid(stored, orders.maker.market.grid),
  };
  const coins = { makerFeeCoin, takerFeeCoin };
  return Object.assign(trade, own, { makerTotal, makerFee, takerTotal, takerFee, ...coins });
}
