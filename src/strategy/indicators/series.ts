import { EMA, Period, WSMA } from 'trading-signals';
import type { BarValues } from '../../domain/candle.ts';
import { LONGEST_WARM_UP } from '../check-subscriptions.ts';

/** A closed candle in floats, as formulas read it. */
export type Ohlcv = BarValues<number>;

/**
 * A formula at work: takes its inputs in order and answers its value as of each, null before it has one. The
 * library's indicators are such. `replace` is theirs, for bars that are not closed; here it is always false.
 */
export interface Series<Input, Value> {
  update(input: Input, replace: false): Value | null;
}

export function series<Input, Value>(update: (input: Input) => Value | null): Series<Input, Value> {
  return { update };
}

/** A series whose values are said in other words. */
export function mapped<Input, From, To>(of: Series<Input, From>, to: (value: From) => To): Series<Input, To> {
  return series((input) => {
    const value = of.update(input, false);
    return value === null ? null : to(value);
  });
}

/** A series that reads one number of each bar. */
export function reading<Value>(
  of: Series<number, Value>,
  number: (bar: Ohlcv) => number,
): Series<Ohlcv, Value> {
  return series((bar) => of.update(number(bar), false));
}

/** A series of what another answers. */
export function chained<Input, Middle, Value>(
  first: Series<Input, Middle>,
  then: Series<Middle, Value>,
): Series<Input, Value> {
  return series((input) => {
    const value = first.update(input, false);
    return value === null ? null : then.update(value, false);
  });
}

/**
 * A series that is `flat` while the last `length` numbers are the same: their mean is not exactly them, and
 * what a formula makes of the difference is noise.
 */
export function flatAs<Input, Value>(
  flat: Value | null,
  length: number,
  of: Series<Input, Value>,
  number: (input: Input) => number,
): Series<Input, Value> {
  const range = new Period(length);
  return series((input) => {
    const value = of.update(input, false);
    const found = range.update(number(input), false);
    return found !== null && found.highest === found.lowest ? flat : value;
  });
}

/** The sum of the last `length` values of a series. */
export function summed<Input>(length: number, of: Series<Input, number>): Series<Input, number> {
  return mapped(chained(of, new SimpleAverage(length)), (mean) => mean * length);
}

/**
 * Returns the change that a bar adds to a line that sums up from its first bar on. The line is begun anew
 * with the bar before, so that no earlier value is left in it: a float that grows for years loses its last
 * digits.
 */
export function stepsOf(line: () => Series<Ohlcv, number>): Series<Ohlcv, number> {
  let before: Ohlcv | null = null;
  return series((bar) => {
    const previous = before;
    before = bar;
    if (previous === null) return null;
    const fresh = line();
    fresh.update(previous, false);
    return fresh.update(bar, false);
  });
}

/**
 * The library's average begins with the first value; the textbook's, as here, with the simple average of the
 * first `length`.
 */
export function textbookEma(length: number): Series<number, number> {
  const first = new SimpleAverage(length);
  const average = new EMA(length);
  let hasBegun = false;
  return series((value) => {
    if (hasBegun) return average.update(value, false);
    const begin = first.update(value);
    if (begin === null) return null;
    hasBegun = true;
    return average.update(begin, false);
  });
}

export function medianOf({ high, low }: Ohlcv): number {
  return (high + low) / 2;
}

export function typicalOf({ high, low, close }: Ohlcv): number {
  return (high + low + close) / 3;
}

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

/**
 * Bars after which less than a thousandth of what came before is left in an average. Of averages of averages
 * the memories add up.
 */

/** Of one with the weight 2 / (n + 1). */
export function exponentialMemory(...lengths: readonly number[]): number {
  return lengths.reduce((bars, length) => bars + 3.5 * (length + 1), 0);
}

/** Of one of Wilder's, with the weight 1 / n. */
export function wilderMemory(length: number): number {
  return 7 * length;
}

/** Of one that keeps a share of itself at each bar. */
export function shareMemory(share: number): number {
  return share <= 0 ? 0 : Math.log(1_000) / -Math.log(share);
}

/**
 * Of a rule that holds on to its past for as long as the market lets it: as many bars as the exchange gives
 * at once.
 */
export const UNBOUNDED_MEMORY = LONGEST_WARM_UP;

/**
 * Wilder's smoothed average, the same to the last digit as the library's. That one goes on with the simple
 * average that it began with, and asks it for nothing.
 */
export class WilderAverage extends WSMA {
  private readonly weight: number;

  constructor(length: number) {
    super(length);
    this.weight = 1 / length;
  }

  override update(value: number, replace: boolean): number | null {
    const { result } = this;
    if (replace || result === undefined) return super.update(value, replace);
    return this.setResult((value - result) * this.weight + result, false);
  }
}
