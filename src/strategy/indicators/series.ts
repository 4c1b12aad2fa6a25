import { EMA, Period, WSMA } from 'trading-signals';
import { LONGEST_WARM_UP, type BarValues } from '../../domain/candle.ts';

/** A closed candle as floats, for formulas. */
export type Ohlcv = BarValues<number>;

/**
 * A running formula: `update` adds an input and returns the value after it, or null before the first. The
 * library's indicators have this shape; their `replace` is for bars that are not closed, and is false here.
 */
export interface RunningFormula<Input, Value> {
  update(input: Input, replace: false): Value | null;
}

export function series<Input, Value>(update: (input: Input) => Value | null): RunningFormula<Input, Value> {
  return { update };
}

/** Returns a series with each value of another one converted. */
export function mapped<Input, From, To>(
  of: RunningFormula<Input, From>,
  to: (value: From) => To,
): RunningFormula<Input, To> {
  return series((input) => {
    const value = of.update(input, false);
    return value === null ? null : to(value);
  });
}

/** Returns a series that reads one number of each bar. */
export function reading<Value>(
  of: RunningFormula<number, Value>,
  number: (bar: Ohlcv) => number,
): RunningFormula<Ohlcv, Value> {
  return series((bar) => of.update(number(bar), false));
}

/** Returns a series that is fed with the values of another one. */
export function chained<Input, Middle, Value>(
  first: RunningFormula<Input, Middle>,
  then: RunningFormula<Middle, Value>,
): RunningFormula<Input, Value> {
  return series((input) => {
    const value = first.update(input, false);
    return value === null ? null : then.update(value, false);
  });
}

/**
 * Returns `flat` while the last `length` numbers are equal, else the value of the series. The mean of equal
 * floats differs from them a little, and a formula would turn that difference into noise.
 */
export function flatAs<Input, Value>(
  flat: Value | null,
  length: number,
  of: RunningFormula<Input, Value>,
  number: (input: Input) => number,
): RunningFormula<Input, Value> {
  const range = new Period(length);
  return series((input) => {
    const value = of.update(input, false);
    const found = range.update(number(input), false);
    return found !== null && found.highest === found.lowest ? flat : value;
  });
}

/** Returns the sum of the last `length` values of a series. */
export function summed<Input>(
  length: number,
  of: RunningFormula<Input, number>,
): RunningFormula<Input, number> {
  return mapped(chained(of, new SimpleAverage(length)), (mean) => mean * length);
}

/**
 * Returns how much each bar adds to a cumulative line. The line is started again from the bar before, so that
 * no earlier value is left in it: a float that grows for years loses its last digits.
 */
export function stepsOf(line: () => RunningFormula<Ohlcv, number>): RunningFormula<Ohlcv, number> {
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
 * Returns the textbook's exponential average, which begins with the simple average of the first `length`
 * values; the library's begins with the first value.
 */
export function textbookEma(length: number): RunningFormula<number, number> {
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

export const medianOf = ({ high, low }: Ohlcv): number => (high + low) / 2;

export const typicalOf = ({ high, low, close }: Ohlcv): number => (high + low + close) / 3;

/**
 * The simple average of the last `length` values. It adds them from the oldest on, so that its values equal
 * the library's `SMA` to the last digit; a running sum would drift. The library's own way is slower: it moves
 * all values at each step and calls a function for each.
 */
export class SimpleAverage implements RunningFormula<number, number> {
  readonly #length: number;
  /** The values twice, one after the other, so that each window is contiguous. */
  readonly #values: Float64Array;
  /** Index of the oldest value, which the next one replaces. */
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

  /** Returns the standard deviation of the same values from their mean, as of a whole population. */
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
 * Returns the bars after which less than a thousandth of earlier values is left in an average with the weight
 * 2 / (n + 1). For averages of averages, the bars of all lengths add up.
 */
export const exponentialMemory = (...lengths: readonly number[]): number =>
  lengths.reduce((bars, length) => bars + 3.5 * (length + 1), 0);

/** Returns the bars after which Wilder's average, with the weight 1 / n, has forgotten its start. */
export const wilderMemory = (length: number): number => 7 * length;

/** Returns the bars after which an average that keeps a share of itself has forgotten its start. */
export const shareMemory = (share: number): number => (share <= 0 ? 0 : Math.log(1_000) / -Math.log(share));

/** Warm-up bars of a rule with an unbounded memory: as many as one request to the exchange returns. */
export const UNBOUNDED_MEMORY = LONGEST_WARM_UP;

/**
 * Wilder's smoothed average, equal to the library's to the last digit. The library's also goes on updating
 * the simple average that it began with, which nothing reads.
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
