import type { DecimalText } from '../domain/decimal-text.ts';
import { present } from '../domain/invariant.ts';
import type { BookLevel, BookSides } from '../domain/order-book.ts';
import type { RecordedBook, RecordedTrade } from './records.ts';
import type { PublicTrade } from '../domain/trade.ts';

/** A list of values for each field. */
type ListsOf<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] };

/**
 * Recorded trades as columns, which cost a run of millions of them no object each. Times in ms since 1970;
 * NaN where the exchange does not say.
 */
export interface TradeColumns extends ListsOf<Pick<PublicTrade, 'price' | 'amount' | 'side'>> {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly seenMs: Float64Array;
}

/** One side of each book of a chunk: its levels, best first. */
export interface LevelLists {
  /** Returns the number of levels of a book. */
  lengthOf(row: number): number;
  /** Of one level; undefined where a book has none at that place. */
  priceAt(row: number, place: number): DecimalText | undefined;
  amountAt(row: number, place: number): DecimalText | undefined;
  levelsOf(row: number): readonly BookLevel[];
}

/** Recorded books in the same way. Most pass without anybody asking for their levels. */
export interface BookColumns extends BookSides<LevelLists> {
  readonly length: number;
  readonly venueTimeMs: Float64Array;
  readonly seenMs: Float64Array;
}

/** Levels that are there as lists already. */
export class ListedLevels implements LevelLists {
  private readonly lists: readonly (readonly BookLevel[])[];

  constructor(lists: readonly (readonly BookLevel[])[]) {
    this.lists = lists;
  }

  lengthOf(row: number): number {
    return this.levelsOf(row).length;
  }

  priceAt(row: number, place: number): DecimalText | undefined {
    return this.levelsOf(row)[place]?.[0];
  }

  amountAt(row: number, place: number): DecimalText | undefined {
    return this.levelsOf(row)[place]?.[1];
  }

  levelsOf(row: number): readonly BookLevel[] {
    return present(this.lists[row], 'the levels of a book');
  }
}

/** A time of a column; null where the exchange did not say. */
export function knownTime(timeMs: number): number | null {
  return Number.isNaN(timeMs) ? null : timeMs;
}

export function tradeColumns(trades: readonly Omit<RecordedTrade, 'id'>[]): TradeColumns {
  return {
    length: trades.length,
    timeMs: Float64Array.from(trades, ({ timeMs }) => timeMs ?? Number.NaN),
    seenMs: Float64Array.from(trades, ({ seenMs }) => seenMs),
    price: trades.map(({ price }) => price),
    amount: trades.map(({ amount }) => amount),
    side: trades.map(({ side }) => side),
  };
}

export function bookColumns(books: readonly RecordedBook[]): BookColumns {
  return {
    length: books.length,
    venueTimeMs: Float64Array.from(books, ({ venueTimeMs }) => venueTimeMs ?? Number.NaN),
    seenMs: Float64Array.from(books, ({ seenMs }) => seenMs),
    bids: new ListedLevels(books.map(({ bids }) => bids)),
    asks: new ListedLevels(books.map(({ asks }) => asks)),
  };
}
