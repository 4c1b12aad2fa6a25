import type { Execution, Side } from '../domain/order.ts';
import {
  type SimulatedOrder,
  type Trader,
  type Trade,
  type TradeOfOrder,
  takerSide,
  makerSide,
} from './market-state.ts';

/** An order as it is now, or as it was at an earlier time. */
export interface OrderView {
  readonly order: SimulatedOrder;
  readonly status: string;
  /** In steps of the order's grid. */
  readonly matched: number;
  readonly total: bigint;
  readonly fee: bigint;
}

export type OrderSortField = 'id' | 'created_at' | 'price';

/** Parameters of the orders list. Source: `GET /market/orders/list`. */
export interface OrdersQuery {
  readonly status: 'all' | 'open' | 'done' | 'close';
  readonly side: Side | null;
  readonly execution: Execution | null;
  readonly tradeType: 'spot' | 'margin' | null;
  readonly base: string | null;
  readonly quote: string | null;
  readonly fromId: number | null;
  readonly order: { readonly field: OrderSortField; readonly descending: boolean } | null;
  readonly page: number;
  readonly pageSize: number;
  /** Time as of which orders are shown; null for now. It needs `recordVersions`. */
  readonly asOfMs: number | null;
}

interface ListPage<T> {
  readonly items: readonly T[];
  readonly hasNext: boolean;
}

export function viewOf(order: SimulatedOrder): OrderView {
  return { order, status: order.status, matched: order.matched, total: order.total, fee: order.fee };
}

/** Returns an order as of a time; undefined if it did not exist yet. */
function viewAsOf(order: SimulatedOrder, asOfMs: number): OrderView | undefined {
  if (order.versions === null) return order.createdAtMs <= asOfMs ? viewOf(order) : undefined;
  const version = order.versions.findLast((candidate) => candidate.timeMs <= asOfMs);
  return version === undefined ? undefined : { order, ...version };
}

/** Returns one page of a trader's orders, filtered and sorted as the interface says. */
export function listOrders(trader: Trader, query: OrdersQuery): ListPage<OrderView> {
  const chosen = candidates(trader, query).filter((view) => matches(view, query));
  chosen.sort(comparison(query));
  const start = query.fromId === null ? (query.page - 1) * query.pageSize : 0;
  const items = chosen.slice(start, start + query.pageSize);
  return { items, hasNext: chosen.length > start + items.length };
}

function candidates(trader: Trader, query: OrdersQuery): OrderView[] {
  const { asOfMs } = query;
  if (asOfMs === null)
    return (query.status === 'open' ? trader.open.values() : allOrders(trader)).map(viewOf);
  return allOrders(trader)
    .map((order) => viewAsOf(order, asOfMs))
    .filter((view) => view !== undefined);
}

/** Returns the kept orders, and the open ones that are older than those. */
function allOrders(trader: Trader): SimulatedOrder[] {
  const retained = trader.orders.values();
  const oldest = retained[0]?.id ?? Number.POSITIVE_INFINITY;
  return [...trader.open.values().filter((order) => order.id < oldest), ...retained];
}

function matches({ order, status, matched }: OrderView, query: OrdersQuery): boolean {
  return (
    (query.status === 'all' ||
      (query.status === 'open' && (status === 'New' || status === 'Active' || status === 'Inactive')) ||
      (query.status === 'done' && matched > 0) ||
      (query.status === 'close' && (status === 'Done' || status === 'Canceled'))) &&
    (query.side === null || order.side === query.side) &&
    (query.execution === null || order.execution === query.execution) &&
    query.tradeType !== 'margin' &&
    (query.base === null || order.market.rules.base === query.base) &&
    (query.quote === null || order.market.rules.quote === query.quote) &&
    (query.fromId === null || order.id >= query.fromId)
  );
}

function comparison(query: OrdersQuery): (left: OrderView, right: OrderView) => number {
  const { field, descending } = query.order ?? defaultOrder(query);
  const sign = descending ? -1 : 1;
  return (left, right) =>
    sign * (keyOf(left.order, field) - keyOf(right.order, field) || left.order.id - right.order.id);
}

function defaultOrder(query: OrdersQuery): { readonly field: OrderSortField; readonly descending: boolean } {
  if (query.fromId !== null) return { field: 'id', descending: true };
  if (query.side === null) return { field: 'created_at', descending: true };
  return { field: 'price', descending: query.side === 'buy' };
}

function keyOf(order: SimulatedOrder, field: OrderSortField): number {
  if (field === 'id') return order.id;
  if (field === 'created_at') return order.createdAtMs;
  // Markets have grids of their own; a float is enough to sort by.
  return order.registeredPrice * Number(order.grid.priceStep);
}

/** Parameters of the trades list. Source: `GET /market/trades/list`. */
interface TradesQuery extends Pick<OrdersQuery, 'base' | 'quote' | 'fromId' | 'side' | 'page' | 'pageSize'> {
  readonly ascending: boolean;
  /** Time after which trades are hidden; null hides none. */
  readonly asOfMs: number | null;
  /** True if every second hidden trade, by its id, is shown all the same. */
  readonly isUneven?: boolean;
  /** Longest age of a listed trade, in ms. */
  readonly listedMs: number;
}

/** Returns one page of a trader's trades that are still listed, in the order of time. */
export function listTrades(trader: Trader, query: TradesQuery, timeMs: number): ListPage<TradeOfOrder> {
  const newestMs = query.asOfMs ?? timeMs;
  const trades = trader.trades.values();
  const chosen: TradeOfOrder[] = [];
  for (let index = firstFrom(trades, query.fromId ?? 0); index < trades.length; index += 1) {
    const trade = trades[index];
    if (trade === undefined || trade.timeMs < timeMs - query.listedMs) continue;
    if (trade.timeMs > newestMs && (query.isUneven !== true || trade.id % 2 === 1)) continue;
    const { rules } = trade.maker.market;
    if (query.base !== null && rules.base !== query.base) continue;
    if (query.quote !== null && rules.quote !== query.quote) continue;
    if (trade.taker.trader === trader && (query.side === null || trade.taker.side === query.side))
      chosen.push(takerSide(trade));
    if (trade.maker.trader === trader && (query.side === null || trade.maker.side === query.side))
      chosen.push(makerSide(trade));
  }
  if (!query.ascending) chosen.reverse();
  const start = (query.page - 1) * query.pageSize;
  const items = chosen.slice(start, start + query.pageSize);
  return { items, hasNext: chosen.length > start + items.length };
}

/** Returns the index of the first trade whose id is not below `id`; ids rise. */
function firstFrom(trades: readonly Trade[], id: number): number {
  let low = 0;
  let high = trades.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((trades[middle]?.id ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
