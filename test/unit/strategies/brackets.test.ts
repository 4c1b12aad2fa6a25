import { describe, expect, test } from 'vitest';
import { runStrategy, type ScriptedBar } from '#testing';
import breakout from '../../../strategies/breakout.ts';
import meanReversion from '../../../strategies/mean-reversion.ts';

const bar = (open: number, high: number, low: number, close: number): ScriptedBar => ({
  open,
  high,
  low,
  close,
});
/** Makes bars with a range of two around 100. */
const calm = (count: number): readonly ScriptedBar[] =>
  Array.from({ length: count }, (_, index) => bar(100, 101, 99, index % 2 === 0 ? 100.4 : 99.6));

const shown = ({ orders }: ReturnType<typeof runStrategy>): readonly string[] =>
  orders.map(
    ({ side, execution, price, stopPrice, state }) =>
      `${side} ${execution} ${price ?? ''}/${stopPrice ?? ''} ${state}`,
  );

describe('mean-reversion', () => {
  const params = { length: 10, ranges: 5 };

  test('buys far below its average, and leaves at the average that it had then', () => {
    const run = runStrategy(meanReversion, {
      params,
      bars: [...calm(20), bar(99.6, 99.6, 96, 96), bar(96, 101, 95.8, 100)],
    });
    expect(shown(run)).toEqual([
      'buy market / filled',
      'sell limit 99.56/ filled',
      expect.stringMatching(/^sell stop_limit .* cancelled$/),
    ]);
  });

  test('is stopped two ranges below, and sold when it has not come back in time', () => {
    const falls = [...calm(20), bar(99.6, 99.6, 96, 96), bar(96, 96, 85, 86)];
    expect(shown(runStrategy(meanReversion, { params, bars: falls }))[2]).toMatch(/stop_limit .* filled$/);
    const waits = [
      ...calm(20),
      bar(99.6, 99.6, 96, 96),
      ...Array.from({ length: 6 }, () => bar(96, 96.5, 95.5, 96)),
    ];
    const late = runStrategy(meanReversion, { params: { ...params, hours: 3 }, bars: waits });
    expect(shown(late).at(3)).toBe('sell market / filled');
  });
});

describe('breakout', () => {
  const params = { length: 10, ranges: 5 };
  const up = [bar(101, 104, 101, 104), bar(104, 108, 103, 108), bar(108, 112, 107, 112)];

  test('buys a close above the high, risks one percent, and raises its stop with closes', () => {
    const run = runStrategy(breakout, { params, bars: [...calm(20), ...up] });
    const [entry, ...stops] = run.orders;
    expect(shown(run)[0]).toBe('buy market / filled');
    const distance = 104 - (stops[0]?.stopPrice ?? 0);
    expect((entry?.amount ?? 0) * distance).toBeCloseTo(100, 0);
    const prices = stops.map(({ stopPrice }) => stopPrice ?? 0);
    expect(prices.length).toBeGreaterThan(1);
    expect(prices).toEqual(prices.toSorted((left, right) => left - right));
  });

  test('buys no close below the high, and not twice', () => {
    expect(runStrategy(breakout, { params, bars: [...calm(20), bar(100, 104, 99, 100)] }).orders).toEqual([]);
    const run = runStrategy(breakout, { params, bars: [...calm(20), ...up] });
    expect(run.orders.filter(({ side }) => side === 'buy')).toHaveLength(1);
  });
});
