import { factsOf, type Fact, inDigits } from '../language/fact.ts';

/** Reason a statistic has no value. */
export type UnknownReason =
  | 'too-few-observations'
  | 'too-few-trials'
  | 'too-many-trials'
  | 'no-variance'
  | 'not-above-benchmark'
  | 'no-trades'
  | 'no-room';

/**
 * Value of a statistic, or the reason it has none. The rule of this folder: data that cannot support a
 * statistic (too short, without variance, one trial) gives an unknown one with a reason. Input that is no
 * data (NaN, columns of different lengths, an option out of range) throws `InvalidSample`. Nothing is
 * guessed.
 */
export type Estimate<Value> =
  | { readonly kind: 'known'; readonly value: Value }
  | {
      readonly kind: 'unknown';
      readonly reason: UnknownReason;
      readonly message: string;
      /** Message as data, for readers of another language. */
      readonly lack: MissingReason;
    };

export function known<Value>(value: Value): Estimate<Value> {
  return { kind: 'known', value };
}

/** Returns an unknown estimate. `lack`: the expected and the found value. */
export function unknown(reason: UnknownReason, lack: MissingReason): Estimate<never> {
  return { kind: 'unknown', reason, message: missingReasonText(lack), lack };
}

/** Error for invalid input: a number not finite, columns of different lengths, an option out of range. */
export class InvalidSample extends RangeError {
  override readonly name = 'InvalidSample';
  /** Message as data, for readers of another language; null for errors that only code can cause. */
  readonly lack: MissingReason | null;

  constructor(what: string | MissingReason) {
    super(typeof what === 'string' ? what : missingReasonText(what));
    this.lack = typeof what === 'string' ? null : what;
  }
}

/** Throws `InvalidSample` unless values are a `Float64Array`, and at the first number that is not finite. */
export function checkSample(values: Float64Array, name: string): void {
  // A caller in JavaScript has no type check.
  if (!(values instanceof Float64Array))
    throw new InvalidSample(`expected a Float64Array for ${name}, was ${typeof values}`);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (!Number.isFinite(value))
      throw new InvalidSample(`expected finite numbers in ${name}, was ${value} at ${index}`);
  }
}

/**
 * Checks columns of trials, with one return for each period, and returns the number of periods. Throws
 * `InvalidSample` at a number that is not finite, and at columns of different lengths.
 */
export function checkTrials(trials: readonly Float64Array[]): number {
  const length = trials[0]?.length ?? 0;
  for (const [index, trial] of trials.entries()) {
    checkSample(trial, `trial ${index}`);
    if (trial.length !== length)
      throw new InvalidSample(
        `expected ${length} returns in each trial as in trial 0, was ${trial.length} in trial ${index}`,
      );
  }
  return length;
}

/** Throws `InvalidSample` unless a number is finite, and within both bounds. */
export function checkNumber(value: number, name: string, bounds: Bounds = {}): void {
  const { least = -Infinity, most = Infinity } = bounds;
  if (Number.isFinite(value) && value >= least && value <= most) return;
  throw new InvalidSample(`expected a finite number from ${least} to ${most} for ${name}, was ${value}`);
}

/** Throws `InvalidSample` unless a number is whole, and within both bounds. */
export function checkCount(value: number, name: string, bounds: Bounds): void {
  checkNumber(value, name, bounds);
  if (!Number.isSafeInteger(value))
    throw new InvalidSample(`expected a whole number for ${name}, was ${value}`);
}

/** Bounds of a number, both inclusive. */
interface Bounds {
  readonly least?: number;
  readonly most?: number;
}

