import { describe, expect, test } from 'vitest';
import { generateBars, runStrategy } from '#testing';
import squeeze from '../../strategies/squeeze.ts';
import { expectSameAfterRestarts, expectSound } from './claims.ts';

const params = { length: 10, quiet: 10, within: 5 };
/** Waves that become smaller and smaller. */
const calming = Array.from({ length: 30 }, (_, hour) => 100 + (6 - hour / 5) * Math.sin(hour));
const leaving = [...calming, 103, 106, 109, 112, 112, 104, 104, 103];

describe('squeeze', () => {
  test('buys when the price leaves narrow bands upwards, and sells below their middle', () => {
    const { fills, equity } = runStrategy(squeeze, { params, bars: leaving });
    expect(fills.map(({ side, price }) => `${side} ${price}`)).toEqual(['buy 103', 'sell 104']);
    expect(equity).toBeGreaterThan(10_000);
  });

  test('buys nothing where the bands are wide', () => {
    const waves = Array.from({ length: 60 }, (_, hour) => 100 + (3 + hour / 10) * Math.sin(hour));
    expect(runStrategy(squeeze, { params, bars: waves }).orders).toEqual([]);
  });

  test('keeps its exit over a restart', () => expectSameAfterRestarts(squeeze, { params, bars: leaving }));

  test('loses where the price comes back', () => {
    const back = [...calming, 103, 99, 98];
    expect(runStrategy(squeeze, { params, bars: back }).equity).toBeLessThan(10_000);
    expectSound(runStrategy(squeeze, { bars: generateBars({ count: 900, seed: 4 }), fee: 0.001 }));
  });
});
