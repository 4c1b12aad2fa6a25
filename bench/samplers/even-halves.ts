import { degreeOf, type BinaryPolynomial } from '../../src/search/sobol-proposer.ts';

/** Dimensions that are looked at together, at most. */
const MOST_DIMENSIONS = 128;

/**
 * I. M. Sobol's property A (1976): of the first `2^d` points one lies in each of the parts into which `d`
 * dimensions are halved. The first digits of the first `d` direction numbers of all of them must be
 * independent. This holds it for every `d` up to the number of dimensions that were added.
 */
export class EvenHalves {
  /** What is left of each dimension's digits without those before it: its own place is the lowest one. */
  private readonly rows: readonly bigint[];

  constructor(rows: readonly bigint[] = [1n]) {
    this.rows = rows;
  }

  /** Whether the property holds with this dimension as the next one; numbers that are missing count as 0. */
  fits(polynomial: BinaryPolynomial, first: readonly number[]): boolean {
    return ((this.rest(polynomial, first) >> BigInt(this.rows.length)) & 1n) === 1n;
  }

  /** The same with one dimension more. */
  with(polynomial: BinaryPolynomial, first: readonly number[]): EvenHalves {
    return new EvenHalves([...this.rows, this.rest(polynomial, first)]);
  }

  /** The last place, from 0, whose number decides whether the next dimension fits; -1: with none it does. */
  decidingPlace(polynomial: BinaryPolynomial): number {
    const places = Array.from({ length: degreeOf(polynomial) }, (_, place) => place);
    const alone = places.map((place) => places.map((other) => (other === place ? 2 ** other : 0)));
    return alone.findLastIndex((first) => this.fits(polynomial, first));
  }

  private rest(polynomial: BinaryPolynomial, first: readonly number[]): bigint {
    let rest = firstDigits(polynomial, first);
    for (const [place, row] of this.rows.entries()) if (((rest >> BigInt(place)) & 1n) === 1n) rest ^= row;
    return rest;
  }
}

/** The highest digit of each direction number; they follow the recurrence by themselves. */
function firstDigits(polynomial: BinaryPolynomial, first: readonly number[]): bigint {
  const degree = degreeOf(polynomial);
  const digits = first.map((number, place) => number >= 2 ** place);
  for (let place = degree; place < MOST_DIMENSIONS; place += 1) {
    let digit = false;
    for (let back = 1; back <= degree; back += 1)
      if (((polynomial >>> (degree - back)) & 1) === 1) digit = digit !== (digits[place - back] ?? false);
    digits[place] = digit;
  }
  return digits.reduce((all, digit, place) => (digit ? all | (1n << BigInt(place)) : all), 0n);
}
