import type { Series } from './series.ts';

/**
 * The simple average of the last `length` values. Sums them up from the oldest on, so that its values are
 * those of the library's `SMA` to the last digit; a sum that is carried along would drift. The library moves
 * all values of its window at each step, and calls a function for each, which takes longer than the sum.
 */
export class SimpleAverage implements Series<number, number> {
  readonly #length: number;
  /** The values twice, one after the other, so that a window is in one piece wherever it begins. */
  readonly #values: Float64Array;
  /** Place of the oldest one, which the next one replaces. */
  #oldest = 0;
  #count = 0;

  constructor(length: number) {
    this.#length = length;
    this.#values = new Float64Array(2 * length);
  }

  update(value: number): number | null {
    const length = this.#length;
    const values = this.#values;
    let oldest = this.#oldest;
    values[oldest] = value;
    values[oldest + length] = value;
    oldest += 1;
    if (oldest === length) oldest = 0;
    this.#oldest = oldest;
    if (this.#count < length) {
      this.#count += 1;
      if (this.#count < length) return null;
    }
    let sum = 0;
    for (let index = oldest; index < oldest + length; index += 1) sum += values[index] ?? Number.NaN;
    return sum / length;
  }

  /**
   * Returns the deviation of the same values from their mean: the root of the mean square, as of a whole
   * population.
   */
  deviation(mean: number): number {
    const length = this.#length;
    const values = this.#values;
    const oldest = this.#oldest;
    let sum = 0;
    for (let index = oldest; index < oldest + length; index += 1) {
      const difference = (values[index] ?? Number.NaN) - mean;
      sum += difference * difference;
    }
    return Math.sqrt(sum / length);
  }
}
