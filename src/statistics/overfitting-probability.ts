import {
  checkTrials,
  checkCount,
  InvalidSample,
  known,
  unknown,
  type Estimate,
  lack,
  type MissingReason,
  NOISE_SHARE,
} from './estimate.ts';
import { inDigits } from '../language/fact.ts';

export interface OverfittingOptions {
  /** Number of blocks: even, 4 to 20; default 16. */
  readonly blocks?: number;
}

export interface Overfitting {
  /** Probability of overfitting: share of splits whose best half's trial is at most average in the other. */
  readonly probability: number;
  /** Share of splits in which that trial loses in the other half, 0 to 1. */
  readonly lossProbability: number;
  /** Line from the Sharpe ratio in sample to that out of sample; a slope below 0 is bad. */
  readonly degradation: Line;
  /** Logit `ln(rank / (1 - rank))` of the chosen trial out of sample, by split; below 0: below average. */
  readonly logits: Float64Array;
  /** Sharpe ratio of the chosen trial in sample, of one period, for each split; `outOfSample` likewise. */
  readonly inSample: Float64Array;
  readonly outOfSample: Float64Array;
  /** Number of used periods: the first ones are left out until all blocks are equally long. */
  readonly periods: number;
}

/** Maximum number of trials: more take minutes, and much memory for their sums. */
const MOST_TRIALS = 20_000;

/** Minimum number of periods in a block: shorter ones have no usable deviation. */
const LEAST_PER_BLOCK = 5;

/**
 * Estimates the probability of backtest overfitting by combinatorially symmetric cross-validation. Periods
 * are cut into equal blocks. For each way to choose half of the blocks as in sample (12,870 for 16 blocks),
 * the trial with the best Sharpe ratio there is looked up in the other half. `trials` has a column for each
 * trial, with one return for each period, all of the same periods. A half in which a trial did not trade has
 * a Sharpe ratio of 0. Equal trials share their middle rank.
 *
 * Unknown below two trials or above 20,000, below five periods in a block, if no trial varies, and if one has
 * the same return above or below 0 through half of the blocks, which has no Sharpe ratio. Throws
 * `InvalidSample` at a number that is not finite, at columns of different lengths, and at an odd number of
 * blocks. Bailey, Borwein, Lopez de Prado and Zhu, "The Probability of Backtest Overfitting", Journal of
 * Computational Finance 20 (2017).
 */
export function overfittingProbability(
  trials: readonly Float64Array[],
  options: OverfittingOptions = {},
): Estimate<Overfitting> {
  const { blocks = 16 } = options;
  checkCount(blocks, 'blocks', { least: 4, most: 20 });
  if (blocks % 2 !== 0) throw new InvalidSample(`expected an even number of blocks, was ${blocks}`);
  const length = checkTrials(trials);
  if (trials.length < 2)
    return unknown(
      'too-few-trials',
      lack('lack.trials', { least: inDigits(2), found: inDigits(trials.length) }),
    );
  if (trials.length > MOST_TRIALS)
    return unknown(
      'too-many-trials',
      lack('lack.mostTrials', { most: inDigits(MOST_TRIALS), found: inDigits(trials.length) }),
    );
  const blockLength = Math.floor(length / blocks);
  if (blockLength < LEAST_PER_BLOCK)
    return unknown(
      'too-few-observations',
      lack('lack.returnsOfBlocks', {
        least: inDigits(LEAST_PER_BLOCK * blocks),
        blocks: inDigits(blocks),
        found: inDigits(length),
      }),
    );
  const table = tableOf(trials, { blocks, blockLength, skipped: length - blocks * blockLength });
  if ('fact' in table) return unknown('no-variance', table);
  return known({ ...compareHalves(table), periods: blocks * blockLength });
}

interface Cut {
  readonly blocks: number;
  readonly blockLength: number;
  /** Number of first periods that are left out. */
  readonly skipped: number;
}

/** Sums of each trial's returns, centred and in units of its own deviation: so squares lose no digits. */
interface Table {
  readonly trials: number;
  readonly blocks: number;
  readonly periodsOfHalf: number;
  readonly sums: BlockSums;
  readonly squares: BlockSums;
  /** Mean of each trial. */
  readonly means: Float64Array;
  /** Sums, and sums of squares, over all blocks. */
  readonly allSums: Float64Array;
  readonly allSquares: Float64Array;
}

