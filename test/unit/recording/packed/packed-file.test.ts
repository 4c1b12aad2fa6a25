import { describe, expect, test } from 'vitest';
import { present } from '../../../../src/domain/errors.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { openCatalogue } from '../../../../src/daemon/open-catalogue.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { CellReader, packMarket } from '../../../../src/recording/pack-market.ts';
import { readPackedMarket, writePackedMarket } from '../../../../src/recording/column-file.ts';
import { packedBooks, packedStats, packedTrades } from '../../../../src/recording/packed-market.ts';
import { EARLIEST_MS } from '../../../../src/recording/read-rows.ts';

const catalogue = openCatalogue('data/example');
const market = parseMarket('BTCUSDT').symbol;
const toMs = Date.UTC(2026, 0, 5, 12, 20);
const packed = present(await packMarket(catalogue, { market, toMs }), 'recordings');

async function allOf<Row>(chunks: AsyncIterable<readonly Row[]>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const chunk of chunks) rows.push(...chunk);
  return rows;
}

const levels = async (books: ReturnType<typeof packedBooks>): Promise<readonly unknown[]> => {
  const all: unknown[] = [];
  for await (const { length, venueTimeMs, seenMs, bids, asks } of books)
    for (let row = 0; row < length; row += 1)
      all.push([venueTimeMs[row], seenMs[row], bids.levelsOf(row), asks.levelsOf(row), asks.priceAt(row, 3)]);
  return all;
};

const rowsOf = async (columns: ReturnType<typeof packedTrades>): Promise<readonly unknown[]> => {
  const all: unknown[] = [];
  for await (const { timeMs, seenMs, price, amount, side } of columns)
    all.push(...price.map((text, row) => [timeMs[row], seenMs[row], text, amount[row], side[row]]));
  return all;
};

describe('recordings that are packed', () => {
  const question = { market, fromMs: EARLIEST_MS, toMs };

  test('are the same books, trades and statistics as in the catalogue', async () => {
    const books = await levels(packedBooks(packed.books, toMs));
    expect(books.length).toBeGreaterThan(300);
    expect(books).toEqual(await levels(catalogue.readBookColumns(question)));
    const { trades, stats } = packed;
    expect(await rowsOf(packedTrades(present(trades, 'trades'), toMs))).toEqual(
      await rowsOf(catalogue.readTradeColumns(question)),
    );
    expect(await allOf(packedStats({ market, stats: present(stats, 'statistics') }, toMs))).toEqual(
      await allOf(catalogue.readStats(question)),
    );
  });

  test('end before the time that is asked for', async () => {
    const earlierMs = toMs - 600_000;
    const shorter = present(await packMarket(catalogue, { market, toMs: earlierMs }), 'recordings');
    let [books, lastMs] = [0, 0];
    for await (const { length, seenMs } of packedBooks(packed.books, earlierMs)) {
      books += length;
      lastMs = seenMs[length - 1] ?? 0;
    }
    expect([books, lastMs]).toEqual([shorter.books.length, shorter.books.seenMs.at(-1)]);
    expect(books).toBeLessThan(packed.books.length);
  });

  test('are the same behind a file, in memory that threads share', () => {
    const read = readPackedMarket(writePackedMarket(packed));
    expect(read).toEqual(packed);
    expect(read.books.price.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  test('that are cut short, or something else, are refused', () => {
    const bytes = writePackedMarket(packed);
    for (const wrong of [
      bytes.subarray(0, bytes.length - 8),
      Buffer.concat([bytes, bytes]),
      Buffer.from('{}\n'),
    ])
      expect(() => readPackedMarket(wrong)).toThrow(
        'expected recordings as the coordinator of a study packs them, found something else',
      );
  });

  test('of a market without books are none', async () => {
    expect(await packMarket(catalogue, { market: parseMarket('ETHUSDT').symbol, toMs })).toBeNull();
  });
});

describe('a decimal as a cell', () => {
  test.each([
    ['0.1', 2, 10],
    ['65000', 2, 6_500_000],
    ['1.000001', 6, 1_000_001],
  ])('%s with %d decimals is %d', (text, decimals, cell) => {
    expect(new CellReader(decimals).of(decimalText(text))).toBe(cell);
  });

  test.each([
    ['0.123', 2],
    ['90071992547409.93', 2],
  ])('%s does not fit %d decimals', (text, decimals) => {
    expect(() => new CellReader(decimals).of(decimalText(text))).toThrow(`decimals at most, was ${text}`);
  });
});
