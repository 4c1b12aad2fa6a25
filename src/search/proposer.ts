import type { Coordinates, SpaceAxes, Axis } from './space-axes.ts';
import { SarrafError } from '../domain/errors.ts';

/** Trial with a known outcome, as samplers compare it: smaller is better. */
export interface LearnedTrial {
  readonly number: number;
  readonly coordinates: Coordinates;
  /** Losses, one for each objective; empty if the trial failed. */
  readonly losses: readonly number[];
  /** Degree to which constraints are broken: 0 if feasible, `Infinity` if the trial failed. */
  readonly violation: number;
}

/** Inputs of every sampling method. */
export interface ProposerSetup {
  readonly axes: SpaceAxes;
  readonly seed: number;
  /** Number of trials in a generation, which are all proposed before any outcome is learned. */
  readonly generation: number;
}

/**
 * Sampling method. A proposal depends only on the setup, the trial's number, and earlier outcomes. It need
 * not be stored: the trials of a study reproduce it.
 */
export interface Proposer {
  /** True if the method may propose a point twice; else the sampler rejects it and asks again. */
  readonly mayRepeat: boolean;
  /** Proposes coordinates for a trial. `attempt` counts the rejected proposals for the same trial, from 0. */
  propose(number: number, attempt: number): Coordinates;
  /** Called with the coordinates that a trial of the current generation received. */
  accept(number: number, coordinates: Coordinates): void;
  /** Called with the outcomes of a whole generation, in the order of their numbers. */
  learn(trials: readonly LearnedTrial[]): void;
}

/** Returns the coordinate at a share of an axis, from 0 to 1 without 1. */
export function onAxis(axis: Axis, share: number): number {
  return axis.kind === 'choice'
    ? Math.min(axis.count - 1, Math.floor(share * axis.count))
    : axis.low + share * (axis.high - axis.low);
}

/** Draws every parameter independently, all intervals of its axis equally likely. */
export class RandomProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;

  constructor(setup: ProposerSetup) {
    this.setup = setup;
  }

  propose(number: number, attempt: number): Coordinates {
    const { axes, seed } = this.setup;
    const random = new RandomStream(seed, number, attempt);
    return Float64Array.from(axes.axes, (axis) => onAxis(axis, random.uniform()));
  }

  /** Does nothing: draws do not depend on earlier draws. */
  accept(): void {}

  /** Does nothing: draws do not depend on outcomes. */
  learn(): void {}
}

