import type { RandomSource } from '../domain/random.ts';
import {
  checkCount,
  checkNumber,
  checkSample,
  known,
  unknown,
  type Estimate,
  lack,
  InvalidSample,
  sampleQuantile,
  productSum,
  NOISE_SHARE,
} from './estimate.ts';
import { inDigits } from '../language/fact.ts';

export interface BootstrapOptions {
  readonly random: RandomSource;
  /** Number of draws, 1 to 1,000,000; default 1,000. */
  readonly draws?: number;
  /** Mean length of a block in periods; by default the median of `blockLength` over all trials. */
  readonly meanBlock?: number;
}

/** Prepares the draws of a test of trials, with their mean block length. */
export function drawsOf(
  trials: readonly Float64Array[],
  options: BootstrapOptions,
): BootstrapDraws & { readonly meanBlock: number } {
  const { random, draws = 1_000, meanBlock = meanBlockOfTrials(trials) } = options;
  checkCount(draws, 'draws', { least: 1, most: 1_000_000 });
  const length = trials[0]?.length ?? 0;
  return { draws, meanBlock, resample: stationaryBootstrap({ length, meanBlock, random }) };
}

/**
 * Returns one mean block length for all trials, since they share the drawn periods: the median of those that
 * vary, so that no single trial decides. At least 1, and 1 if none has a length.
 */
function meanBlockOfTrials(trials: readonly Float64Array[]): number {
  const lengths = trials
    .map(blockLength)
    .flatMap((one) => (one.kind === 'known' ? [one.value.stationary] : []));
  return lengths.length === 0 ? 1 : sampleQuantile(Float64Array.from(lengths).sort(), 1 / 2);
}

export interface StationaryOptions {
  /** Number of periods to draw from. */
  readonly length: number;
  /** Mean length of a block, 1 to `length`. */
  readonly meanBlock: number;
  readonly random: RandomSource;
}

/** Maximum number of periods. */
const MOST_PERIODS = 2 ** 31 - 1;

/**
 * Returns a function that draws periods with replacement, in blocks of random length, so that dependence
 * within a block is kept. A block begins anywhere, and continues from the last period to the first. After
 * each period it ends with the probability `1 / meanBlock`. The function fills an array of any length with
 * indexes of periods, 0 to `length - 1`. The same indexes may be used for bars of several markets, which
 * keeps them together. Throws `InvalidSample` at a length or a mean block out of range. Politis and Romano,
 * "The Stationary Bootstrap", Journal of the American Statistical Association 89 (1994).
 */
export function stationaryBootstrap({
  length,
  meanBlock,
  random,
}: StationaryOptions): (into: Int32Array) => void {
  checkCount(length, 'length', { least: 1, most: MOST_PERIODS });
  checkNumber(meanBlock, 'meanBlock', { least: 1, most: length });
  const ends = 1 / meanBlock;
  return (into) => {
    let place = 0;
    for (let index = 0; index < into.length; index += 1) {
      const isNew = index === 0 || random.next() < ends;
      place = isNew ? Math.floor(random.next() * length) : place + 1;
      if (place === length) place = 0;
      into[index] = place;
    }
  };
}

export interface BlockLength {
  /** Mean block length for the stationary bootstrap, at least 1. */
  readonly stationary: number;
  /** Block length for the circular bootstrap, whose blocks are equally long; at least 1. */
  readonly circular: number;
}

/** Minimum number of values: fewer have too few lags. */
const LEAST_VALUES = 20;

/**
 * Returns the block lengths of a bootstrap that minimise the error of the variance of a mean. They are longer
 * the better a value predicts the next ones. `2 g^2 / D`, to the power 1/3, times `n^(1/3)`: `g` sums lags
 * times autocovariances, and `D` is 2 (stationary) or 4/3 (circular) times the square of the long-run
 * variance, both with a flat-top window. The window is twice the first lag from which on five
 * autocorrelations in a row (more beyond a million values) are within `2 sqrt(log10(n) / n)`. As in the
 * authors' own program, that lag is the first of the five. Lengths are at most `3 sqrt(n)` and `n / 3`. A
 * result below 1 becomes 1, a block of one period.
 *
 * Unknown below 20 values, and if they do not vary. Throws `InvalidSample` at a number that is not finite.
 * Politis and White, "Automatic Block-Length Selection for the Dependent Bootstrap", Econometric Reviews 23
 * (2004), with the correction of Patton, Politis and White, Econometric Reviews 28 (2009).
 */
