import { present } from '../domain/errors.ts';
import type { Axis, ChoiceAxis, NumericAxis } from './space-axes.ts';
import { numberAt, type RandomStream, gaussianMass } from './proposer.ts';

/** Number of latest trials with full weight; the older an earlier one is, the lower its weight. */
const FULL_WEIGHT = 25;

/** Logarithm of 1e-16: kernels whose sum is below this share of the prior may be left out. */
const NOTHING = -37;

/**
 * Density over some parameters together, estimated from observations: a mixture with one kernel for each
 * trial, a product over the parameters, and with the prior. Widths and weights are those of J. Bergstra et
 * al. ("Algorithms for hyper-parameter optimization", 2011) as in Optuna 5.
 */
export class ParzenEstimator {
  private readonly parts: readonly (ParzenAxis | ParzenChoice)[];
  private readonly weights: Float64Array;
  /** Weights times the factors that do not depend on the coordinates. */
  private readonly scaled: Float64Array;
  private readonly factors: Float64Array;
  private readonly exponents: Float64Array;
  /** Index of the prior among the kernels. */
  private readonly prior: number;
  private kernels: number;
  private totalWeight = 0;

  /** `columns`: observations of each parameter, all of one length. `room`: number that may be added. */
  constructor(axes: readonly Axis[], columns: readonly ParzenObservations[], room = 0) {
    const observations = present(columns[0], 'a parameter').observed.length;
    this.kernels = observations + 1;
    this.parts = axes.map((axis, index) => {
      const { observed, order } = present(columns[index], 'what a parameter had');
      return axis.kind === 'numeric'
        ? new ParzenAxis(axis, { observed, order, room })
        : new ParzenChoice(axis, { observed, room });
    });
    this.weights = new Float64Array(this.kernels + room);
    this.weights.set(agedWeights(observations));
    this.prior = observations;
    this.weights[this.prior] = 1;
    for (const weight of this.weights) this.totalWeight += weight;
    this.scaled = this.weights.slice();
    for (let kernel = 0; kernel < this.kernels; kernel += 1) this.scale(kernel);
    this.factors = new Float64Array(this.kernels + room);
    this.exponents = new Float64Array(this.kernels + room);
  }

  /** Adds an observation with full weight. */
  add(coordinates: Float64Array): void {
    for (const [index, part] of this.parts.entries()) part.add(numberAt(coordinates, index));
    this.weights[this.kernels] = 1;
    this.scaled[this.kernels] = 1;
    this.scale(this.kernels);
    this.kernels += 1;
    this.totalWeight += 1;
  }

  /** Draws coordinates of values from the density. */
  draw(random: RandomStream): Float64Array {
    let left = random.uniform() * this.totalWeight;
    let kernel = 0;
    while (kernel < this.kernels - 1 && left >= numberAt(this.weights, kernel)) {
      left -= numberAt(this.weights, kernel);
      kernel += 1;
    }
    return Float64Array.from(this.parts, (part) => part.draw(kernel, random));
  }

  /** Returns the density at coordinates of values, as a multiple of the uniform one. */
  density(coordinates: Float64Array): number {
    const { factors, exponents, kernels } = this;
    factors.set(this.scaled);
    exponents.fill(0);
    for (const [index, part] of this.parts.entries())
      part.weigh(numberAt(coordinates, index), factors, exponents);
    let largest = 0;
    for (let kernel = 0; kernel < kernels; kernel += 1)
      largest = Math.max(largest, numberAt(factors, kernel));
    const { prior } = this;
    const least = numberAt(factors, prior) * Math.exp(numberAt(exponents, prior) / 2);
    const nothing = 2 * (Math.log(least / (largest * kernels)) + NOTHING);
    let sum = 0;
    for (let kernel = 0; kernel < kernels; kernel += 1) {
      const exponent = numberAt(exponents, kernel);
      if (exponent > nothing) sum += numberAt(factors, kernel) * Math.exp(exponent / 2);
    }
    return sum / this.totalWeight;
  }

  private scale(kernel: number): void {
    for (const part of this.parts)
      if (part instanceof ParzenAxis && part.hasScales)
        this.scaled[kernel] = numberAt(this.scaled, kernel) * part.scaleOf(kernel);
  }
}

/** Returns weights of trials, the oldest first: rising from 1/n to 1, then 1 for the latest 25. */
export function agedWeights(count: number): Float64Array {
  const weights = new Float64Array(count).fill(1);
  const ramp = count - FULL_WEIGHT;
  for (let trial = 0; trial < ramp; trial += 1)
    weights[trial] = 1 / count + (ramp === 1 ? 0 : (trial / (ramp - 1)) * (1 - 1 / count));
  return weights;
}

/**
 * Kernels of a choice: the observed value gets one vote, and each value a share of the prior's vote, which
 * falls with the number of kernels. The last kernel, the prior, gives all values the same probability.
 */
