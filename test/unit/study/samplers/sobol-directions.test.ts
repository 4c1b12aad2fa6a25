import { expect, test } from 'vitest';
import { searchDirections } from '../../../../bench/samplers/direction-search.ts';
import { EvenHalves } from '../../../../bench/samplers/even-halves.ts';
import { digitRows, netDefect } from '../../../../bench/samplers/net-defect.ts';
import {
  degreeOf,
  primitivePolynomials,
  FIRST_DIRECTION_NUMBERS,
  SOBOL_DIRECTIONS,
  sobolBits,
} from '../../../../src/search/sobol-proposer.ts';

const POLYNOMIALS = primitivePolynomials(63);
const places = (count: number): number[] => Array.from({ length: count }, (_, place) => place);

/** The defect of 2^`digits` points in the plane of each two of the first dimensions. */
function defects(dimensions: number, digits: number): number[] {
  const rows = SOBOL_DIRECTIONS.slice(0, dimensions).map((directions) => digitRows(directions, digits));
  return rows.flatMap((one, index) => rows.slice(0, index).map((other) => netDefect([other, one], digits)));
}

test('each of 64 dimensions but the first has odd numbers below 2^place, as many as its polynomial’s degree', () => {
  expect(SOBOL_DIRECTIONS).toHaveLength(64);
  expect(FIRST_DIRECTION_NUMBERS.map((first) => first.length)).toEqual(POLYNOMIALS.map(degreeOf));
  for (const first of FIRST_DIRECTION_NUMBERS)
    for (const [place, number] of first.entries()) {
      expect(number % 2).toBe(1);
      expect(number).toBeLessThan(2 ** (place + 1));
    }
});

test('the search finds the stored numbers again', () => {
  expect(searchDirections(8)).toEqual(FIRST_DIRECTION_NUMBERS.slice(0, 7));
});

test('property A holds for every number of dimensions up to 64', () => {
  let halves = new EvenHalves();
  for (const [index, polynomial] of POLYNOMIALS.entries()) {
    const first = FIRST_DIRECTION_NUMBERS[index]!;
    expect(halves.fits(polynomial, first), `dimension ${index + 2}`).toBe(true);
    halves = halves.with(polynomial, first);
  }
});

test('by property A 512 points have one in each part of 9 dimensions that are halved', () => {
  const parts = places(512).map((point) =>
    places(9).reduce((part, dimension) => 2 * part + (sobolBits(point, dimension) >>> 31), 0),
  );
  expect(new Set(parts).size).toBe(512);
});

test.each([
  [0, 1],
  [3, 7],
  [20, 63],
])('the defect of dimensions %i and %i is what counting says', (one, other) => {
  for (const digits of [3, 5, 8]) {
    const points = places(2 ** digits).map((point) =>
      [one, other].map((dimension) => sobolBits(point, dimension)),
    );
    /** Whether all rectangles of this area have as many points. */
    const isEven = (shared: number): boolean =>
      places(digits - shared + 1).every((columns) => {
        const counts = new Map<string, number>();
        for (const [x = 0, y = 0] of points) {
          const cell = `${(x >>> (31 - columns)) >>> 1},${(y >>> (31 - (digits - shared - columns))) >>> 1}`;
          counts.set(cell, (counts.get(cell) ?? 0) + 1);
        }
        return (
          counts.size === 2 ** (digits - shared) &&
          [...counts.values()].every((count) => count === 2 ** shared)
        );
      });
    const counted = places(digits + 1).find(isEven);
    const [first, second] = [one, other].map((dimension) => digitRows(SOBOL_DIRECTIONS[dimension]!, digits));
    expect(netDefect([first!, second!], digits)).toBe(counted);
  }
});

// Both are at most what the table of docs/sampler-quality.md says.
test.each([
  { dimensions: 10, digits: 8, worst: 3, mean: 1.65 },
  { dimensions: 20, digits: 12, worst: 5, mean: 2.22 },
  { dimensions: 64, digits: 10, worst: 7, mean: 2.52 },
])(
  '2^$digits points are even in the planes of $dimensions dimensions',
  ({ dimensions, digits, worst, mean }) => {
    const found = defects(dimensions, digits);
    expect(Math.max(...found)).toBe(worst);
    expect(found.reduce((sum, defect) => sum + defect, 0) / found.length).toBeLessThan(mean);
  },
);
