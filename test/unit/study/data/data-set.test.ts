import { describe, expect, test } from 'vitest';
import { barsBetween, type CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { dataSetOf } from '../../../../src/study/data-set.ts';
import { generatedCandles } from '../generated-candles.ts';

const bars = generatedCandles({ count: 1_000 });

const ten = (column: Float64Array): Float64Array => column.map((cell) => cell * 10);

/** The same prices in another number of decimals, as another source may have them. */
function finer(columns: CandleColumns): CandleColumns {
  const { open, high, low, close, priceDecimals } = columns;
  return {
    ...columns,
    priceDecimals: priceDecimals + 1,
    open: ten(open),
    high: ten(high),
    low: ten(low),
    close: ten(close),
  };
}

describe('a data set', () => {
  test('is the same for the same bars in other decimals', () => {
    expect(dataSetOf(finer(bars))).toEqual(dataSetOf(bars));
  });

  test('is another one where one bar closes elsewhere', () => {
    const close = bars.close.map((cell, index) => (index === 500 ? cell + 1 : cell));
    expect(dataSetOf({ ...bars, close }).sha256).not.toBe(dataSetOf(bars).sha256);
  });

  test('shares all whole months with the same bars that end earlier, and is another one', () => {
    const shorter = dataSetOf(barsBetween(bars, 0, 999));
    const whole = dataSetOf(bars);
    expect(shorter.sha256).not.toBe(whole.sha256);
    // From 20 January on, a thousand hours end on 1 March.
    expect(whole.months).toHaveLength(3);
    expect(shorter.months.map((month) => whole.months.includes(month))).toEqual([true, true, false]);
  });

  test('says how many bars it has, and from when to when', () => {
    expect(dataSetOf(bars)).toMatchObject({
      market: 'BTCUSDT',
      timeframe: '1h',
      bars: 1_000,
      firstMs: Date.UTC(2024, 0, 20),
      lastMs: Date.UTC(2024, 0, 20) + 999 * 3_600_000,
    });
  });
});
