import type { NumericAxis } from './numeric-axis.ts';
import { gaussianMass } from './gaussian.ts';
import { numberAt } from './number-at.ts';
import type { RandomStream } from './random-stream.ts';

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
export class ParzenAxis {
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

  /** By kind of kernel, the probability of a cell as a multiple of the even one. */
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
