import { expect, test } from 'vitest';
import { NumericAxis, SpaceAxes } from '../../../../src/search/space-axes.ts';
import { readSpace } from '../../../../src/search/space-declaration.ts';
import { agedWeights, ParzenEstimator } from '../../../../src/search/parzen-estimator.ts';
import { RandomStream } from '../../../../src/search/proposer.ts';
import { TpeHistory } from '../../../../src/search/tpe-proposer.ts';

const DECLARED = {
  x: { kind: 'decimal', min: -3, max: 7 },
  rate: { kind: 'decimal', min: 0.001, max: 1, scale: 'log' },
  share: { kind: 'decimal', min: 0, max: 1, step: 0.25 },
  length: { kind: 'integer', min: 2, max: 20 },
  mode: { kind: 'choice', values: ['a', 'b', 'c'] },
} as const;

type Name = keyof typeof DECLARED;

/** Observed values of each parameter; choices are indexes. Below are the points to compare at. */
const OBSERVED: Readonly<Record<Name, readonly number[]>> = {
  x: [
    2.51, 4.08, -0.09, 2.11, 5.93, 5.96, -1.74, -0.93, -2.49, 1.41, -2.7, 1.57, 3.49, -0.22, 3.76, 2.91,
    -2.76, 2.59, -0.41, 1.15, -0.16, 3.93, 1.4, -1.43, 2.45, 4.8, 0.06, -0.78, 0.88, 6.36,
  ],
  rate: [
    0.8472, 0.104, 0.5111, 0.3446, 0.0136, 0.0019, 0.0912, 0.0472, 0.0122, 0.0047, 0.0166, 0.0255, 0.0064,
    0.0075, 0.0236, 0.3816, 0.0574, 0.0071, 0.0068, 0.0231, 0.0041, 0.004, 0.0348, 0.0018, 0.0282, 0.0122,
    0.1328, 0.1739, 0.1184, 0.1168,
  ],
  share: [
    1.0, 0.75, 0.25, 0.25, 0.0, 0.0, 0.0, 0.0, 0.25, 0.25, 1.0, 0.0, 0.75, 1.0, 0.5, 0.0, 0.0, 1.0, 1.0, 1.0,
    1.0, 0.75, 0.75, 0.0, 0.0, 0.5, 0.5, 0.25, 0.75, 0.5,
  ],
  length: [
    3.0, 20.0, 4.0, 5.0, 19.0, 13.0, 9.0, 3.0, 13.0, 2.0, 18.0, 13.0, 10.0, 10.0, 16.0, 14.0, 6.0, 11.0, 20.0,
    7.0, 11.0, 12.0, 19.0, 11.0, 2.0, 15.0, 14.0, 9.0, 6.0, 12.0,
  ],
  mode: [
    0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 2.0, 0.0,
    2.0, 1.0, 0.0, 1.0, 1.0, 0.0, 2.0, 1.0, 1.0,
  ],
};
const CANDIDATES: Readonly<Record<Name, readonly number[]>> = {
  x: [0.5, -3.0, 6.0],
  rate: [0.01, 0.5, 0.9],
  share: [0.25, 1.0, 0.0],
  length: [3.0, 20.0, 11.0],
  mode: [0.0, 2.0, 1.0],
};

/**
 * Logarithms of the densities of Optuna 5.0.0's `_ParzenEstimator`, with its defaults and a stable
 * sort, after `count` trials. (Its own sort leaves the order of equal observations open.)
 */
const OPTUNA: readonly (readonly [names: readonly Name[], count: number, logs: readonly number[]])[] = [
  [['x'], 5, [-2.3202506918142554, -3.460120529305637, -2.3120615859710494]],
  [['rate'], 5, [-2.5012925203880507, -1.1489169869521725, -1.2284190243199604]],
  [['share'], 5, [-1.4504608428846022, -1.7145766532997333, -1.5043773935168847]],
  [['length'], 30, [-3.1057411533538692, -2.862382695178611, -2.3425278213570273]],
  [['mode'], 5, [-0.523248143764548, -1.349926716949016, -1.9095425048844386]],
  [['x'], 1, [-2.25424761908588, -2.5180581957581727, -2.355720368126395]],
  [['x'], 0, [-2.2728572925030965, -2.386607292503096, -2.341607292503096]],
  [['x', 'rate', 'mode'], 30, [-6.08184521213729, -8.808499510487655, -8.802200323675905]],
  [
    ['x', 'rate', 'share', 'length', 'mode'],
    30,
    [-11.385390751806248, -13.475171472956315, -13.355636313516325],
  ],
];

function estimatorOf(names: readonly Name[], count: number, room = 0) {
  const { axes } = new SpaceAxes(readSpace(Object.fromEntries(names.map((name) => [name, DECLARED[name]]))));
  const coordinate = (index: number, value: number): number => {
    const axis = axes[index]!;
    return axis.kind === 'choice' ? value : axis.coordinateOf(value);
  };
  const columns = names.map((name, index) => {
    const observed = Float64Array.from(OBSERVED[name].slice(0, count), (value) => coordinate(index, value));
    const order = Int32Array.from([...observed.keys()].toSorted((a, b) => observed[a]! - observed[b]!));
    return { observed, order };
  });
  /** Logarithm of the uniform density, to which ours are relative. */
  const even = axes.reduce((sum, axis, index) => {
    if (axis.kind === 'choice') return sum - Math.log(axis.count);
    const declared = DECLARED[names[index]!];
    if ('step' in declared) return sum - Math.log(5);
    return sum - Math.log(declared.kind === 'integer' ? 19 : axis.high - axis.low);
  }, 0);
  return { axes, coordinate, even, estimator: new ParzenEstimator(axes, columns, room) };
}

