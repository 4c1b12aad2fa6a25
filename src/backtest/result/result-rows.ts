import { formatUnits, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import type { FillRecord } from '../../execution/fill-record.ts';
import type { OrderRecord } from '../../execution/order-record.ts';
import type { RoundTrip } from '../metrics/round-trips.ts';
import { tripReturn } from '../metrics/trip-statistics.ts';
import type { FillRow, OrderRow, TripRow } from './result-schema.ts';

const textOf = (units: Units | null): string | null => (units === null ? null : formatUnits(units));

/** A round trip with its money as text. */
export function tripRow(trip: RoundTrip): TripRow {
  const { number, market, strategy, entryOrder, exitOrder, openedAtMs, closedAtMs, isOpen } = trip;
  return {
    number,
    market,
    strategy,
    entryOrder,
    exitOrder,
    openedAtMs,
    closedAtMs,
    amount: formatUnits(trip.amount),
    entryPrice: formatUnits(trip.entryPrice),
    exitPrice: formatUnits(trip.exitPrice),
    cost: formatUnits(trip.cost),
    proceeds: formatUnits(trip.proceeds),
    fees: formatUnits(trip.fees),
    profit: formatUnits(trip.profit),
    change: tripReturn(trip),
    isOpen,
  };
}

/** What a reader of a result wants of an order, with its money as text. */
export function orderRow(order: OrderRecord): OrderRow {
  const { filled, filledTotal } = order;
  const averagePrice = filled > 0n ? divideHalfEven(filledTotal * UNITS_PER_ONE, filled) : null;
  return {
    key: order.key,
    clientOrderId: order.clientOrderId,
    pairKey: order.pairKey,
    strategy: order.strategy,
    tag: order.tag,
    market: order.market,
    side: order.side,
    execution: order.execution,
    price: textOf(order.price),
    stopPrice: textOf(order.stopPrice),
    amount: formatUnits(order.amount),
    filled: formatUnits(filled),
    filledTotal: formatUnits(filledTotal),
    averagePrice: textOf(averagePrice as Units | null),
    fee: formatUnits(order.fee),
    state: order.state,
    reason: order.reason,
    plannedAtMs: order.plannedAtMs,
    sentAtMs: order.sentAtMs,
    closedAtMs: order.closedAtMs,
  };
}

/** A fill with its money as text. */
export function fillRow(fill: FillRecord): FillRow {
  const { tradeId, orderKey, strategy, market, side, atMs } = fill;
  return {
    tradeId,
    orderKey,
    strategy,
    market,
    side,
    atMs,
    price: formatUnits(fill.price),
    amount: formatUnits(fill.amount),
    total: formatUnits(fill.total),
    fee: formatUnits(fill.fee),
  };
}
