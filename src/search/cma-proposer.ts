import { present, SarrafError, invalidOptions } from '../domain/errors.ts';
import type { NumericAxis, Coordinates, SpaceAxes } from './space-axes.ts';
import {
  numberAt,
  type LearnedTrial,
  type Proposer,
  type ProposerSetup,
  RandomStream,
  wholeGenerations,
  gaussianCdf,
  gaussianQuantile,
} from './proposer.ts';

/** Initial step size as a share of each axis, as in Optuna. */
const FIRST_STEP = 1 / 6;

/** Maximum number of draws for a sample outside an axis without steps; the last one is then clamped. */
const MOST_DRAWS = 100;

/** Minimum population: two parents and two others. It doubles at restarts, up to the largest. */
const LEAST_POPULATION = 4;
const LARGEST_POPULATION = 1_000;

/** Limits at which the search ends and restarts, from the tutorial (appendix B.3). */
const SMALLEST_STEP = 1e-12 * FIRST_STEP;
const LARGEST_SPREAD = 1e4;
const SMALLEST_GAIN = 1e-12;
const LARGEST_RATIO = 1e7;

/** Key of the random streams of samples, which no other purpose uses. */
const SAMPLE_STREAM = 3_000;
const RESTART_STREAM = 3_001;

/**
 * CMA-ES for numbers. When a search has ended, it restarts with twice the population (IPOP, A. Auger and N.
 * Hansen, 2005). Each axis is scaled to 0 to 1; the mean starts in the middle, and at random after a restart.
 *
 * - A population is the multiple of the generation that is nearest to Hansen's default.
 * - Samples outside an axis without steps are drawn again. Stepped values are rounded, with a margin that
 *   keeps other values in reach; those outside become the outer value.
 * - Infeasible trials rank after feasible ones, failed ones last; a population in which all failed changes
 *   nothing.
 */
export class CmaProposer implements Proposer {
  readonly mayRepeat = true;
  private readonly setup: ProposerSetup;
  private readonly axes: readonly NumericAxis[];
  private population: number;
  private distribution: CmaDistribution;
  /** Factor of each dimension by which samples are stretched around the mean before they are rounded. */
  private scales: Float64Array;
  private learned: LearnedTrial[] = [];
  /** Lowest losses of the latest populations. */
  private bests: number[] = [];
  private restarts = 0;

  /**
   * @throws SarrafError `INVALID_OPTIONS` for a space with choices or conditions
   */
  constructor(setup: ProposerSetup) {
    this.setup = setup;
    this.axes = numericAxes(setup.axes);
    this.population = this.wholeGenerations(defaultPopulation(this.axes.length));
    this.scales = new Float64Array(this.axes.length).fill(1);
    this.distribution = this.fresh(this.axes.map(() => 0.5));
  }

  propose(number: number): Coordinates {
    const sample = this.sample(number);
    const { mean } = this.distribution;
    return sample.map((value, index) => {
      const { low, high } = this.axis(index);
      const center = numberAt(mean, index);
      return low + (center + (value - center) * numberAt(this.scales, index)) * (high - low);
    });
  }

  accept(): void {}

  learn(trials: readonly LearnedTrial[]): void {
    this.learned.push(...trials);
    if (this.learned.length < this.population) return;
    const ranked = this.learned.toSorted(byRank);
    this.learned = [];
    const best = ranked[0];
    if (best === undefined || best.violation === Infinity) return;
    this.distribution.update(ranked.map(({ number }) => this.sample(number)));
    this.boundMargins();
    this.bests.push(best.violation > 0 ? best.violation : (best.losses[0] ?? 0));
    if (this.hasEnded(ranked)) this.restart();
  }

  /** Returns the sample of a trial, before stretching; it is the same until the distribution is updated. */
  private sample(number: number): Float64Array {
    const random = new RandomStream(this.setup.seed, number, SAMPLE_STREAM);
    let sample: Float64Array = new Float64Array();
    for (let draw = 0; draw < MOST_DRAWS; draw += 1) {
      sample = this.distribution.place(Float64Array.from(this.axes, () => random.normal()));
      if (sample.every((value, index) => this.axis(index).isStepped || (value >= 0 && value <= 1)))
        return sample;
    }
    return sample.map((value, index) =>
      this.axis(index).isStepped ? value : Math.min(1, Math.max(0, value)),
    );
  }

