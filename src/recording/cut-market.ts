import { barsBetween, firstBarFrom, gridOfColumns } from '../domain/candle-columns.ts';
import type { PackedBooks, PackedCandles, PackedMarket, PackedStats, PackedTrades } from './packed-market.ts';
import { bookCount, statsCount, tradeCount } from './packed-rows.ts';

/**
 * Returns the recordings of a market before a time; of its bars those that had closed. The columns are views:
 * later data is not in them, but is behind them until they are copied.
 */
export function cutMarket(packed: PackedMarket, toMs: number): PackedMarket {
  const { books, trades, stats, candles } = packed;
  return {
    ...packed,
    books: cutBooks(books, bookCount(books, toMs)),
    trades: trades === null ? null : cutTrades(trades, tradeCount(trades, toMs)),
    stats: stats === null ? null : cutStats(stats, statsCount(stats, toMs)),
    candles: candles.flatMap((one) => cutCandles(one, toMs)),
  };
}

function cutBooks(books: PackedBooks, length: number): PackedBooks {
  const levels = books.levelFrom[length] ?? 0;
  return {
    ...books,
    length,
    venueTimeMs: books.venueTimeMs.subarray(0, length),
    seenMs: books.seenMs.subarray(0, length),
    levelFrom: books.levelFrom.subarray(0, length + 1),
    bids: books.bids.subarray(0, length),
    price: books.price.subarray(0, levels),
    amount: books.amount.subarray(0, levels),
  };
}

function cutTrades(trades: PackedTrades, length: number): PackedTrades | null {
  if (length === 0) return null;
  return {
    ...trades,
    length,
    timeMs: trades.timeMs.subarray(0, length),
    seenMs: trades.seenMs.subarray(0, length),
    price: trades.price.subarray(0, length),
    amount: trades.amount.subarray(0, length),
    isBuy: trades.isBuy.subarray(0, length),
  };
}

function cutStats(stats: PackedStats, length: number): PackedStats | null {
  if (length === 0) return null;
  return {
    length,
    seenMs: stats.seenMs.subarray(0, length),
    textFrom: stats.textFrom.subarray(0, length + 1),
    texts: stats.texts.subarray(0, stats.textFrom[length] ?? 0),
  };
}

function cutCandles({ columns, covered, parts }: PackedCandles, toMs: number): readonly PackedCandles[] {
  // The bar that holds that time had not closed, and those before it had.
  const end = firstBarFrom(columns, gridOfColumns(columns).startOf(toMs));
  if (end === 0) return [];
  const before = <Range extends { readonly fromMs: number; readonly toMs: number }>(
    ranges: readonly Range[],
  ) =>
    ranges
      .filter(({ fromMs }) => fromMs < toMs)
      .map((range) => ({ ...range, toMs: Math.min(range.toMs, toMs) }));
  return [{ columns: barsBetween(columns, 0, end), covered: before(covered), parts: before(parts) }];
}
