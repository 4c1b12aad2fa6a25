import type { Coordinates, SpaceAxes, Axis } from './space-axes.ts';
import { SarrafError } from '../domain/errors.ts';

/** A trial whose outcome is known, as samplers compare them: smaller is better. */
export interface LearnedTrial {
  readonly number: number;
  readonly coordinates: Coordinates;
  /** One number an objective; empty where the trial failed. */
  readonly losses: readonly number[];
  /** 0: feasible; more: how far constraints are broken; `Infinity`: the trial failed. */
  readonly violation: number;
}

/** Inputs of every sampling method. */
export interface ProposerSetup {
  readonly axes: SpaceAxes;
  readonly seed: number;
  /** Trials of one generation: they are proposed before any of them is learned from. */
  readonly generation: number;
}

/**
 * One way of sampling. What it proposes depends on its setup, the number of the trial, and what it was told
 * before: nothing else. So it need not be stored: the trials of a study make it again.
 */
export interface Proposer {
  /** True if it may propose a point twice. Otherwise the sampler asks it again. */
  readonly mayRepeat: boolean;
  /** Coordinates for a trial; `attempt` counts from 0 those for the same trial that came to nothing. */
  propose(number: number, attempt: number): Coordinates;
  /** A trial of the generation under way was given these coordinates. */
  accept(number: number, coordinates: Coordinates): void;
  /** The outcomes of a whole generation, in the order of their numbers. */
  learn(trials: readonly LearnedTrial[]): void;
}

/** Returns the place on an axis of a share of it, from 0 to 1 without 1. */
export function onAxis(axis: Axis, share: number): number {
  return axis.kind === 'choice'
    ? Math.min(axis.count - 1, Math.floor(share * axis.count))
    : axis.low + share * (axis.high - axis.low);
}

/** Every parameter by itself, all ranges of its line equally likely. */
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

  /** Nor on what came of it. */
  learn(): void {}
}

/** A 32-bit mix in which every bit of the input changes half of the output ("lowbias32", Chris Wellons). */
export function mixBits(input: number): number {
  let mixed = input >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Draws until its state depends on every bit of the key, as the author of the generator advises. */
const WARM_UP = 12;

/**
 * Random numbers for one purpose of one trial: the key alone decides them, so nothing of a generator has to
 * be stored. It is Chris Doty-Humphrey's "sfc32" (public domain; 128 bits of state).
 */
export class RandomStream {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;
  private spare: number | null = null;

  /** `key`: whole numbers that no other stream of the study has, such as seed, trial and purpose. */
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

  /** Evenly spread over 0 to 1, without 1, with 53 bits. */
  uniform(): number {
    return ((this.bits() >>> 5) * 67_108_864 + (this.bits() >>> 6)) / 9_007_199_254_740_992;
  }

  /** A whole number from 0 to `count` less one; `count` is at most 2^53. */
  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  /** Normally distributed with mean 0 and deviation 1 (Box and Muller). */
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

/** In deviations: less than 1e-18 is left beyond it. */
const TABLE_END = 9;
const PER_UNIT = 256;
const ROOT_OF_TWO_PI = Math.sqrt(2 * Math.PI);

/** Below it the series is exact, from there on the fraction. */
const SERIES_END = 3;
/** Levels of the continued fraction: from 3 deviations on, more of them change no digit. */
const LEVELS = 60;

/**
 * The share of a standard normal distribution above `z`, from 0 on, to 13 digits: by the series around 0,
 * and by the continued fraction far from it (M. Abramowitz and I. Stegun, "Handbook of Mathematical
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

/** Tails at every 256th of a deviation, and how steep they are there. */
const TAILS = Float64Array.from({ length: TABLE_END * PER_UNIT + 2 }, (_, place) =>
  exactTail(place / PER_UNIT),
);
const SLOPES = Float64Array.from(
  { length: TAILS.length },
  (_, place) => -Math.exp(-((place / PER_UNIT) ** 2) / 2) / ROOT_OF_TWO_PI / PER_UNIT,
);

/**
 * The share of a standard normal distribution below `z`. Between the places of a table it is a cubic that has
 * their values and slopes: right to 1e-12, in a tenth of the time. Beyond 9 deviations it is 0 or 1.
 * `normalCdf` of the statistics is exact, and too slow for a sampler, which asks thousands of times a trial.
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

/** The share of a standard normal distribution between two places. */
export function gaussianMass(from: number, to: number): number {
  return from > 0 ? gaussianCdf(-from) - gaussianCdf(-to) : gaussianCdf(to) - gaussianCdf(from);
}

/** Halvings of the interval of a quantile: what is left is below a float's last digits. */
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
 * The number at a place of a column that has it.
 * @throws SarrafError `INVARIANT` beyond its ends
 */
export function numberAt(values: Float64Array, place: number): number {
  const value = values[place];
  if (value === undefined)
    throw new SarrafError('INVARIANT', `expected a place below ${values.length}, was ${place}`);
  return value;
}

/**
 * The multiple of a generation that is nearest to a number of trials: one population of an evolution. It is
 * one generation at least, and no smaller than `least`.
 */
export function wholeGenerations(
  trials: number,
  { generation, least }: { readonly generation: number; readonly least: number },
): number {
  const nearest = Math.max(1, Math.round(trials / generation)) * generation;
  return nearest >= least ? nearest : Math.ceil(least / generation) * generation;
}