  private boundMargins(): void {
    const { distribution } = this;
    const margin = 1 / (this.axes.length * this.population);
    for (const [index, axis] of this.axes.entries()) {
      if (!axis.isStepped) continue;
      const line = axis.high - axis.low;
      const mean = numberAt(distribution.mean, index);
      const [left, right] = marginCell(axis, axis.low + mean * line);
      const bounded = withMargin(
        { mean, scale: numberAt(this.scales, index) },
        {
          deviation: distribution.step * distribution.deviation(index),
          margin,
          cell: [(left - axis.low) / line, (right - axis.low) / line],
        },
      );
      distribution.mean[index] = bounded.mean;
      this.scales[index] = bounded.scale;
    }
  }

  private hasEnded(ranked: readonly LearnedTrial[]): boolean {
    const { distribution, bests } = this;
    const { step, path } = distribution;
    const [shortest, longest] = distribution.extent;
    if (longest > LARGEST_RATIO * shortest || step * longest > LARGEST_SPREAD) return true;
    if (this.axes.every((_, index) => isStill(index))) return true;
    const horizon = 10 + Math.ceil((30 * this.axes.length) / this.population);
    if (bests.length < horizon) return false;
    const values = bests.slice(-horizon);
    for (const { losses, violation } of ranked) values.push(violation > 0 ? violation : (losses[0] ?? 0));
    return Math.max(...values) - Math.min(...values) < SMALLEST_GAIN;

    function isStill(index: number): boolean {
      const reach = Math.max(distribution.deviation(index), Math.abs(numberAt(path, index)));
      return step * reach < SMALLEST_STEP;
    }
  }

  private restart(): void {
    this.restarts += 1;
    const random = new RandomStream(this.setup.seed, this.restarts, RESTART_STREAM);
    this.population = Math.min(this.population * 2, this.wholeGenerations(LARGEST_POPULATION));
    this.scales.fill(1);
    this.bests = [];
    this.distribution = this.fresh(this.axes.map(() => random.uniform()));
  }

  private fresh(mean: readonly number[]): CmaDistribution {
    return new CmaDistribution(Float64Array.from(mean), FIRST_STEP, this.population);
  }

  private wholeGenerations(trials: number): number {
    return wholeGenerations(trials, { generation: this.setup.generation, least: LEAST_POPULATION });
  }

  private axis(index: number): NumericAxis {
    const axis = this.axes[index];
    if (axis === undefined) throw new SarrafError('INVARIANT', `expected a dimension, was ${index}`);
    return axis;
  }
}

function byRank(one: LearnedTrial, other: LearnedTrial): number {
  if (one.violation !== other.violation) return one.violation < other.violation ? -1 : 1;
  if (one.violation > 0) return one.number - other.number;
  return (one.losses[0] ?? 0) - (other.losses[0] ?? 0) || one.number - other.number;
}

function numericAxes({ axes, space }: SpaceAxes): readonly NumericAxis[] {
  return axes.map((axis, index) => {
    const parameter = space.parameters[index];
    const name = parameter?.name ?? '';
    const refuse = (found: string): never => {
      const message = `expected numbers only for cmaes, found ${found} ${name}: take tpe, or fix it in the params`;
      throw invalidOptions(message);
    };
    if (axis.kind === 'choice') return refuse(parameter?.kind === 'boolean' ? 'the boolean' : 'the choice');
    if (parameter !== undefined && parameter.when.length > 0) return refuse('the conditional parameter');
    return axis;
  });
}

/** Distribution of one dimension: its mean, and the factor that the margin applies to its deviation. */
interface Marginal {
  readonly mean: number;
  /** Factor by which samples are stretched around the mean before they are rounded. */
  readonly scale: number;
}

/** Minimum distance of a probability on one side from 0.5, where its quantile is 0. */
const OFF_HALF = 1e-10;

/**
 * Keeps a stepped parameter from being stuck at one value: another value has at least the probability
 * `margin`, both sides together. For this the mean moves and samples are stretched; the distribution stays as
 * it is (R. Hamano et al., "CMA-ES with margin", 2022, arXiv:2205.13482, section 4.2).
 */