function tableOf(trials: readonly Float64Array[], cut: Cut): Table | MissingReason {
  const { blocks, blockLength, skipped } = cut;
  const columns = (): Float64Array[] => Array.from({ length: blocks }, () => new Float64Array(trials.length));
  const [sums, squares, means] = [columns(), columns(), new Float64Array(trials.length)];
  const [allSums, allSquares] = [new Float64Array(trials.length), new Float64Array(trials.length)];
  let varied = 0;
  for (const [index, trial] of trials.entries()) {
    const used = trial.subarray(skipped);
    if (constantBlocks(used, cut) >= blocks / 2)
      return lack('lack.oneReturnInHalf', { trial: inDigits(index) });
    const { mean, deviation } = spreadOf(used);
    if (deviation > 0) varied += 1;
    means[index] = deviation > 0 ? mean / deviation : 0;
    for (let period = 0; period < used.length; period += 1) {
      const value = deviation > 0 ? ((used[period] ?? 0) - mean) / deviation : 0;
      const [sum, square] = [
        sums[Math.floor(period / blockLength)],
        squares[Math.floor(period / blockLength)],
      ];
      if (sum !== undefined) sum[index] = (sum[index] ?? 0) + value;
      if (square !== undefined) square[index] = (square[index] ?? 0) + value * value;
    }
    allSums[index] = sums.reduce((total, block) => total + (block[index] ?? 0), 0);
    allSquares[index] = squares.reduce((total, block) => total + (block[index] ?? 0), 0);
  }
  if (varied === 0) return lack('lack.noVaryingTrial', { found: inDigits(trials.length) });
  return {
    trials: trials.length,
    blocks,
    periodsOfHalf: (blocks / 2) * blockLength,
    sums: new BlockSums(sums),
    squares: new BlockSums(squares),
    means,
    allSums,
    allSquares,
  };
}

/** Returns the largest number of blocks that hold a single return only; blocks of return 0 do not count. */
function constantBlocks(values: Float64Array, { blocks, blockLength }: Cut): number {
  const found = new Map<number, number>();
  for (let block = 0; block < blocks; block += 1) {
    const part = values.subarray(block * blockLength, (block + 1) * blockLength);
    const [first = 0] = part;
    if (first !== 0 && part.every((value) => value === first)) found.set(first, (found.get(first) ?? 0) + 1);
  }
  return [...found.values()].reduce((most, count) => Math.max(most, count), 0);
}

function spreadOf(values: Float64Array): { readonly mean: number; readonly deviation: number } {
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const mean = values.reduce((sum, value) => sum + value / (scale || 1), 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value / (scale || 1) - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / values.length);
  return { mean: mean * scale, deviation: deviation <= NOISE_SHARE ? 0 : deviation * scale };
}

function compareHalves(table: Table): Omit<Overfitting, 'periods'> {
  const splits = halfSplits(table.blocks);
  const count = 2 * splits.length;
  const logits = new Float64Array(count);
  const [inSample, outOfSample] = [new Float64Array(count), new Float64Array(count)];
  const [first, second] = [new Float64Array(table.trials), new Float64Array(table.trials)];
  const note = (split: number, chosenBy: Float64Array, evaluated: Float64Array): void => {
    const chosen = placeOfLargest(chosenBy);
    inSample[split] = chosenBy[chosen] ?? 0;
    outOfSample[split] = evaluated[chosen] ?? 0;
    const rank = middleRank(evaluated, evaluated[chosen] ?? 0) / (table.trials + 1);
    logits[split] = Math.log(rank / (1 - rank));
  };
  const halves = halfSharpes(table);
  for (const [index, mask] of splits.entries()) {
    halves(mask, first, second);
    note(2 * index, first, second);
    note(2 * index + 1, second, first);
  }
  return {
    probability: shareOf(logits, (logit) => logit <= 0),
    lossProbability: shareOf(outOfSample, (ratio) => ratio < 0),
    degradation: lineThrough(inSample, outOfSample),
    logits,
    inSample,
    outOfSample,
  };
}

/** Returns a function that writes each trial's Sharpe ratio in the blocks of a mask, and in the others. */
function halfSharpes(table: Table): (mask: number, first: Float64Array, second: Float64Array) => void {
  const { trials, means, allSums, allSquares, periodsOfHalf } = table;
  const [sums, squares] = [new Float64Array(trials), new Float64Array(trials)];
  return (mask, first, second) => {
    table.sums.over(mask, sums);
    table.squares.over(mask, squares);
    for (let trial = 0; trial < trials; trial += 1) {
      const [sum, square, mean] = [sums[trial] ?? 0, squares[trial] ?? 0, means[trial] ?? 0];
      first[trial] = ratioOf(sum, square, mean, periodsOfHalf);
      second[trial] = ratioOf(
        (allSums[trial] ?? 0) - sum,
        (allSquares[trial] ?? 0) - square,
        mean,
        periodsOfHalf,
      );
    }
  };
}

