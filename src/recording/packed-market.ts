import { cellText, barsBetween, firstBarFrom, gridOfColumns, firstIndex } from '../domain/candle-columns.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { BookColumns, LevelLists, TradeColumns, RecordedStats } from './records.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats, BookLevel } from '../domain/order-book.ts';
import type { Side } from '../domain/order.ts';
import { parseMarket } from '../exchange/market-names.ts';
import type { PackedBooks, PackedCandles, PackedMarket, PackedStats, PackedTrades } from './column-file.ts';
import { CellTexts } from './table-shape.ts';

/** Returns the time of a row: the exchange's, else the time it was seen. */
export function countedTimeMs(venueMs: Float64Array, seenMs: Float64Array, row: number): number {
  const timeMs = venueMs[row] ?? Number.NaN;
  return Number.isNaN(timeMs) ? (seenMs[row] ?? 0) : timeMs;
}

/** Returns the index of the first row at a time or later; `length` if there is none. */
export const rowFrom = (length: number, timeOf: (row: number) => number, timeMs: number): number =>
  firstIndex(length, (row) => timeOf(row) >= timeMs);

/** Number of rows that are passed on at once as texts and objects, so that memory stays bounded. */
const ROWS_A_CHUNK = 2_048;

/** Returns the number of books before a time. */
const bookCount = (books: PackedBooks, toMs: number): number =>
  rowFrom(books.length, (row) => countedTimeMs(books.venueTimeMs, books.seenMs, row), toMs);

export const tradeCount = (trades: PackedTrades, toMs: number): number =>
  rowFrom(trades.length, (row) => countedTimeMs(trades.timeMs, trades.seenMs, row), toMs);

export const statsCount = ({ length, seenMs }: PackedStats, toMs: number): number =>
  rowFrom(length, (row) => seenMs[row] ?? 0, toMs);

/** Yields the books before a time, in the form in which the catalogue reads them. */
export async function* packedBooks(books: PackedBooks, toMs: number): AsyncGenerator<BookColumns> {
  const [prices, amounts] = [new CellTexts(books.priceDecimals), new CellTexts(books.amountDecimals)];
  for (const [start, end] of chunks(bookCount(books, toMs))) {
    yield {
      length: end - start,
      venueTimeMs: books.venueTimeMs.subarray(start, end),
      seenMs: books.seenMs.subarray(start, end),
      bids: new PackedLevels(books, { start, isBids: true, prices, amounts }),
      asks: new PackedLevels(books, { start, isBids: false, prices, amounts }),
    };
  }
}

/** Yields the trades before a time. */
export async function* packedTrades(trades: PackedTrades, toMs: number): AsyncGenerator<TradeColumns> {
  for (const [start, end] of chunks(tradeCount(trades, toMs))) {
    yield {
      length: end - start,
      timeMs: trades.timeMs.subarray(start, end),
      seenMs: trades.seenMs.subarray(start, end),
      price: textsOf(trades.price.subarray(start, end), trades.priceDecimals),
      amount: textsOf(trades.amount.subarray(start, end), trades.amountDecimals),
      side: Array.from(trades.isBuy.subarray(start, end), (isBuy): Side => (isBuy === 1 ? 'buy' : 'sell')),
    };
  }
}

/** Yields the statistics of a market before a time. */
export async function* packedStats(
  { market, stats }: { readonly market: MarketSymbol; readonly stats: PackedStats },
  toMs: number,
): AsyncGenerator<readonly RecordedStats[]> {
  const name = parseMarket(market);
  const { seenMs, textFrom, texts } = stats;
  const all = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength);
  for (const [start, end] of chunks(statsCount(stats, toMs))) {
    yield Array.from({ length: end - start }, (_, index) => {
      const row = start + index;
      const json = all.toString('utf8', textFrom[row] ?? 0, textFrom[row + 1] ?? 0);
      const day = JSON.parse(json) as Omit<MarketStats, 'market'>;
      return { seenMs: seenMs[row] ?? 0, stats: { market: name, ...day } };
    });
  }
}

const textsOf = (column: Float64Array, decimals: number): readonly DecimalText[] =>
  Array.from(column, (cell) => cellText(cell, decimals));

function* chunks(length: number): Generator<readonly [start: number, end: number]> {
  for (let start = 0; start < length; start += ROWS_A_CHUNK)
    yield [start, Math.min(length, start + ROWS_A_CHUNK)];
}

/** Bids or asks of a range of packed books; levels are decoded only when they are read. */
class PackedLevels implements LevelLists {
  private readonly books: PackedBooks;
  private readonly of: {
    readonly start: number;
    readonly isBids: boolean;
    readonly prices: CellTexts;
    readonly amounts: CellTexts;
  };

  constructor(books: PackedBooks, of: PackedLevels['of']) {
    this.books = books;
    this.of = of;
  }

  lengthOf(row: number): number {
    const at = this.of.start + row;
    const bids = this.books.bids[at] ?? 0;
    if (this.of.isBids) return bids;
    return (this.books.levelFrom[at + 1] ?? 0) - (this.books.levelFrom[at] ?? 0) - bids;
  }

  priceAt(row: number, place: number): DecimalText | undefined {
    const at = this.placeOf(row, place);
    return at === null ? undefined : this.of.prices.of(this.books.price[at] ?? 0);
  }

  amountAt(row: number, place: number): DecimalText | undefined {
    const at = this.placeOf(row, place);
    return at === null ? undefined : this.of.amounts.of(this.books.amount[at] ?? 0);
  }

  levelsOf(row: number): readonly BookLevel[] {
    const first = this.firstOf(row);
    return Array.from({ length: this.lengthOf(row) }, (_, place) => [
      this.of.prices.of(this.books.price[first + place] ?? 0),
      this.of.amounts.of(this.books.amount[first + place] ?? 0),
    ]);
  }

  private firstOf(row: number): number {
    const at = this.of.start + row;
    return (this.books.levelFrom[at] ?? 0) + (this.of.isBids ? 0 : (this.books.bids[at] ?? 0));
  }

  private placeOf(row: number, place: number): number | null {
    return place < this.lengthOf(row) ? this.firstOf(row) + place : null;
  }
}

/**
 * Returns the recordings of a market before a time, with the bars that had closed. The columns are views:
 * later data is not visible in them, but stays in their buffers until they are copied.
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
  // The bar that contains this time had not closed; earlier bars had.
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
