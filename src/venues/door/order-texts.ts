import { ZERO, type DecimalText } from '../../domain/decimal-text.ts';
import { valueHalfEven } from '../../domain/market.ts';
import type { MarketName } from '../../domain/market-symbol.ts';
import { formatUnits, UNITS_PER_ONE } from '../../domain/money.ts';
import type { VenueOrder } from '../../domain/order.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import { NO_PRICE, type SimulatedOrder } from '../../simulator/core/trading/order.ts';

/** Zero is the commonest of all. */
function textOf(units: bigint): DecimalText {
  return units === 0n ? ZERO : formatUnits(units);
}

/** Value at the registered price; of an order without one by what it traded, or before that by its stop price. */
function orderTotalOf({ registeredPrice, stopPrice, total, grid, amount }: SimulatedOrder): bigint {
  const price = registeredPrice !== NO_PRICE ? registeredPrice : total === 0n ? stopPrice : NO_PRICE;
  return price === NO_PRICE ? total : valueHalfEven(grid, BigInt(price) * BigInt(amount));
}

/** An order as replies and lists show it, with the same fields as the exchange's own record. */
export function venueOrderOf(order: SimulatedOrder, market: MarketName): VenueOrder {
  const { grid, matched, amount, total, stopPrice } = order;
  const { priceStep, amountStep } = grid;
  const amountText = formatUnits(BigInt(amount) * amountStep);
  const matchedUnits = BigInt(matched) * amountStep;
  return {
    id: order.id,
    side: order.side,
    execution: order.execution,
    tradeKind: 'Spot',
    market,
    price: order.isMarket ? null : formatUnits(BigInt(order.registeredPrice) * priceStep),
    stopPrice: stopPrice === NO_PRICE ? null : formatUnits(BigInt(stopPrice) * priceStep),
    amount: amountText,
    matchedAmount: matched === amount ? amountText : textOf(matchedUnits),
    unmatchedAmount: matched === 0 ? amountText : textOf(BigInt(amount - matched) * amountStep),
    total: textOf(total),
    orderTotal: textOf(orderTotalOf(order)),
    fee: textOf(order.fee),
    averagePrice: matched === 0 ? ZERO : formatUnits(divideHalfEven(total * UNITS_PER_ONE, matchedUnits)),
    status: order.status,
    partial: matched > 0 && matched < amount,
    createdAtMs: order.createdAtMs,
    clientOrderId: order.clientOrderId,
    pairId: order.pair?.id ?? null,
  };
}
