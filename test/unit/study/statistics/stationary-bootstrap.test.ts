import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../src/domain/random.ts';
import { blockLength, stationaryBootstrap } from '../../../../src/statistics/stationary-bootstrap.ts';
import { InvalidSample } from '../../../../src/statistics/estimate.ts';
import { drawnReturns } from './drawn-returns.ts';
import { knownValue } from './known-value.ts';
import { ORACLE } from './oracle-vectors.ts';

const drawnPlaces = (length: number, meanBlock: number, seed = 1): Int32Array => {
  const places = new Int32Array(40_000);
  stationaryBootstrap({ length, meanBlock, random: createRandom(seed) })(places);
  return places;
};

describe('the stationary bootstrap', () => {
  test.each([1, 2.5, 10, 50])('has blocks with a mean length of %d', (meanBlock) => {
    const places = drawnPlaces(1_000, meanBlock);
    const begun = places.filter(
      (place, index) => index === 0 || place !== (places[index - 1]! + 1) % 1_000,
    ).length;
    expect(Math.abs((begun * meanBlock) / places.length - 1)).toBeLessThan(0.06);
  });

  test('draws every period about as often, past the end as well', () => {
    const counts = new Float64Array(20);
    for (const place of drawnPlaces(20, 6)) counts[place] = counts[place]! + 1;
    expect(Math.min(...counts)).toBeGreaterThan(1_700);
    expect(Math.max(...counts)).toBeLessThan(2_300);
  });

  test('goes round a whole circle with blocks that are as long', () => {
    const places = new Int32Array(4);
    stationaryBootstrap({ length: 1, meanBlock: 1, random: createRandom(1) })(places);
    expect([...places]).toEqual([0, 0, 0, 0]);
  });

  test('is the same for the same seed', () => {
    expect(drawnPlaces(100, 5, 7)).toEqual(drawnPlaces(100, 5, 7));
    expect(drawnPlaces(100, 5, 7)).not.toEqual(drawnPlaces(100, 5, 8));
  });

  test('is refused with lengths and blocks out of range', () => {
    const random = createRandom(1);
    for (const [length, meanBlock] of [
      [0, 1],
      [10.5, 2],
      [10, 0.5],
      [10, 11],
      [10, Number.NaN],
    ] as const)
      expect(() => stationaryBootstrap({ length, meanBlock, random })).toThrow(InvalidSample);
  });
});

describe('the length of blocks', () => {
  test.each(ORACLE.blocks)('is that of arch, at least 1, of $of', ({ of, stationary, circular }) => {
    const [seed, count, mean, memory] = of;
    const found = knownValue(blockLength(drawnReturns({ seed, count, mean, memory })));
    expect(found.stationary).toBeCloseTo(Math.max(1, stationary), 9);
    expect(found.circular).toBeCloseTo(Math.max(1, circular), 9);
  });

  test('is the same at any scale, and about any mean', () => {
    const values = drawnReturns({ seed: 1, count: 300, memory: 0.5 });
    const plain = knownValue(blockLength(values)).stationary;
    expect(knownValue(blockLength(values.map((value) => value * 1e180))).stationary).toBeCloseTo(plain, 9);
    expect(knownValue(blockLength(values.map((value) => value + 1))).stationary).toBeCloseTo(plain, 9);
  });

  test('is at most a third of the values, of values that only rise', () => {
    const rising = Float64Array.from({ length: 30 }, (_, index) => index);
    expect(knownValue(blockLength(rising)).stationary).toBeLessThanOrEqual(10);
  });

  test('is unknown of few values and of one value, and refused with one that is none', () => {
    expect(blockLength(drawnReturns({ seed: 1, count: 19 }))).toMatchObject({
      reason: 'too-few-observations',
    });
    expect(blockLength(new Float64Array(30).fill(0.1))).toMatchObject({ reason: 'no-variance' });
    expect(() => blockLength(new Float64Array(30).fill(Number.NaN))).toThrow(InvalidSample);
  });
});