/** Variance, where that of all periods is 1, below which a half counts as one without a trade. */
const NOISE = 1e-13;

function ratioOf(sum: number, square: number, mean: number, count: number): number {
  const squares = square - (sum * sum) / count;
  return squares <= NOISE * count ? 0 : (sum / count + mean) / Math.sqrt(squares / (count - 1));
}

function placeOfLargest(values: Float64Array): number {
  let place = 0;
  let most = -Infinity;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (value > most) {
      most = value;
      place = index;
    }
  }
  return place;
}

/** Returns the rank of a value, 1 for the smallest; equal values share the middle of their ranks. */
function middleRank(values: Float64Array, value: number): number {
  let below = 0;
  let same = 0;
  for (let index = 0; index < values.length; index += 1) {
    const other = values[index] ?? 0;
    if (other < value) below += 1;
    else if (other === value) same += 1;
  }
  return below + (same + 1) / 2;
}

function shareOf(values: Float64Array, holds: (value: number) => boolean): number {
  let count = 0;
  for (const value of values) if (holds(value)) count += 1;
  return count / values.length;
}

/**
 * Returns all ways to choose half of an even number of blocks, once for each pair of halves: those with block
 * 0, as bits. 16 blocks have 6,435, which give 12,870 splits with the halves in both roles.
 */
export function halfSplits(blocks: number): Int32Array {
  const splits: number[] = [];
  for (let mask = 1; mask < 2 ** blocks; mask += 2) {
    if (bitCount(mask) === blocks / 2) splits.push(mask);
  }
  return Int32Array.from(splits);
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Straight line `y = intercept + slope x`, and the share of y that it explains, 0 to 1. */
interface Line {
  readonly intercept: number;
  /** Slope; 0 if x does not vary. */
  readonly slope: number;
  readonly explained: number;
}

/**
 * Returns the least-squares line through points, of which there must be at least one. If x does not vary, the
 * line is level at the mean. Draper and Smith, "Applied Regression Analysis" (1998), 1.
 */
function lineThrough(x: Float64Array, y: Float64Array): Line {
  const count = x.length;
  const meanX = x.reduce((sum, value) => sum + value, 0) / count;
  const meanY = y.reduce((sum, value) => sum + value, 0) / count;
  let [xx, xy, yy] = [0, 0, 0];
  for (let index = 0; index < count; index += 1) {
    const [right, up] = [(x[index] ?? 0) - meanX, (y[index] ?? 0) - meanY];
    xx += right * right;
    xy += right * up;
    yy += up * up;
  }
  if (xx === 0) return { intercept: meanY, slope: 0, explained: 0 };
  const slope = xy / xx;
  return { intercept: meanY - slope * meanX, slope, explained: yy === 0 ? 0 : (slope * xy) / yy };
}

/**
 * Computes sums over any blocks of periods, for all trials at once. The blocks form two groups of at most
 * ten; the sums of all subsets of a group are stored, so that any sum is one addition for each trial.
 */
class BlockSums {
  readonly #trials: number;
  readonly #lowBits: number;
  readonly #low: readonly Float64Array[];
  readonly #high: readonly Float64Array[];

  /** `byBlock[block]` holds a number for each trial. */
  constructor(byBlock: readonly Float64Array[]) {
    this.#trials = byBlock[0]?.length ?? 0;
    this.#lowBits = byBlock.length >> 1;
    this.#low = subsetSums(byBlock.slice(0, this.#lowBits), this.#trials);
    this.#high = subsetSums(byBlock.slice(this.#lowBits), this.#trials);
  }

  /** Writes the sum over the blocks whose bits are set, for each trial. */
  over(mask: number, into: Float64Array): void {
    const low = this.#low[mask & ((1 << this.#lowBits) - 1)];
    const high = this.#high[mask >> this.#lowBits];
    if (low === undefined || high === undefined) throw new RangeError(`expected known blocks, was ${mask}`);
    for (let trial = 0; trial < this.#trials; trial += 1)
      into[trial] = (low[trial] ?? 0) + (high[trial] ?? 0);
  }
}

/** Returns the sum of each subset of blocks, by its bits: its lowest block plus the sum of the others. */
function subsetSums(byBlock: readonly Float64Array[], trials: number): Float64Array[] {
  const sums = [new Float64Array(trials)];
  for (let mask = 1; mask < 2 ** byBlock.length; mask += 1) {
    const rest = sums[mask & (mask - 1)];
    const lowest = byBlock[31 - Math.clz32(mask & -mask)];
    sums.push(
      Float64Array.from({ length: trials }, (_, trial) => (rest?.[trial] ?? 0) + (lowest?.[trial] ?? 0)),
    );
  }
  return sums;
}
