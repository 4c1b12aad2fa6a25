import type { CandleColumns } from '../domain/candle-columns.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { TimeRange } from './records.ts';

/**
 * Recorded rows as typed arrays, which threads share without a copy and a file holds as they are. Times in ms
 * since 1970, NaN where the exchange does not say; decimals as whole numbers of 10^-decimals.
 */
interface PackedRows {
  readonly length: number;
  readonly priceDecimals: number;
  readonly amountDecimals: number;
}

/** Books in the order of time. The levels of book `row` begin at `levelFrom[row]`, bids first. */
export interface PackedBooks extends PackedRows {
  readonly venueTimeMs: Float64Array;
  readonly seenMs: Float64Array;
  /** One more than there are books: the last one is the end. */
  readonly levelFrom: Uint32Array;
  /** Number of levels of a book that are bids. */
  readonly bids: Uint8Array;
  readonly price: Float64Array;
  readonly amount: Float64Array;
}

/** Trades in the order of time. */
export interface PackedTrades extends PackedRows {
  readonly timeMs: Float64Array;
  readonly seenMs: Float64Array;
  readonly price: Float64Array;
  readonly amount: Float64Array;
  /** 1 where the order that took bought. */
  readonly isBuy: Uint8Array;
}

/** Statistics in the order of time: JSON of each, without its market. */
export interface PackedStats {
  readonly length: number;
  readonly seenMs: Float64Array;
  /** One more than there are rows: the last one is the end. */
  readonly textFrom: Uint32Array;
  readonly texts: Uint8Array;
}

/** Recorded bars of one timeframe. */
export interface PackedCandles {
  readonly columns: CandleColumns;
  /** Stretches that were read whole: where no bar is in them, there was none. */
  readonly covered: readonly TimeRange[];
  /** From the first to the last row of each of its files. */
  readonly parts: readonly TimeRange[];
}

/** All that was recorded of a market up to some time. */
export interface PackedMarket {
  readonly market: MarketSymbol;
  /** From the first to the last book of all, those left out too. */
  readonly span: TimeRange;
  readonly books: PackedBooks;
  readonly trades: PackedTrades | null;
  readonly stats: PackedStats | null;
  readonly candles: readonly PackedCandles[];
}

/** Returns the time of a row: the exchange's, else the time it was seen. */
export function countedTimeMs(venueMs: Float64Array, seenMs: Float64Array, row: number): number {
  const timeMs = venueMs[row] ?? Number.NaN;
  return Number.isNaN(timeMs) ? (seenMs[row] ?? 0) : timeMs;
}

/** The first row of a time or later; `length` where there is none. */
export function rowFrom(length: number, timeOf: (row: number) => number, timeMs: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(middle) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
