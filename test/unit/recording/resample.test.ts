import { describe, expect, test } from 'vitest';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import type { RecordedTrade } from '../../../src/recording/records.ts';
import { resample } from '../../../src/recording/resample.ts';
import { addCandles, BTCIRT, candle, candles, catalogueOfEachTest, trade } from './temporary-catalogue.ts';

const catalogue = catalogueOfEachTest();
const START = Date.UTC(2024, 7, 8);
const MINUTE = 60_000;

async function bars(timeframe: '5m' | '1m'): Promise<unknown[]> {
  const columns = await catalogue.readCandles({ market: BTCIRT, timeframe, ...ALL_TIME });
  return Array.from({ length: columns.length }, (_, index) => {
    const { openTimeMs, open, high, low, close, volume } = candleAt(columns, index);
    return [(openTimeMs - START) / MINUTE, open, high, low, close, volume];
  });
}

const at = (ms: number, price: string): RecordedTrade =>
  trade(START + ms, { price: decimalText(price), amount: decimalText('0.5') });

describe('resampling', () => {
  test('makes whole bars of finer ones, with a gap inside, and none that the data does not reach over', async () => {
    const minutes = [
      candle(START + 4 * MINUTE),
      candle(START + 5 * MINUTE, { open: 20, high: 25, low: 18, close: 22, volume: '1' }),
      candle(START + 7 * MINUTE, { open: 22, high: 30, low: 21, close: 24, volume: '0.0000000001' }),
      candle(START + 9 * MINUTE, { open: 24, high: 24, low: 11, close: 12, volume: '2' }),
      candle(START + 10 * MINUTE),
    ];
    await addCandles(catalogue, minutes);
    const asked = { market: BTCIRT, from: null, to: '5m', range: ALL_TIME } as const;
    const { from, outcome } = await resample(catalogue, asked);
    expect([from, outcome]).toMatchObject(['1m', { kind: 'added', added: 1 }]);
    expect(await bars('5m')).toEqual([[5, '20', '30', '11', '12', '3.0000000001']]);
  });

  test('takes finer ones where coarser ones are of another time', async () => {
    await addCandles(catalogue, candles(START - 1_000 * MINUTE, 6, 5 * MINUTE), { timeframe: '5m' });
    await addCandles(catalogue, candles(START, 60));
    const range = { fromMs: START, toMs: START + 60 * MINUTE };
    const { from, outcome } = await resample(catalogue, { market: BTCIRT, from: null, to: '15m', range });
    expect([from, outcome]).toMatchObject(['1m', { added: 4 }]);
  });

  test('makes bars of trades', async () => {
    const trades = [at(-1, '9'), at(0, '10'), at(10, '14'), at(59_999, '8'), at(60_000, '7')];
    await catalogue.appendTrades({ market: BTCIRT, source: 'test', trades: [trades] });
    await resample(catalogue, { market: BTCIRT, from: 'trades', to: '1m', range: ALL_TIME });
    expect(await bars('1m')).toEqual([[0, '10', '14', '8', '8', '1.5']]);
  });

  test('refuses what the data can not give', async () => {
    const ask = (from: '5m' | '15m' | null, to: '5m' | '1m' | '4h'): Promise<unknown> =>
      resample(catalogue, { market: BTCIRT, from, to, range: ALL_TIME });
    await expect(ask(null, '5m')).rejects.toThrow('finer than 5m and divide it, or trades, found none');
    await addCandles(catalogue, candles(START, 3, 5 * MINUTE), { timeframe: '5m' });
    await expect(ask('5m', '1m')).rejects.toThrow('they do not divide them');
    await expect(ask('5m', '4h')).rejects.toThrow('over at least one whole bar of 4h');
    await expect(ask('15m', '4h')).rejects.toThrow('expected data of BTCIRT candles-15m');
  });
});
