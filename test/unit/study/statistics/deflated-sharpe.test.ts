import { describe, expect, test } from 'vitest';
import {
  clusterReturns,
  deflatedSharpeOfTrials,
  deflatedSharpe,
  expectedMaximumSharpe,
  minimumTrackRecord,
  observedSharpe,
  probabilisticSharpe,
} from '../../../../src/statistics/probabilistic-sharpe.ts';
import { InvalidSample } from '../../../../src/statistics/estimate.ts';
import { drawnReturns, drawnTrials, groupedTrials } from './drawn-returns.ts';
import { knownValue } from './known-value.ts';
import { ORACLE } from './oracle-vectors.ts';
import {
  averageLinkage,
  bestClustering,
  correlationMatrix,
  meanCorrelation,
  standardizedTrials,
  effectiveTrials,
} from '../../../../src/statistics/effective-trials.ts';

const NORMAL = { skewness: 0, kurtosis: 3 };
const FUND = { sharpe: 0.458, count: 24, skewness: -2.448, kurtosis: 10.164 };

describe('the published examples', () => {
  test('probabilistic Sharpe ratio 0.9134, and 0.9817 as if normal', () => {
    expect(knownValue(probabilisticSharpe(FUND))).toBeCloseTo(0.9134, 4);
    expect(knownValue(probabilisticSharpe({ ...FUND, ...NORMAL }))).toBeCloseTo(0.9817, 4);
  });

  test('minimum track record of 272.9 returns', () => {
    expect(knownValue(minimumTrackRecord({ sharpe: 0.1, count: 1_000, ...NORMAL }))).toBeCloseTo(272.9, 1);
  });

  test('deflated Sharpe ratio 0.9004', () => {
    const sample = { sharpe: 2.5 / Math.sqrt(250), count: 1_250, skewness: -3, kurtosis: 10 };
    expect(knownValue(deflatedSharpe(sample, { trials: 100, variance: 0.5 / 250 }))).toBeCloseTo(0.9004, 4);
  });
});

