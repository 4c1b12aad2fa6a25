import { HOUR_MS } from '../../../domain/time-text.ts';
import { refuse, type Refusal, type OrderReference } from '../../../simulator/requests.ts';
import { listOrders, viewOf, type OrderSortField, listTrades } from '../../../simulator/order-list.ts';
import {
  callUser,
  failedAnswer,
  notFoundAnswer,
  type WireAnswer,
  type WireCall,
  type WireHandlers,
} from '../handler.ts';
import { orderJson, tradeJson, hasNextField } from '../order-records.ts';
import { answering, readPlaceOrder, readRequest } from '../request-fields.ts';
import type { SimulatedOrder } from '../../../simulator/market-state.ts';

const ORDERS_PAGE = 100;
const TRADES_PAGE = 30;

/** Returns the failed response of an order placement, which repeats the client's id if one was given. */
function refusedOrder(refusal: Refusal, call: WireCall): WireAnswer {
  const answer = failedAnswer(refusal, call.forms);
  const { clientOrderId } = call.input;
  return typeof clientOrderId === 'string'
    ? { ...answer, body: { ...(answer.body as object), clientOrderId } }
    : answer;
}

const orderOf = (call: WireCall, order: SimulatedOrder): Record<string, unknown> =>
  orderJson(viewOf(order), call.forms);

/** Returns the caller's order for a reference, or the failed response if there is none. */
function findOrder(call: WireCall, reference: OrderReference): SimulatedOrder | WireAnswer | Refusal {
  const { trading } = call.exchange;
  const { id: userId } = callUser(call);
  if (reference.id === null && trading.trader(userId).lacksClientIdLookup)
    return refuse('FeatureUnavailable', 'The look-up by clientOrderId is not open to this user');
  return trading.find(userId, reference) ?? notFoundAnswer('Order');
}

function asOf(call: WireCall): number | null {
  const lagMs = call.distortion?.lagMs;
  return lagMs === undefined ? null : call.timeMs - lagMs;
}

/** Swaps neighbours, so that ids no longer rise or fall. */
const shuffled = <T>(items: readonly T[]): readonly T[] =>
  items.map((item, index) => items[index ^ 1] ?? item);

/** Handlers of orders and own trades. Source: interface, "Spot trading". */
export const spotHandlers: WireHandlers<
  'addOrder' | 'orderStatus' | 'ordersList' | 'updateOrderStatus' | 'cancelOldOrders' | 'tradesList'
> = {
  addOrder(call) {
    const declared = readRequest('addOrder', call);
    // Rules between fields are left to the exchange, whose checks have an order.
    const request = readPlaceOrder(call.input, call.exchange);
    // The market is checked before its amounts.
    const isUnknownMarket = !request.ok && request.code === 'InvalidMarketPair';
    if (!declared.ok && !declared.isRule && !isUnknownMarket) return refusedOrder(declared, call);
    if (!request.ok) return refusedOrder(request, call);
    const placed = call.exchange.trading.place(callUser(call).id, request.value, call.timeMs);
    if (!placed.ok) return refusedOrder(placed, call);
    const [first, second] = placed.value;
    if (first === undefined) return refusedOrder(refuse('Failed', 'No order was made'), call);
    const body =
      second === undefined
        ? { status: 'ok', order: orderOf(call, first) }
        : { status: 'ok', orders: [orderOf(call, first), orderOf(call, second)] };
    return { status: 200, body };
  },

  orderStatus: answering('orderStatus', ({ id = null, clientOrderId = null }, call) => {
    const found = findOrder(call, { id, clientOrderId });
    if (!('trader' in found)) return found;
    return { status: 200, body: { status: 'ok', order: orderOf(call, found) } };
  }),

  ordersList: answering('ordersList', ({ order, details = 1, ...query }, call) => {
    const { items, hasNext } = listOrders(call.exchange.trading.trader(callUser(call).id), {
      status: query.status ?? 'open',
      side: query.type ?? null,
      execution: query.execution ?? null,
      tradeType: query.tradeType ?? null,
      base: query.srcCurrency ?? null,
      quote: query.dstCurrency ?? null,
      fromId: query.fromId ?? null,
      order:
        order === undefined
          ? null
          : { field: order.replace('-', '') as OrderSortField, descending: order.startsWith('-') },
      page: query.page ?? 1,
      pageSize: query.pageSize ?? ORDERS_PAGE,
      asOfMs: asOf(call),
    });
    const orders = items.map((view) => orderJson(view, call.forms, details === 2 ? 2 : 1));
    return { status: 200, body: { status: 'ok', orders, ...hasNextField(hasNext, call.forms) } };
  }),

  updateOrderStatus: answering('updateOrderStatus', ({ order: id = null, clientOrderId = null }, call) => {
    const found = findOrder(call, { id, clientOrderId });
    if (!('trader' in found)) return found;
    const isCanceled = call.exchange.trading.cancel(found, call.timeMs);
    const status = isCanceled ? 'ok' : 'failed';
    return { status: 200, body: { status, updatedStatus: found.status, order: orderOf(call, found) } };
  }),

  cancelOldOrders: answering('cancelOldOrders', (request, call) => {
    const { hours, execution, tradeType, srcCurrency, dstCurrency } = request;
    call.exchange.trading.cancelOld(
      callUser(call).id,
      {
        createdAtOrBeforeMs: hours === undefined ? null : call.timeMs - hours * HOUR_MS,
        execution: execution ?? null,
        tradeType: tradeType ?? null,
        base: srcCurrency ?? null,
        quote: dstCurrency ?? null,
      },
      call.timeMs,
    );
    return { status: 200, body: { status: 'ok' } };
  }),

  tradesList: answering('tradesList', (query, call) => {
    const { trading } = call.exchange;
    const trader = trading.trader(callUser(call).id);
    const { items, hasNext } = listTrades(
      trader,
      {
        base: query.srcCurrency ?? null,
        quote: query.dstCurrency ?? null,
        fromId: query.fromId === undefined ? null : query.fromId - trading.tradeIdShift,
        side: query.tradeType ?? null,
        ascending: query.tradeOrder === 'asc',
        page: query.page ?? 1,
        pageSize: query.pageSize ?? TRADES_PAGE,
        asOfMs: asOf(call),
        isUneven: call.distortion?.isUneven === true,
        listedMs: trading.settings.tradesListedMs,
      },
      call.timeMs,
    );
    const shown = call.distortion?.shufflesTrades === true ? shuffled(items) : items;
    const trades = shown.map((trade) => tradeJson(trade, call.forms, trading.tradeIdShift));
    return { status: 200, body: { status: 'ok', trades, ...hasNextField(hasNext, call.forms) } };
  }),
};
