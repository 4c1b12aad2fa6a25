import fc from 'fast-check';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { formatUnits } from '../../../src/domain/money.ts';
import type { Catalogue } from '../../../src/recording/catalogue.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import {
  addCandles,
  book,
  BTCIRT,
  candle,
  candles,
  gather,
  takeLock,
  catalogueOfEachTest,
  temporaryCatalogue,
  trade,
} from './temporary-catalogue.ts';
import { openDatabase, streamChunks } from '../../../src/recording/duckdb.ts';

const catalogue = catalogueOfEachTest();
const AUGUST = Date.UTC(2024, 7, 31, 23, 0);
const MINUTES_KEY = { market: BTCIRT, kind: 'candles', timeframe: '1m' } as const;
const MINUTES = { market: BTCIRT, timeframe: '1m', source: 'test' } as const;
const ALL = { market: BTCIRT, timeframe: '1m', ...ALL_TIME } as const;

async function allCandles(catalogue: Catalogue): Promise<unknown[]> {
  const columns = await catalogue.readCandles(ALL);
  return Array.from({ length: columns.length }, (_, index) => candleAt(columns, index));
}

describe('candles', () => {
  test('come back as they were written, over the end of a month', async () => {
    const written = candles(AUGUST, 120);
    const outcome = await addCandles(catalogue, written);
    expect(outcome).toEqual({
      kind: 'added',
      added: 120,
      known: 0,
      fromMs: AUGUST,
      toMs: AUGUST + 119 * 60_000,
    });
    expect(await allCandles(catalogue)).toEqual(written);
    const manifest = catalogue.manifest({ market: BTCIRT, kind: 'candles', timeframe: '1m' });
    expect(manifest?.partitions.map(({ name, rows, sources }) => ({ name, rows, sources }))).toEqual([
      { name: '2024-08', rows: 60, sources: ['test'] },
      { name: '2024-09', rows: 60, sources: ['test'] },
    ]);
  });

  test('with prices of more decimals than the columns of those that are there have room for are refused', async () => {
    const written = candles(AUGUST, 3);
    await addCandles(catalogue, written);
    const fine = candle(AUGUST + 180_000 * 60 * 24, { open: '1', high: '1', low: '1', close: '0.0000001' });
    await expect(addCandles(catalogue, [fine])).rejects.toThrow(
      /found a price of 12\d+ and one with 7 decimals: round them with --round-prices 4/,
    );
    expect(await allCandles(catalogue)).toEqual(written);
  });

  test('with numbers of more than 28 digits are refused, not cut', async () => {
    const huge = candle(AUGUST, { open: '1e30', high: '1e30', low: '1e30', close: '1e30' });
    await expect(addCandles(catalogue, [huge])).rejects.toThrow(
      'expected at most 28 digits before the point',
    );
  });

  test('of a stretch are those that open in it, without its end', async () => {
    await addCandles(catalogue, candles(AUGUST, 120));
    const some = await catalogue.readCandles({ ...ALL, fromMs: AUGUST + 60_000, toMs: AUGUST + 180_000 });
    expect(Array.from(some.openTimeMs.slice(0, some.length))).toEqual([AUGUST + 60_000, AUGUST + 120_000]);
  });

  test('that are written twice are there once, and those before and after join them', async () => {
    await addCandles(catalogue, candles(AUGUST + 600_000, 10));
    const outcome = await addCandles(catalogue, candles(AUGUST, 30), { source: 'other' });
    expect(outcome).toMatchObject({ kind: 'added', added: 20, known: 10 });
    expect(await allCandles(catalogue)).toEqual(candles(AUGUST, 30));
  });

  test('that contradict one another or what is there change nothing', async () => {
    await addCandles(catalogue, candles(AUGUST, 10));
    const there = catalogue.manifest(MINUTES_KEY);
    const other = candle(AUGUST + 60_000, { volume: '7' });
    const against = await addCandles(catalogue, [other, ...candles(AUGUST + 600_000, 5)]);
    expect(against).toMatchObject({ kind: 'conflict', count: 1, conflicts: [{ timeMs: AUGUST + 60_000 }] });
    const late = AUGUST + 3_600_000;
    const within = await addCandles(catalogue, [candle(late), candle(late, { volume: '7' })]);
    expect(within).toMatchObject({ kind: 'conflict', count: 1, conflicts: [{ timeMs: late }] });
    expect(catalogue.manifest(MINUTES_KEY)).toEqual(there);
    expect(catalogue.keys()).toEqual([MINUTES_KEY]);
    expect(await allCandles(catalogue)).toEqual(candles(AUGUST, 10));
  });

  test('of any size within ten decimals are exact', async () => {
    const cell = fc.bigInt({ min: 0n, max: BigInt(Number.MAX_SAFE_INTEGER) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 10 }),
        fc.array(cell, { minLength: 1, maxLength: 20 }),
        async (decimals, cells) => {
          const catalogue = temporaryCatalogue();
          const scale = 10n ** BigInt(10 - decimals);
          const written = cells.map((value, index) => {
            const text = formatUnits(value * scale);
            return candle(AUGUST + index * 60_000, {
              open: text,
              high: text,
              low: text,
              close: text,
              volume: text,
            });
          });
          await addCandles(catalogue, written);
          expect(await allCandles(catalogue)).toEqual(written);
        },
      ),
      { numRuns: deepRuns(4, 2) },
    );
  });

  test('of a recorder beyond 2^53 are kept, and refused when they are read into columns', async () => {
    const huge = '12600000000123.0000000001';
    const bars = [candle(AUGUST, { high: huge })];
    await addCandles(catalogue, bars, { segment: 'candles-1m' });
    await expect(catalogue.readCandles(ALL)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('have volumes rounded where the largest leaves no room for the decimals of the finest, and exact ones in the file', async () => {
    const [fine, large] = ['0.0123456789', '1000000.5'];
    const bars = [candle(AUGUST, { volume: fine }), candle(AUGUST + 60_000, { volume: large })];
    await addCandles(catalogue, bars);
    const columns = await catalogue.readCandles(ALL);
    expect([candleAt(columns, 0).volume, candleAt(columns, 1).volume]).toEqual(['0.01234568', '1000000.5']);
    expect(candleAt(columns, 0).open).toBe(bars[0]?.open);
    await addCandles(catalogue, bars);
    const other = [candle(AUGUST, { volume: '0.0123456788' })];
    expect(await addCandles(catalogue, other)).toMatchObject({
      kind: 'conflict',
    });
  });

  test('that are not there are named with what is there', async () => {
    await expect(catalogue.readCandles(ALL)).rejects.toThrow('expected data of BTCIRT candles-1m');
    await addCandles(catalogue, candles(AUGUST, 3));
    const later = { ...ALL, fromMs: AUGUST + 86_400_000 };
    await expect(catalogue.readCandles(later)).rejects.toThrow('those there reach from 2024-08-31T23:00:00Z');
    await expect(catalogue.readCandles({ ...ALL, fromMs: 5, toMs: 5 })).rejects.toThrow(
      'begins before it ends',
    );
  });
});

describe('trades', () => {
  const trades = { market: BTCIRT, source: 'test' } as const;
  const question = { market: BTCIRT, ...ALL_TIME } as const;

  test('without a number are as many as the source with the most of them tells of', async () => {
    const one = trade(AUGUST);
    await catalogue.appendTrades({ ...trades, trades: [[one, one]] });
    const again = await catalogue.appendTrades({ ...trades, trades: [[one, one, one, trade(AUGUST + 5)]] });
    expect(again).toMatchObject({ added: 2, known: 2 });
    expect(await gather(catalogue.readTrades(question))).toEqual([one, one, one, trade(AUGUST + 5)]);
  });

  test('with a number are there once, in its order, and may not change', async () => {
    const [second, first] = [trade(AUGUST, { id: 8 }), trade(AUGUST, { id: 7, side: 'sell' })];
    await catalogue.appendTrades({ ...trades, trades: [[second, first, second]] });
    expect(await gather(catalogue.readTrades(question))).toEqual([first, second]);
    const changed = await catalogue.appendTrades({ ...trades, trades: [[{ ...first, side: 'buy' }]] });
    expect(changed).toMatchObject({ kind: 'conflict', count: 1 });
  });

  test('of a segment are taken up once, however often it is given', async () => {
    const one = trade(AUGUST);
    await catalogue.appendTrades({ ...trades, trades: [[one]] });
    for (let time = 0; time < 2; time += 1)
      await catalogue.appendTrades({ ...trades, segment: 'segment-1', trades: [[one, one]] });
    expect(await gather(catalogue.readTrades(question))).toEqual([one, one, one]);
  });

  test('of which the exchange gave no time lie at the time they were seen', async () => {
    const seen = trade(AUGUST, { timeMs: null, seenMs: AUGUST + 1 });
    await catalogue.appendTrades({ ...trades, trades: [[trade(AUGUST + 2), seen, trade(AUGUST)]] });
    expect(await gather(catalogue.readTrades(question))).toEqual([trade(AUGUST), seen, trade(AUGUST + 2)]);
  });

  test('lie in a partition a day', async () => {
    await catalogue.appendTrades({ ...trades, trades: [[trade(AUGUST), trade(AUGUST + 3_600_000)]] });
    const names = catalogue.manifest({ market: BTCIRT, kind: 'trades' })?.partitions.map(({ name }) => name);
    expect(names).toEqual(['2024-08-31', '2024-09-01']);
  });
});

test('books come back with at most 24 levels, and one with nothing on a side too', async () => {
  const bare = { ...book(AUGUST), bids: [] };
  const deep = book(AUGUST + 100, 30);
  await catalogue.appendBooks({ market: BTCIRT, source: 'test', books: [[bare, deep]] });
  const read = await gather(catalogue.readBooks({ market: BTCIRT, ...ALL_TIME }));
  expect(read).toEqual([bare, { ...deep, bids: deep.bids.slice(0, 24), asks: deep.asks.slice(0, 24) }]);
});

test('thousands of full books come back as they were', async () => {
  const written = Array.from({ length: 2_500 }, (_, index) => book(AUGUST + index * 100, 24));
  await catalogue.appendBooks({ market: BTCIRT, source: 'test', books: [written] });
  expect(await gather(catalogue.readBooks({ market: BTCIRT, ...ALL_TIME }))).toEqual(written);
});

test('statistics come back with what the exchange left out', async () => {
  const nothing = {
    bestSell: null,
    bestBuy: null,
    quoteVolume: null,
    mark: null,
    dayLow: null,
    dayHigh: null,
  };
  const stats = {
    market: parseMarket('BTCIRT'),
    isClosed: true,
    closedReason: "it's closed",
    ...nothing,
    baseVolume: decimalText('12.5'),
    latest: decimalText('12600000000'),
    dayOpen: null,
    dayClose: null,
    dayChange: decimalText('-0.5'),
  };
  await catalogue.appendStats({ market: BTCIRT, source: 'test', stats: [[{ seenMs: AUGUST, stats }]] });
  expect(await gather(catalogue.readStats({ market: BTCIRT, ...ALL_TIME }))).toEqual([
    { seenMs: AUGUST, stats },
  ]);
});

const folder = (): string => join(catalogue.root, 'BTCIRT', 'candles-1m');

describe('a catalogue', () => {
  test('is as it was when a writer died, and its next writer removes what that one left', async () => {
    await addCandles(catalogue, candles(AUGUST, 3));
    const first = readdirSync(folder()).find((name) => name.endsWith('.parquet')) ?? '';
    const content = readFileSync(join(folder(), first));
    for (const name of [
      '2024-08.2.parquet',
      '2024-09.2.parquet',
      '2024-08.3.parquet.tmp',
      'manifest.json.tmp',
    ]) {
      writeFileSync(join(folder(), name), content.subarray(0, 100));
    }
    writeFileSync(join(folder(), 'notes.txt'), 'mine');
    expect(await allCandles(catalogue)).toEqual(candles(AUGUST, 3));
    await addCandles(catalogue, candles(AUGUST, 5));
    expect(await allCandles(catalogue)).toEqual(candles(AUGUST, 5));
    expect(readdirSync(folder()).filter((name) => !name.startsWith('.lock'))).toEqual([
      '2024-08.2.parquet',
      'manifest.json',
      'notes.txt',
    ]);
  });

  test('refuses a second writer of a folder, naming the first', async () => {
    await addCandles(catalogue, candles(AUGUST, 3));
    const lock = takeLock(join(folder(), '.lock'));
    await expect(addCandles(catalogue, candles(AUGUST, 5))).rejects.toThrow(`pid ${process.pid}`);
    lock[Symbol.dispose]();
    await addCandles(catalogue, candles(AUGUST, 5));
    expect(await allCandles(catalogue)).toHaveLength(5);
  });

  test('says that a manifest is gone or damaged, and removes nothing then', async () => {
    await addCandles(catalogue, candles(AUGUST, 3));
    const path = join(folder(), 'manifest.json');
    writeFileSync(path, '{"version":');
    await expect(catalogue.appendCandles({ ...MINUTES, candles: [] })).rejects.toMatchObject({
      code: 'DATA_UNUSABLE',
    });
    rmSync(path);
    await expect(catalogue.appendCandles({ ...MINUTES, candles: [] })).rejects.toThrow(
      'found none: put it back',
    );
    expect(readdirSync(folder())).toContain('2024-08.1.parquet');
  });
});

test('says that a catalogue with folders of an older version is to be imported anew', async () => {
  mkdirSync(join(catalogue.root, 'BTCIRT', 'candles-60'), { recursive: true });
  const message = /expected folders .* such as candles-1h, found .*candles-60.*import again/;
  expect(() => catalogue.keys()).toThrow(message);
  await expect(catalogue.readCandles(ALL)).rejects.toThrow(message);
  await expect(addCandles(catalogue, candles(AUGUST, 1))).rejects.toThrow(message);
});

test('a result that fails after its first rows throws, and is not taken for a shorter one', async () => {
  const database = await openDatabase();
  try {
    const sql = "SELECT error(CASE WHEN range = 500000 THEN 'a bad row' END) FROM range(1000000)";
    let rows = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of streamChunks(database, sql, 'read the rows')) rows += chunk.rowCount;
    };
    await expect(read()).rejects.toThrow(
      expect.objectContaining({
        code: 'DATA_UNUSABLE',
        message: expect.stringContaining(
          'expected to be able to read the rows: Invalid Input Error: a bad row',
        ),
      }),
    );
    expect(rows).toBeGreaterThan(0);
  } finally {
    database[Symbol.dispose]();
  }
});