export function withMargin(
  { mean, scale }: Marginal,
  of: {
    readonly deviation: number;
    readonly margin: number;
    /** Interval of the value nearest to the mean; both ends are equal for an outer value. */
    readonly cell: readonly [left: number, right: number];
  },
): Marginal {
  const { deviation, margin } = of;
  const [left, right] = of.cell;
  const width = deviation * scale;
  const below = gaussianCdf((left - mean) / width);
  const above = gaussianCdf((mean - right) / width);
  if (left === right || Math.max(below, above) > 0.5) {
    if (Math.min(below, above) >= margin) return { mean, scale };
    const side = mean < right ? -1 : 1;
    return { mean: right + side * width * gaussianQuantile(1 - margin), scale };
  }
  const inside = 1 - below - above;
  const [least, most] = [Math.max(below, margin / 2), Math.max(above, margin / 2)];
  const share = (1 - least - most - inside) / (least + inside + most - 1.5 * margin);
  const toLeft = quantileBeyond(least + share * (least - margin / 2));
  const toRight = quantileBeyond(most + share * (most - margin / 2));
  return {
    mean: (left * toRight + right * toLeft) / (toLeft + toRight),
    scale: (right - left) / ((toLeft + toRight) * deviation),
  };
}

const quantileBeyond = (share: number): number =>
  gaussianQuantile(1 - Math.min(0.5 - OFF_HALF, Math.max(OFF_HALF, share)));

/** Returns the interval of the value nearest to a coordinate, as `withMargin` needs it. */
export function marginCell(axis: NumericAxis, coordinate: number): readonly [left: number, right: number] {
  const [left, right] = axis.cellAt(axis.snapped(coordinate));
  const tolerance = (right - left) / 2;
  if (left < axis.low + tolerance) return [right, right];
  if (right > axis.high - tolerance) return [left, left];
  return [left, right];
}

/** Lower bound of eigenvalues: rounding may put one below it, or below 0. */
const LEAST_EIGENVALUE = 1e-20;
/** Largest step size: beyond it numbers become infinite. */
const LARGEST_STEP = 1e32;

/**
 * Normal distribution of CMA-ES: its mean, step size and covariance, which are updated from the ranked
 * samples of a population (N. Hansen's tutorial, arXiv:1604.00772, with negative weights).
 */
export class CmaDistribution {
  readonly dimensions: number;
  readonly mean: Float64Array;
  readonly covariance: Float64Array;
  step: number;
  readonly path: Float64Array;
  private readonly stepPath: Float64Array;
  private readonly constants: CmaConstants;
  private updates = 0;
  /** Eigenvectors of the covariance, as columns; `lengths` has the deviations along them. */
  private axes: Float64Array;
  private lengths: Float64Array;

  constructor(mean: Float64Array, step: number, population: number) {
    const n = mean.length;
    this.dimensions = n;
    this.mean = mean.slice();
    this.step = step;
    this.constants = cmaConstants(n, population);
    this.path = new Float64Array(n);
    this.stepPath = new Float64Array(n);
    this.covariance = new Float64Array(n * n);
    for (let place = 0; place < n; place += 1) this.covariance[place * n + place] = 1;
    this.axes = this.covariance.slice();
    this.lengths = new Float64Array(n).fill(1);
  }

  /** Shortest and longest deviation along the axes, without the step size. */
  get extent(): readonly [shortest: number, longest: number] {
    return [Math.min(...this.lengths), Math.max(...this.lengths)];
  }

  /** Returns the deviation in one dimension, without the step size. */
  deviation(dimension: number): number {
    return Math.sqrt(numberAt(this.covariance, dimension * this.dimensions + dimension));
  }

  /** Converts a standard normal vector to a sample. */
  place(normal: Float64Array): Float64Array {
    const turned = this.turned(normal, (length) => length);
    return turned.map((value, index) => numberAt(this.mean, index) + this.step * value);
  }

  /** Updates the distribution from the samples of a population, the best first. */
  update(ranked: readonly Float64Array[]): void {
    const { constants: c, dimensions: n } = this;
    this.updates += 1;
    const steps = ranked.map((sample) =>
      sample.map((value, index) => (value - numberAt(this.mean, index)) / this.step),
    );
    const move = new Float64Array(n);
    for (const [rank, step] of steps.slice(0, c.parents).entries()) addTo(move, step, weightOf(c, rank));
    addTo(this.mean, move, this.step);
    // The path of the steps, measured without the covariance (43), sets the step size (44).
    scale(this.stepPath, 1 - c.stepRate);
    addTo(this.stepPath, this.whitened(move), Math.sqrt(c.stepRate * (2 - c.stepRate) * c.effectiveParents));
    const length = Math.hypot(...this.stepPath);
    const growth = Math.exp((c.stepRate / c.stepDamping) * (length / c.meanLength - 1));
    this.step = Math.min(LARGEST_STEP, this.step * growth);
    // While the step grows fast, the covariance's path waits (45).
    const settled = length / Math.sqrt(1 - (1 - c.stepRate) ** (2 * (this.updates + 1)));
    const isSettled = settled < (1.4 + 2 / (n + 1)) * c.meanLength;
    scale(this.path, 1 - c.pathRate);
    if (isSettled) addTo(this.path, move, Math.sqrt(c.pathRate * (2 - c.pathRate) * c.effectiveParents));
    this.follow(steps, isSettled ? 0 : c.pathRate * (2 - c.pathRate));
    this.decompose();
  }