test.each(OPTUNA)('the density of %j after %i trials is Optuna’s', (names, count, logs) => {
  const { coordinate, even, estimator } = estimatorOf(names, count);
  for (const [candidate, log] of logs.entries()) {
    const at = Float64Array.from(names, (name, index) => coordinate(index, CANDIDATES[name][candidate]!));
    expect(Math.log(estimator.density(at)) + even).toBeCloseTo(log, 9);
  }
});

/** Density of a normal distribution that is truncated to -3 to 7. */
const kernel = (x: number, mean: number, deviation: number): number =>
  Math.exp(-(((x - mean) / deviation) ** 2) / 2) /
  (deviation * Math.sqrt(2 * Math.PI)) /
  (share((7 - mean) / deviation) - share((-3 - mean) / deviation));

test('one observation and the prior are the formula of two truncated normals', () => {
  // One kernel is at 2.51, as wide as the distance to the lower end; the prior's is at the middle.
  const [line, middle, width] = [10, 2.51, 2.51 + 3];
  const expected = (kernel(0.5, middle, width) + kernel(0.5, 2, line)) / 2;
  expect(estimatorOf(['x'], 1).estimator.density(Float64Array.of(0.5))).toBeCloseTo(expected * line, 7);
});

const share = (z: number): number => 0.5 * (1 + erf(z / Math.SQRT2));

/** Approximates the error function (Abramowitz and Stegun, 7.1.26). */
function erf(z: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(z));
  const tail =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(z) * (1 - tail * Math.exp(-z * z));
}

test('a kernel that is added counts as an observation does', () => {
  const names = ['x', 'mode'] as const;
  const [added, whole] = [estimatorOf(names, 4, 1), estimatorOf(names, 5)];
  added.estimator.add(Float64Array.from(names, (name) => OBSERVED[name][4]!));
  const at = Float64Array.of(0.5, 1);
  // The densities differ only by the least width and the weight of the prior, which count one trial less.
  expect(added.estimator.density(at) / whole.estimator.density(at)).toBeCloseTo(1, 0);
  expect(added.estimator.density(at)).not.toBe(estimatorOf(names, 4).estimator.density(at));
});

test('draws are values of the space, and as frequent as the density says', () => {
  const { estimator, axes } = estimatorOf(['share'], 30);
  const random = new RandomStream(1);
  const counts = new Map<number, number>();
  const draws = 20_000;
  for (let draw = 0; draw < draws; draw += 1) {
    const value = estimator.draw(random)[0]!;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  for (const [value, count] of counts) {
    const expected = (estimator.density(Float64Array.of(value)) / 5) * draws;
    // Five standard deviations of a count.
    expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected));
  }
  expect(axes[0]).toBeInstanceOf(NumericAxis);
});

test('weights are even up to 25 trials, and older ones fade beyond', () => {
  expect([...agedWeights(3)]).toEqual([1, 1, 1]);
  expect([...agedWeights(26)]).toEqual([1 / 26, ...Array(25).fill(1)]);
  expect([...agedWeights(28)]).toEqual([1 / 28, (1 / 28 + 1) / 2, 1, ...Array(25).fill(1)]);
});

/** Makes a trial. One parameter always exists, and two others together in two of three trials. */
const trial = (number: number, loss: number | null, violation = 0) => ({
  number,
  coordinates: Float64Array.of(
    number,
    number % 3 === 0 ? Number.NaN : number,
    number % 3 === 0 ? Number.NaN : -number,
  ),
  losses: loss === null ? [] : [loss],
  violation: loss === null ? Infinity : violation,
});

test('a tenth of the trials with values are good: feasible ones by loss, then the least infeasible', () => {
  const history = new TpeHistory(3);
  for (let number = 0; number < 30; number += 1) {
    if (number === 20) history.add(trial(number, 9));
    else history.add(number < 8 ? trial(number, null) : trial(number, number, 100 - number));
  }
  // 22 trials have values, so 3 are good: the feasible one, and the two that violate least.
  expect(history.completeCount).toBe(22);
  const [good, others] = history.parted([0]);
  expect([...good[0]!.observed]).toEqual([20, 28, 29]);
  expect(others[0]!.observed).toHaveLength(27);
});

test('both sides hold the trials that have the parameters, in order of their numbers and of their values', () => {
  const history = new TpeHistory(3);
  for (let number = 0; number < 300; number += 1) history.add(trial(number, 300 - number));
  const [good, others] = history.parted([1, 2]);
  // The best 25 are the latest ones.
  expect([...good[0]!.observed]).toEqual(
    Array.from({ length: 25 }, (_, place) => 275 + place).filter((number) => number % 3 !== 0),
  );
  expect(good[0]!.observed.length + others[0]!.observed.length).toBe(200);
  for (const side of [good, others]) {
    expect([...side[0]!.order]).toEqual([...side[0]!.observed.keys()]);
    expect([...side[1]!.order]).toEqual([...side[0]!.observed.keys()].toReversed());
  }
});
