import { expect, test } from 'vitest';
import { SOBOL_BITS, scrambled, scrambledSobol, sobolBits } from '../../../../src/search/sobol-proposer.ts';

const places = (count: number): number[] => Array.from({ length: count }, (_, place) => place);

// Every Sobol sequence has the same first two dimensions; so they are held to scipy 1.17.1's, with 32 bits.
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
  // Five deviations of a mean of 2,000.
  expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / 2_000));
});
