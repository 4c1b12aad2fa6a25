import { expect, test } from 'vitest';
import {
  SOBOL_BITS,
  scrambled,
  scrambledSobol,
  sobolBits,
  degreeOf,
  primitivePolynomials,
  FIRST_DIRECTION_NUMBERS,
  SOBOL_DIRECTIONS,
  isPrimitive,
} from '../../../../src/search/sobol-proposer.ts';
import { searchDirections } from '../../../../bench/samplers/direction-search.ts';
import { EvenHalves } from '../../../../bench/samplers/even-halves.ts';
import { digitRows, netDefect } from '../../../../bench/samplers/net-defect.ts';

const places = (count: number): number[] => Array.from({ length: count }, (_, place) => place);

// All Sobol sequences share their first two dimensions; scipy 1.17.1 has these, with 32 bits.
test.each([
  [1, [2147483648, 2147483648]],
  [6, [2684354560, 536870912]],
  [777, [2973761536, 4022337536]],
])('point %i has scipy’s bits in the first two dimensions', (point, bits) => {
  expect([0, 1].map((dimension) => sobolBits(point, dimension))).toEqual(bits);
});

test('256 points are one in each 256th of every one of 64 lines', () => {
  for (const dimension of places(64)) {
    const cells = places(256).map((point) => sobolBits(point, dimension) >>> 24);
    expect(new Set(cells).size).toBe(256);
  }
});

test('the first point is 0 in every dimension', () => {
  expect(places(64).map((dimension) => sobolBits(0, dimension))).toEqual(Array(64).fill(0));
});

test.each([0, 7, 2 ** 40])(
  'scrambled by seed %i, 256 points stay one in each 256th of every line',
  (seed) => {
    for (const dimension of [0, 1, 17, 63]) {
      const cells = places(256).map((point) => Math.floor(scrambledSobol({ point, dimension, seed }) * 256));
      expect(new Set(cells).size).toBe(256);
    }
  },
);

test('scrambled, 16 points of the first two dimensions stay one in each cell of every 16-cell grid', () => {
  for (const [columns, rows] of [
    [16, 1],
    [8, 2],
    [4, 4],
    [2, 8],
    [1, 16],
  ] as const) {
    const cells = places(16).map((point) => {
      const [x, y] = [0, 1].map((dimension) => scrambledSobol({ point, dimension, seed: 5 }));
      return `${Math.floor(x! * columns)},${Math.floor(y! * rows)}`;
    });
    expect(new Set(cells).size).toBe(16);
  }
});

test('scrambling keeps common leading bits common, and nothing below them', () => {
  const [one, other] = [0b1011_0110, 0b1011_1001].map((top) => scrambled((top << 24) >>> 0, 99));
  expect(one! >>> 28).toBe(other! >>> 28);
  expect((one! >>> 27) & 1).not.toBe((other! >>> 27) & 1);
  expect(SOBOL_BITS).toBe(32);
});

test('another seed scrambles otherwise, and each place is as likely', () => {
  const first = places(2_000).map((seed) => scrambledSobol({ point: 0, dimension: 3, seed }));
  const mean = first.reduce((sum, value) => sum + value, 0) / first.length;
  expect(new Set(first).size).toBeGreaterThan(1_990);
  // Five standard deviations of a mean of 2,000.
  expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / 2_000));
});

const POLYNOMIALS = primitivePolynomials(63);
/** Returns the defects of 2^`digits` points in the planes of all pairs of the first dimensions. */
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
    /** True if all rectangles of this area hold the same number of points. */
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

// Both are at most what the table in docs/sampler-quality.md says.
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

/** Counts the numbers below `count` that have no divisor in common with it (Euler). */
function coprimeCount(count: number): number {
  const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));
  return Array.from({ length: count }, (_, index) => index).filter((other) => divisor(count, other) === 1)
    .length;
}

test('there are as many of each degree as theory counts', () => {
  // Each primitive polynomial of a degree belongs to `degree` generators of the field.
  const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((degree) => coprimeCount(2 ** degree - 1) / degree);
  const all = primitivePolynomials(expected.reduce((sum, count) => sum + count, 0));
  const found = expected.map(
    (_, index) => all.filter((polynomial) => degreeOf(polynomial) === index + 1).length,
  );
  expect(found).toEqual(expected);
});

test('they come in the order of their numbers', () => {
  // x + 1, x^2 + x + 1, x^3 + x + 1, x^3 + x^2 + 1, x^4 + x + 1, x^4 + x^3 + 1
  expect(primitivePolynomials(6)).toEqual([0b11, 0b111, 0b1011, 0b1101, 0b10011, 0b11001]);
});

test('a product is none, nor an irreducible one whose powers come again too soon', () => {
  // (x + 1)^2; x^4 + x^3 + x^2 + x + 1 divides x^5 + 1.
  expect([0b101, 0b11111].map(isPrimitive)).toEqual([false, false]);
});

test('a degree that would take too long is refused', () => {
  expect(() => isPrimitive(2 ** 21 + 1)).toThrow('expected a polynomial of degree 1 to 20, found 21');
});