  /** Moves the covariance towards the path and the steps, each by its rate (equations 46 and 47). */
  private follow(steps: readonly Float64Array[], missed: number): void {
    const { constants: c, dimensions: n, covariance } = this;
    const total = c.weights.reduce((sum, weight) => sum + weight, 0);
    scale(covariance, 1 + c.rankOneRate * missed - c.rankOneRate - c.rankMuRate * total);
    addOuter(covariance, this.path, c.rankOneRate);
    for (const [rank, step] of steps.entries()) {
      const weight = weightOf(c, rank);
      const shrunk = weight >= 0 ? 1 : n / (Math.hypot(...this.whitened(step)) ** 2 + 1e-8);
      addOuter(covariance, step, c.rankMuRate * weight * shrunk);
    }
  }

  private decompose(): void {
    const { covariance, dimensions: n } = this;
    for (let row = 0; row < n; row += 1)
      for (let column = 0; column < row; column += 1)
        covariance[row * n + column] = numberAt(covariance, column * n + row);
    const { values, vectors } = symmetricEigen(covariance, n);
    this.axes = vectors;
    this.lengths = values.map((value) => Math.sqrt(Math.max(LEAST_EIGENVALUE, value)));
  }

  /** Transforms a vector to coordinates in which the covariance is the identity. */
  private whitened(vector: Float64Array): Float64Array {
    const { axes, dimensions: n } = this;
    const along = new Float64Array(n);
    for (let axis = 0; axis < n; axis += 1) {
      let sum = 0;
      for (let row = 0; row < n; row += 1) sum += numberAt(axes, row * n + axis) * numberAt(vector, row);
      along[axis] = sum;
    }
    return this.turned(along, (length) => 1 / length);
  }

  /** Stretches a vector along the eigenvectors, and rotates it to them. */
  private turned(along: Float64Array, scaled: (length: number) => number): Float64Array {
    const { axes, dimensions: n } = this;
    const turned = new Float64Array(n);
    for (let axis = 0; axis < n; axis += 1) {
      const part = scaled(numberAt(this.lengths, axis)) * numberAt(along, axis);
      for (let row = 0; row < n; row += 1)
        turned[row] = numberAt(turned, row) + numberAt(axes, row * n + axis) * part;
    }
    return turned;
  }
}

const weightOf = ({ weights }: CmaConstants, rank: number): number =>
  present(weights[rank], () => `a weight of rank ${rank}`);

function scale(values: Float64Array, factor: number): void {
  for (let place = 0; place < values.length; place += 1) values[place] = numberAt(values, place) * factor;
}

function addTo(values: Float64Array, more: Float64Array, factor: number): void {
  for (let place = 0; place < values.length; place += 1)
    values[place] = numberAt(values, place) + factor * numberAt(more, place);
}

function addOuter(matrix: Float64Array, vector: Float64Array, factor: number): void {
  const size = vector.length;
  for (let row = 0; row < size; row += 1) {
    const part = factor * numberAt(vector, row);
    for (let column = 0; column < size; column += 1)
      matrix[row * size + column] = numberAt(matrix, row * size + column) + part * numberAt(vector, column);
  }
}

/** Eigenvalues and eigenvectors of a symmetric matrix: column `k` of `vectors` belongs to `values[k]`. */
interface Eigen {
  readonly values: Float64Array;
  /** Matrix, row by row. */
  readonly vectors: Float64Array;
}

/** Maximum number of sweeps. Each rotates away every element off the diagonal; a few sweeps are enough. */
const MOST_SWEEPS = 50;

/**
 * Returns eigenvalues and eigenvectors of a symmetric matrix, given row by row, by Jacobi's rotations: slower
 * than other methods for large matrices, but accurate to the last digits for small ones.
 */
export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const rest = matrix.slice();
  const vectors = new Float64Array(size * size);
  for (let place = 0; place < size; place += 1) vectors[place * size + place] = 1;
  for (let sweep = 0; sweep < MOST_SWEEPS && !isDiagonal(rest, size); sweep += 1)
    for (let row = 0; row < size - 1; row += 1)
      for (let column = row + 1; column < size; column += 1) rotate(rest, vectors, { size, row, column });
  const values = Float64Array.from({ length: size }, (_, place) => numberAt(rest, place * size + place));
  return { values, vectors };
}

