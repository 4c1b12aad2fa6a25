import type { Coordinates } from './space-axes.ts';
import { type Proposer, type ProposerSetup, onAxis, RandomProposer, mixBits } from './proposer.ts';
import { present } from '../domain/errors.ts';

/**
 * Sobol sequence, Owen-scrambled by the seed: trial `n` gets point `n`. It covers a space more evenly than
 * random points, best after 2^k trials. A parameter that does not exist still uses its dimension. A repeated
 * point is replaced by a random one.
 */
export class SobolProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;
  private readonly random: RandomProposer;

  constructor(setup: ProposerSetup) {
    this.setup = setup;
    this.random = new RandomProposer(setup);
  }

  propose(number: number, attempt: number): Coordinates {
    if (attempt > 0) return this.random.propose(number, attempt);
    const { axes, seed } = this.setup;
    return Float64Array.from(axes.axes, (axis, dimension) =>
      onAxis(axis, scrambledSobol({ point: number, dimension, seed })),
    );
  }

  accept(): void {}

  learn(): void {}
}

/** Returns a coordinate of the Sobol sequence as 32 bits, in Gray-code order. `dimension`: 0 to 63. */
export function sobolBits(point: number, dimension: number): number {
  const directions = present(SOBOL_DIRECTIONS[dimension], () => `a Sobol dimension ${dimension}`);
  let gray = (point ^ (point >>> 1)) >>> 0;
  let bits = 0;
  for (let place = 0; gray !== 0; place += 1) {
    if ((gray & 1) === 1) bits ^= directions[place] ?? 0;
    gray >>>= 1;
  }
  return bits >>> 0;
}

/**
 * Scrambles the bits of one dimension (Owen's nested uniform scrambling, 1995): whether a bit flips is drawn
 * for each value of the bits above it. Points stay as evenly spread as before, and each is uniformly
 * distributed.
 */
export function scrambled(bits: number, key: number): number {
  let flips = 0;
  for (let place = 0; place < SOBOL_BITS; place += 1) {
    // The bits above, preceded by a 1, so that positions differ too.
    const above = place === 0 ? 1 : ((1 << place) | (bits >>> (SOBOL_BITS - place))) >>> 0;
    const coin = mixBits(mixBits(above ^ key) + key);
    flips = (flips << 1) | (coin >>> 31);
  }
  return (bits ^ flips) >>> 0;
}

/** Returns a coordinate of the scrambled sequence, between 0 and 1, in the middle of its 2^-32 interval. */
export function scrambledSobol(at: {
  readonly point: number;
  readonly dimension: number;
  readonly seed: number;
}): number {
  const key = mixBits(
    mixBits(at.seed + Math.floor(at.seed / 2 ** SOBOL_BITS)) ^ mixBits(at.dimension + 0x5bd1e995),
  );
  return (scrambled(sobolBits(at.point, at.dimension), key) + 0.5) / 2 ** SOBOL_BITS;
}

/** Largest degree: beyond it, `isPrimitive` takes too long. */
const LARGEST_DEGREE = 20;

/** Polynomial over the integers modulo 2, as a number: bit `k` is the coefficient of `x^k`. */
export type BinaryPolynomial = number;

/** Returns the largest power of `x` in a polynomial. */
export const degreeOf = (polynomial: BinaryPolynomial): number => 31 - Math.clz32(polynomial);

/** Returns the first primitive polynomials from degree 1 on, sorted by number. */
export function primitivePolynomials(count: number): BinaryPolynomial[] {
  const found: BinaryPolynomial[] = [];
  // An even number has no constant term, so that `x` divides it: only odd numbers are candidates.
  for (let candidate = 0b11; found.length < count; candidate += 2)
    if (isPrimitive(candidate)) found.push(candidate);
  return found;
}

/**
 * True if the powers of `x`, modulo an odd polynomial, reach all `2^degree - 1` remainders but 0 before one
 * repeats (R. Lidl and H. Niederreiter, "Finite Fields", 1997, theorem 3.16).
 * @throws RangeError above degree 20
 */
export function isPrimitive(polynomial: BinaryPolynomial): boolean {
  const degree = degreeOf(polynomial);
  if (degree > LARGEST_DEGREE)
    throw new RangeError(`expected a polynomial of degree 1 to ${LARGEST_DEGREE}, found ${degree}`);
  const remainders = 2 ** degree - 1;
  let power = 1;
  for (let exponent = 1; exponent <= remainders; exponent += 1) {
    power <<= 1;
    if (power > remainders) power ^= polynomial;
    if (power === 1) return exponent === remainders;
  }
  return false;
}

