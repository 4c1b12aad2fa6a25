import {
  degreeOf,
  primitivePolynomials,
  type BinaryPolynomial,
  continuedDirections,
  PLAIN_DIRECTIONS,
} from '../../src/search/sobol-proposer.ts';
import { EvenHalves } from './even-halves.ts';
import { digitRows, netDefect, type DigitRows } from './net-defect.ts';

/** Log2 of the most points that count: from 2^2 points on, to 2^14 in planes and 2^12 in spaces. */
const MOST_DIGITS = 14;
const MOST_DIGITS_IN_SPACES = 12;
/** Dimensions whose spaces are counted; more would take too long. */
const DIMENSIONS_OF_SPACES = 16;
/** Weight of a space, relative to a plane. */
const SHARE_OF_SPACE = 1 / 8;
/** Number of best candidates that are kept at each place. */
const BEAM = 64;
/** Number of these that are then improved number by number. */
const CLIMBS = 4;

/** First direction numbers, and their cost: how far the points are from an even spread; less is better. */
interface Candidate {
  readonly first: readonly number[];
  readonly cost: number;
}

/**
 * Finds first direction numbers, one dimension after the other, for the second to the `dimensions`th. They
 * keep property A. Among those that do, they are chosen for the planes of a new dimension with each one
 * before it, and for its spaces with each two. The cost is the sum of `4^t` over planes and numbers of
 * points, where `t` is the defect of the points there, and an eighth of the same sum over spaces. Numbers
 * are first found place by place, of which the best beginnings are kept, and then changed one at a time
 * while that helps. Nothing is drawn: it finds the same numbers each time.
 * @throws Error where no numbers keep property A
 */
export function searchDirections(dimensions: number): (readonly number[])[] {
  let halves = new EvenHalves();
  const before: DigitRows[] = [digitRows(PLAIN_DIRECTIONS, MOST_DIGITS)];
  const polynomials = primitivePolynomials(dimensions);
  return polynomials.slice(0, -1).map((polynomial, index) => {
    const next = polynomials[index + 1] ?? polynomial;
    const { first } = new DimensionSearch({ polynomial, next, halves, before }).best();
    halves = halves.with(polynomial, first);
    before.push(digitRows(continuedDirections(polynomial, first), MOST_DIGITS));
    return first;
  });
}

interface SearchedDimension {
  readonly polynomial: BinaryPolynomial;
  /** Polynomial of the next dimension, which must still find numbers that keep property A. */
  readonly next: BinaryPolynomial;
  readonly halves: EvenHalves;
  /** Earlier dimensions: each forms a plane with this one, and each two of the first ones a space. */
  readonly before: readonly DigitRows[];
}

class DimensionSearch {
  private readonly of: SearchedDimension;
  private readonly degree: number;
  private readonly spaces: readonly (readonly [DigitRows, DigitRows])[];

  /** Results of `keepsHalves`, by the first digits. */
  private readonly stored = new Map<string, boolean>();

  constructor(of: SearchedDimension) {
    this.of = of;
    this.degree = degreeOf(of.polynomial);
    this.spaces =
      of.before.length < DIMENSIONS_OF_SPACES
        ? of.before.flatMap((one, index) => of.before.slice(0, index).map((other) => [one, other] as const))
        : [];
  }

  best(): Candidate {
    const starts = this.beginnings();
    if (starts.length === 0) {
      const dimension = this.of.before.length + 1;
      throw new Error(`expected numbers that keep property A in dimension ${dimension}, found none`);
    }
    return starts
      .map(({ first }) => ({ first, cost: this.wholeCost(first, Infinity) }))
      .toSorted((one, other) => one.cost - other.cost)
      .slice(0, CLIMBS)
      .map((start) => this.climbed(start))
      .reduce((one, other) => (other.cost < one.cost ? other : one));
  }

  /** Finds the best candidates place by place, each time by as many points as its numbers decide. */
  private beginnings(): readonly Candidate[] {
    const deciding = this.of.halves.decidingPlace(this.of.polynomial);
    let beam: readonly Candidate[] = [{ first: [], cost: 0 }];
    for (let place = 0; place < this.degree; place += 1) {
      const longer = beam.flatMap(({ first, cost }) =>
        oddNumbersAt(place).map((number) => ({ first: [...first, number], cost })),
      );
      beam = longer
        .filter(({ first }) => place !== deciding || this.fits(first))
        .filter(({ first }) => first.length < this.degree || this.keepsHalves(first))
        .map(({ first, cost }) => ({ first, cost: cost + this.costAt(first, place + 1, Infinity) }))
        .toSorted((one, other) => one.cost - other.cost)
        .slice(0, BEAM);
    }
    return beam;
  }

  /** Changes one number after the other, as long as the cost falls. */
  private climbed(start: Candidate): Candidate {
    let best = start;
    for (let before = Infinity; best.cost < before;) {
      before = best.cost;
      for (let place = this.degree - 1; place > 0; place -= 1)
        for (const number of oddNumbersAt(place)) {
          const first = best.first.with(place, number);
          if (!this.keepsHalves(first)) continue;
          const cost = this.wholeCost(first, best.cost);
          if (cost < best.cost) best = { first, cost };
        }
    }
    return best;
  }

  private fits(first: readonly number[]): boolean {
    return this.of.halves.fits(this.of.polynomial, first);
  }

  /** True if property A holds and the next dimension can keep it; first digits alone decide. */
  private keepsHalves(first: readonly number[]): boolean {
    const digits = first.map((number, place) => (number >= 2 ** place ? '1' : '0')).join('');
    const known = this.stored.get(digits);
    if (known !== undefined) return known;
    const { halves, polynomial, next } = this.of;
    const keeps = this.fits(first) && halves.with(polynomial, first).decidingPlace(next) !== -1;
    this.stored.set(digits, keeps);
    return keeps;
  }

  private wholeCost(first: readonly number[], limit: number): number {
    let cost = 0;
    for (let digits = MOST_DIGITS; digits >= 2 && cost < limit; digits -= 1)
      cost += this.costAt(first, digits, limit - cost);
    return cost;
  }

  /** Cost of `2^digits` points; stops at the limit and returns the cost up to there. */
  private costAt(first: readonly number[], digits: number, limit: number): number {
    const rows = digitRows(continuedDirections(this.of.polynomial, first), digits);
    let cost = 0;
    for (const other of this.of.before) {
      if (cost >= limit) return cost;
      cost += 4 ** netDefect([other, rows], digits);
    }
    if (digits > MOST_DIGITS_IN_SPACES) return cost;
    for (const others of this.spaces) {
      if (cost >= limit) return cost;
      cost += SHARE_OF_SPACE * 4 ** netDefect([...others, rows], digits);
    }
    return cost;
  }
}

/** Possible direction numbers at a place, counted from 0: the odd ones below `2^(place + 1)`. */
function oddNumbersAt(place: number): number[] {
  return Array.from({ length: 2 ** place }, (_, index) => 2 * index + 1);
}
