import { SarrafError } from '../../domain/errors.ts';
import { floorAmount, roundPrice, type Market } from '../../domain/market.ts';
import type { Units } from '../../domain/money.ts';
import type { OcoRequest, OrderRequest } from '../port.ts';
import { accept, refuse, type Result } from '../../simulator/core/result.ts';
import type { PlaceOrder } from '../../simulator/core/trading/requests.ts';

/** A call for an order, or for the pair of an OCO. */
export type Placing =
  | { readonly kind: 'place'; readonly order: OrderRequest }
  | { readonly kind: 'place-oco'; readonly order: OcoRequest };

/**
 * A request in steps of its market: the amount down, prices half-even, as the exchange rounds extra digits.
 * Refused: `SmallOrder` for an amount below one step, `ParseError` or `InvalidOrderPrice` for numbers that no
 * order has.
 */
export function readPlacement(call: Placing, market: Market): Result<PlaceOrder> {
  const { side, clientOrderId } = call.order;
  const amount = stepsOf(() => floorAmount(market, call.order.amount));
  if (amount === null) return refuse('ParseError', 'amount: expected a positive decimal');
  if (amount === 0) return refuse('SmallOrder', 'The amount is less than one step of its market');
  const price = (units: Units | null): number | null =>
    units === null ? null : stepsOf(() => roundPrice(market, units));
  const common = { market: market.symbol, side, amount, clientOrderId, pro: call.order.pro ?? false };
  const { order } = call;
  const prices = { price: price(order.price), stopPrice: price(order.stopPrice) };
  if (call.kind === 'place-oco') {
    const stopLimitPrice = price(call.order.stopLimitPrice);
    return accept({ ...common, ...prices, execution: 'limit', mode: 'oco', stopLimitPrice });
  }
  return accept({
    ...common,
    ...prices,
    execution: call.order.execution,
    mode: 'default',
    stopLimitPrice: null,
  });
}

/** Null for what is no number of steps; the exchange's own checks then say what is wrong. */
function stepsOf(read: () => number): number | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof SarrafError) return null;
    throw error;
  }
}
