import type { Side } from '../../domain/order.ts';
import { moneyOf } from './market-rules.ts';
import type { SpotFill, SpotOrder, SpotOrderList } from './state.ts';

/** Row of a reply. */
export type SpotRow = Readonly<Record<string, unknown>>;
/** Writes a time in the unit that the request asked for. */
export type TimeWriter = (timeMs: number) => number;

const wireSide = (side: Side): string => (side === 'buy' ? 'BUY' : 'SELL');
const nothing = {};

const amounts = (order: SpotOrder): SpotRow => {
  const { rules } = order.market;
  return {
    price: rules.priceText(order.request.price),
    origQty: rules.amountText(order.quantity),
    executedQty: rules.amountText(order.filled),
    origQuoteOrderQty: moneyOf(order.request.quoteOrderQty),
    cummulativeQuoteQty: moneyOf(order.filledValue),
  };
};

const words = (order: SpotOrder): SpotRow => ({
  status: order.status,
  timeInForce: order.request.timeInForce,
  type: order.request.type,
  side: wireSide(order.request.side),
});

/** Fields that only some orders have. */
function conditional(order: SpotOrder, time: TimeWriter): SpotRow {
  const { request, market } = order;
  const { rules } = market;
  return {
    ...(order.isStop && request.stopPrice > 0 ? { stopPrice: rules.priceText(request.stopPrice) } : nothing),
    ...(request.icebergQty > 0 ? { icebergQty: rules.amountText(request.icebergQty) } : nothing),
    ...labels(order, time),
  };
}

const labels = ({ request, trackingMs }: SpotOrder, time: TimeWriter): SpotRow => ({
  ...(request.trailingDelta > 0
    ? { trailingDelta: request.trailingDelta, trailingTime: trackingMs === null ? -1 : time(trackingMs) }
    : nothing),
  ...(request.strategyId === null ? nothing : { strategyId: request.strategyId }),
  ...(request.strategyType === null ? nothing : { strategyType: request.strategyType }),
});

const prevention = (order: SpotOrder): SpotRow =>
  order.prevented === 0 ? nothing : { preventedQuantity: order.market.rules.amountText(order.prevented) };

const expiry = ({ expiryReason }: SpotOrder): SpotRow => (expiryReason === null ? nothing : { expiryReason });

const identity = (order: SpotOrder): SpotRow => ({
  symbol: order.market.rules.symbol,
  orderId: order.id,
  orderListId: order.list?.id ?? -1,
});

export type ResponseType = 'ACK' | 'RESULT' | 'FULL';

/** Reply to a placement, with the fills of that call. */
export function placementRow(
  order: SpotOrder,
  reply: { readonly type: ResponseType; readonly fills: readonly SpotFill[]; readonly time: TimeWriter },
): SpotRow {
  const { time } = reply;
  const ack = { ...identity(order), clientOrderId: order.clientOrderId, transactTime: time(order.updatedMs) };
  if (reply.type === 'ACK') return ack;
  return {
    ...ack,
    ...amounts(order),
    ...words(order),
    ...conditional(order, time),
    workingTime: order.workingMs === null ? -1 : time(order.workingMs),
    ...(reply.type === 'FULL'
      ? { fills: reply.fills.filter((fill) => fill.order === order).map(fillRow) }
      : nothing),
    ...(order.preventedMatches.length > 0 ? { preventedMatches: order.preventedMatches } : nothing),
    ...(order.preventedMatches.length > 0 &&
    order.account !== null &&
    order.account.settings.tradeGroupId !== -1
      ? { tradeGroupId: order.account.settings.tradeGroupId }
      : nothing),
    selfTradePreventionMode: order.request.stpMode,
    ...prevention(order),
    ...expiry(order),
  };
}

const fillRow = (fill: SpotFill): SpotRow => ({
  price: fill.order.market.rules.priceText(fill.price),
  qty: fill.order.market.rules.amountText(fill.quantity),
  commission: moneyOf(fill.commission),
  commissionAsset: fill.commissionAsset,
  tradeId: fill.tradeId,
});