/** English reasons a statistic has no value, with the expected and the found value. */
export const ENGLISH_MISSING_REASONS = {
  'lack.returns': 'expected at least {least} returns, was {found}',
  'lack.returnsOfBlocks': 'expected at least {least} returns for {blocks} blocks, was {found}',
  'lack.values': 'expected at least {least} values, was {found}',
  'lack.days': 'expected at least {least} days, was {found}',
  'lack.trials': 'expected at least {least} trials, was {found}',
  'lack.noTrial': 'expected at least one trial, was none',
  'lack.varyingTrials': 'expected at least {least} trials that vary, was {found}',
  'lack.mostTrials': 'expected at most {most} trials, was {found}',
  'lack.ratios': 'expected at least {least} Sharpe ratios, was {found}',
  'lack.trades': 'expected at least {least} trades, was {found}',
  'lack.noTrade': 'expected at least one trade, was none',
  'lack.positions': 'expected at least {least} positions, was {found}',
  'lack.heldBars': 'expected at most {most} held bars without overlaps, was {found}',
  'lack.room':
    'expected room for {positions} positions of {held} bars with one between them in {bars} bars of {market}, found none',
  'lack.oneReturn': 'expected returns that vary, was one value {times} times',
  'lack.oneValue': 'expected values that vary, was one value {times} times',
  'lack.oneReturnInTrial': 'expected returns that vary in trial {trial}, was one value',
  'lack.oneReturnInHalf':
    'expected returns that vary in each half, trial {trial} has one return through half of the blocks',
  'lack.noVaryingTrial': 'expected a trial whose returns vary, was none of {found}',
  'lack.onePrice': 'expected prices that move, was one price',
  'lack.variance': 'expected a Sharpe ratio with a variance above 0, was {found}',
  'lack.benchmark': 'expected a Sharpe ratio above the benchmark {benchmark}, was {found}',
  'lack.compounded': 'expected changes that compound to at most {most} times, was {found}',
} as const;

/** Reason a statistic has no value, as data. Its figures are numbers in digits, or names. */
export type MissingReason = Fact<keyof typeof ENGLISH_MISSING_REASONS>;

export const lack = factsOf<typeof ENGLISH_MISSING_REASONS>();

/** Writes a reason as an English sentence. */
function missingReasonText({ fact, figures }: MissingReason): string {
  return ENGLISH_MISSING_REASONS[fact].replaceAll(/\{(\w+)\}/g, (_, place: string) => {
    const figure = figures[place];
    if (typeof figure === 'object' && 'digits' in figure) return figure.digits;
    return typeof figure === 'string' ? figure : '';
  });
}

/** Inputs from returns for the formulas of the Sharpe ratio. */
export interface SharpeSample {
  /** Number of returns. */
  readonly count: number;
  /** Mean over sample deviation (n - 1), of one period: not annualised. */
  readonly sharpe: number;
  /** Skewness `m3 / m2^1.5`, 0 for a normal distribution. Negative: large losses outnumber large gains. */
  readonly skewness: number;
  /** Kurtosis `m4 / m2^2`, not the excess: 3 for a normal distribution. */
  readonly kurtosis: number;
}

export interface SampleMoments extends SharpeSample {
  readonly mean: number;
  /** Sample deviation (n - 1). */
  readonly deviation: number;
}

/** Minimum number of returns for skewness and kurtosis. */
const LEAST_RETURNS = 4;

/** Share of the largest value below which a deviation counts as the noise of floats. */
export const NOISE_SHARE = 1e-12;

/**
 * Computes the moments of returns, one for each period. `m2`, `m3` and `m4` are central and divided by n
 * (Fisher's g1 and g2 + 3; Joanes and Gill, "Comparing Measures of Sample Skewness and Kurtosis", The
 * Statistician 47, 1998). Unknown below four returns, and if they do not vary. Throws `InvalidSample` at a
 * number that is not finite.
 */
