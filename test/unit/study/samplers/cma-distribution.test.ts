import { expect, test } from 'vitest';
import { NumericAxis } from '../../../../src/search/space-axes.ts';
import {
  CmaDistribution,
  symmetricEigen,
  cmaConstants,
  defaultPopulation,
  marginCell,
  withMargin,
} from '../../../../src/search/cma-proposer.ts';
import {
  gaussianCdf,
  gaussianMass,
  gaussianQuantile,
  wholeGenerations,
} from '../../../../src/search/proposer.ts';

/** Three populations of six, each from the best to the worst. */
const RANKED: readonly (readonly (readonly number[])[])[] = [
  [
    [0.381, 0.288, 0.255],
    [0.312, 0.407, 0.438],
    [0.45, 0.632, 0.2],
    [0.602, 0.45, 0.535],
    [0.523, 0.452, 0.611],
    [0.323, 0.727, 0.216],
  ],
  [
    [0.52, 0.615, 0.389],
    [0.284, 0.319, 0.68],
    [0.781, 0.388, 0.615],
    [0.223, 0.302, 0.727],
    [0.726, 0.737, 0.251],
    [0.259, 0.453, 0.775],
  ],
  [
    [0.373, 0.278, 0.212],
    [0.607, 0.327, 0.359],
    [0.368, 0.674, 0.262],
    [0.469, 0.745, 0.376],
    [0.612, 0.701, 0.211],
    [0.65, 0.793, 0.649],
  ],
];

const close = (found: ArrayLike<number>, expected: readonly number[]): void => {
  expect(found).toHaveLength(expected.length);
  for (const [place, value] of expected.entries()) expect(found[place]).toBeCloseTo(value, 12);
};

test('three updates are those of cmaes 0.13.1', () => {
  const distribution = new CmaDistribution(Float64Array.of(0.5, 0.5, 0.5), 1 / 6, 6);
  for (const population of RANKED) distribution.update(population.map((sample) => Float64Array.from(sample)));
  close(distribution.mean, [0.43919750438389593, 0.3229852624574807, 0.25775118640942835]);
  close(Float64Array.of(distribution.step), [0.14951898706171368]);
  close(
    distribution.covariance,
    [
      0.8901721317751791, 0.14316190923444758, 0.21819935509366234, 0.14316190923444763, 1.1431483169296355,
      0.6255450751641655, 0.21819935509366228, 0.6255450751641655, 1.2969254226651852,
    ],
  );
  close(distribution.path, [-0.16980504308701574, -1.4330489941237408, -1.8101839440058987]);
});

test('a step in one dimension is the tutorial’s by hand', () => {
  const distribution = new CmaDistribution(Float64Array.of(0), 1, 4);
  distribution.update([1, 0, -1, -2].map((x) => Float64Array.of(x)));
  // Two parents, with the raw weights ln 2.5 and ln 1.25.
  const [first, second] = [Math.log(2.5), Math.log(1.25)];
  const moved = first / (first + second);
  expect(distribution.mean[0]).toBeCloseTo(moved, 15);
  const effective = (first + second) ** 2 / (first ** 2 + second ** 2);
  const stepRate = (effective + 2) / (effective + 6);
  const length = Math.sqrt(stepRate * (2 - stepRate) * effective) * moved;
  const meanLength = 1 - 1 / 4 + 1 / 21;
  expect(distribution.step).toBeCloseTo(
    Math.exp((stepRate / (1 + stepRate)) * (length / meanLength - 1)),
    14,
  );
});

test('weights are the tutorial’s: the better half sums to 1, the rest is negative', () => {
  expect([1, 2, 10, 40].map(defaultPopulation)).toEqual([4, 6, 10, 15]);
  const { weights, parents, effectiveParents } = cmaConstants(10, 10);
  expect(parents).toBe(5);
  expect(weights.slice(0, 5).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 14);
  expect(weights.slice(5).every((weight) => weight < 0)).toBe(true);
  expect(effectiveParents).toBeCloseTo(3.1672992, 6);
});

