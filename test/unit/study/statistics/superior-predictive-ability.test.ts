import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../src/domain/random.ts';
import { blockLength } from '../../../../src/statistics/stationary-bootstrap.ts';
import {
  bootstrapDeviation,
  superiorPredictiveAbility,
  centredTrials,
  realityCheck,
} from '../../../../src/statistics/superior-predictive-ability.ts';
import { InvalidSample } from '../../../../src/statistics/estimate.ts';
import { drawnReturns, drawnTrials } from './drawn-returns.ts';
import { knownValue } from './known-value.ts';
import { ORACLE } from './oracle-vectors.ts';

test.each(ORACLE.ability)(
  'with the draws that arch had both tests count what arch counts, of $of',
  (expected) => {
    const { seed, periods, meanBlock, memory, means } = expected.of;
    const { draws } = expected;
    const trials = means.map((mean, index) =>
      drawnReturns({ seed: seed + 100 * index, count: periods, mean, memory }),
    );
    const scale = Math.max(...trials.flatMap((trial) => [...trial].map(Math.abs)));
    for (const { index, centred } of knownValue(centredTrials(trials, 'common')))
      expect(scale * bootstrapDeviation(centred, meanBlock)).toBeCloseTo(expected.deviations[index]!, 12);
    const countOf = (pValue: number): number => Math.round(pValue * (1 + draws) - 1);
    const options = { draws, meanBlock };
    const check = knownValue(realityCheck(trials, { ...options, random: createRandom(seed) }));
    expect(countOf(check.pValue)).toBe(expected.realityCheck);
    const ability = knownValue(superiorPredictiveAbility(trials, { ...options, random: createRandom(seed) }));
    expect(ability.statistic).toBeCloseTo(expected.statistic, 10);
    expect([ability.lower, ability.consistent, ability.upper].map(countOf)).toEqual(expected.ability);
  },
);

/** Returns the p values of trials without skill, one for each seed. */
function pValuesOfNoise(pValueOf: (trials: readonly Float64Array[], seed: number) => number): number[] {
  return Array.from({ length: 250 }, (_, seed) =>
    pValueOf(drawnTrials({ seed: 9_000 + seed, count: 100 }, 4), seed),
  );
}

/** Expects uniform p values. The deviation of a share of 250 is about 0.02 at 0.1, and 0.03 at 0.5. */
function expectUniform(pValues: readonly number[], shares: readonly number[]): void {
  for (const share of shares) {
    const found = pValues.filter((pValue) => pValue <= share).length / pValues.length;
    expect(Math.abs(found - share), `share of p values up to ${share}`).toBeLessThan(0.075);
  }
}

describe('of noise', () => {
  test('the p values of the reality check are spread evenly', () => {
    const pValues = pValuesOfNoise(
      (trials, seed) =>
        knownValue(realityCheck(trials, { random: createRandom(seed), draws: 99, meanBlock: 1 })).pValue,
    );
    expectUniform(pValues, [0.05, 0.1, 0.25, 0.5, 0.75, 0.9]);
  });

  test('the p values of the test for superior predictive ability are spread evenly', () => {
    const pValues = pValuesOfNoise(
      (trials, seed) =>
        knownValue(superiorPredictiveAbility(trials, { random: createRandom(seed), draws: 99, meanBlock: 1 }))
          .consistent,
    );
    // If the best mean is below 0 the p value is 1, which happens once in 16 times with four trials.
    expectUniform(pValues, [0.05, 0.1, 0.25, 0.5, 0.75]);
  });
});

