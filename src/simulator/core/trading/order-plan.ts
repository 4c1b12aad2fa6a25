import { valueUp, type Market } from '../../../domain/market.ts';
import type { Execution, Side } from '../../../domain/order.ts';
import type { MarketState } from '../market/market-state.ts';
import { NO_PRICE } from './order.ts';
import { bandEdge, type OrderPrices } from './price-rules.ts';
import type { PlaceOrder, TradingSettings } from './requests.ts';

/** One order as it would be registered, before anything is registered. Prices and amount in steps of the market's grid. */
export interface OrderPlan {
  readonly side: Side;
  readonly execution: Execution;
  readonly amount: number;
  readonly registeredPrice: number;
  readonly limit: number;
  readonly stopPrice: number;
  readonly status: 'New' | 'Inactive';
  readonly clientOrderId: string | null;
  /** The price its value is reckoned at, for the minimum and the balance. */
  readonly referencePrice: number;
}

/** The order, or the two of an OCO (limit first), that a request asks for. Its prices must have been checked. */
export function planOrders(options: {
  readonly request: PlaceOrder;
  readonly prices: OrderPrices;
  readonly amount: number;
  readonly market: MarketState;
  readonly settings: TradingSettings;
}): readonly [OrderPlan, ...OrderPlan[]] {
  const { request, prices, market, settings } = options;
  const { side } = request;
  const common = { side, amount: options.amount };
  const price = prices.price ?? NO_PRICE;
  const stopPrice = prices.stopPrice ?? NO_PRICE;
  if (request.mode === 'oco') {
    const second = prices.stopLimitPrice ?? NO_PRICE;
    return [
      {
        ...common,
        execution: 'limit',
        registeredPrice: price,
        limit: price,
        stopPrice: NO_PRICE,
        status: 'New',
        clientOrderId: request.clientOrderId,
        referencePrice: price,
      },
      {
        ...common,
        execution: 'stop_limit',
        registeredPrice: second,
        limit: second,
        stopPrice,
        status: 'Inactive',
        clientOrderId: null,
        referencePrice: second,
      },
    ];
  }
  const { execution } = request;
  const isStop = execution === 'stop_limit' || execution === 'stop_market';
  const isPriced = execution === 'limit' || execution === 'stop_limit';
  const referencePrice = prices.price ?? (execution === 'stop_market' ? stopPrice : market.lastPrice);
  return [
    {
      ...common,
      execution,
      registeredPrice: price,
      limit: isPriced ? price : bandEdge(referencePrice, settings.marketBandMillionths, side === 'buy' ? 1 : -1),
      stopPrice: isStop ? stopPrice : NO_PRICE,
      status: isStop ? 'Inactive' : 'New',
      clientOrderId: request.clientOrderId,
      referencePrice,
    },
  ];
}

/** What an order with `amount` left must hold to be able to fill at its limit: units of the currency it pays with, rounded up. */
export function holdFor(grid: Market, order: { readonly side: Side; readonly limit: number }, amount: number): bigint {
  if (order.side === 'sell') return BigInt(amount) * grid.amountStep;
  return valueUp(grid, BigInt(order.limit) * BigInt(amount));
}

/** What makes two orders identical: every parameter but the client's own id, which is no property of the trade. */
export function identityOf(request: PlaceOrder): string {
  const { market, side, execution, mode, amount, price, stopPrice, stopLimitPrice } = request;
  return `${market}|${side}|${execution}|${mode}|${amount}|${price}|${stopPrice}|${stopLimitPrice}`;
}
