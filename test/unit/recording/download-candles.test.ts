import { describe, expect, test } from 'vitest';
import { sendCall } from '../../support/send-call.ts';
import { createVenueCaller } from '../../../src/venues/venue-caller.ts';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import type { Candle } from '../../../src/domain/candle.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import {
  downloadCandles,
  type DownloadOptions,
  type FetchPage,
} from '../../../src/recording/download-candles.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import { BotWorld } from '../daemon/bot-world.ts';
import { addCandles, BTCIRT, candle, candles, catalogueOfEachTest } from './temporary-catalogue.ts';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CandleCache } from '../../../src/recording/candle-cache.ts';
import type { CandleBlock } from '../../../src/recording/stage-blocks.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const catalogue = catalogueOfEachTest();
const START = Date.UTC(2024, 7, 8);
const MINUTE = 60_000;

/** Makes an exchange that has these bars, and records what it is asked for. */
function exchangeWith(bars: readonly Candle[]): { readonly fetchPage: FetchPage; readonly asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    fetchPage: async ({ toMs, count }) => {
      asked.push(count);
      return bars.filter(({ openTimeMs }) => openTimeMs < toMs).slice(-count);
    },
  };
}

const download = (
  change: Partial<DownloadOptions> & Pick<DownloadOptions, 'fetchPage'>,
): ReturnType<typeof downloadCandles> =>
  downloadCandles({
    catalogue,
    market: BTCIRT,
    timeframe: '1m',
    range: { fromMs: START, toMs: START + 1_200 * MINUTE },
    source: 'test',
    nowMs: () => START + 5_000 * MINUTE,
    ...change,
  });

async function timesOf(): Promise<number[]> {
  const columns = await catalogue.readCandles({ market: BTCIRT, timeframe: '1m', ...ALL_TIME });
  return Array.from(columns.openTimeMs.slice(0, columns.length));
}

const timesFrom = (count: number): number[] => candles(START, count).map(({ openTimeMs }) => openTimeMs);

describe('a download', () => {
  test('brings what is asked for in pages of five hundred, and nothing twice', async () => {
    const exchange = exchangeWith(candles(START - 300 * MINUTE, 2_000));
    const report = await download(exchange);
    expect(report).toMatchObject({ added: 1_200, known: 0, requests: 3 });
    expect(exchange.asked).toEqual([500, 500, 200]);
    expect(await timesOf()).toEqual(timesFrom(1_200));
    expect(await download(exchange)).toMatchObject({ added: 0, requests: 0, missing: [] });
    const more = await download({
      ...exchange,
      range: { fromMs: START - 10 * MINUTE, toMs: START + 1_210 * MINUTE },
    });
    expect(more).toMatchObject({ added: 20, known: 0, requests: 2 });
  });

  test('brings volumes with ten decimals, however many the exchange tells', async () => {
    const range = { fromMs: START, toMs: START + MINUTE };
    await download({ ...exchangeWith([candle(START, { volume: '0.30000000000000004' })]), range });
    const columns = await catalogue.readCandles({ market: BTCIRT, timeframe: '1m', ...ALL_TIME });
    expect(candleAt(columns, 0).volume).toBe('0.3');
  });

  test('goes on where one was ended', async () => {
    const exchange = exchangeWith(candles(START, 1_200));
    let pages = 0;
    const ended: FetchPage = async (question) => {
      pages += 1;
      if (pages === 3) throw new Error('ended');
      return exchange.fetchPage(question);
    };
    await expect(download({ fetchPage: ended })).rejects.toThrow('ended');
    expect(await timesOf()).toEqual(timesFrom(1_200).slice(200));
    expect(await download(exchange)).toMatchObject({ added: 200, known: 0, requests: 1 });
    expect(await timesOf()).toEqual(timesFrom(1_200));
  });

  test('does not ask again for what the exchange does not have', async () => {
    const exchange = exchangeWith(
      candles(START, 1_200).filter((_, minute) => minute >= 300 && (minute < 600 || minute > 900)),
    );
    const report = await download(exchange);
    expect(report.added).toBe(599);
    expect(await download(exchange)).toMatchObject({ added: 0, requests: 0 });
  });

  test('leaves out a bar that has not ended, or only just', async () => {
    const exchange = exchangeWith(candles(START, 10));
    const nowMs = START + 8 * MINUTE + 4_000;
    expect(await download({ ...exchange, nowMs: () => nowMs })).toMatchObject({ added: 7 });
    expect(await download({ ...exchange, nowMs: () => nowMs + 2_000 })).toMatchObject({
      added: 1,
    });
    await expect(download({ ...exchange, nowMs: () => START + 30_000 })).rejects.toThrow(
      'at least one ended candle of 1',
    );
  });

  test('stops where the exchange contradicts what is there', async () => {
    const other = candle(START + 5 * MINUTE, { volume: '9' });
    await addCandles(catalogue, [other]);
    await expect(download(exchangeWith(candles(START, 10)))).rejects.toThrow(
      'found another for 2024-08-08T00:05',
    );
    expect(await timesOf()).toEqual([other.openTimeMs]);
  });

  test('reads the history of the simulated exchange', async () => {
    const world = new BotWorld();
    const caller = createVenueCaller(world.client);
    const { symbol } = parseMarket('BTCUSDT');
    const startMs = Math.floor(world.nowMs / MINUTE) * MINUTE;
    for (const side of ['sell', 'buy'] as const) world.other(side, '0.01', '65000.5');
    const fetchPage: FetchPage = async ({ toMs, count }) => {
      const call = { kind: 'candles', market: symbol, timeframe: '1m', toMs, count } as const;
      const { answer } = await sendCall(caller, call);
      if (answer.outcome !== 'value') throw new Error(JSON.stringify(answer));
      return answer.value as readonly Candle[];
    };
    const range = { fromMs: startMs, toMs: startMs + MINUTE };
    const ask = (nowMs: number): ReturnType<typeof downloadCandles> =>
      download({ market: symbol, range, fetchPage, nowMs: () => nowMs });
    await expect(ask(world.nowMs)).rejects.toThrow('at least one ended candle');
    expect(await ask(world.nowMs + 2 * MINUTE)).toMatchObject({ added: 1, requests: 1 });
    const columns = await catalogue.readCandles({ market: symbol, timeframe: '1m', ...ALL_TIME });
    expect(candleAt(columns, 0)).toMatchObject({ openTimeMs: startMs, close: '65000.5', volume: '0.01' });
  });
});