describe('the test for superior predictive ability', () => {
  const options = { draws: 199, meanBlock: 3 };
  const of = (trials: readonly Float64Array[], seed = 1) =>
    knownValue(superiorPredictiveAbility(trials, { ...options, random: createRandom(seed) }));

  test('finds the one that is truly better', () => {
    const trials = drawnTrials({ seed: 1, count: 400 }, 20);
    trials[11] = drawnReturns({ seed: 7, count: 400, mean: 0.003 });
    expect(of(trials)).toMatchObject({ best: 11, consistent: 1 / 200 });
  });

  test('does not lose it among bad ones, as the reality check does', () => {
    const bad = drawnTrials({ seed: 1, count: 200, mean: -0.05 }, 20).map((trial) =>
      trial.map((value, period) => value + (period % 2 === 0 ? 0.1 : -0.1)),
    );
    const trials = [drawnReturns({ seed: 3, count: 200, mean: 0.0025 }), ...bad];
    const check = knownValue(realityCheck(trials, { ...options, random: createRandom(1) }));
    expect(of(trials).consistent).toBeLessThan(0.05);
    expect(check.pValue).toBeGreaterThan(0.2);
  });

  test('has p values in order, and 1 where every trial loses', () => {
    for (const seed of [1, 2, 3, 4]) {
      const { lower, consistent, upper } = of(drawnTrials({ seed, count: 100, mean: -0.001 }, 8), seed);
      expect(lower).toBeLessThanOrEqual(consistent);
      expect(consistent).toBeLessThanOrEqual(upper);
    }
    expect(of(drawnTrials({ seed: 1, count: 100, mean: -0.01 }, 3))).toMatchObject({
      statistic: 0,
      consistent: 1,
    });
  });

  test('is the same at any scale, and for each trial its own', () => {
    const trials = drawnTrials({ seed: 1, count: 100 }, 5);
    const plain = of(trials);
    expect(of(trials.map((trial) => trial.map((value) => value * 1e-150)))).toMatchObject({
      consistent: plain.consistent,
    });
    expect(of(trials.map((trial, index) => trial.map((value) => value * 2 ** (90 * index))))).toMatchObject({
      consistent: plain.consistent,
      best: plain.best,
    });
  });

  test('takes the median block length of the trials where none is given', () => {
    const still = new Float64Array(300);
    const trials = [still, ...[0.9, 0.8, 0.3].map((memory) => drawnReturns({ seed: 1, count: 300, memory }))];
    const lengths = trials.slice(1).map((trial) => knownValue(blockLength(trial)).stationary);
    const found = knownValue(superiorPredictiveAbility(trials, { random: createRandom(1), draws: 9 }));
    expect(found.draws).toBe(9);
    expect(found.meanBlock).toBe(lengths.toSorted((one, other) => one - other)[1]);
    expect(Math.max(...lengths)).toBeGreaterThan(found.meanBlock);
  });

  test('leaves a trial out that never varies, as the reality check does', () => {
    const trials = [new Float64Array(100).fill(0.01), ...drawnTrials({ seed: 1, count: 100 }, 3)];
    expect(of(trials).best).toBeGreaterThan(0);
    const check = knownValue(realityCheck(trials, { ...options, random: createRandom(1) }));
    expect(check.best).toBe(of(trials).best);
    expect(check.pValue).toBeGreaterThan(0.1);
  });
});

describe.each([
  ['the reality check', realityCheck],
  ['the test for superior predictive ability', superiorPredictiveAbility],
])('%s', (_name, check) => {
  const random = createRandom(1);
  const trials = drawnTrials({ seed: 1, count: 50 }, 2);

  test('is unknown of nothing, of few periods, and without variance', () => {
    expect(check([], { random })).toMatchObject({ reason: 'too-few-trials' });
    expect(check(drawnTrials({ seed: 1, count: 19 }, 2), { random })).toMatchObject({
      reason: 'too-few-observations',
    });
    expect(check([new Float64Array(50)], { random })).toMatchObject({ reason: 'no-variance' });
    expect(check([new Float64Array(50).fill(0.1)], { random })).toMatchObject({ reason: 'no-variance' });
  });

  test('is refused with numbers that are none, and options out of range', () => {
    expect(() => check([...trials, new Float64Array(50).fill(Number.NaN)], { random })).toThrow(
      InvalidSample,
    );
    expect(() => check([...trials, new Float64Array(49)], { random })).toThrow(InvalidSample);
    for (const options of [{ draws: 0 }, { draws: 1.5 }, { meanBlock: 0 }, { meanBlock: 51 }])
      expect(() => check(trials, { random, ...options })).toThrow(InvalidSample);
  });
});
