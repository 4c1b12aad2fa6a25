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
export function readPlacement({ kind, order }: Placing, market: Market): Result<PlaceOrder> {
  const amount = stepsOf(floorAmount, market, order.amount);
  if (amount === null) return refuse('ParseError', 'amount: expected a positive decimal');
  if (amount === 0) return refuse('SmallOrder', 'The amount is less than one step of its market');
  const { side, clientOrderId, pro = false } = order;
  return accept({
    market: market.symbol,
    side,
    execution: kind === 'place' ? order.execution : 'limit',
    mode: kind === 'place' ? 'default' : 'oco',
    amount,
    price: stepsOf(roundPrice, market, order.price),
    stopPrice: stepsOf(roundPrice, market, order.stopPrice),
    stopLimitPrice: kind === 'place' ? null : stepsOf(roundPrice, market, order.stopLimitPrice),
    clientOrderId,
    pro,
  });
}

/** Null for what is no number of steps; the exchange's own checks then say what is wrong. */
function stepsOf(
  read: (market: Market, units: Units) => number,
  market: Market,
  units: Units | null,
): number | null {
  if (units === null) return null;
  try {
    return read(market, units);
  } catch (error) {
    if (error instanceof SarrafError) return null;
    throw error;
  }
}
