import { degreeOf, type BinaryPolynomial } from '../../src/search/sobol-proposer.ts';

/** Maximum number of dimensions that are checked together. */
const MOST_DIMENSIONS = 128;

/**
 * Checks I. M. Sobol's property A (1976): of the first `2^d` points one lies in each of the parts into which
 * `d` dimensions are halved. The first digits of the first `d` direction numbers of all of them must be
 * independent. It is checked for every `d` up to the number of dimensions that were added.
 */
export class EvenHalves {
  /** Digits of each dimension, reduced by those of earlier ones: its own place is the lowest one left. */
  private readonly rows: readonly bigint[];

  constructor(rows: readonly bigint[] = [1n]) {
    this.rows = rows;
  }

  /** True if the property holds with this dimension as the next one; missing numbers count as 0. */
  fits(polynomial: BinaryPolynomial, first: readonly number[]): boolean {
    return ((this.rest(polynomial, first) >> BigInt(this.rows.length)) & 1n) === 1n;
  }

  /** Returns a copy with one more dimension. */
  with(polynomial: BinaryPolynomial, first: readonly number[]): EvenHalves {
    return new EvenHalves([...this.rows, this.rest(polynomial, first)]);
  }

  /** The last place, from 0, whose number decides if the next dimension fits; -1 if none makes it fit. */
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

/** The first digit of each direction number; first digits follow the recurrence on their own. */
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
