import { present } from '../domain/errors.ts';
import type { Axis, ChoiceAxis, NumericAxis } from './space-axes.ts';
import { numberAt, type RandomStream, gaussianMass } from './proposer.ts';

/** The latest trials count in full; those before them the less, the older they are. */
const FULL_WEIGHT = 25;

/** The logarithm of the share of the prior below which all other kernels together may be left out: 1e-16. */
const NOTHING = -37;

/**
 * A density over some parameters together, from what was observed: a mixture of one kernel a trial, each the
 * product of one a parameter, and of the prior. Widths and weights are those of J. Bergstra et al.
 * ("Algorithms for hyper-parameter optimization", 2011) as Optuna 5 has them.
 */
export class ParzenEstimator {
  private readonly parts: readonly (ParzenAxis | ParzenChoice)[];
  private readonly weights: Float64Array;
  /** Weights times what does not depend on where the density is asked for. */
  private readonly scaled: Float64Array;
  private readonly factors: Float64Array;
  private readonly exponents: Float64Array;
  /** The place of the prior among the kernels. */
  private readonly prior: number;
  private kernels: number;
  private totalWeight = 0;

  /** `columns`: what each parameter had, all of one length. `room`: observations that may be added. */
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

  /** Adds an observation in full weight. */
  add(coordinates: Float64Array): void {
    for (const [index, part] of this.parts.entries()) part.add(numberAt(coordinates, index));
    this.weights[this.kernels] = 1;
    this.scaled[this.kernels] = 1;
    this.scale(this.kernels);
    this.kernels += 1;
    this.totalWeight += 1;
  }

  /** Coordinates of values, drawn from the density. */
  draw(random: RandomStream): Float64Array {
    let left = random.uniform() * this.totalWeight;
    let kernel = 0;
    while (kernel < this.kernels - 1 && left >= numberAt(this.weights, kernel)) {
      left -= numberAt(this.weights, kernel);
      kernel += 1;
    }
    return Float64Array.from(this.parts, (part) => part.draw(kernel, random));
  }

  /** The density at coordinates of values, as a multiple of the even one. */
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

/** Weights of trials from the oldest to the latest: a ramp from 1/n to 1, then 25 in full. */
export function agedWeights(count: number): Float64Array {
  const weights = new Float64Array(count).fill(1);
  const ramp = count - FULL_WEIGHT;
  for (let trial = 0; trial < ramp; trial += 1)
    weights[trial] = 1 / count + (ramp === 1 ? 0 : (trial / (ramp - 1)) * (1 - 1 / count));
  return weights;
}

/**
 * The kernels of a choice: what was observed gets one vote, and each value a share of the prior's, the
 * smaller the more kernels there are. The last kernel, the prior, likes all values alike.
 */
class ParzenChoice {
  private readonly observed: Float64Array;
  private readonly count: number;
  private kernels: number;
  /** The prior's vote for each value. */
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

  /** Multiplies by each kernel's probability of a value, as a multiple of the even one. */
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

/** A cell this many times narrower than every kernel is taken as the density in its middle. */
const NARROW = 4;

/** Draws of a truncated normal before an even one is taken: one in three or more is inside. */
const MOST_DRAWS = 100;

/** The least kernel width is a share of the line: one by the number of kernels, and not below a hundredth. */
const MOST_KERNELS_OF_WIDTH = 100;

/**
 * The kernels of one numeric parameter: truncated normal distributions around what was observed, and a last
 * one, the prior, around the middle and as wide as the line.
 */
class ParzenAxis {
  /** By kernel: its middle, and its width. */
  private readonly middles: Float64Array;
  private readonly widths: Float64Array;
  /** By kernel: one by its width, since a product is quicker than a quotient. */
  private readonly inverses: Float64Array;
  /** By kernel: what makes an exponential its density, as a multiple of the even one. */
  private readonly scales: Float64Array;
  /** By kernel: its number among those that differ; empty without steps. */
  private readonly kinds: Int32Array;
  /** By coordinate of a wide cell: its probability by kind of kernel, as a multiple of the even one. */
  private readonly cells = new Map<number, Float64Array>();
  private readonly axis: NumericAxis;
  private readonly leastWidth: number;
  private count: number;
  private kindCount = 0;

  /**
   * `observed`: coordinates in the order of the trials; `order`: their places from the lowest to the highest.
   * `room`: kernels that may be added.
   */
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

  /** True if scales are the same for all coordinates: then they are `scaleOf`, and not weighed. */
  get hasScales(): boolean {
    return !this.axis.isStepped;
  }

  /** Factor from a kernel's exponential to its density, as a multiple of the even one. */
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

  /** A coordinate of a value, drawn from one kernel. */
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
   * Multiplies by each kernel's density at a coordinate of a value, as a multiple of the even one. What is an
   * exponent goes to `exponents`, where one exponential serves all axes.
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
      // The outer ones do not reach for the ends of the line, unless nothing else is there.
      const isOuter = count > 1 && (place === 0 || place === count - 1);
      const width = isOuter ? (place === 0 ? toUpper : toLower) : Math.max(toLower, toUpper);
      this.widths[order[place] ?? -1] = this.bounded(width);
    }
  }

  /** Works out what follows from a kernel's middle and width; `before` may be one with the same. */
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

/** Values of one parameter in some trials. */
export interface ParzenObservations {
  readonly observed: Float64Array;
  readonly order: Int32Array;
}
