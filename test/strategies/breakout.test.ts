import { describe, expect, test } from 'vitest';
import { generateBars, runStrategy, type ScriptedBar } from '#testing';
import breakout from '../../strategies/breakout.ts';
import { expectSameAfterRestarts, expectSound } from './claims.ts';

const params = { length: 10, ranges: 5 };
const bar = (open: number, high: number, low: number, close: number): ScriptedBar => ({
  open,
  high,
  low,
  close,
});
/** Bars: twenty between 99 and 101, three steps up, and a fall. */
const calm = Array.from({ length: 20 }, (_, index) => bar(100, 101, 99, index % 2 === 0 ? 100.4 : 99.6));
const up = [bar(101, 104, 101, 104), bar(104, 108, 103, 108), bar(108, 112, 107, 112)];
const bars = [...calm, ...up, bar(112, 113, 95, 96)];

describe('breakout', () => {
  test('buys a close above the high, and raises its stop until it fills', () => {
    const { orders, fills, equity } = runStrategy(breakout, { params, bars });
    const [entry, ...stops] = orders;
    expect(entry).toMatchObject({ side: 'buy', execution: 'market', state: 'filled' });
    const prices = stops.map(({ stopPrice }) => stopPrice ?? 0);
    expect(prices.length).toBeGreaterThan(2);
    expect(prices).toEqual(prices.toSorted((left, right) => left - right));
    expect(fills.at(-1)).toMatchObject({ side: 'sell', price: prices.at(-1) });
    expect(equity).toBeGreaterThan(10_000);
  });

  test('risks one percent of its equity with the first stop', () => {
    const [entry, stop] = runStrategy(breakout, { params, bars }).orders;
    expect((entry?.amount ?? 0) * (104 - (stop?.stopPrice ?? 0))).toBeCloseTo(100, 0);
  });

  test('buys no close below the high', () => {
    expect(runStrategy(breakout, { params, bars: [...calm, bar(100, 104, 99, 100)] }).orders).toEqual([]);
  });

  test('keeps its stop over a restart', () => expectSameAfterRestarts(breakout, { params, bars }));

  test('wins in a trend, and loses where breakouts come back', () => {
    const rising = runStrategy(breakout, {
      bars: generateBars({ count: 900, seed: 4, trend: 0.15 }),
      fee: 0.001,
    });
    expectSound(rising);
    expect(rising.equity).toBeGreaterThan(12_000);
    const waves = generateBars({ count: 900, seed: 4, wave: { percent: 6, bars: 60 } });
    const sideways = runStrategy(breakout, { bars: waves, fee: 0.001 });
    expectSound(sideways);
    expect(sideways.equity).toBeLessThan(9_500);
    const exits = sideways.orders.filter(({ side, filled }) => side === 'sell' && filled > 0);
    expect(exits.every(({ execution }) => execution === 'stop_market')).toBe(true);
  });
});
