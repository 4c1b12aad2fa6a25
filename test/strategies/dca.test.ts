import { describe, expect, test } from 'vitest';
import { generateBars, runStrategy } from '#testing';
import dca from '../../strategies/dca.ts';
import { expectSameAfterRestarts, expectSound } from './claims.ts';

/** Params of a purchase every six hours; a bar is an hour. */
const params = { spend: 100, cron: '0 */6 * * *' };

/** Final value of the account on a market with a trend. */
function after(trend: number): number {
  const run = runStrategy(dca, { bars: generateBars({ count: 600, seed: 4, trend }), params, fee: 0.001 });
  expectSound(run);
  return run.equity;
}

describe('dca', () => {
  test('buys for the same money at its times, whatever the price is, and never sells', () => {
    const bars = generateBars({ count: 25, seed: 2, noise: 5 });
    const { fills } = runStrategy(dca, { bars, params });
    expect(fills.length).toBeGreaterThan(2);
    for (const { side, price, amount } of fills) {
      expect(side).toBe('buy');
      expect(price * amount).toBeCloseTo(100, -1);
    }
  });

  test('tries again at its next time when the exchange refused', () => {
    const bars = generateBars({ count: 25, seed: 2 });
    const whole = runStrategy(dca, { bars, params });
    const refused = runStrategy(dca, { bars, params, refuse: ['InsufficientBalance'] });
    expect(refused.fills).toEqual(whole.fills.slice(1));
    expect(refused.refusals).toHaveLength(1);
  });

  test('buys neither twice nor less over a restart', () =>
    expectSameAfterRestarts(dca, { bars: generateBars({ count: 25, seed: 2 }), params }));

  test('wins in a rise, and loses in a fall, for it holds all that it bought', () => {
    expect(after(0.15)).toBeGreaterThan(11_000);
    expect(after(-0.15)).toBeLessThan(7_000);
  });
});
