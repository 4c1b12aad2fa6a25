import type { Side } from '../../../domain/order.ts';
import type { Page } from './order-list.ts';
import type { TradeOfOrder, Trader } from './trader.ts';

/** How far back the trades list goes. */
export const TRADES_SHOWN_MS = 180 * 86_400_000;

/** What the trades list is asked for. Source: `GET /market/trades/list`. */
export interface TradesQuery {
  readonly srcCurrency: string | null;
  readonly dstCurrency: string | null;
  readonly fromId: number | null;
  readonly side: Side | null;
  readonly ascending: boolean;
  readonly page: number;
  readonly pageSize: number;
  /** Hides what was traded after this moment; null: nothing. */
  readonly asOfMs: number | null;
}

/** One page of a trader's trades of the last 180 days, in the order of time. */
export function listTrades(trader: Trader, query: TradesQuery, timeMs: number): Page<TradeOfOrder> {
  const newestMs = query.asOfMs ?? timeMs;
  const chosen = trader.trades
    .values()
    .filter(
      (trade) =>
        trade.timeMs >= timeMs - TRADES_SHOWN_MS &&
        trade.timeMs <= newestMs &&
        (query.fromId === null || trade.id >= query.fromId) &&
        (query.side === null || trade.order.side === query.side) &&
        (query.srcCurrency === null || trade.order.market.rules.src === query.srcCurrency) &&
        (query.dstCurrency === null || trade.order.market.rules.dst === query.dstCurrency),
    );
  if (!query.ascending) chosen.reverse();
  const start = (query.page - 1) * query.pageSize;
  const items = chosen.slice(start, start + query.pageSize);
  return { items, hasNext: chosen.length > start + items.length };
}
