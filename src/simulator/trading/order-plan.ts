import { stepValue, valueUp, type Market } from '../../domain/market.ts';
import type { Execution, Side } from '../../domain/order.ts';
import { type MarketState, type PlacementPlan, NO_PRICE } from '../market-state.ts';
import { bandEdge, type OrderPrices } from './price-rules.ts';
import type { PlaceOrder, TradingSettings } from '../requests.ts';

/** Orders made from a request: one order, or the two of an OCO. */
export interface Placement {
  readonly first: PlacementPlan;
  readonly second: PlacementPlan | null;
}

/**
 * The order, or the two of an OCO (limit first), that a request asks for. Its prices must have been checked.
 */
export function planOrders(of: {
  readonly request: PlaceOrder;
  readonly prices: OrderPrices;
  readonly amount: number;
  readonly market: MarketState;
  readonly settings: TradingSettings;
}): Placement {
  const { request, prices, amount, market, settings } = of;
  const { side, execution, clientOrderId } = request;
  const { grid } = market;
  const price = prices.price ?? NO_PRICE;
  const stopPrice = prices.stopPrice ?? NO_PRICE;
  const isStop = execution === 'stop_limit' || execution === 'stop_market';
  const status = isStop ? 'Inactive' : 'New';
  if (request.mode === 'oco') {
    const second = prices.stopLimitPrice ?? NO_PRICE;
    return {
      first: plan(grid, {
        side,
        execution: 'limit',
        amount,
        price,
        limit: price,
        reference: price,
        stopPrice: NO_PRICE,
        status: 'New',
        clientOrderId,
      }),
      second: plan(grid, {
        side,
        execution: 'stop_limit',
        amount,
        price: second,
        limit: second,
        reference: second,
        stopPrice,
        status: 'Inactive',
        clientOrderId: null,
      }),
    };
  }
  const stop = isStop ? stopPrice : NO_PRICE;
  if (execution === 'limit' || execution === 'stop_limit') {
    return {
      first: plan(grid, {
        side,
        execution,
        amount,
        price,
        limit: price,
        reference: price,
        stopPrice: stop,
        status,
        clientOrderId,
      }),
      second: null,
    };
  }
  const reference = prices.price ?? (isStop ? stopPrice : market.lastPrice);
  const limit = bandEdge(reference, settings.marketBandMillionths, side === 'buy' ? 1 : -1);
  return {
    first: plan(grid, {
      side,
      execution,
      amount,
      price,
      limit,
      reference,
      stopPrice: stop,
      status,
      clientOrderId,
    }),
    second: null,
  };
}

function plan(
  grid: Market,
  of: {
    readonly side: Side;
    readonly execution: Execution;
    readonly amount: number;
    readonly price: number;
    readonly limit: number;
    readonly reference: number;
    readonly stopPrice: number;
    readonly status: 'New' | 'Inactive';
    readonly clientOrderId: string | null;
  },
): PlacementPlan {
  const value = valueUp(grid, stepValue(of.reference, of.amount));
  const hold =
    of.side === 'sell' || of.limit !== of.reference
      ? holdFor(grid, { side: of.side, price: of.limit }, of.amount)
      : value;
  return {
    side: of.side,
    execution: of.execution,
    amount: of.amount,
    registeredPrice: of.price,
    limit: of.limit,
    stopPrice: of.stopPrice,
    status: of.status,
    clientOrderId: of.clientOrderId,
    value,
    hold,
  };
}

/**
 * Returns the hold that an order with `amount` left needs to be able to fill at its limit: units of the
 * currency it pays with, rounded up.
 */
export function holdFor(
  grid: Market,
  order: { readonly side: Side; readonly price: number },
  amount: number,
): bigint {
  if (order.side === 'sell') return BigInt(amount) * grid.amountStep;
  return valueUp(grid, stepValue(order.price, amount));
}

/**
 * Returns the key by which two orders are identical: every parameter but the client's own id, which is no
 * property of the trade.
 */
export function duplicateKeyOf(request: PlaceOrder): string {
  const { market, side, execution, mode, amount, price, stopPrice, stopLimitPrice } = request;
  return `${market}|${side}|${execution}|${mode}|${amount}|${price}|${stopPrice}|${stopLimitPrice}`;
}