/** Number of bits of a coordinate, which limits the sequence to 2^32 points. */
export const SOBOL_BITS = 32;

/**
 * First direction numbers of each dimension from the second one on, as many as the degree of its polynomial.
 * `bench/samplers/find-directions.ts` finds them.
 */
const FIRST_NUMBERS = `
1
1 1
1 1 1
1 1 1
1 3 1 3
1 1 3 7
1 3 5 1 11
1 1 5 3 7
1 3 3 15 5
1 3 5 5 23
1 1 5 7 23
1 3 3 15 17
1 3 5 13 9 19
1 1 3 9 7 1
1 3 1 5 25 3
1 1 5 5 17 43
1 1 7 11 19 59
1 1 7 15 5 21
1 1 5 1 3 43 9
1 1 3 5 3 41 5
1 3 1 1 17 53 75
1 3 5 7 11 49 27
1 3 7 5 19 53 41
1 3 3 9 11 35 53
1 3 7 7 13 7 97
1 3 5 13 25 25 67
1 3 1 1 5 21 111
1 1 1 9 3 59 15
1 3 3 3 27 9 25
1 1 7 11 1 17 59
1 3 3 9 31 31 109
1 3 7 15 9 55 77
1 1 7 5 29 3 95
1 1 1 3 25 9 111
1 3 1 13 1 17 75
1 1 3 13 17 23 97
1 1 3 13 31 23 93 183
1 1 7 11 19 21 43 159
1 1 1 1 27 47 13 113
1 3 5 15 9 9 39 129
1 3 7 1 25 27 83 155
1 1 5 5 9 5 109 217
1 3 3 11 31 33 73 67
1 1 1 3 7 61 105 93
1 3 7 13 19 5 11 143
1 1 7 9 27 63 27 43
1 1 1 15 15 15 111 37
1 3 5 15 19 43 7 117
1 1 7 11 15 63 13 73
1 3 7 7 17 37 95 115
1 1 1 9 3 43 17 51
1 3 1 1 31 63 123 195
1 3 1 5 9 33 69 41 63
1 1 7 11 23 1 31 241 497
1 1 1 5 3 13 115 243 255
1 1 3 7 5 27 13 225 291
1 1 5 7 23 27 11 1 111
1 1 3 15 31 61 121 205 195
1 1 5 1 1 31 23 31 151
1 3 1 3 5 23 19 253 405
1 3 1 3 21 41 89 7 263
1 3 5 7 1 3 3 63 193
1 3 7 13 7 33 53 115 205
`;

/** First direction numbers of each dimension from the second on; number k (from 1) is odd and below 2^k. */
export const FIRST_DIRECTION_NUMBERS: readonly (readonly number[])[] = FIRST_NUMBERS.trim()
  .split('\n')
  .map((row) => row.split(' ').map(Number));

/** Direction numbers of the first dimension: the binary digits of a point's number, reversed. */
export const PLAIN_DIRECTIONS = Uint32Array.from(
  { length: SOBOL_BITS },
  (_, place) => 2 ** (SOBOL_BITS - 1 - place),
);

/** Direction numbers of all 64 dimensions, with the highest bit first. */
export const SOBOL_DIRECTIONS: readonly Uint32Array[] = [
  PLAIN_DIRECTIONS,
  ...primitivePolynomials(FIRST_DIRECTION_NUMBERS.length).map((polynomial, index) =>
    continuedDirections(polynomial, FIRST_DIRECTION_NUMBERS[index] ?? []),
  ),
];

/**
 * Extends the first direction numbers by the recurrence of a primitive polynomial, in which each number
 * follows from as many earlier ones as its degree (I. M. Sobol, "On the distribution of points in a cube",
 * 1967). If there are fewer than the degree, they stay as they are, followed by zeros.
 */
export function continuedDirections(polynomial: BinaryPolynomial, first: readonly number[]): Uint32Array {
  const degree = degreeOf(polynomial);
  const directions = new Uint32Array(SOBOL_BITS);
  for (const [place, number] of first.entries()) directions[place] = number * 2 ** (SOBOL_BITS - 1 - place);
  if (first.length < degree) return directions;
  for (let place = degree; place < SOBOL_BITS; place += 1) {
    let mixed = (directions[place - degree] ?? 0) >>> degree;
    for (let back = 1; back <= degree; back += 1)
      if (((polynomial >>> (degree - back)) & 1) === 1) mixed ^= directions[place - back] ?? 0;
    directions[place] = mixed;
  }
  return directions;
}
