import { ATR, BollingerBands, getStandardDeviation, RSI, SMA, WSMA } from 'trading-signals';
import { expect, test } from 'vitest';
import { SimpleAverage, WilderAverage } from '../../../src/strategy/indicators/series.ts';

/** Makes numbers of many magnitudes, whose sum depends on the order of adding. */
function numbersOf(seed: number, count = 200): readonly number[] {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, () => (random() - 0.3) * 10 ** Math.floor(random() * 12 - 4));
}

const LENGTHS = [1, 2, 3, 7, 10, 30, 60];

test.each(LENGTHS)('a simple average of %i values is the library’s to the last digit', (length) => {
  const [ours, theirs] = [new SimpleAverage(length), new SMA(length)];
  for (const value of numbersOf(length)) expect(ours.update(value)).toBe(theirs.update(value, false));
});

test.each(LENGTHS)('the deviation of %i values is the library’s to the last digit', (length) => {
  const [ours, theirs] = [new SimpleAverage(length), new BollingerBands(length, 1)];
  const values = numbersOf(length + 100);
  for (const [index, value] of values.entries()) {
    const mean = ours.update(value);
    const bands = theirs.update(value, false);
    expect(mean).toBe(bands?.middle ?? null);
    if (mean === null || bands === null) continue;
    const deviation = ours.deviation(mean);
    expect(deviation).toBe(getStandardDeviation(values.slice(index + 1 - length, index + 1)));
    expect([mean - deviation, mean + deviation]).toEqual([bands.lower, bands.upper]);
  }
});

test.each(LENGTHS)('Wilder’s average of %i values is the library’s to the last digit', (length) => {
  const [ours, theirs] = [new WilderAverage(length), new WSMA(length)];
  for (const value of numbersOf(length + 200)) {
    expect(ours.update(value, false)).toBe(theirs.update(value, false));
    expect(ours.isStable).toBe(theirs.isStable);
  }
});

test('what is smoothed by Wilder’s average has the library’s values to the last digit', () => {
  const [strength, range] = [new RSI(14, WilderAverage), new ATR(14, WilderAverage)];
  const [theirStrength, theirRange] = [new RSI(14), new ATR(14)];
  for (const close of numbersOf(14)) {
    const bar = { high: close + 3, low: close - 5, close };
    expect(strength.update(close, false)).toBe(theirStrength.update(close, false));
    expect(range.update(bar, false)).toBe(theirRange.update(bar, false));
  }
});