export function sampleMoments(returns: Float64Array): Estimate<SampleMoments> {
  checkSample(returns, 'returns');
  const count = returns.length;
  if (count < LEAST_RETURNS)
    return unknown(
      'too-few-observations',
      lack('lack.returns', { least: inDigits(LEAST_RETURNS), found: inDigits(count) }),
    );
  // Squares and fourth powers of tiny or huge numbers leave the range of floats.
  const scale = returns.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (scale === 0) return noVariance(count);
  const mean = returns.reduce((sum, value) => sum + value / scale, 0) / count;
  let [second, third, fourth] = [0, 0, 0];
  for (let index = 0; index < count; index += 1) {
    const distance = (returns[index] ?? 0) / scale - mean;
    const square = distance * distance;
    second += square;
    third += square * distance;
    fourth += square * square;
  }
  const deviation = Math.sqrt(second / (count - 1));
  if (deviation <= NOISE_SHARE) return noVariance(count);
  const variance = second / count;
  return known({
    count,
    mean: mean * scale,
    deviation: deviation * scale,
    sharpe: mean / deviation,
    skewness: third / count / variance ** 1.5,
    kurtosis: fourth / count / (variance * variance),
  });
}

const noVariance = (count: number): Estimate<never> =>
  unknown('no-variance', lack('lack.oneReturn', { times: inDigits(count) }));

/**
 * Returns `sum(one[t + lag] other[t])` over all `t` that both have. It adds four sums side by side: a single
 * one would wait for each addition. They are separate variables, since numbers in an array literal stay
 * boxed, which takes three times as long.
 */
export function productSum(one: Float64Array, other: Float64Array, lag = 0): number {
  const count = Math.min(one.length - lag, other.length);
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let at = 0;
  for (; at + 3 < count; at += 4) {
    first += (one[at + lag] ?? 0) * (other[at] ?? 0);
    second += (one[at + lag + 1] ?? 0) * (other[at + 1] ?? 0);
    third += (one[at + lag + 2] ?? 0) * (other[at + 2] ?? 0);
    fourth += (one[at + lag + 3] ?? 0) * (other[at + 3] ?? 0);
  }
  for (; at < count; at += 1) first += (one[at + lag] ?? 0) * (other[at] ?? 0);
  return first + second + (third + fourth);
}

/**
 * Returns the value below which a share of sorted values lies, 0 to 1, interpolated between two values (type
 * 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50, 1996).
 * Throws `InvalidSample` without values, and at a share out of range. The values must rise.
 */
export function sampleQuantile(sorted: Float64Array, share: number): number {
  checkNumber(share, 'share', { least: 0, most: 1 });
  if (sorted.length === 0) throw new InvalidSample('expected values for a quantile, was none');
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (place - below) * (high - low);
}

/** Percentiles: `p05` is a value that 5 % of the values do not exceed. */
export interface Quantiles {
  readonly p05: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
}

/** Computes percentiles of values in any order. Throws `InvalidSample` without values. */
export function quantilesOf(values: Float64Array): Quantiles {
  const sorted = values.toSorted();
  return {
    p05: sampleQuantile(sorted, 0.05),
    p25: sampleQuantile(sorted, 0.25),
    p50: sampleQuantile(sorted, 0.5),
    p75: sampleQuantile(sorted, 0.75),
    p95: sampleQuantile(sorted, 0.95),
  };
}

/**
 * Returns the autocorrelation with the value `lag` periods later, -1 to 1: `sum((x[t] - mean) (x[t + lag] -
 * mean)) / sum((x[t] - mean)^2)`. Unknown unless there are at least two values more than the lag, and if they
 * do not vary. Throws `InvalidSample` at a number that is not finite, and unless the lag is a whole number
 * from 0. Box, Jenkins and Reinsel, "Time Series Analysis" (2008), 2.1.6.
 */
export function autocorrelation(values: Float64Array, lag: number): Estimate<number> {
  checkSample(values, 'values');
  checkCount(lag, 'lag', { least: 0 });
  const count = values.length;
  if (count < lag + 2)
    return unknown(
      'too-few-observations',
      lack('lack.values', { least: inDigits(lag + 2), found: inDigits(count) }),
    );
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = values.reduce((sum, value) => sum + value / scale, 0) / count;
  const distances = values.map((value) => value / scale - mean);
  const squares = productSum(distances, distances);
  if (Math.sqrt(squares / count) <= NOISE_SHARE)
    return unknown('no-variance', lack('lack.oneValue', { times: inDigits(count) }));
  return known(productSum(distances, distances, lag) / squares);
}
