import { expect, test } from 'vitest';
import { degreeOf, isPrimitive, primitivePolynomials } from '../../../../src/search/sobol-proposer.ts';

/** How many numbers below `count` have no divisor in common with it (Euler). */
function coprimeCount(count: number): number {
  const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));
  return Array.from({ length: count }, (_, index) => index).filter((other) => divisor(count, other) === 1)
    .length;
}

test('there are as many of each degree as theory counts', () => {
  // One of each degree comes from every `degree` generators of the field.
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