/** Mixes 32 bits: every input bit changes half of the output bits ("lowbias32", Chris Wellons). */
export function mixBits(input: number): number {
  let mixed = input >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Draws until the state depends on every bit of the key, as the generator's author advises. */
const WARM_UP = 12;

/**
 * Random numbers for one purpose of one trial. The key alone decides them, so no state has to be stored. The
 * generator is Chris Doty-Humphrey's "sfc32" (public domain; 128 bits of state).
 */
export class RandomStream {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;
  private spare: number | null = null;

  /** `key`: whole numbers that no other stream of the study uses, such as seed, trial and purpose. */
  constructor(...key: readonly number[]) {
    const state = [0x9e3779b9, 0x243f6a88, 0xb7e15162].map((start) =>
      key.reduce(
        (mixed, part) => mixBits(mixBits(mixed ^ (part >>> 0)) + Math.floor(part / 4_294_967_296)),
        start,
      ),
    );
    const [a = 0, b = 0, c = 0] = state;
    this.a = a;
    this.b = b;
    this.c = c;
    for (let draw = 0; draw < WARM_UP; draw += 1) this.bits();
  }

  /** Returns a number uniform over 0 to 1, without 1, with 53 bits. */
  uniform(): number {
    return ((this.bits() >>> 5) * 67_108_864 + (this.bits() >>> 6)) / 9_007_199_254_740_992;
  }

  /** Returns a whole number from 0 to `count - 1`; `count` is at most 2^53. */
  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  /** Returns a normally distributed number with mean 0 and deviation 1 (Box and Muller). */
  normal(): number {
    const { spare } = this;
    if (spare !== null) {
      this.spare = null;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  private bits(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return sum >>> 0;
  }
}

/** End of the table, in deviations: beyond it the tail is below 1e-18. */
const TABLE_END = 9;
const PER_UNIT = 256;
const ROOT_OF_TWO_PI = Math.sqrt(2 * Math.PI);

/** Limit, in deviations, below which the series is exact; from there on the continued fraction is. */
const SERIES_END = 3;
/** Levels of the continued fraction: from 3 deviations on, more levels change no digit. */
const LEVELS = 60;

/**
 * Returns the share of a standard normal distribution above `z`, for `z` from 0, to 13 digits: by the series
 * around 0, and by the continued fraction far from it (M. Abramowitz and I. Stegun, "Handbook of Mathematical
 * Functions", 26.2.11 and 26.2.14).
 */
function exactTail(z: number): number {
  const density = Math.exp((-z * z) / 2) / ROOT_OF_TWO_PI;
  if (z >= SERIES_END) {
    let fraction = z;
    for (let level = LEVELS; level > 0; level -= 1) fraction = z + level / fraction;
    return density / fraction;
  }
  let [sum, term] = [z, z];
  for (let odd = 3; term > sum * Number.EPSILON; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 - density * sum;
}

/** Tails at every 256th of a deviation, and their slopes. */
const TAILS = Float64Array.from({ length: TABLE_END * PER_UNIT + 2 }, (_, place) =>
  exactTail(place / PER_UNIT),
);
const SLOPES = Float64Array.from(
  { length: TAILS.length },
  (_, place) => -Math.exp(-((place / PER_UNIT) ** 2) / 2) / ROOT_OF_TWO_PI / PER_UNIT,
);

/**
 * Returns the share of a standard normal distribution below `z`. Between the places of a table it uses a
 * cubic with their values and slopes: exact to 1e-12, in a tenth of the time. Beyond 9 deviations it is 0 or
 * 1. `normalCdf` of the statistics is exact, but too slow for the thousands of calls for each trial.
 */
export function gaussianCdf(z: number): number {
  const size = Math.abs(z);
  if (size >= TABLE_END) return z > 0 ? 1 : 0;
  const scaled = size * PER_UNIT;
  const place = Math.trunc(scaled);
  const part = scaled - place;
  const [left = 0, right = 0] = [TAILS[place], TAILS[place + 1]];
  const [leftSlope = 0, rightSlope = 0] = [SLOPES[place], SLOPES[place + 1]];
  const fall = left - right;
  const rest = 1 - part;
  const bend = rest * (leftSlope + fall) - part * (rightSlope + fall);
  const tail = rest * left + part * right + part * rest * bend;
  return z > 0 ? 1 - tail : tail;
}

/** Returns the share of a standard normal distribution between two values. */
export const gaussianMass = (from: number, to: number): number =>
  from > 0 ? gaussianCdf(-from) - gaussianCdf(-to) : gaussianCdf(to) - gaussianCdf(from);

/** Number of bisections of a quantile's interval: the rest is below a float's last digits. */
const HALVINGS = 60;

/** Returns the value below which the share is `share`, above 0 and below 1, by bisection. */
export function gaussianQuantile(share: number): number {
  let [low, high] = [-TABLE_END, TABLE_END];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (gaussianCdf(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Returns the number at an index of a column.
 * @throws SarrafError `INVARIANT` if the index is out of range
 */
export function numberAt(values: Float64Array, place: number): number {
  const value = values[place];
  if (value === undefined)
    throw new SarrafError('INVARIANT', `expected a place below ${values.length}, was ${place}`);
  return value;
}

/**
 * Returns the multiple of a generation that is nearest to a number of trials, as the population of an
 * evolution: at least one generation, and at least `least`.
 */
export function wholeGenerations(
  trials: number,
  { generation, least }: { readonly generation: number; readonly least: number },
): number {
  const nearest = Math.max(1, Math.round(trials / generation)) * generation;
  return nearest >= least ? nearest : Math.ceil(least / generation) * generation;
}