describe('the ratios', () => {
  test.each(ORACLE.luck)('are those worked out with scipy, of $of', ({ of, psr, best, dsr, record }) => {
    const [sharpe, count, skewness, kurtosis, trials, variance] = of;
    const sample = { sharpe, count, skewness, kurtosis };
    expect(knownValue(probabilisticSharpe(sample))).toBeCloseTo(psr, 12);
    expect(knownValue(expectedMaximumSharpe({ trials, variance }))).toBeCloseTo(best, 10);
    expect(knownValue(deflatedSharpe(sample, { trials, variance }))).toBeCloseTo(dsr, 10);
    const found = minimumTrackRecord(sample);
    if (record === null) expect(found).toMatchObject({ kind: 'unknown', reason: 'not-above-benchmark' });
    else expect(knownValue(found) / record).toBeCloseTo(1, 12);
  });

  test('a ratio beats itself with probability one half', () => {
    for (const sharpe of [-0.3, 0, 0.05, 0.458]) {
      const sample = { ...FUND, sharpe };
      expect(knownValue(probabilisticSharpe(sample, sharpe))).toBeCloseTo(0.5, 15);
    }
  });

  test('a track record of the least length has the probability that it was worked out for', () => {
    const sample = { sharpe: 0.2, count: 50, skewness: -1, kurtosis: 6 };
    const options = { benchmark: 0.05, significance: 0.01 };
    const length = Math.ceil(knownValue(minimumTrackRecord(sample, options)));
    const at = (count: number): number => knownValue(probabilisticSharpe({ ...sample, count }, 0.05));
    expect(at(length)).toBeGreaterThanOrEqual(0.99);
    expect(at(length - 1)).toBeLessThan(0.99);
  });

  test('more trials, and trials that differ more, are worth less', () => {
    const sample = { sharpe: 0.1, count: 1_000, ...NORMAL };
    const of = (trials: number, variance: number): number =>
      knownValue(deflatedSharpe(sample, { trials, variance }));
    expect(of(10, 0.001)).toBeGreaterThan(of(100, 0.001));
    expect(of(100, 0.001)).toBeGreaterThan(of(100, 0.002));
    expect(of(100, 0)).toBe(knownValue(probabilisticSharpe(sample)));
  });

  test('are unknown with a reason: one trial, no variance, no better than the benchmark', () => {
    const sample = { sharpe: 2, count: 100, skewness: 1, kurtosis: 2 };
    expect(probabilisticSharpe(sample)).toMatchObject({ kind: 'unknown', reason: 'no-variance' });
    expect(deflatedSharpe(FUND, { trials: 1, variance: 0.1 })).toMatchObject({ reason: 'too-few-trials' });
    expect(minimumTrackRecord(sample)).toMatchObject({ reason: 'no-variance' });
    for (const benchmark of [0.458, 0.46, 0.458 - 1e-16])
      expect(minimumTrackRecord(FUND, { benchmark })).toMatchObject({ reason: 'not-above-benchmark' });
  });

  test.each([
    ['a kurtosis that is the excess', { ...FUND, kurtosis: 0 }],
    ['moments that no returns have', { ...FUND, kurtosis: 6.9 }],
    ['a ratio that is none', { ...FUND, sharpe: Number.NaN }],
    ['a skewness beyond floats', { ...FUND, skewness: Infinity }],
    ['a ratio beyond data', { ...FUND, sharpe: 1e7 }],
    ['one return', { ...FUND, count: 1 }],
    ['half a return', { ...FUND, count: 24.5 }],
  ])('are refused with %s', (_what, sample) => {
    expect(() => probabilisticSharpe(sample)).toThrow(InvalidSample);
    expect(() => minimumTrackRecord(sample)).toThrow(InvalidSample);
  });

  test('are refused with options out of range', () => {
    expect(() => probabilisticSharpe(FUND, Number.NaN)).toThrow(InvalidSample);
    expect(() => minimumTrackRecord(FUND, { significance: 0.6 })).toThrow(InvalidSample);
    expect(() => minimumTrackRecord(FUND, { significance: 0 })).toThrow(InvalidSample);
    expect(() => expectedMaximumSharpe({ trials: 1e9, variance: 1 })).toThrow(InvalidSample);
    expect(() => expectedMaximumSharpe({ trials: 10, variance: -1 })).toThrow(InvalidSample);
  });
});

/** Returns the index of the trial that gained most. */
const bestOf = (trials: readonly Float64Array[]): number => {
  const sums = trials.map((trial) => trial.reduce((sum, value) => sum + value, 0));
  return sums.indexOf(Math.max(...sums));
};

