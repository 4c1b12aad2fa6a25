import { describe, expect, test } from 'vitest';
import { sendCall } from '../../support/send-call.ts';
import { createVenueCaller } from '../../../src/venues/venue-caller.ts';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import type { Candle } from '../../../src/domain/candle.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import type { Catalogue } from '../../../src/recording/catalogue.ts';
import {
  downloadCandles,
  type DownloadOptions,
  type FetchPage,
} from '../../../src/recording/download-candles.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import { BotWorld } from '../daemon/bot-world.ts';
import { BTCIRT, candle, candles, temporaryCatalogue } from './temporary-catalogue.ts';

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
  catalogue: Catalogue,
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

async function timesOf(catalogue: Catalogue): Promise<number[]> {
  const columns = await catalogue.readCandles({ market: BTCIRT, timeframe: '1m', ...ALL_TIME });
  return Array.from(columns.openTimeMs.slice(0, columns.length));
}

const timesFrom = (count: number): number[] => candles(START, count).map(({ openTimeMs }) => openTimeMs);

describe('a download', () => {
  test('brings what is asked for in pages of five hundred, and nothing twice', async () => {
    const catalogue = temporaryCatalogue();
    const exchange = exchangeWith(candles(START - 300 * MINUTE, 2_000));
    const report = await download(catalogue, exchange);
    expect(report).toMatchObject({ added: 1_200, known: 0, requests: 3 });
    expect(exchange.asked).toEqual([500, 500, 200]);
    expect(await timesOf(catalogue)).toEqual(timesFrom(1_200));
    expect(await download(catalogue, exchange)).toMatchObject({ added: 0, requests: 0, missing: [] });
    const more = await download(catalogue, {
      ...exchange,
      range: { fromMs: START - 10 * MINUTE, toMs: START + 1_210 * MINUTE },
    });
    expect(more).toMatchObject({ added: 20, known: 0, requests: 2 });
  });

  test('brings volumes with ten decimals, however many the exchange tells', async () => {
    const catalogue = temporaryCatalogue();
    const range = { fromMs: START, toMs: START + MINUTE };
    await download(catalogue, { ...exchangeWith([candle(START, { volume: '0.30000000000000004' })]), range });
    const columns = await catalogue.readCandles({ market: BTCIRT, timeframe: '1m', ...ALL_TIME });
    expect(candleAt(columns, 0).volume).toBe('0.3');
  });

  test('goes on where one was ended', async () => {
    const catalogue = temporaryCatalogue();
    const exchange = exchangeWith(candles(START, 1_200));
    let pages = 0;
    const ended: FetchPage = async (question) => {
      pages += 1;
      if (pages === 3) throw new Error('ended');
      return exchange.fetchPage(question);
    };
    await expect(download(catalogue, { fetchPage: ended })).rejects.toThrow('ended');
    expect(await timesOf(catalogue)).toEqual(timesFrom(1_200).slice(200));
    expect(await download(catalogue, exchange)).toMatchObject({ added: 200, known: 0, requests: 1 });
    expect(await timesOf(catalogue)).toEqual(timesFrom(1_200));
  });

  test('does not ask again for what the exchange does not have', async () => {
    const catalogue = temporaryCatalogue();
    const exchange = exchangeWith(
      candles(START, 1_200).filter((_, minute) => minute >= 300 && (minute < 600 || minute > 900)),
    );
    const report = await download(catalogue, exchange);
    expect(report.added).toBe(599);
    expect(await download(catalogue, exchange)).toMatchObject({ added: 0, requests: 0 });
  });

  test('leaves out a bar that has not ended, or only just', async () => {
    const catalogue = temporaryCatalogue();
    const exchange = exchangeWith(candles(START, 10));
    const nowMs = START + 8 * MINUTE + 4_000;
    expect(await download(catalogue, { ...exchange, nowMs: () => nowMs })).toMatchObject({ added: 7 });
    expect(await download(catalogue, { ...exchange, nowMs: () => nowMs + 2_000 })).toMatchObject({
      added: 1,
    });
    await expect(download(catalogue, { ...exchange, nowMs: () => START + 30_000 })).rejects.toThrow(
      'at least one ended candle of 1',
    );
  });

  test('stops where the exchange contradicts what is there', async () => {
    const catalogue = temporaryCatalogue();
    const other = candle(START + 5 * MINUTE, { volume: '9' });
    await catalogue.appendCandles({ market: BTCIRT, timeframe: '1m', source: 'test', candles: [[other]] });
    await expect(download(catalogue, exchangeWith(candles(START, 10)))).rejects.toThrow(
      'found another for 2024-08-08T00:05',
    );
    expect(await timesOf(catalogue)).toEqual([other.openTimeMs]);
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
    const catalogue = temporaryCatalogue();
    const range = { fromMs: startMs, toMs: startMs + MINUTE };
    const ask = (nowMs: number): ReturnType<typeof downloadCandles> =>
      download(catalogue, { market: symbol, range, fetchPage, nowMs: () => nowMs });
    await expect(ask(world.nowMs)).rejects.toThrow('at least one ended candle');
    expect(await ask(world.nowMs + 2 * MINUTE)).toMatchObject({ added: 1, requests: 1 });
    const columns = await catalogue.readCandles({ market: symbol, timeframe: '1m', ...ALL_TIME });
    expect(candleAt(columns, 0)).toMatchObject({ openTimeMs: startMs, close: '65000.5', volume: '0.01' });
  });
});
