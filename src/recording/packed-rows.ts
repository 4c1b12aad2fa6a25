import { cellText } from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import type { BookLevel } from '../domain/order-book.ts';
import type { Side } from '../domain/order.ts';
import { parseMarket } from '../exchange/market-names.ts';
import type { BookColumns, LevelLists, TradeColumns } from './record-columns.ts';
import type { RecordedStats } from './records.ts';
import { CellTexts } from './money-cells.ts';
import {
  rowFrom,
  countedTimeMs,
  type PackedBooks,
  type PackedStats,
  type PackedTrades,
} from './packed-market.ts';

/** Rows that are handed on at once, as texts and objects: memory does not grow with the recording. */
const ROWS_A_CHUNK = 2_048;

/** Returns the number of rows before a time. */
export function bookCount(books: PackedBooks, toMs: number): number {
  return rowFrom(books.length, (row) => countedTimeMs(books.venueTimeMs, books.seenMs, row), toMs);
}

export function tradeCount(trades: PackedTrades, toMs: number): number {
  return rowFrom(trades.length, (row) => countedTimeMs(trades.timeMs, trades.seenMs, row), toMs);
}

export function statsCount({ length, seenMs }: PackedStats, toMs: number): number {
  return rowFrom(length, (row) => seenMs[row] ?? 0, toMs);
}

/** Books before a time, as the catalogue reads them. */
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

/** Trades before a time. */
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

/** Statistics of a market before a time. */
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

/** One side of the books of a chunk. */
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
