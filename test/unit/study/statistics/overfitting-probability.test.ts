import { describe, expect, test } from 'vitest';
import { InvalidSample, sampleQuantile } from '../../../../src/statistics/estimate.ts';
import { overfittingProbability } from '../../../../src/statistics/overfitting-probability.ts';
import { drawnReturns, drawnTrials } from './drawn-returns.ts';
import { knownValue } from './known-value.ts';
import { ORACLE } from './oracle-vectors.ts';

const meanOf = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the probability of backtest overfitting', () => {
  test.each(ORACLE.overfitting)('is what slices of the data give, of $of', (expected) => {
    const { seed, periods, count, mean, blocks } = expected.of;
    const trials = Array.from({ length: count }, (_, index) =>
      drawnReturns({ seed: seed + 100 * index, count: periods, mean: mean * index }),
    );
    const found = knownValue(overfittingProbability(trials, { blocks }));
    expect(found.logits).toHaveLength(expected.splits);
    expect(found.periods).toBe(periods - (periods % blocks));
    expect(found.probability).toBeCloseTo(expected.probability, 12);
    expect(found.lossProbability).toBeCloseTo(expected.lossProbability, 12);
    const { intercept, slope, explained } = found.degradation;
    for (const [index, value] of [intercept, slope, explained].entries())
      expect(value).toBeCloseTo(expected.line[index]!, 10);
    for (const [index, share] of [0, 0.1, 0.5, 0.9, 1].entries())
      expect(sampleQuantile(found.logits.toSorted(), share)).toBeCloseTo(expected.logits[index]!, 10);
    expect(meanOf(found.inSample)).toBeCloseTo(expected.inSample, 10);
    expect(meanOf(found.outOfSample)).toBeCloseTo(expected.outOfSample, 10);
  });

  test('is near one half of noise, over seeds', () => {
    const found = Array.from({ length: 30 }, (_, seed) =>
      knownValue(overfittingProbability(drawnTrials({ seed: 5_000 + seed, count: 160 }, 12), { blocks: 10 })),
    );
    const mean = found.reduce((sum, { probability }) => sum + probability, 0) / found.length;
    expect(mean).toBeGreaterThan(0.42);
    expect(mean).toBeLessThan(0.58);
  });

  test('is near 0 where one trial is truly better, and it is that one', () => {
    for (const seed of [1, 2, 3]) {
      const trials = drawnTrials({ seed, count: 480 }, 20);
      trials[4] = drawnReturns({ seed: seed + 50, count: 480, mean: 0.004 });
      const { probability, lossProbability } = knownValue(overfittingProbability(trials, { blocks: 12 }));
      expect(probability).toBeLessThan(0.01);
      expect(lossProbability).toBeLessThan(0.01);
    }
  });

  test('is the same at any scale of each trial', () => {
    const trials = drawnTrials({ seed: 1, count: 160 }, 9);
    const scaled = trials.map((trial, index) => trial.map((value) => value * 10 ** (20 * index - 90)));
    const [plain, other] = [trials, scaled].map((one) =>
      knownValue(overfittingProbability(one, { blocks: 8 })),
    );
    expect(other!.probability).toBe(plain!.probability);
    expect(other!.degradation.slope).toBeCloseTo(plain!.degradation.slope, 10);
  });

  test('leaves the first periods out, not the last ones', () => {
    const trials = drawnTrials({ seed: 1, count: 163 }, 5);
    const short = trials.map((trial) => trial.slice(3));
    expect(knownValue(overfittingProbability(trials, { blocks: 8 }))).toEqual(
      knownValue(overfittingProbability(short, { blocks: 8 })),
    );
  });

  test('has a middle rank where all trials are copies: overfitted by chance', () => {
    const one = drawnReturns({ seed: 1, count: 160 });
    const { logits, probability } = knownValue(
      overfittingProbability([one, one.slice(), one.slice()], { blocks: 8 }),
    );
    expect(Math.max(...logits.map(Math.abs))).toBeLessThan(1e-15);
    expect(probability).toBe(1);
  });

  test('a trial that trades in few blocks has no ratio in the other halves, and never an infinite one', () => {
    const trials = drawnTrials({ seed: 1, count: 160 }, 3);
    const seldom = new Float64Array(160);
    seldom.set([0.02, 0.03, 0.01, 0.05], 20);
    const { inSample, outOfSample } = knownValue(overfittingProbability([...trials, seldom], { blocks: 8 }));
    expect([...inSample, ...outOfSample].every((value) => Math.abs(value) < 1)).toBe(true);
    expect(outOfSample.includes(0)).toBe(true);
  });

  test.each([
    ['too many trials', Array.from({ length: 20_001 }, () => new Float64Array(1)), 'too-many-trials'],
    ['one trial', drawnTrials({ seed: 1, count: 160 }, 1), 'too-few-trials'],
    ['short trials', drawnTrials({ seed: 1, count: 79 }, 3), 'too-few-observations'],
    ['trials that never traded', [new Float64Array(160), new Float64Array(160)], 'no-variance'],
    [
      'a trial with one gain through half of the blocks',
      [
        drawnReturns({ seed: 1, count: 160 }),
        drawnReturns({ seed: 2, count: 160 }).map((value, period) => (period < 80 ? 0.001 : value)),
      ],
      'no-variance',
    ],
  ])('is unknown of %s', (_what, trials, reason) => {
    expect(overfittingProbability(trials)).toMatchObject({ kind: 'unknown', reason });
  });

  test('is refused with bad blocks, numbers and columns', () => {
    const trials = drawnTrials({ seed: 1, count: 160 }, 2);
    for (const blocks of [2, 7, 22, 8.5, Number.NaN])
      expect(() => overfittingProbability(trials, { blocks })).toThrow(InvalidSample);
    expect(() => overfittingProbability([...trials, new Float64Array(159)])).toThrow(InvalidSample);
    expect(() => overfittingProbability([...trials, new Float64Array(160).fill(Infinity)])).toThrow(
      InvalidSample,
    );
  });
});