export function blockLength(values: Float64Array): Estimate<BlockLength> {
  checkSample(values, 'values');
  const count = values.length;
  if (count < LEAST_VALUES)
    return unknown(
      'too-few-observations',
      lack('lack.values', { least: inDigits(LEAST_VALUES), found: inDigits(count) }),
    );
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const mean = values.reduce((sum, value) => sum + value / scale, 0) / count;
  const distances = values.map((value) => value / scale - mean);
  if (Math.sqrt(productSum(distances, distances) / count) <= NOISE_SHARE)
    return unknown('no-variance', lack('lack.oneValue', { times: inDigits(count) }));
  const inARow = Math.max(5, Math.floor(Math.log10(count)));
  const mostLags = Math.ceil(Math.sqrt(count)) + inARow;
  const window = Math.min(mostLags, 2 * firstQuietLag(distances, inARow, mostLags));
  let weighted = 0;
  let variance = productSum(distances, distances) / count;
  for (let lag = 1; lag <= window; lag += 1) {
    const share = Math.min(1, 2 * (1 - lag / window));
    const covariance = productSum(distances, distances, lag) / count;
    weighted += 2 * share * lag * covariance;
    variance += 2 * share * covariance;
  }
  const most = Math.ceil(Math.min(3 * Math.sqrt(count), count / 3));
  const lengthBy = (factor: number): number => {
    // Without long-run variance, falls cancel rises, and only the longest blocks contain both.
    if (variance === 0) return most;
    const length = Math.cbrt((2 * weighted * weighted * count) / (factor * variance * variance));
    return Math.max(1, Math.min(most, length));
  };
  return known({ stationary: lengthBy(2), circular: lengthBy(4 / 3) });
}

/** Returns the first lag, at least 1, of `inARow` small autocorrelations; the last lag if there is none. */
function firstQuietLag(distances: Float64Array, inARow: number, mostLags: number): number {
  const count = distances.length;
  const small = 2 * Math.sqrt(Math.log10(count) / count);
  let quiet = 0;
  for (let lag = 1; lag < mostLags; lag += 1) {
    quiet = Math.abs(partCorrelation(distances, lag)) < small ? quiet + 1 : 0;
    if (quiet === inARow) return lag - inARow + 1;
  }
  return mostLags;
}

/** Returns the correlation from the squares of the two overlapping parts, without the value before each. */
function partCorrelation(distances: Float64Array, lag: number): number {
  const late = distances.subarray(lag + 1);
  const early = distances.subarray(0, distances.length - lag - 1);
  const squares = productSum(late, late) * productSum(early, early);
  return squares === 0 ? 0 : productSum(distances, distances, lag) / Math.sqrt(squares);
}

/** Number of draws that are computed together, so that each return is read once for all of them. */
const TOGETHER = 4;

export interface BootstrapDraws {
  /** Number of draws. */
  readonly draws: number;
  /** Fills an array with indexes of periods, from 0 to their number less 1. */
  readonly resample: (into: Int32Array) => void;
}

/**
 * Calls `see` once for each draw, in order, with the mean of every trial over the drawn periods. All trials
 * share the drawn periods, as they share the days on the exchange. The array is reused for later draws.
 * Throws `InvalidSample` at an index that is not a period.
 */
export function forEachBootstrapMean(
  trials: readonly Float64Array[],
  { draws, resample }: BootstrapDraws,
  see: (means: Float64Array) => void,
): void {
  const periods = trials[0]?.length ?? 0;
  const places = new Int32Array(periods);
  // Counts of each period in each of the draws: four numbers side by side.
  const counts = new Float64Array(periods * TOGETHER);
  const means = Array.from({ length: TOGETHER }, () => new Float64Array(trials.length));
  for (let done = 0; done < draws; done += TOGETHER) {
    counts.fill(0);
    const together = Math.min(TOGETHER, draws - done);
    for (let draw = 0; draw < together; draw += 1) {
      resample(places);
      countPlaces(places, counts, draw);
    }
    for (const [index, trial] of trials.entries()) writeMeans(trial, counts, means, index);
    for (const mean of means.slice(0, together)) see(mean);
  }
}

function countPlaces(places: Int32Array, counts: Float64Array, draw: number): void {
  const periods = places.length;
  for (let index = 0; index < periods; index += 1) {
    const place = places[index] ?? -1;
    if (place < 0 || place >= periods)
      throw new InvalidSample(`expected a place of 0 to ${periods - 1}, was ${place}`);
    counts[place * TOGETHER + draw] = (counts[place * TOGETHER + draw] ?? 0) + 1;
  }
}

function writeMeans(
  trial: Float64Array,
  counts: Float64Array,
  means: readonly Float64Array[],
  index: number,
): void {
  const periods = trial.length;
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let period = 0, at = 0; period < periods; period += 1, at += TOGETHER) {
    const value = trial[period] ?? 0;
    first += value * (counts[at] ?? 0);
    second += value * (counts[at + 1] ?? 0);
    third += value * (counts[at + 2] ?? 0);
    fourth += value * (counts[at + 3] ?? 0);
  }
  for (const [draw, sum] of [first, second, third, fourth].entries()) {
    const mean = means[draw];
    if (mean !== undefined) mean[index] = sum / periods;
  }
}