/** Order as `order`, `openOrders` and `allOrders` show it. */
export function queryRow(order: SpotOrder, time: TimeWriter): SpotRow {
  const { request, account } = order;
  const { price, origQty, executedQty, origQuoteOrderQty, cummulativeQuoteQty } = amounts(order);
  return {
    ...identity(order),
    clientOrderId:
      account?.showsCancelId === true ? (order.cancelId ?? order.clientOrderId) : order.clientOrderId,
    price,
    origQty,
    executedQty,
    cummulativeQuoteQty,
    ...words(order),
    stopPrice: order.market.rules.priceText(request.stopPrice),
    icebergQty: order.market.rules.amountText(request.icebergQty),
    time: time(order.createdMs),
    updateTime: time(order.updatedMs),
    isWorking: order.workingMs !== null,
    workingTime: order.workingMs === null ? -1 : time(order.workingMs),
    origQuoteOrderQty,
    ...labels(order, time),
    selfTradePreventionMode: request.stpMode,
    ...(order.preventedMatchId === null ? nothing : { preventedMatchId: order.preventedMatchId }),
    ...prevention(order),
    ...expiry(order),
  };
}

/** Order as the reply to its cancel shows it. */
export const cancelRow = (order: SpotOrder, time: TimeWriter): SpotRow => ({
  symbol: order.market.rules.symbol,
  origClientOrderId: order.clientOrderId,
  orderId: order.id,
  orderListId: order.list?.id ?? -1,
  clientOrderId: order.cancelId ?? order.clientOrderId,
  transactTime: time(order.updatedMs),
  ...amounts(order),
  ...words(order),
  ...conditional(order, time),
  selfTradePreventionMode: order.request.stpMode,
  ...(order.preventedMatchId === null ? nothing : { preventedMatchId: order.preventedMatchId }),
  ...prevention(order),
});

/** Order as the reply to its amend shows it, with field names of its own. */
export function amendedRow(order: SpotOrder, formerId: string, time: TimeWriter): SpotRow {
  const { price, origQty, executedQty, origQuoteOrderQty, cummulativeQuoteQty } = amounts(order);
  return {
    ...identity(order),
    origClientOrderId: formerId,
    clientOrderId: order.clientOrderId,
    price,
    qty: origQty,
    executedQty,
    preventedQty: order.market.rules.amountText(order.prevented),
    quoteOrderQty: origQuoteOrderQty,
    cumulativeQuoteQty: cummulativeQuoteQty,
    ...words(order),
    ...conditional(order, time),
    workingTime: order.workingMs === null ? -1 : time(order.workingMs),
    selfTradePreventionMode: order.request.stpMode,
  };
}

/** Trade as `myTrades` shows it. */
export const tradeRow = (fill: SpotFill, time: TimeWriter): SpotRow => {
  const { order } = fill;
  return {
    symbol: order.market.rules.symbol,
    id: fill.tradeId,
    orderId: order.id,
    orderListId: order.list?.id ?? -1,
    price: order.market.rules.priceText(fill.price),
    qty: order.market.rules.amountText(fill.quantity),
    quoteQty: moneyOf(fill.value),
    commission: moneyOf(fill.commission),
    commissionAsset: fill.commissionAsset,
    time: time(fill.timeMs),
    isBuyer: order.side === 'buy',
    isMaker: fill.isMaker,
    isBestMatch: true,
  };
};

/** List as every reply about it shows it; `timeMs` is the time of the transaction. */
export const listRow = (list: SpotOrderList, timeMs: number, time: TimeWriter): SpotRow => ({
  orderListId: list.id,
  contingencyType: list.contingencyType,
  listStatusType: list.isOpen ? 'EXEC_STARTED' : 'ALL_DONE',
  listOrderStatus: list.isOpen ? 'EXECUTING' : 'ALL_DONE',
  listClientOrderId: list.clientId,
  transactionTime: time(timeMs),
  symbol: list.market.rules.symbol,
  orders: list.orders.map((order) => ({
    symbol: list.market.rules.symbol,
    orderId: order.id,
    clientOrderId: order.clientOrderId,
  })),
});
