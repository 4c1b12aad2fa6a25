import { createHash } from 'node:crypto';
import {
  countedTimeMs,
  type PackedBooks,
  type PackedMarket,
  type PackedStats,
  type PackedTrades,
} from '../../recording/packed/packed-market.ts';
import { dataSetOf, namedSet, type DataSet } from './data-set.ts';

type Hashed = Float64Array | Uint32Array | Uint8Array;

/**
 * Returns the recorded data sets of a market, by the content of their rows: books, trades, statistics, and
 * candles.
 */
export function recordingSets({ market, books, trades, stats, candles }: PackedMarket): readonly DataSet[] {
  return [
    booksSet(market, books),
    ...(trades === null ? [] : [tradesSet(market, trades)]),
    ...(stats === null ? [] : [statsSet(market, stats)]),
    ...candles.map(({ columns }) => dataSetOf(columns)),
  ];
}

function booksSet(market: string, books: PackedBooks): DataSet {
  const { length, venueTimeMs, seenMs, levelFrom, bids, price, amount, priceDecimals, amountDecimals } =
    books;
  return namedSet(
    { market, kind: 'books', timeframe: null, length },
    (row) => countedTimeMs(venueTimeMs, seenMs, row),
    (from, to) => {
      const [first, end] = [levelFrom[from] ?? 0, levelFrom[to] ?? 0];
      // How many levels each has, not where they are: that is another thing in another recording.
      const counts = Uint32Array.from(
        { length: to - from },
        (_, row) => (levelFrom[from + row + 1] ?? 0) - (levelFrom[from + row] ?? 0),
      );
      return digestOf(`${market} books`, [
        venueTimeMs.slice(from, to),
        seenMs.slice(from, to),
        counts,
        bids.slice(from, to),
        values(price.subarray(first, end), priceDecimals),
        values(amount.subarray(first, end), amountDecimals),
      ]);
    },
  );
}

function tradesSet(market: string, trades: PackedTrades): DataSet {
  const { length, timeMs, seenMs, price, amount, isBuy, priceDecimals, amountDecimals } = trades;
  return namedSet(
    { market, kind: 'trades', timeframe: null, length },
    (row) => countedTimeMs(timeMs, seenMs, row),
    (from, to) =>
      digestOf(`${market} trades`, [
        timeMs.slice(from, to),
        seenMs.slice(from, to),
        values(price.subarray(from, to), priceDecimals),
        values(amount.subarray(from, to), amountDecimals),
        isBuy.slice(from, to),
      ]),
  );
}

function statsSet(market: string, { length, seenMs, textFrom, texts }: PackedStats): DataSet {
  return namedSet(
    { market, kind: 'statistics', timeframe: null, length },
    (row) => seenMs[row] ?? 0,
    (from, to) =>
      digestOf(`${market} statistics`, [
        seenMs.slice(from, to),
        texts.slice(textFrom[from] ?? 0, textFrom[to] ?? 0),
      ]),
  );
}

/** Cells as what they say, since two recordings may count them in other decimals. */
const values = (cells: Float64Array, decimals: number): Float64Array =>
  cells.map((cell) => cell / 10 ** decimals);

function digestOf(name: string, columns: readonly Hashed[]): string {
  const hash = createHash('sha256').update(`${name}\n`);
  for (const { buffer, byteOffset, byteLength } of columns) {
    hash.update(`${byteLength}\n`);
    hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest('hex');
}
