import { describe, expect, test } from 'vitest';
import {
  averageLinkage,
  bestClustering,
  correlationMatrix,
  meanCorrelation,
  standardizedTrials,
  effectiveTrials,
} from '../../../../src/statistics/effective-trials.ts';
import { InvalidSample } from '../../../../src/statistics/estimate.ts';
import { drawnReturns, drawnTrials, groupedTrials } from './drawn-returns.ts';
import { knownValue } from './known-value.ts';
import { ORACLE } from './oracle-vectors.ts';

const distancesOf = (trials: readonly Float64Array[]): Float64Array =>
  correlationMatrix(knownValue(standardizedTrials(trials))).map((value) => Math.sqrt((1 - value) / 2));

describe('the clusters of trials', () => {
  test.each(ORACLE.clusters)('are those of scipy and scikit-learn, of $of', (expected) => {
    const [seed, count, groups, size, share] = expected.of;
    const trials = groupedTrials({ seed, count }, { groups, size, share });
    const distances = distancesOf(trials);
    const heights = averageLinkage(distances, trials.length).map(({ distance }) => distance);
    expect(heights).toHaveLength(trials.length - 1);
    for (const [index, height] of heights.entries()) expect(height).toBeCloseTo(expected.heights[index]!, 12);
    const clustering = bestClustering(distances, trials.length);
    expect(clustering.clusters).toBe(expected.clusters);
    expect(clustering.silhouette).toBeCloseTo(expected.silhouette, 12);
    expect(meanCorrelation(knownValue(standardizedTrials(trials)))).toBeCloseTo(expected.meanCorrelation, 12);
  });

  test('have the trials of a group together', () => {
    const trials = groupedTrials({ seed: 3, count: 300 }, { groups: 4, size: 6, share: 0.3 });
    const { count, method, labels } = knownValue(effectiveTrials(trials));
    expect({ count, method }).toEqual({ count: 4, method: 'clusters' });
    expect([...labels]).toEqual(Array.from({ length: 24 }, (_, trial) => trial % 4));
  });

  test('are as many whatever the order and the scale of trials', () => {
    const trials = groupedTrials({ seed: 5, count: 200 }, { groups: 3, size: 7, share: 0.4 });
    const other = trials
      .toReversed()
      .map((trial, index) => trial.map((value) => value * 10 ** index + index));
    expect(knownValue(effectiveTrials(other)).count).toBe(knownValue(effectiveTrials(trials)).count);
  });
});

describe('the effective number of trials', () => {
  test('is that of all where they are independent', () => {
    const { count, method } = knownValue(effectiveTrials(drawnTrials({ seed: 1, count: 1_000 }, 50)));
    expect(method).toBe('mean-correlation');
    expect(count).toBeGreaterThanOrEqual(48);
  });

  test('is one of copies', () => {
    const one = drawnReturns({ seed: 1, count: 100 });
    for (const copies of [2, 3, 9]) {
      const trials = Array.from({ length: copies }, () => one.slice());
      expect(knownValue(effectiveTrials(trials)).count).toBe(1);
    }
  });

  test('is two of two opposite ones', () => {
    const one = drawnReturns({ seed: 1, count: 100 });
    expect(knownValue(effectiveTrials([one, one.map((value) => -value)])).count).toBe(2);
  });

  test('is unknown of one trial, of two periods, and with a trial that never varies', () => {
    const trials = drawnTrials({ seed: 1, count: 50 }, 2);
    expect(effectiveTrials(trials.slice(0, 1))).toMatchObject({ reason: 'too-few-trials' });
    expect(effectiveTrials(trials.map((trial) => trial.slice(0, 2)))).toMatchObject({
      reason: 'too-few-observations',
    });
    expect(effectiveTrials([...trials, new Float64Array(50).fill(0.1)])).toMatchObject({
      reason: 'no-variance',
      message: expect.stringContaining('trial 2'),
    });
  });

  test('is refused with numbers that are none, and of columns of different lengths', () => {
    const [one, other] = [drawnReturns({ seed: 1, count: 50 }), drawnReturns({ seed: 2, count: 51 })];
    expect(() => effectiveTrials([one, other])).toThrow(InvalidSample);
    expect(() => effectiveTrials([one, one.map(() => Number.NaN)])).toThrow(InvalidSample);
  });
});
