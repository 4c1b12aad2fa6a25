import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UTC_MIDNIGHT } from '../../../src/domain/candle.ts';
import { openDatabase, queryRows, sqlFiles } from '../../../src/recording/duckdb.ts';
import type { FolderKey } from '../../../src/recording/records.ts';
import { exportFile } from '../../../src/recording/export-file.ts';
import { importTable } from '../../../src/recording/import-table.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import {
  addCandles,
  book,
  BTCIRT,
  candles,
  gather,
  catalogueOfEachTest,
  temporaryCatalogue,
  trade,
  USUAL_IMPORT,
} from './temporary-catalogue.ts';

const catalogue = catalogueOfEachTest();
const START = Date.UTC(2024, 7, 8);
const CANDLES = { market: BTCIRT, kind: 'candles', timeframe: '1m' } as const;

describe('an exported file', () => {
  test.each(['csv', 'csv.gz', 'jsonl', 'jsonl.gz', 'parquet'])(
    'as %s imports as what it was',
    async (ending) => {
      const minutes = candles(START, 30);
      const trades = [trade(START, { id: 7 }), trade(START + 5, { id: 8, side: 'sell' }), trade(START + 9)];
      await addCandles(catalogue, minutes, { anchors: { '1m': UTC_MIDNIGHT } });
      await catalogue.appendTrades({ market: BTCIRT, source: 'test', trades: [trades] });
      const again = temporaryCatalogue();
      for (const key of [CANDLES, { market: BTCIRT, kind: 'trades' } as const]) {
        const path = join(catalogue.root, `${key.kind}.${ending}`);
        await exportFile(catalogue, { key, range: ALL_TIME, path, mayReplace: false });
        const report = await importTable({ ...USUAL_IMPORT, catalogue: again, path, source: path });
        expect(report.result).toBe('imported');
      }
      const asked = { market: BTCIRT, timeframe: '1m', ...ALL_TIME } as const;
      expect(await again.readCandles(asked)).toEqual(await catalogue.readCandles(asked));
      const read = await gather(again.readTrades({ market: BTCIRT, ...ALL_TIME }));
      expect(read).toEqual(trades.map(({ timeMs, ...rest }) => ({ ...rest, timeMs, seenMs: timeMs })));
    },
  );

  test('as Parquet has a float beside each exact number', async () => {
    await catalogue.appendBooks({ market: BTCIRT, source: 'test', books: [[book(START, 1)]] });
    await addCandles(catalogue, candles(START, 1));
    const database = await openDatabase();
    onTestFinished(() => database[Symbol.dispose]());
    const typesOf = async (key: FolderKey): Promise<unknown[]> => {
      const path = join(catalogue.root, `${key.kind}.parquet`);
      await exportFile(catalogue, { key, range: ALL_TIME, path, mayReplace: false });
      const sql = `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(${sqlFiles([path])}))`;
      return (await queryRows(database, sql, 'read the columns')).map((row) => row.map(String).join(' '));
    };
    expect(await typesOf(CANDLES)).toEqual([
      'time_ms BIGINT',
      ...['open', 'high', 'low', 'close', 'volume'].map((name) => `${name} DECIMAL(38,10)`),
      ...['open', 'high', 'low', 'close', 'volume'].map((name) => `${name}_f DOUBLE`),
    ]);
    const books = await typesOf({ market: BTCIRT, kind: 'books' });
    expect(books).toContain('bid_prices DECIMAL(38,10)[]');
    expect(books).toContain('bid_prices_f DOUBLE[]');
    const floats = `SELECT open_f = open, volume_f FROM read_parquet(${sqlFiles([join(catalogue.root, 'candles.parquet')])})`;
    expect(await queryRows(database, floats, 'read the floats')).toEqual([[true, 0.123456]]);
  });

  test('holds a stretch of time, as JSON lines too', async () => {
    const books = [[book(START, 1), book(START + 100)]];
    await catalogue.appendBooks({ market: BTCIRT, source: 'test', books });
    const path = join(catalogue.root, 'books.jsonl.gz');
    const key = { market: BTCIRT, kind: 'books' } as const;
    const range = { fromMs: START, toMs: START + 100 };
    expect(await exportFile(catalogue, { key, range, path, mayReplace: false })).toBe(1);
    expect(JSON.parse(gunzipSync(readFileSync(path)).toString())).toEqual({
      venue_time_ms: START,
      seen_ms: START + 200,
      bids: [['12599999990', '0.000011']],
      asks: [['12600000010', '0.000011']],
    });
  });

  test('leaves alone what lies beside it, and fails where its folder is not there', async () => {
    await addCandles(catalogue, candles(START, 2));
    const path = join(catalogue.root, 'candles.csv');
    writeFileSync(`${path}.tmp`, 'mine');
    await exportFile(catalogue, { key: CANDLES, range: ALL_TIME, path, mayReplace: false });
    expect(readFileSync(`${path}.tmp`, 'utf8')).toBe('mine');
    const nowhere = join(catalogue.root, 'nowhere', 'candles.csv');
    await expect(
      exportFile(catalogue, { key: CANDLES, range: ALL_TIME, path: nowhere, mayReplace: false }),
    ).rejects.toThrow('to write');
  });

  test('is not begun where there is nothing, and never replaces another unasked', async () => {
    const path = join(catalogue.root, 'candles.csv');
    const options = { key: CANDLES, range: ALL_TIME, path, mayReplace: false };
    await expect(exportFile(catalogue, options)).rejects.toThrow('there are none in');
    expect(readdirSync(catalogue.root)).toEqual([]);
    await addCandles(catalogue, candles(START, 2));
    await expect(
      exportFile(catalogue, { ...options, range: { fromMs: START + 1, toMs: START + 2 } }),
    ).rejects.toThrow('expected data of BTCIRT candles-1m');
    expect(existsSync(path)).toBe(false);
    await exportFile(catalogue, options);
    await expect(exportFile(catalogue, options)).rejects.toThrow('add --force');
    expect(await exportFile(catalogue, { ...options, mayReplace: true })).toBe(2);
    await expect(exportFile(catalogue, { ...options, path: 'x.xlsx' })).rejects.toThrow('that ends in .csv');
  });
});
