import { describe, expect, test } from 'vitest';
import { generateBars, runStrategy, type ScriptedBar } from '#testing';
import meanReversion from '../../strategies/mean-reversion.ts';
import { expectSameAfterRestarts, expectSound } from './claims.ts';

const params = { length: 10, ranges: 5 };
/** Twenty quiet bars around 100; then come a fall to 96 and a rise. */
const quiet = generateBars({ count: 20, seed: 1 });
const fall: ScriptedBar = { open: 99.6, high: 99.6, low: 96, close: 96 };
const back = [...quiet, fall, 97, 101, 101];

describe('mean-reversion', () => {
  test('buys far below its average, and sells at the average', () => {
    const { orders, fills, equity } = runStrategy(meanReversion, { params, bars: back });
    expect(orders.map(({ side, execution, state }) => `${side} ${execution} ${state}`)).toEqual([
      'buy market filled',
      'sell limit filled',
      'sell stop_limit cancelled',
    ]);
    expect(fills).toMatchObject([{ price: 96 }, { price: orders[1]?.price }]);
    expect(equity).toBeGreaterThan(10_000);
  });

  test('is stopped where the fall goes on', () => {
    const { orders, equity } = runStrategy(meanReversion, { params, bars: [...quiet, fall, 90, 85] });
    expect(orders[2]).toMatchObject({ execution: 'stop_limit', state: 'filled' });
    expect(equity).toBeLessThan(10_000);
  });

  test('sells at the market what has not come back in time', () => {
    const waits = [...quiet, fall, 96, 96, 96, 96, 96];
    const { orders } = runStrategy(meanReversion, { params: { ...params, hours: 3 }, bars: waits });
    expect(orders[3]).toMatchObject({ side: 'sell', execution: 'market', state: 'filled' });
  });

  test('keeps its exit over a restart', () => expectSameAfterRestarts(meanReversion, { params, bars: back }));

  test('wins sideways, loses in a long fall, and leaves only by its bracket', () => {
    const sideways = runStrategy(meanReversion, {
      bars: generateBars({ count: 900, seed: 4 }),
      fee: 0.001,
    });
    expectSound(sideways);
    expect(sideways.equity).toBeGreaterThan(10_000);
    const bars = generateBars({ count: 900, seed: 4, trend: -0.15 });
    const falling = runStrategy(meanReversion, { bars, fee: 0.001 });
    expectSound(falling);
    expect(falling.equity).toBeLessThan(9_700);
    for (const { orders } of [sideways, falling]) {
      const sold = orders.filter(({ side, filled }) => side === 'sell' && filled > 0);
      expect(sold.length).toBeGreaterThan(5);
      expect(sold.every(({ execution }) => execution === 'limit' || execution === 'stop_limit')).toBe(true);
    }
  });
});
