import { appendFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBars, readFileBars, type BarQuestion } from '../../../../src/backtest/setup/read-bars.ts';
import type { CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { CandleCache } from '../../../../src/recording/candle-cache.ts';
import { ALL_TIME } from '../../../../src/recording/read-rows.ts';
import { BTCIRT, candles, temporaryCatalogue } from '../../recording/temporary-catalogue.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';

const START = Date.UTC(2024, 0, 31, 20);
const HOUR_MS = 3_600_000;
const QUESTION: BarQuestion = { market: BTCIRT, timeframe: '1h', range: ALL_TIME, warmUpMs: 0 };

const line = (hour: number, close = '60000.5'): string =>
  `${START + hour * HOUR_MS},60000.5,60001,59999.25,${close},0.5\n`;

const newCache = (): CandleCache => new CandleCache(folderOfThisTest(), { leastBars: 1 });

const closes = ({ close, length }: CandleColumns): readonly number[] => [...close.subarray(0, length)];

test('a file is read once, until one of its bytes changes or other bars are asked for', async () => {
  const cache = newCache();
  const path = join(folderOfThisTest(), 'bars.csv');
  writeFileSync(path, `time,open,high,low,close,volume\n${[0, 1, 2, 3].map((hour) => line(hour)).join('')}`);
  const first = await readFileBars(path, QUESTION, cache);
  const second = await readFileBars(path, QUESTION, cache);
  expect([first.fromCache, second.fromCache]).toEqual([false, true]);
  expect({ ...second.columns, close: closes(second.columns) }).toMatchObject({
    market: BTCIRT,
    timeframe: '1h',
    priceDecimals: 2,
    close: closes(first.columns),
  });
  appendFileSync(path, line(4, '60000.75'));
  const changed = await readFileBars(path, QUESTION, cache);
  expect(changed.fromCache).toBe(false);
  expect(closes(changed.columns).at(-1)).toBe(6_000_075);
  const coarser = await readFileBars(path, { ...QUESTION, timeframe: '4h' }, cache);
  expect([coarser.fromCache, coarser.columns.length]).toEqual([false, 1]);
});

test('a file that may be read in two ways is kept for each', async () => {
  const cache = newCache();
  const path = join(folderOfThisTest(), 'bars.csv');
  writeFileSync(path, [0, 1].map((hour) => `${START + hour * HOUR_MS};1,234;1,234;1,234;1,234;1\n`).join(''));
  const firstClose = async (decimal: 'point' | 'comma'): Promise<unknown> => {
    const { columns, fromCache } = await readFileBars(path, { ...QUESTION, form: { decimal } }, cache);
    return [columns.close[0], columns.priceDecimals, fromCache];
  };
  expect(await firstClose('point')).toEqual([1_234, 0, false]);
  expect(await firstClose('comma')).toEqual([1_234, 3, false]);
  expect(await firstClose('point')).toEqual([1_234, 0, true]);
});

test('a file of the cache is cut to the stretch that is asked for', async () => {
  const cache = newCache();
  const path = join(folderOfThisTest(), 'bars.csv');
  writeFileSync(path, [0, 1, 2, 3].map((hour) => line(hour, String(60_000 + hour / 10))).join(''));
  await readFileBars(path, QUESTION, cache);
  const range = { fromMs: START + HOUR_MS, toMs: START + 3 * HOUR_MS };
  const { columns, fromCache } = await readFileBars(path, { ...QUESTION, range }, cache);
  expect([fromCache, columns.openTimeMs[0], columns.length]).toEqual([true, range.fromMs, 2]);
  await expect(
    readFileBars(
      path,
      { ...QUESTION, range: { fromMs: START + 9 * HOUR_MS, toMs: START + 10 * HOUR_MS } },
      cache,
    ),
  ).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
});

test('a file that can not be read is refused as without a cache', async () => {
  const cache = newCache();
  const path = join(folderOfThisTest(), 'bars.csv');
  await expect(readFileBars(path, QUESTION, cache)).rejects.toMatchObject({ code: 'INVALID_FILE' });
  writeFileSync(path, [0, 1].map((hour) => line(hour, '-1')).join(''));
  for (let time = 0; time < 2; time += 1) {
    await expect(readFileBars(path, QUESTION, cache)).rejects.toThrow(/bars\.csv:1: .*close/);
  }
});

test('partitions are read once, whatever stretch of them, until one is written anew', async () => {
  const cache = newCache();
  const catalogue = temporaryCatalogue();
  const hours = (from: number, count: number) => candles(START + from * HOUR_MS, count, HOUR_MS);
  const of = { market: BTCIRT, timeframe: '1h', source: 'test' } as const;
  await catalogue.appendCandles({ ...of, candles: [hours(0, 30)] });
  const first = await readBars(catalogue, QUESTION, cache);
  const range = { fromMs: START + 10 * HOUR_MS, toMs: START + 20 * HOUR_MS };
  const part = await readBars(catalogue, { ...QUESTION, range, warmUpMs: 7 * HOUR_MS }, cache);
  expect([first.fromCache, first.columns.length]).toEqual([false, 30]);
  expect([part.fromCache, part.columns.length, part.columns.openTimeMs[0]]).toEqual([
    true,
    17,
    START + 3 * HOUR_MS,
  ]);
  await catalogue.appendCandles({ ...of, candles: [hours(30, 2)] });
  const more = await readBars(catalogue, QUESTION, cache);
  expect([more.fromCache, more.columns.length]).toEqual([false, 32]);
  expect(closes(more.columns).slice(0, 30)).toEqual(closes(first.columns));
  const folder = join(catalogue.root, BTCIRT, 'candles-1h');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.parquet')))
    rmSync(join(folder, name));
  await expect(readBars(catalogue, QUESTION, cache)).rejects.toMatchObject({ code: 'DATA_UNUSABLE' });
});
