import { gridOf, UTC_BARS, type Candle } from '../../../src/domain/candle.ts';
import { describe, expect, test } from 'vitest';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { createIndicator } from '../../../src/strategy/indicators/indicators.ts';
import type { Indicator } from '../../../src/strategy/indicators/declare-indicator.ts';
import { ColumnCandle, ohlcvOf, plainCandle } from '../../../src/strategy/column-candle.ts';
import {
  atr,
  bollinger,
  ema,
  cci,
  frama,
  percentB,
  macd,
  rsi,
  sma,
  stdev,
  wma,
  type IndicatorSpec,
} from '../../../src/strategy/sdk.ts';
import type { CandleData } from '../../../src/strategy/data/data.ts';
import { candles } from '../../../src/strategy/subscriptions.ts';
import { closedCandle, text } from './engine-view.ts';
import { barColumns } from '../../support/bar-columns.ts';

/** Bars as data declares them. */
const BARS: CandleData = { kind: 'candles', from: candles('BTCIRT', '1h') };

/** Closes for which results are easily worked out by hand. */
const CLOSES = [10, 12, 11, 15, 14, 18];

/** Closes in Wilder's own example of the relative strength index, in cents. */
const WILDER = [5475, 5100, 5450, 5375, 5500, 5525, 5675, 5600, 5625, 5700, 5800, 5775, 5700, 5675, 5900];

const after = (indicator: Indicator, candle: Candle): unknown => {
  indicator.add(candle);
  return indicator.value;
};

const valuesOf = (spec: IndicatorSpec, closes: readonly number[]): readonly unknown[] => {
  const indicator = createIndicator(spec);
  return closes.map((close) => after(indicator, closedCandle(close)));
};

const rounded = (value: unknown): unknown => {
  if (typeof value === 'number') return Math.round(value * 10_000) / 10_000;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]));
};

