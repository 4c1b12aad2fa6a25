import { expect, test } from 'vitest';
import type { CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { blockLength } from '../../../../src/statistics/stationary-bootstrap.ts';
import { blockOfBars } from '../../../../src/study/run-stress.ts';
import { TETHER, walkOf } from '../../backtest/candle-run.ts';
import { drawnReturns } from '../statistics/drawn-returns.ts';
import { knownValue } from '../statistics/known-value.ts';

const COUNT = 2_000;
const walk = walkOf(TETHER, { bars: COUNT, seed: 1, price: 500 });

/** Makes bars whose closes give these returns. */
function closing(returns: Float64Array): CandleColumns {
  let price = 1_000_000_000;
  return { ...walk, close: returns.map((value) => (price *= Math.exp(value))) };
}

const noise = drawnReturns({ seed: 3, count: COUNT });
/** Returns in turns of 100 calm and 100 wild bars: they do not depend on each other, but their sizes do. */
const storms = noise.map((value, bar) => value * (Math.floor(bar / 100) % 2 === 0 ? 0.2 : 2));

test('blocks are as long as returns need, or their sizes where these last', () => {
  const ofReturns = knownValue(blockLength(storms.slice(1))).stationary;
  const ofSizes = knownValue(blockLength(storms.slice(1).map(Math.abs))).stationary;
  expect(ofSizes).toBeGreaterThan(5 * ofReturns);
  expect(knownValue(blockOfBars([closing(storms)], null))).toBeCloseTo(ofSizes, 6);
  expect(knownValue(blockOfBars([closing(noise)], null))).toBeLessThan(ofSizes / 2);
  // The longest block of several markets counts, since they share their blocks.
  expect(knownValue(blockOfBars([closing(noise), closing(storms)], null))).toBeCloseTo(ofSizes, 6);
});

test('a range that is too short, or a price that never moves, has no block', () => {
  const fromMs = walk.openTimeMs[COUNT - 15] ?? 0;
  expect(blockOfBars([walk], fromMs)).toMatchObject({
    kind: 'unknown',
    message: 'expected at least 20 values, was 15',
  });
  const still = { ...walk, close: walk.close.map(() => 5) };
  expect(blockOfBars([still], null)).toMatchObject({ kind: 'unknown', reason: 'no-variance' });
});
