import { describe, expect, test } from 'vitest';
import { autocorrelation, sampleMoments, sampleQuantile } from '../../../../src/statistics/sample-moments.ts';
import { InvalidSample } from '../../../../src/statistics/estimate.ts';
import { observedSharpe } from '../../../../src/statistics/probabilistic-sharpe.ts';
import { drawnReturns } from './drawn-returns.ts';
import { knownValue } from './known-value.ts';
import { ORACLE } from './oracle-vectors.ts';

const near = (found: number, expected: number, most = 1e-11): void =>
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(most * Math.max(1, Math.abs(expected)));

describe('the moments of returns', () => {
  test.each(ORACLE.moments)('are those of scipy and statsmodels, of $of', (expected) => {
    const [seed, count, mean, memory] = expected.of;
    const returns = drawnReturns({ seed, count, mean, memory });
    const found = knownValue(sampleMoments(returns));
    near(found.mean, expected.mean);
    near(found.deviation, expected.deviation);
    near(found.sharpe, expected.sharpe);
    near(found.skewness, expected.skewness);
    near(found.kurtosis, expected.kurtosis);
    near(knownValue(observedSharpe(returns)), expected.sharpe);
    expect(expected.autocorrelations[0]).toBe(1);
    for (const [lag, value] of expected.autocorrelations.entries())
      near(knownValue(autocorrelation(returns, lag)), value);
    for (const [index, share] of [0, 0.05, 0.5, 0.77, 1].entries())
      near(sampleQuantile(returns.toSorted(), share), expected.quantiles[index]!);
  });

  test.each([1e-200, 1e-9, -1, 1e150, 1e300])('keep their shape times %d', (factor) => {
    const returns = drawnReturns({ seed: 5, count: 200, mean: 0.001 });
    const plain = knownValue(sampleMoments(returns));
    const scaled = knownValue(sampleMoments(returns.map((value) => value * factor)));
    near(scaled.sharpe, Math.sign(factor) * plain.sharpe);
    near(scaled.skewness, Math.sign(factor) * plain.skewness);
    near(scaled.kurtosis, plain.kurtosis);
    near(knownValue(observedSharpe(returns.map((value) => value * factor))), scaled.sharpe);
  });

  test.each([
    ['too few', [0.1, 0.2, -0.1], 'too-few-observations'],
    ['one value, which floats can not hold', Array.from({ length: 50 }, () => 0.1), 'no-variance'],
    ['nothing', Array.from({ length: 50 }, () => 0), 'no-variance'],
    ['no returns', [], 'too-few-observations'],
  ])('are unknown of %s', (_what, returns, reason) => {
    expect(sampleMoments(new Float64Array(returns))).toMatchObject({ kind: 'unknown', reason });
  });

  test('are refused with a number that is none, with its place', () => {
    for (const bad of [Number.NaN, Infinity, -Infinity]) {
      const returns = Float64Array.from([0.1, 0.2, bad, 0.1, 0.3]);
      expect(() => sampleMoments(returns)).toThrow(InvalidSample);
      expect(() => sampleMoments(returns)).toThrow('at 2');
      expect(() => observedSharpe(returns)).toThrow(InvalidSample);
      expect(() => autocorrelation(returns, 1)).toThrow(InvalidSample);
    }
  });
});

test('a list that is no typed column is refused', () => {
  const list: unknown = [0.1, 0.2, 0.3, 0.4];
  expect(() => sampleMoments(list as Float64Array)).toThrow('Float64Array');
});

test('a Sharpe ratio is unknown of one return, and of one value', () => {
  expect(observedSharpe(Float64Array.from([0.1]))).toMatchObject({ reason: 'too-few-observations' });
  expect(observedSharpe(new Float64Array(9).fill(0.3))).toMatchObject({ reason: 'no-variance' });
});

test('an autocorrelation is unknown beyond the values and of one value, and refused of half a lag', () => {
  const values = Float64Array.from([1, 2, 3]);
  expect(autocorrelation(values, 2)).toMatchObject({ reason: 'too-few-observations' });
  expect(autocorrelation(new Float64Array(5).fill(0.7), 1)).toMatchObject({ reason: 'no-variance' });
  for (const lag of [-1, 0.5, Number.NaN]) expect(() => autocorrelation(values, lag)).toThrow(InvalidSample);
});

test('a quantile is refused of nothing, and at a share out of range', () => {
  expect(() => sampleQuantile(new Float64Array(), 0.5)).toThrow(InvalidSample);
  for (const share of [-0.1, 1.1, Number.NaN])
    expect(() => sampleQuantile(Float64Array.from([1]), share)).toThrow(InvalidSample);
});
