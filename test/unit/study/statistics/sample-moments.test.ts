import { describe, expect, test } from 'vitest';
import {
  autocorrelation,
  sampleMoments,
  sampleQuantile,
  InvalidSample,
} from '../../../../src/statistics/estimate.ts';
import {
  observedSharpe,
  normalCdf,
  normalQuantile,
} from '../../../../src/statistics/probabilistic-sharpe.ts';
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

describe('the normal distribution', () => {
  test('has the probabilities that mpmath finds, to 1e-15', () => {
    expect(ORACLE.normal.cdf.length).toBeGreaterThan(20);
    for (const [x, probability] of ORACLE.normal.cdf)
      expect(Math.abs(normalCdf(x) - probability), `cdf of ${x}`).toBeLessThanOrEqual(1e-15);
  });

  test('has the quantiles that mpmath finds, to 1e-12 with tails of 1e-5 and to 1e-9 at the ends', () => {
    expect(ORACLE.normal.quantile.length).toBeGreaterThan(20);
    for (const [probability, x] of ORACLE.normal.quantile) {
      const most = Math.min(probability, 1 - probability) >= 0.999e-5 ? 1e-12 : 1e-9;
      const off = Math.abs(normalQuantile(probability) - x);
      expect(off, `quantile of ${probability}`).toBeLessThanOrEqual(most * Math.max(1, Math.abs(x)));
    }
  });

  // Abramowitz and Stegun (1964), table 26.1, and Wichura, Applied Statistics 37 (1988), 484.
  test.each([
    [0.5, 0.691462461274013],
    [1, 0.841344746068543],
    [1.96, 0.97500210485178],
    [3, 0.99865010196837],
  ])('has the published probability of %d', (x, probability) => {
    expect(Math.abs(normalCdf(x) - probability)).toBeLessThan(1e-12);
  });

  test.each([
    [0.25, -0.6744897501960817],
    [0.001, -3.090232306167814],
  ])('has the published quantile of %d', (probability, x) => {
    expect(Math.abs(normalQuantile(probability) - x)).toBeLessThan(1e-12);
  });

  test('is refused where the library is not exact', () => {
    for (const probability of [0, 1, -0.1, 1.1, 1e-10, Number.NaN])
      expect(() => normalQuantile(probability)).toThrow(InvalidSample);
    for (const x of [Number.NaN, Infinity, -Infinity]) expect(() => normalCdf(x)).toThrow(InvalidSample);
  });
});
