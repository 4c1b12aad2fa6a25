import { valueHalfEven } from '../../domain/market.ts';
import { UNITS_PER_ONE } from '../../domain/money.ts';
import type { Execution } from '../../domain/order.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import type { OrderView } from '../../simulator/order-list.ts';
import type { WireForms } from './forms.ts';
import { writeDecimal, writeTime } from './write-fields.ts';
import { type SimulatedOrder, NO_PRICE, type TradeOfOrder } from '../../simulator/market-state.ts';

const EXECUTION_WORDS: Readonly<Record<Execution, string>> = {
  limit: 'Limit',
  market: 'Market',
  stop_limit: 'StopLimit',
  stop_market: 'StopMarket',
};

/**
 * Value at the registered price. A market order without one goes by what it traded, a stop-market order that
 * has not traded by its stop price: no document says.
 */
function orderTotal(order: SimulatedOrder, total: bigint): bigint {
  if (order.registeredPrice !== NO_PRICE) {
    return valueHalfEven(order.grid, BigInt(order.registeredPrice) * BigInt(order.amount));
  }
  if (total !== 0n || order.stopPrice === NO_PRICE) return total;
  return valueHalfEven(order.grid, BigInt(order.stopPrice) * BigInt(order.amount));
}

/**
 * A spot order as replies show it. With `details` 1 the five fields of the list's second level are left out.
 * Source: interface, "Order (spot order record)".
 */
export function orderJson(view: OrderView, forms: WireForms, details: 1 | 2 = 2): Record<string, unknown> {
  const { order, matched, total } = view;
  const { grid, market } = order;
  const { amountStep, priceStep } = grid;
  const matchedUnits = BigInt(matched) * amountStep;
  const amountUnits = BigInt(order.amount) * amountStep;
  const record: Record<string, unknown> = {};
  if (details === 2) record['id'] = order.id;
  record['type'] = order.side;
  if (!forms.omitOptionalFields) record['execution'] = EXECUTION_WORDS[order.execution];
  record['tradeType'] = order.tradeKind;
  if (!forms.omitOptionalFields) record['market'] = grid.pair;
  record['srcCurrency'] = market.baseName;
  record['dstCurrency'] = market.quoteName;
  record['price'] = order.isMarket
    ? 'market'
    : writeDecimal(BigInt(order.registeredPrice) * priceStep, forms);
  record['amount'] = writeDecimal(amountUnits, forms);
  record['totalPrice'] = writeDecimal(total, forms);
  record['totalOrderPrice'] = writeDecimal(orderTotal(order, total), forms);
  record['matchedAmount'] = writeDecimal(matchedUnits, forms);
  record['unmatchedAmount'] = writeDecimal(amountUnits - matchedUnits, forms);
  if (details === 2) record['status'] = view.status;
  record['partial'] = matched > 0 && matched < order.amount;
  if (details === 2) {
    record['fee'] = writeDecimal(view.fee, forms);
    record['created_at'] = writeTime(order.createdAtMs);
    if (!forms.omitOptionalFields) {
      const average = matched === 0 ? 0n : divideHalfEven(total * UNITS_PER_ONE, matchedUnits);
      record['averagePrice'] = writeDecimal(average, forms);
    }
  }
  record['clientOrderId'] = order.clientOrderId;
  record['pairId'] = order.pair?.id ?? null;
  if (order.stopPrice !== NO_PRICE)
    record['param1'] = writeDecimal(BigInt(order.stopPrice) * priceStep, forms);
  if (forms.unknownFields) {
    record['user'] = `user-${order.userId}`;
    record['isMyOrder'] = true;
  }
  return record;
}

/**
 * A trade from its user's side. Source: interface, "Trade (user trade record)"; all of its fields are always
 * there.
 */
export function tradeJson(
  { trade, order, total, fee }: TradeOfOrder,
  forms: WireForms,
  idShift = 0,
): Record<string, unknown> {
  const { grid } = trade;
  const record: Record<string, unknown> = {
    id: trade.id + idShift,
    orderId: order.id,
    srcCurrency: order.market.baseName,
    dstCurrency: order.market.quoteName,
    market: grid.pair,
    timestamp: writeTime(trade.timeMs),
    type: order.side,
    price: writeDecimal(BigInt(trade.price) * grid.priceStep, forms),
    amount: writeDecimal(BigInt(trade.amount) * grid.amountStep, forms),
    total: writeDecimal(total, forms),
    fee: writeDecimal(fee, forms),
  };
  if (forms.unknownFields) record['isMaker'] = trade.maker === order;
  return record;
}