const block = (length: number): CandleBlock => {
  const column = (first: number): Float64Array => Float64Array.from({ length }, (_, bar) => first + bar * 7);
  return {
    length,
    openTimeMs: column(60_000),
    priceDecimals: 2,
    open: column(5),
    high: column(6),
    low: column(4),
    close: column(5),
    volumeDecimals: 6,
    volume: column(0),
  };
};

const folder = folderOfEachTest();
const cacheAt = (path = folder): CandleCache => new CandleCache(path, { leastBars: 3, mostFiles: 2 });

const statMode = (path: string): number => statSync(path).mode;

function onlyFile(folder: string): string {
  const [name = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name);
}

test('gives back what was kept for a source, and nothing for another one', () => {
  const cache = cacheAt(join(folder, 'candles'));
  // Columns may have spare room behind their bars.
  const roomy = { ...block(9), length: 4 };
  cache.write('one', roomy);
  expect(cache.read('one')).toEqual(block(4));
  expect(cache.read('other')).toBeNull();
});

test('keeps no few bars, which are read anew as fast', () => {
  cacheAt().write('few', block(2));
  expect(readdirSync(folder)).toEqual([]);
});

test('removes the files that were not used for the longest time', () => {
  const cache = cacheAt();
  cache.write('first', block(3));
  utimesSync(onlyFile(folder), 1, 1);
  cache.write('second', block(3));
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 2, 2);
  expect(cache.read('first')).not.toBeNull();
  cache.write('third', block(3));
  expect(readdirSync(folder)).toHaveLength(2);
  expect(cache.read('second')).toBeNull();
  expect(cache.read('first')).not.toBeNull();
  expect(cache.read('third')).not.toBeNull();
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['cut short', (bytes) => bytes.subarray(0, -8)],
  ['cut within its head', (bytes) => bytes.subarray(0, 100)],
  ['empty', () => Buffer.alloc(0)],
  ['changed in a number', (bytes) => bytes.fill(1, bytes.length - 1)],
  [
    'of other decimals',
    (bytes) =>
      Buffer.from(bytes.toString('latin1').replace('"priceDecimals":2', '"priceDecimals":3'), 'latin1'),
  ],
  [
    'of another version',
    (bytes) => Buffer.from(bytes.toString('latin1').replace('"version":3', '"version":9'), 'latin1'),
  ],
  [
    'of another source',
    (bytes) => Buffer.from(bytes.toString('latin1').replace(/"key":"./, '"key":"x'), 'latin1'),
  ],
  ['no file of ours', () => Buffer.from('time,open,high,low,close,volume\n'.repeat(40))],
])('a file that is %s is removed, and not believed', (_, change) => {
  const cache = cacheAt();
  cache.write('one', block(5));
  const path = onlyFile(folder);
  writeFileSync(path, change(readFileSync(path)));
  expect(cache.read('one')).toBeNull();
  expect(existsSync(path)).toBe(false);
});

test('a folder that can not be made costs only time', () => {
  const path = join(folder, 'a file');
  writeFileSync(path, '');
  const cache = cacheAt(join(path, 'candles'));
  cache.write('one', block(5));
  expect(cache.read('one')).toBeNull();
});

test.skipIf(process.getuid?.() === 0)('a folder that can not be written to costs only time', () => {
  chmodSync(folder, 0o500);
  const cache = cacheAt();
  cache.write('one', block(5));
  expect(cache.read('one')).toBeNull();
});

test('nobody else may read what is kept', () => {
  const path = join(folder, 'candles');
  cacheAt(path).write('one', block(5));
  expect(onlyFile(path)).toSatisfy((file: string) => (statMode(file) & 0o077) === 0);
  expect(statMode(path) & 0o077).toBe(0);
});