class ParzenChoice {
  private readonly observed: Float64Array;
  private readonly count: number;
  private kernels: number;
  /** Vote of the prior for each value. */
  private readonly vote: number;

  constructor(
    axis: ChoiceAxis,
    { observed, room }: { readonly observed: Float64Array; readonly room: number },
  ) {
    this.count = axis.count;
    this.kernels = observed.length + 1;
    this.vote = 1 / this.kernels;
    this.observed = new Float64Array(this.kernels + room);
    this.observed.set(observed);
    this.observed[this.kernels - 1] = Number.NaN;
  }

  add(place: number): void {
    this.observed[this.kernels] = place;
    this.kernels += 1;
  }

  draw(kernel: number, random: RandomStream): number {
    const observed = numberAt(this.observed, kernel);
    if (Number.isNaN(observed)) return random.below(this.count);
    const votes = 1 + this.count * this.vote;
    return random.uniform() * votes < 1 ? observed : random.below(this.count);
  }

  /** Multiplies `factors` by each kernel's probability of a value, as a multiple of the uniform one. */
  weigh(place: number, factors: Float64Array): void {
    const votes = 1 + this.count * this.vote;
    const other = (this.vote / votes) * this.count;
    const same = ((1 + this.vote) / votes) * this.count;
    for (let kernel = 0; kernel < this.kernels; kernel += 1) {
      const observed = numberAt(this.observed, kernel);
      if (Number.isNaN(observed)) continue;
      factors[kernel] = numberAt(factors, kernel) * (observed === place ? same : other);
    }
  }
}

const ROOT_OF_TWO_PI = Math.sqrt(2 * Math.PI);

/** Ratio of kernel width to cell width from which the density in the cell's middle is used. */
const NARROW = 4;

/** Maximum number of draws of a truncated normal, then a uniform one: at least one in three is inside. */
const MOST_DRAWS = 100;

/** Kernels from which the minimum width falls no further: it is then a hundredth of the axis. */
const MOST_KERNELS_OF_WIDTH = 100;

/**
 * Kernels of one numeric parameter: truncated normal distributions around the observations, and last the
 * prior, around the middle and as wide as the axis.
 */
class ParzenAxis {
  /** Mean and deviation of each kernel. */
  private readonly middles: Float64Array;
  private readonly widths: Float64Array;
  /** Inverse width of each kernel, since a product is faster than a quotient. */
  private readonly inverses: Float64Array;
  /** Factor of each kernel from its exponential to its density, as a multiple of the uniform one. */
  private readonly scales: Float64Array;
  /** Index of each kernel among the different ones; empty without steps. */
  private readonly kinds: Int32Array;
  /** Probabilities of each wide cell, by its coordinate and the kind of kernel, over the uniform one. */
  private readonly cells = new Map<number, Float64Array>();
  private readonly axis: NumericAxis;
  private readonly leastWidth: number;
  private count: number;
  private kindCount = 0;

  /** `observed`: coordinates by trial. `order`: their indexes by coordinate. `room`: kernels to add. */
  constructor(axis: NumericAxis, { observed, order, room }: ParzenObservations & { readonly room: number }) {
    this.axis = axis;
    this.count = observed.length + 1;
    const line = axis.high - axis.low;
    const most = this.count + room;
    this.leastWidth = line / Math.min(MOST_KERNELS_OF_WIDTH, this.count + 1);
    this.middles = new Float64Array(most);
    this.widths = new Float64Array(most);
    this.inverses = new Float64Array(most);
    this.scales = new Float64Array(most);
    this.kinds = new Int32Array(axis.isStepped ? most : 0);
    this.middles.set(observed);
    this.setWidths(order);
    let before = -1;
    for (const kernel of order) {
      this.finish(kernel, before);
      before = kernel;
    }
    const prior = this.count - 1;
    this.middles[prior] = (axis.low + axis.high) / 2;
    this.widths[prior] = line;
    this.finish(prior, -1);
  }

  /** True if the factors `scaleOf` hold for all coordinates, so that `weigh` does not apply them. */
  get hasScales(): boolean {
    return !this.axis.isStepped;
  }

  /** Returns the factor from a kernel's exponential to its density, as a multiple of the uniform one. */
  scaleOf(kernel: number): number {
    return numberAt(this.scales, kernel);
  }

  /** Adds a kernel around a coordinate. */
  add(coordinate: number): void {
    let [below, above] = [this.axis.low, this.axis.high];
    for (let kernel = 0; kernel < this.count; kernel += 1) {
      const middle = numberAt(this.middles, kernel);
      if (middle <= coordinate && middle > below) below = middle;
      if (middle >= coordinate && middle < above) above = middle;
    }
    const kernel = this.count;
    this.count += 1;
    this.middles[kernel] = coordinate;
    this.widths[kernel] = this.bounded(Math.max(coordinate - below, above - coordinate));
    this.finish(kernel, -1);
    for (const [cell, probabilities] of this.cells)
      probabilities[this.kindCount - 1] = this.probability(kernel, this.axis.cellAt(cell));
  }

