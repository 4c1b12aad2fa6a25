import { describe, expect, test } from 'vitest';
import { generateBars, runStrategy, type ScriptedRun } from '#testing';
import rebalance from '../../strategies/rebalance.ts';
import { expectSameAfterRestarts, expectSound } from './claims.ts';

const sides = ({ fills }: ScriptedRun): readonly string[] => fills.map(({ side }) => side);

describe('rebalance', () => {
  test('buys half, sells after a rise, buys after a fall, and rests within its band', () => {
    const run = runStrategy(rebalance, { bars: [100, 100, 101, 101, 120, 120, 100, 100, 100] });
    expect(sides(run)).toEqual(['buy', 'sell', 'buy']);
    expectSound(run);
    const held = run.fills.reduce((sum, { side, amount }) => sum + (side === 'buy' ? amount : -amount), 0);
    expect((held * 100) / run.equity).toBeCloseTo(0.5, 2);
  });

  test('goes on after a restart', () =>
    expectSameAfterRestarts(rebalance, { bars: [100, 100, 120, 120, 100, 100, 90, 90] }));

  test('wins in waves that come back, and buys all the way down in a long fall', () => {
    const waves = generateBars({ count: 900, seed: 4, wave: { percent: 20, bars: 300 } });
    const swinging = runStrategy(rebalance, { bars: waves, fee: 0.001 });
    expectSound(swinging);
    expect(swinging.equity).toBeGreaterThan(10_000);
    const fall = generateBars({ count: 600, seed: 4, trend: -0.15 });
    const falling = runStrategy(rebalance, { bars: fall, fee: 0.001 });
    expectSound(falling);
    expect(sides(falling).length).toBeGreaterThan(5);
    expect(new Set(sides(falling))).toEqual(new Set(['buy']));
    // Half of the money, kept in the coin from the beginning, would have lost less.
    const last = fall.at(-1);
    const close = typeof last === 'object' ? last.close : 0;
    expect(falling.equity).toBeLessThan(5_000 + 50 * close);
  });
});
