import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { weights, type Covariance } from '../../../src/strategy/sdk/size.ts';
import { scenarios } from '../../support/scenarios.ts';

const NAMES = ['BTCIRT', 'ETHIRT', 'LTCIRT', 'XRPIRT'];

/** Makes the covariance from volatilities and correlations. */
function covarianceOf(
  volatilities: readonly number[],
  correlation: (row: number, column: number) => number,
): Covariance {
  const matrix = volatilities.map((left, row) =>
    volatilities.map((right, column) => left * right * (row === column ? 1 : correlation(row, column))),
  );
  return { markets: NAMES.slice(0, volatilities.length), matrix };
}

const sharesOf = (shares: Readonly<Record<string, number>>): readonly number[] => Object.values(shares);

/** Returns the share of each in the variance. */
function contributionsOf({ matrix }: Covariance, shares: readonly number[]): readonly number[] {
  const parts = matrix.map((row, index) =>
    row.reduce((sum, value, column) => sum + value * shares[column]! * shares[index]!, 0),
  );
  const variance = parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part) => part / variance);
}

const percentOf = (shares: Readonly<Record<string, number>>): readonly string[] =>
  sharesOf(shares).map((share) => (share * 100).toFixed(1));

describe('shares', () => {
  test('are equal', () => {
    expect(weights.equal(NAMES)).toEqual({ BTCIRT: 0.25, ETHIRT: 0.25, LTCIRT: 0.25, XRPIRT: 0.25 });
  });

  test('are in proportion to one by the volatility', () => {
    const covariance = covarianceOf([0.1, 0.2, 0.3, 0.4], () => 0.5);
    expect(percentOf(weights.inverseVolatility(covariance))).toEqual(['48.0', '24.0', '16.0', '12.0']);
  });

  test('of equal risk are inverse volatilities for two, and where all correlations are the same', () => {
    const two = covarianceOf([0.1, 0.35], () => -0.6);
    const four = covarianceOf([0.1, 0.2, 0.3, 0.4], () => 0.5);
    for (const covariance of [two, four]) {
      const expected = sharesOf(weights.inverseVolatility(covariance));
      for (const [index, share] of sharesOf(weights.equalRiskContribution(covariance)).entries())
        expect(share).toBeCloseTo(expected[index]!, 11);
    }
  });

  test('of equal risk are those of the second example of Maillard, Roncalli and Teiletche', () => {
    const correlations = [
      [1, 0.8, 0, 0],
      [0.8, 1, 0, 0],
      [0, 0, 1, -0.5],
      [0, 0, -0.5, 1],
    ];
    const covariance = covarianceOf([0.1, 0.2, 0.3, 0.4], (row, column) => correlations[row]![column]!);
    expect(percentOf(weights.equalRiskContribution(covariance))).toEqual(['38.4', '19.2', '24.3', '18.2']);
  });

  test('of equal risk add the same risk, whatever the units of the returns', () => {
    const number = fc.double({ min: -1, max: 1, noNaN: true });
    const factors = fc.array(fc.array(number, { minLength: 5, maxLength: 5 }), {
      minLength: 2,
      maxLength: 4,
    });
    fc.assert(
      fc.property(factors, fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (rows, scale) => {
        // Positive definite: a matrix times its transpose, with something added to the diagonal.
        const matrix = rows.map((left, row) =>
          rows.map(
            (right, column) =>
              left.reduce((sum, value, index) => sum + value * right[index]!, 0) + (row === column ? 0.1 : 0),
          ),
        );
        const covariance = { markets: NAMES.slice(0, rows.length), matrix };
        const shares = sharesOf(weights.equalRiskContribution(covariance));
        for (const part of contributionsOf(covariance, shares))
          expect(Math.abs(part - 1 / rows.length)).toBeLessThan(1e-9);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
        const scaled = { ...covariance, matrix: matrix.map((row) => row.map((value) => value * scale)) };
        for (const [index, share] of sharesOf(weights.equalRiskContribution(scaled)).entries())
          expect(share).toBeCloseTo(shares[index]!, 9);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a covariance', () => {
  test('is that of the sample of log returns', () => {
    const grow = Math.exp;
    const { markets, matrix } = weights.covariance({
      BTCIRT: [1, grow(0.01), grow(0.03), grow(0.06)],
      ETHIRT: [5, 5 * grow(0.02), 5 * grow(0.02), 5 * grow(0.08)],
    });
    expect(markets).toEqual(['BTCIRT', 'ETHIRT']);
    // Three returns of 1, 2, 3 % and of 2, 0, 6 %, with means 2 % and 8/3 %.
    expect(matrix[0]![0]).toBeCloseTo(1e-4, 15);
    expect(matrix[0]![1]).toBeCloseTo(2e-4, 15);
    expect(matrix[1]![0]).toBe(matrix[0]![1]);
    expect(matrix[1]![1]).toBeCloseTo(28e-4 / 3, 15);
  });

  scenarios<() => unknown>((message, make) => {
    expect(make).toThrow(message);
  }, 'is refused with %s')`
    no market ${() => weights.equal([])}: markets: expected one or more, each once, was []
    closes of other bars ${() => weights.covariance({ BTCIRT: [1, 2, 3, 4], ETHIRT: [1, 2, 3] })}
      closes.ETHIRT: expected as many closes of each market, more than 2, was 3 beside 4
    a price of nothing ${() => weights.covariance({ BTCIRT: [1, 0, 3, 4] })}
      closes.BTCIRT: expected prices above 0, was 0
    a market that never moves ${() => weights.inverseVolatility(weights.covariance({ BTCIRT: [1, 1, 1, 1] }))}
      matrix.0: expected numbers, and a variance of BTCIRT above 0, was [0]
    numbers that are no covariance
      ${() =>
        weights.equalRiskContribution({
          markets: ['A', 'B'],
          matrix: [
            [1, 0.5],
            [0.4, 1],
          ],
        })}
      matrix.0.1: expected the same on both sides of the diagonal, was 0.5 and 0.4
    two that cancel each other out ${() => weights.equalRiskContribution(covarianceOf([1, 1], () => -1))}
      covariance: expected one in which no mix of the markets is free of risk, was [[1,-1],[-1,1]]
  `;
});
