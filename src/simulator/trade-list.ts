import type { Side } from '../domain/order.ts';
import type { ListPage } from './order-list.ts';
import { type Trade, type TradeOfOrder, takerSide, makerSide, type Trader } from './market-state.ts';

/** Parameters of the trades list. Source: `GET /market/trades/list`. */
interface TradesQuery {
  readonly base: string | null;
  readonly quote: string | null;
  readonly fromId: number | null;
  readonly side: Side | null;
  readonly ascending: boolean;
  readonly page: number;
  readonly pageSize: number;
  /** Hides what was traded after this moment; null: nothing. */
  readonly asOfMs: number | null;
  /** True if every second hidden trade, by its id, is shown all the same. */
  readonly isUneven?: boolean;
  /** Longest age of a listed trade. */
  readonly listedMs: number;
}

/** One page of a trader's trades that are still listed, in the order of time. */
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

/** Index of the first trade whose id is not below `id`; ids rise. */
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