  /** Draws the coordinate of a value from one kernel. */
  draw(kernel: number, random: RandomStream): number {
    const { low, high } = this.axis;
    const [middle, width] = [numberAt(this.middles, kernel), numberAt(this.widths, kernel)];
    for (let draw = 0; draw < MOST_DRAWS; draw += 1) {
      const coordinate = middle + width * random.normal();
      if (coordinate >= low && coordinate <= high) return this.axis.snapped(coordinate);
    }
    return this.axis.snapped(low + random.uniform() * (high - low));
  }

  /**
   * Multiplies `factors` by each kernel's density at a value's coordinate, as a multiple of the uniform one.
   * Exponents are added to `exponents`, so that all axes share one exponential.
   */
  weigh(coordinate: number, factors: Float64Array, exponents: Float64Array): void {
    if (!this.axis.isStepped) {
      this.weighDistance(coordinate, exponents);
      return;
    }
    const [left, right] = this.axis.cellAt(coordinate);
    if ((right - left) * NARROW >= this.leastWidth) {
      this.weighCell(coordinate, factors);
      return;
    }
    this.weighDistance(coordinate, exponents);
    const { count, scales } = this;
    for (let kernel = 0; kernel < count; kernel += 1)
      factors[kernel] = numberAt(factors, kernel) * numberAt(scales, kernel);
  }

  private weighDistance(coordinate: number, exponents: Float64Array): void {
    const { count, middles, inverses } = this;
    for (let kernel = 0; kernel < count; kernel += 1) {
      const distance = (coordinate - numberAt(middles, kernel)) * numberAt(inverses, kernel);
      exponents[kernel] = numberAt(exponents, kernel) - distance * distance;
    }
  }

  private weighCell(coordinate: number, factors: Float64Array): void {
    let cell = this.cells.get(coordinate);
    if (cell === undefined) {
      cell = this.probabilities(coordinate);
      this.cells.set(coordinate, cell);
    }
    const { count, kinds } = this;
    for (let kernel = 0; kernel < count; kernel += 1)
      factors[kernel] = numberAt(factors, kernel) * numberAt(cell, kinds[kernel] ?? -1);
  }

  /** Returns the probability of a cell by kind of kernel, as a multiple of the uniform one. */
  private probabilities(coordinate: number): Float64Array {
    const cell = this.axis.cellAt(coordinate);
    const room = this.middles.length - this.count;
    const found = new Float64Array(this.kindCount + room).fill(Number.NaN);
    for (let kernel = 0; kernel < this.count; kernel += 1) {
      const kind = this.kinds[kernel] ?? -1;
      if (Number.isNaN(numberAt(found, kind))) found[kind] = this.probability(kernel, cell);
    }
    return found;
  }

  private probability(kernel: number, [left, right]: readonly [number, number]): number {
    const middle = numberAt(this.middles, kernel);
    const inverse = numberAt(this.inverses, kernel);
    const mass = gaussianMass((left - middle) * inverse, (right - middle) * inverse);
    // The scale without the height of the density.
    return (mass * numberAt(this.scales, kernel) * ROOT_OF_TWO_PI) / (inverse * (right - left));
  }

  private setWidths(order: Int32Array): void {
    const { low, high } = this.axis;
    const count = order.length;
    const at = (place: number): number => numberAt(this.middles, order[place] ?? -1);
    for (let place = 0; place < count; place += 1) {
      const middle = at(place);
      const toLower = middle - (place === 0 ? low : at(place - 1));
      const toUpper = (place === count - 1 ? high : at(place + 1)) - middle;
      // The distance to an end of the axis counts only if there is a single observation.
      const isOuter = count > 1 && (place === 0 || place === count - 1);
      const width = isOuter ? (place === 0 ? toUpper : toLower) : Math.max(toLower, toUpper);
      this.widths[order[place] ?? -1] = this.bounded(width);
    }
  }

  /** Computes what follows from a kernel's middle and width. `before`: a kernel that may equal it. */
  private finish(kernel: number, before: number): void {
    const [middle, width] = [numberAt(this.middles, kernel), numberAt(this.widths, kernel)];
    this.inverses[kernel] = 1 / width;
    if (before >= 0 && this.middles[before] === middle && this.widths[before] === width) {
      this.kinds[kernel] = this.kinds[before] ?? -1;
      this.scales[kernel] = numberAt(this.scales, before);
      return;
    }
    const { low, high } = this.axis;
    const inside = gaussianMass((low - middle) / width, (high - middle) / width);
    this.kinds[kernel] = this.kindCount;
    this.kindCount += 1;
    this.scales[kernel] = (high - low) / (ROOT_OF_TWO_PI * width * inside);
  }

  private bounded(width: number): number {
    return Math.min(this.axis.high - this.axis.low, Math.max(this.leastWidth, width));
  }
}

/** Values of one parameter in a set of trials. */
export interface ParzenObservations {
  readonly observed: Float64Array;
  readonly order: Int32Array;
}
