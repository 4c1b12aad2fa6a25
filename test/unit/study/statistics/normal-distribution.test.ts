import { describe, expect, test } from 'vitest';
import { normalCdf, normalQuantile } from '../../../../src/statistics/probabilistic-sharpe.ts';
import { InvalidSample } from '../../../../src/statistics/estimate.ts';
import { ORACLE } from './oracle-vectors.ts';

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