describe('an indicator', () => {
  test.each([
    ['sma(3)', sma(BARS, 3), [null, null, 11, 12.6667, 13.3333, 15.6667]],
    // 11, then 11 + (15 - 11) / 2 and so on.
    ['ema(3)', ema(BARS, 3), [null, null, 11, 13, 13.5, 15.75]],
    // (10 + 2 * 12 + 3 * 11) / 6 and so on.
    ['wma(3)', wma(BARS, 3), [null, null, 11.1667, 13.1667, 13.8333, 16.1667]],
    ['stdev(3)', stdev(BARS, 3), [null, null, 0.8165, 1.6997, 1.6997, 1.6997]],
    [
      'bollinger(3, 2)',
      bollinger(BARS, 3, 2),
      [
        null,
        null,
        { lower: 9.367, middle: 11, upper: 12.633 },
        { lower: 9.2673, middle: 12.6667, upper: 16.066 },
        { lower: 9.934, middle: 13.3333, upper: 16.7327 },
        { lower: 12.2673, middle: 15.6667, upper: 19.066 },
      ],
    ],
    // Averages of 2 from bar 3 on: 11, 13.6667, 13.8889, 16.6296; of 3: 11, 13, 13.5, 15.75.
    [
      'macd of 2, 3 and 2',
      macd(BARS, { fast: 2, slow: 3, signal: 2 }),
      [
        null,
        null,
        null,
        { line: 0.6667, signal: 0.3333, histogram: 0.3333 },
        { line: 0.3889, signal: 0.3704, histogram: 0.0185 },
        { line: 0.8796, signal: 0.7099, histogram: 0.1698 },
      ],
    ],
  ])('%s has its textbook values, from its first full window on', (_, spec, expected) => {
    expect(valuesOf(spec, CLOSES).map(rounded)).toEqual(expected);
  });

  test('rsi(14) has the value of its inventor’s example at bar 15, and none before', () => {
    const values = valuesOf(rsi(BARS, 14), WILDER);
    expect(values.slice(0, 14)).toEqual(Array.from({ length: 14 }, () => null));
    // Gains of 13.25 and losses of 9 in 14 changes.
    const [gains, losses] = WILDER.slice(1).reduce<[number, number]>(
      ([up, down], close, index) => {
        const change = close - (WILDER[index] ?? 0);
        return [up + Math.max(0, change), down + Math.max(0, -change)];
      },
      [0, 0],
    );
    expect(values[14]).toBeCloseTo(100 - 100 / (1 + gains / losses), 10);
  });

  test('atr(3) begins with the mean of three true ranges, the first from high to low, and smooths as Wilder does', () => {
    const indicator = createIndicator(atr(BARS, 3));
    const bar = (high: number, low: number, close: number): unknown =>
      after(indicator, closedCandle(close, { high: text(high), low: text(low) }));
    expect([bar(12, 10, 11), bar(15, 12, 14), bar(14, 13, 13)]).toEqual([null, null, (2 + 4 + 1) / 3]);
    expect(bar(10, 8, 9)).toBeCloseTo(((7 / 3) * 2 + 5) / 3, 10);
  });

  test.each([
    // The computed mean of equal closes may differ from them in the last digit.
    ['percentB', percentB(BARS, { length: 3 }), 97.1, 3, 0.5],
    ['cci', cci(BARS, 7), 90.03, 7, null],
  ])('%s makes nothing of rounding where all closes are the same', (_, spec, close, length, flat) => {
    const closes = [88, ...Array.from({ length }, () => close)];
    expect(valuesOf(spec, closes).at(-1)).toBe(flat);
  });

  test.each([
    [5, 'an indicator such as sma(bars, 20), was 5'],
    [null, 'an indicator such as sma(bars, 20), was null'],
    [{ kind: 'hull', params: { length: 3 }, of: {} }, 'an indicator such as sma(bars, 20)'],
    [{ kind: 'sma', params: { length: 3 } }, 'declared candles as the first argument of sma, was undefined'],
    [{ kind: 'sma', params: { length: 3, width: 2 }, of: BARS }, 'of sma the parameters length, found width'],
    [
      { kind: 'sma', params: {}, of: BARS },
      'length of sma to be a whole number from 1 to 499, was undefined',
    ],
    [sma(BARS, 0), 'length of sma to be a whole number from 1 to 499, was 0'],
    [sma(BARS, 2.5), 'length of sma to be a whole number from 1 to 499, was 2.5'],
    [
      sma(BARS, 500),
      'length of sma to be a whole number from 1 to 499, was 500: 499 is the longest history that a bot keeps',
    ],
    [rsi(BARS, 1), 'length of rsi to be a whole number from 2 to 499, was 1'],
    [rsi(BARS, 499), 'rsi to have its first value within 499 candles, needs 500'],
    [bollinger(BARS, 20, 0), 'deviations of bollinger to be a number from 0.01 to 100, was 0'],
    [macd(BARS, { fast: 26, slow: 12 }), 'macd to have fast below slow'],
    [macd(BARS, { slow: 495 }), 'macd to have its first value within 499 candles, needs 503'],
    [frama(BARS, 5), 'frama to have an even length'],
  ])('is refused as %j', (spec, message) => {
    expect(() => createIndicator(spec as IndicatorSpec)).toThrow(message);
  });

  test('reads the same of a bar in its columns as of one in texts', () => {
    const rows = [[0, 1_003, 1_017, 999, 1_009, 1_234_567]];
    const decimals = { priceDecimals: 2, volumeDecimals: 6 };
    const columns = barColumns(parseMarket('BTCUSDT').symbol, '1h', rows, decimals);
    const candle = new ColumnCandle(
      { columns, timeframe: '1h', grid: gridOf('1h', UTC_BARS), seenAtMs: null },
      0,
    );
    expect(ohlcvOf(candle)).toEqual({ open: 10.03, high: 10.17, low: 9.99, close: 10.09, volume: 1.234567 });
    expect(ohlcvOf({ ...plainCandle(candle) })).toEqual(ohlcvOf(candle));
  });
});
