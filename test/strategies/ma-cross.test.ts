import { describe, expect, test } from 'vitest';
import { generateBars, runStrategy } from '#testing';
import maCross from '../../strategies/ma-cross.ts';
import { expectSameAfterRestarts, expectSound } from './claims.ts';

const bars = [100, 100, 100, 100, 110, 120, 90, 80, 80];

describe('ma-cross', () => {
  test('buys when the fast average rises above the slow one, and sells all when it falls below', () => {
    const { fills } = runStrategy(maCross, { bars });
    expect(fills).toMatchObject([
      { side: 'buy', price: 110 },
      { side: 'sell', price: 80 },
    ]);
    expect(fills[1]?.amount).toBe(fills[0]?.amount);
  });

  test('goes on after a restart', () => expectSameAfterRestarts(maCross, { bars }));

  test('wins in long waves, and loses sideways, by more than its fees', () => {
    const params = { fast: 10, slow: 30, share: 1 };
    const waves = generateBars({ count: 900, seed: 4, wave: { percent: 20, bars: 300 } });
    const long = runStrategy(maCross, { bars: waves, params, fee: 0.001 });
    expectSound(long);
    expect(long.equity).toBeGreaterThan(11_000);
    const flat = { bars: generateBars({ count: 900, seed: 4 }), params };
    const sideways = runStrategy(maCross, { ...flat, fee: 0.001 });
    expectSound(sideways);
    expect(sideways.equity).toBeLessThan(9_500);
    expect(runStrategy(maCross, flat).equity).toBeLessThan(10_000);
  });
});