test('eigenvectors turn a matrix into its eigenvalues', () => {
  const matrix = Float64Array.of(4, 1, -2, 2, 1, 2, 0, 1, -2, 0, 3, -2, 2, 1, -2, -1);
  const { values, vectors } = symmetricEigen(matrix, 4);
  for (let column = 0; column < 4; column += 1) {
    for (let row = 0; row < 4; row += 1) {
      let product = 0;
      for (let place = 0; place < 4; place += 1)
        product += matrix[row * 4 + place]! * vectors[place * 4 + column]!;
      expect(product).toBeCloseTo(values[column]! * vectors[row * 4 + column]!, 12);
    }
  }
  // Known eigenvalues of this matrix.
  for (const [place, value] of [-2.197516, 1.084364, 2.268531, 6.844621].entries())
    expect([...values].toSorted((a, b) => a - b)[place]).toBeCloseTo(value, 5);
});

/** Results of `cmaes.CMAwM` 0.13.1 for one stepped dimension, 0 to 3, of 5, in a population of 8. */
test.each([
  [1.2, 0.05, 1.0, 1.0, 4.461491849207088],
  [1.45, 0.4, 1.0, 1.4454730598452226, 1.0545550875360865],
  [0.1, 0.05, 1.0, 0.4020018007729973, 1.0],
  [0.1, 0.5, 1.0, 0.1, 1.0],
  [2.9, 0.05, 1.3, 2.6273976589951036, 1.3],
  [2.0, 0.1, 2.0, 2.0, 2.230745924603544],
  [1.0, 2.0, 1.0, 1.0, 0.9999999999999998],
  [2.6, 0.1, 1.0, 2.6, 1.0],
])(
  'a margin takes mean %f with deviation %f and scale %f to %f and %f',
  (mean, deviation, scale, keptMean, keptStretch) => {
    const steps = { first: 0, stride: 1, count: 4, decimals: 0 };
    const axis = new NumericAxis({
      kind: 'integer',
      name: 'n',
      scale: 'linear',
      min: 0,
      max: 3,
      steps,
      when: [],
    });
    const kept = withMargin({ mean, scale }, { deviation, margin: 1 / 40, cell: marginCell(axis, mean) });
    expect(kept.mean).toBeCloseTo(keptMean, 9);
    expect(kept.scale).toBeCloseTo(keptStretch, 9);
  },
);

/** Values of `scipy.stats.norm.cdf`, scipy 1.17.1. */
test.each([
  [-8.5, 9.47953482220325e-18],
  [-7.2, 3.010627981117422e-13],
  [-3, 0.0013498980316300933],
  [-1, 0.15865525393145707],
  [-0.1, 0.460172162722971],
  [0, 0.5],
  [0.5, 0.6914624612740131],
  [2, 0.9772498680518208],
  [6, 0.9999999990134123],
])('the share below %f is %f', (z, share) => {
  // 12 decimals are right between the entries of the table; in the far tail 4 digits are.
  expect(gaussianCdf(z)).toBeCloseTo(share, 12);
  if (z < -7) expect(gaussianCdf(z) / share).toBeCloseTo(1, 4);
  if (share > 1e-12 && share < 0.99) expect(gaussianQuantile(share)).toBeCloseTo(z, 10);
});

test('a mass far from the middle keeps its digits on both sides', () => {
  expect(gaussianMass(8, 9) / 6.219831832e-16).toBeCloseTo(1, 3);
  expect(gaussianMass(-9, -8)).toBe(gaussianMass(8, 9));
});

test.each([
  [50, 1, 50],
  [50, 8, 48],
  [9, 8, 8],
  [6, 40, 40],
  [13, 8, 16],
  // A single generation of three would be too small.
  [4, 3, 6],
])('%i trials in generations of %i are %i', (trials, generation, expected) => {
  expect(wholeGenerations(trials, { generation, least: 4 })).toBe(expected);
});
