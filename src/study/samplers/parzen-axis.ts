import type { NumericAxis } from '../space/numeric-axis.ts';
import { gaussianMass } from './gaussian.ts';
import { numberAt } from './number-at.ts';
import type { RandomStream } from './random-stream.ts';

const ROOT_OF_TWO_PI = Math.sqrt(2 * Math.PI);

/** A cell this many times narrower than its line is taken as the density in its middle. */
const NARROW = 400;

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
  /** By kernel: its share inside the line. */
  private readonly inside: Float64Array;
  private readonly axis: NumericAxis;
  private readonly leastWidth: number;
  private count: number;

  /**
   * `observed`: coordinates in the order of the trials; `order`: their places from the lowest to the highest.
   * `room`: kernels that may be added.
   */
  constructor(axis: NumericAxis, { observed, order, room }: ParzenObservations & { readonly room: number }) {
    this.axis = axis;
    this.count = observed.length + 1;
    const line = axis.high - axis.low;
    this.leastWidth = line / Math.min(MOST_KERNELS_OF_WIDTH, this.count + 1);
    this.middles = new Float64Array(this.count + room);
    this.widths = new Float64Array(this.count + room);
    this.inside = new Float64Array(this.count + room);
    this.middles.set(observed);
    this.setWidths(order);
    const prior = this.count - 1;
    this.middles[prior] = (axis.low + axis.high) / 2;
    this.widths[prior] = line;
    for (let kernel = 0; kernel < this.count; kernel += 1) this.setInside(kernel);
  }

  /** The width of a kernel: the distance to the farther of its neighbours, within bounds. */
  width(kernel: number): number {
    return numberAt(this.widths, kernel);
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
    this.setInside(kernel);
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
    const line = this.axis.high - this.axis.low;
    const [left, right] = this.axis.isStepped ? this.axis.cellAt(coordinate) : [coordinate, coordinate];
    const cell = right - left;
    if (cell * NARROW < line) this.weighDensity(coordinate, factors, exponents);
    else this.weighCell([left, right], factors);
  }

  private weighDensity(coordinate: number, factors: Float64Array, exponents: Float64Array): void {
    const line = (this.axis.high - this.axis.low) / ROOT_OF_TWO_PI;
    for (let kernel = 0; kernel < this.count; kernel += 1) {
      const width = numberAt(this.widths, kernel);
      const distance = (coordinate - numberAt(this.middles, kernel)) / width;
      factors[kernel] = (numberAt(factors, kernel) * line) / (width * numberAt(this.inside, kernel));
      exponents[kernel] = numberAt(exponents, kernel) - (distance * distance) / 2;
    }
  }

  private weighCell([left, right]: readonly [number, number], factors: Float64Array): void {
    const scale = (this.axis.high - this.axis.low) / (right - left);
    let [lastMiddle, lastWidth, mass] = [Number.NaN, Number.NaN, 0];
    for (let kernel = 0; kernel < this.count; kernel += 1) {
      const [middle, width] = [numberAt(this.middles, kernel), numberAt(this.widths, kernel)];
      // Trials that gather at one value have the same kernel.
      if (middle !== lastMiddle || width !== lastWidth) {
        mass = gaussianMass((left - middle) / width, (right - middle) / width);
        [lastMiddle, lastWidth] = [middle, width];
      }
      factors[kernel] = (numberAt(factors, kernel) * scale * mass) / numberAt(this.inside, kernel);
    }
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

  private setInside(kernel: number): void {
    const [middle, width] = [numberAt(this.middles, kernel), numberAt(this.widths, kernel)];
    this.inside[kernel] = gaussianMass((this.axis.low - middle) / width, (this.axis.high - middle) / width);
  }

  private bounded(width: number): number {
    return Math.min(this.axis.high - this.axis.low, Math.max(this.leastWidth, width));
  }
}

/** What one parameter had in some trials. */
export interface ParzenObservations {
  readonly observed: Float64Array;
  readonly order: Int32Array;
}
