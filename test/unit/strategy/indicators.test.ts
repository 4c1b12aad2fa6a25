import { describe, expect, test } from 'vitest';
import { createIndicator } from '../../../src/strategy/indicators.ts';
import { atr, bollinger, ema, macd, rsi, sma, stdev, wma, type IndicatorSpec } from '../../../src/strategy/sdk.ts';
import { closedCandle, text } from './engine-view.ts';

/** Closes that are easy to work out by hand. */
const CLOSES = [10, 12, 11, 15, 14, 18];

/** The closes of Wilder's own example of the relative strength index, in cents. */
const WILDER = [5475, 5100, 5450, 5375, 5500, 5525, 5675, 5600, 5625, 5700, 5800, 5775, 5700, 5675, 5900];

const valuesOf = (spec: IndicatorSpec, closes: readonly number[]): readonly unknown[] => {
  const indicator = createIndicator(spec);
  return closes.map((close) => indicator.add(closedCandle(close)));
};

const wave = (index: number): number => 100 + 10 * Math.sin(index / 3) + (index % 7);

const level = (value: unknown): number => (typeof value === 'number' ? value : (value as { line: number }).line);

const rounded = (value: unknown): unknown => {
  if (typeof value === 'number') return Math.round(value * 10_000) / 10_000;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]));
};

describe('an indicator', () => {
  test.each([
    ['sma(3)', sma(3), [null, null, 11, 12.6667, 13.3333, 15.6667]],
    // 11, then 11 + (15 - 11) / 2 and so on.
    ['ema(3)', ema(3), [null, null, 11, 13, 13.5, 15.75]],
    // (10 + 2 * 12 + 3 * 11) / 6 and so on.
    ['wma(3)', wma(3), [null, null, 11.1667, 13.1667, 13.8333, 16.1667]],
    ['stdev(3)', stdev(3), [null, null, 0.8165, 1.6997, 1.6997, 1.6997]],
    [
      'bollinger(3, 2)',
      bollinger(3, 2),
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
      macd({ fast: 2, slow: 3, signal: 2 }),
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
    const values = valuesOf(rsi(14), WILDER);
    expect(values.slice(0, 14)).toEqual(Array.from({ length: 14 }, () => null));
    // Gains of 13.25 and losses of 9 within 14 changes.
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
    const indicator = createIndicator(atr(3));
    const bar = (high: number, low: number, close: number): unknown =>
      indicator.add(closedCandle(close, { high: text(high), low: text(low) }));
    expect([bar(12, 10, 11), bar(15, 12, 14), bar(14, 13, 13)]).toEqual([null, null, (2 + 4 + 1) / 3]);
    expect(bar(10, 8, 9)).toBeCloseTo(((7 / 3) * 2 + 5) / 3, 10);
  });

  test.each([ema(10), ema(140), rsi(14), atr(14), macd(), sma(20)])(
    'has forgotten where it began after the candles that it says: %j',
    (spec) => {
      const [one, other] = [createIndicator(spec), createIndicator(spec)];
      for (let index = 0; index < 50; index += 1) one.add(closedCandle(1_000));
      let [first, second]: unknown[] = [null, null];
      for (let index = 0; index < one.settledAfter; index += 1) {
        const bar = closedCandle(wave(index).toFixed(4), { high: text(wave(index) + 3), low: text(wave(index) - 3) });
        [first, second] = [one.add(bar), other.add(bar)];
      }
      expect(second).not.toBeNull();
      // What went before was ten times as high, and a thousandth of it may be left.
      expect(Math.abs(level(first) - level(second))).toBeLessThan(3);
      expect(one.settledAfter).toBeLessThan(500);
    },
  );

  test.each([
    5,
    null,
    { kind: 'hull', length: 3, of: {} },
    { kind: 'sma', length: 3 },
    sma(0),
    sma(2.5),
    sma(500),
    rsi(1),
    bollinger(20, 0),
    macd({ fast: 26, slow: 12 }),
    macd({ slow: 495 }),
  ])('is refused as %j', (spec) => {
    expect(() => createIndicator(spec as IndicatorSpec)).toThrow('expected an indicator such as sma(20)');
  });
});
