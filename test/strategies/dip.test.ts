import { describe, expect, test } from 'vitest';
import { generateBars, runStrategy } from '#testing';
import dip from '../../strategies/dip.ts';
import { expectSameAfterRestarts, expectSound } from './claims.ts';

const params = { length: 5, trend: 20 };
/** A rise with a short fall in it, and the rise again. */
const rise = Array.from({ length: 40 }, (_, hour) => 100 + hour);
const bars = [...rise, 138, 135, 132, 131, 134, 137, 140, 143];

describe('dip', () => {
  test('buys weakness within a rise, and sells strength', () => {
    const { orders, equity } = runStrategy(dip, { params, bars });
    expect(orders[0]).toMatchObject({ side: 'buy', state: 'filled', tag: 'strength crosses below 30' });
    expect(orders.filter(({ side, state }) => side === 'sell' && state === 'filled')).toHaveLength(1);
    expect(equity).toBeGreaterThan(10_000);
  });

  test('buys nothing below its long average', () => {
    const falling = Array.from({ length: 60 }, (_, hour) => 200 - hour - 3 * Math.sin(hour));
    expect(runStrategy(dip, { params, bars: falling }).orders).toEqual([]);
  });

  test('keeps its exit over a restart', () => expectSameAfterRestarts(dip, { params, bars }));

  test('loses where a rise turns into a fall', () => {
    const turning = [...rise, 138, 135, 132, 128, 120, 110];
    const { orders, equity } = runStrategy(dip, { params, bars: turning });
    expect(orders.some(({ execution, state }) => execution === 'stop_limit' && state === 'filled')).toBe(
      true,
    );
    expect(equity).toBeLessThan(10_000);
    expectSound(runStrategy(dip, { params, bars: generateBars({ count: 900, seed: 4 }), fee: 0.001 }));
  });
});