describe('a chosen trial among all', () => {
  test('is no find where all of them are noise', () => {
    const trials = drawnTrials({ seed: 1, count: 500 }, 60);
    const { raw, effective, method } = knownValue(deflatedSharpeOfTrials({ trials, chosen: bestOf(trials) }));
    expect(method).toBe('mean-correlation');
    expect(knownValue(raw).trials).toBe(60);
    expect(knownValue(effective).trials).toBeGreaterThan(55);
    // Tested alone, the best trial would look like a find.
    expect(knownValue(raw).probability).toBeLessThan(0.9);
    const moments = knownValue(deflatedSharpeOfTrials({ trials, chosen: bestOf(trials) })).chosen;
    expect(knownValue(probabilisticSharpe(moments))).toBeGreaterThan(0.95);
  });

  test('is one where it is truly better', () => {
    const trials = drawnTrials({ seed: 1, count: 1_000 }, 30);
    trials[7] = drawnReturns({ seed: 9, count: 1_000, mean: 0.0025 });
    const { raw } = knownValue(deflatedSharpeOfTrials({ trials, chosen: 7 }));
    expect(knownValue(raw).probability).toBeGreaterThan(0.99);
  });

  test('counts copies once', () => {
    const trials = groupedTrials({ seed: 3, count: 300 }, { groups: 5, size: 8, share: 0.2 });
    const { raw, effective, method } = knownValue(deflatedSharpeOfTrials({ trials, chosen: 0 }));
    expect(method).toBe('clusters');
    expect(knownValue(raw).trials).toBe(40);
    expect(knownValue(effective).trials).toBe(5);
    // The variance is that of five ratios, one for each group, and not of forty.
    const labels = Int32Array.from(trials, (_, trial) => trial % 5);
    const ratios = clusterReturns(trials, labels).map((returns) => knownValue(observedSharpe(returns)));
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / 5;
    const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / 4;
    expect(knownValue(effective).variance).toBeCloseTo(variance, 12);
    expect(Math.abs(knownValue(raw).variance / variance - 1)).toBeGreaterThan(0.01);
  });

  test('has a cluster speak by the inverse of its variances', () => {
    const trials = [
      [1, -1, 1, -1],
      [2, 2, -2, -2],
      [5, 6, 7, 8],
    ].map((trial) => Float64Array.from(trial));
    // Variances of 4/3 and 16/3 give weights of 0.8 and 0.2.
    const [first, second] = clusterReturns(trials, Int32Array.from([0, 0, 1]));
    for (const [index, value] of [1.2, -0.4, 0.4, -1.2].entries())
      expect(first![index]).toBeCloseTo(value, 12);
    for (const [index, value] of [5, 6, 7, 8].entries()) expect(second![index]).toBeCloseTo(value, 12);
  });

  test('has the trials that are gone counted, too', () => {
    const trials = drawnTrials({ seed: 1, count: 200 }, 10);
    const few = knownValue(knownValue(deflatedSharpeOfTrials({ trials, chosen: 0 })).raw);
    const many = knownValue(knownValue(deflatedSharpeOfTrials({ trials, chosen: 0, counted: 900 })).raw);
    expect(many.trials).toBe(900);
    expect(many.probability).toBeLessThan(few.probability);
    expect(() => deflatedSharpeOfTrials({ trials, chosen: 0, counted: 9 })).toThrow(InvalidSample);
  });

  test('has trials that never traded counted, but in no variance', () => {
    const trials = [...drawnTrials({ seed: 1, count: 200 }, 10), new Float64Array(200)];
    const raw = knownValue(knownValue(deflatedSharpeOfTrials({ trials, chosen: 0 })).raw);
    const without = knownValue(
      knownValue(deflatedSharpeOfTrials({ trials: trials.slice(0, 10), chosen: 0 })).raw,
    );
    expect(raw.trials).toBe(11);
    expect(raw.variance).toBe(without.variance);
    expect(deflatedSharpeOfTrials({ trials, chosen: 10 })).toMatchObject({ reason: 'no-variance' });
  });

  test('has no effective deflation among copies of one', () => {
    const one = drawnReturns({ seed: 1, count: 100 });
    const trials = [one, one.slice(), one.map((value) => 3 * value)];
    const { effective } = knownValue(deflatedSharpeOfTrials({ trials, chosen: 0 }));
    expect(effective).toMatchObject({ kind: 'unknown', reason: 'too-few-trials' });
  });

  test('is the same at any scale', () => {
    const trials = drawnTrials({ seed: 1, count: 200 }, 10);
    const plain = knownValue(knownValue(deflatedSharpeOfTrials({ trials, chosen: 3 })).effective);
    const scaled = trials.map((trial) => trial.map((value) => value * 1e6));
    const found = knownValue(knownValue(deflatedSharpeOfTrials({ trials: scaled, chosen: 3 })).effective);
    expect(found.probability).toBeCloseTo(plain.probability, 12);
  });

  test('is unknown alone, and refused where it is not, or where columns differ', () => {
    const trials = drawnTrials({ seed: 1, count: 50 }, 2);
    expect(deflatedSharpeOfTrials({ trials: trials.slice(0, 1), chosen: 0 })).toMatchObject({
      reason: 'too-few-trials',
    });
    expect(() => deflatedSharpeOfTrials({ trials, chosen: 2 })).toThrow(InvalidSample);
    expect(() => deflatedSharpeOfTrials({ trials: [], chosen: 0 })).toThrow(InvalidSample);
    expect(() => deflatedSharpeOfTrials({ trials: [trials[0]!, new Float64Array(49)], chosen: 0 })).toThrow(
      'trial 1',
    );
  });
});

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