function isDiagonal(matrix: Float64Array, size: number): boolean {
  let [beside, on] = [0, 0];
  for (let row = 0; row < size; row += 1) {
    on += numberAt(matrix, row * size + row) ** 2;
    for (let column = row + 1; column < size; column += 1)
      beside += numberAt(matrix, row * size + column) ** 2;
  }
  return beside <= 1e-30 * on;
}

/** Rotates the plane of two axes so that their common element becomes 0. */
function rotate(
  matrix: Float64Array,
  vectors: Float64Array,
  { size, row, column }: { readonly size: number; readonly row: number; readonly column: number },
): void {
  const element = numberAt(matrix, row * size + column);
  if (element === 0) return;
  const slope =
    (numberAt(matrix, column * size + column) - numberAt(matrix, row * size + row)) / (2 * element);
  const tangent = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.sqrt(slope * slope + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  for (let place = 0; place < size; place += 1)
    turn(matrix, [place * size + row, place * size + column], cosine, sine);
  for (let place = 0; place < size; place += 1)
    turn(matrix, [row * size + place, column * size + place], cosine, sine);
  for (let place = 0; place < size; place += 1)
    turn(vectors, [place * size + row, place * size + column], cosine, sine);
}

function turn(
  values: Float64Array,
  [first, second]: readonly [number, number],
  cosine: number,
  sine: number,
): void {
  const [one, other] = [numberAt(values, first), numberAt(values, second)];
  values[first] = cosine * one - sine * other;
  values[second] = sine * one + cosine * other;
}

/** Constants of CMA-ES for a number of dimensions and a population size. */
interface CmaConstants {
  /** Weights by rank, the best first; those of the worse half are negative. */
  readonly weights: readonly number[];
  /** Number of trials in the better half. */
  readonly parents: number;
  readonly effectiveParents: number;
  readonly pathRate: number;
  readonly rankOneRate: number;
  readonly rankMuRate: number;
  readonly stepRate: number;
  readonly stepDamping: number;
  /** Mean length of a standard normal vector. */
  readonly meanLength: number;
}

/** Returns N. Hansen's default number of trials in a population. */
export const defaultPopulation = (dimensions: number): number => 4 + Math.floor(3 * Math.log(dimensions));

/**
 * Returns N. Hansen's default constants ("The CMA evolution strategy: a tutorial", arXiv:1604.00772, table 1;
 * comments in the code give its equation numbers).
 */
export function cmaConstants(dimensions: number, population: number): CmaConstants {
  const n = dimensions;
  const parents = Math.floor(population / 2);
  // (49)
  const raw = Array.from(
    { length: population },
    (_, rank) => Math.log((population + 1) / 2) - Math.log(rank + 1),
  );
  const effectiveParents = effective(raw.slice(0, parents));
  const effectiveOthers = effective(raw.slice(parents));
  // (57)
  const rankOneRate = 2 / ((n + 1.3) ** 2 + effectiveParents);
  // (58); a rate of 1 would leave nothing of the matrix.
  const rankMuRate = Math.min(
    1 - rankOneRate - 1e-8,
    (2 * (effectiveParents - 2 + 1 / effectiveParents)) / ((n + 2) ** 2 + effectiveParents),
  );
  // (50) to (52)
  const negative = Math.min(
    1 + rankOneRate / rankMuRate,
    1 + (2 * effectiveOthers) / (effectiveParents + 2),
    (1 - rankOneRate - rankMuRate) / (n * rankMuRate),
  );
  const positiveSum = sumOf(raw.filter((weight) => weight > 0));
  const negativeSum = -sumOf(raw.filter((weight) => weight < 0));
  // (55)
  const stepRate = (effectiveParents + 2) / (n + effectiveParents + 5);
  return {
    // (53)
    weights: raw.map((weight) => (weight >= 0 ? weight / positiveSum : (negative * weight) / negativeSum)),
    parents,
    effectiveParents,
    // (56)
    pathRate: (4 + effectiveParents / n) / (n + 4 + (2 * effectiveParents) / n),
    rankOneRate,
    rankMuRate,
    stepRate,
    stepDamping: 1 + 2 * Math.max(0, Math.sqrt((effectiveParents - 1) / (n + 1)) - 1) + stepRate,
    meanLength: Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)),
  };
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Returns the number of equal weights as varied as these: their sum squared by the sum of squares. */
const effective = (weights: readonly number[]): number =>
  sumOf(weights) ** 2 / sumOf(weights.map((weight) => weight ** 2));
