/** From the 21st degree on, a walk through all remainders takes too long. */
const LARGEST_DEGREE = 20;

/** A polynomial over the integers modulo 2 as a number: bit `k` is the coefficient of `x^k`. */
export type BinaryPolynomial = number;

/** The largest power of `x` in it. */
export function degreeOf(polynomial: BinaryPolynomial): number {
  return 31 - Math.clz32(polynomial);
}

/** The first primitive polynomials from degree 1 on, in the order of their numbers. */
export function primitivePolynomials(count: number): BinaryPolynomial[] {
  const found: BinaryPolynomial[] = [];
  // Without the coefficient of 1, `x` divides it: so only odd numbers.
  for (let candidate = 0b11; found.length < count; candidate += 2)
    if (isPrimitive(candidate)) found.push(candidate);
  return found;
}

/**
 * True if the powers of `x`, modulo an odd polynomial, are all `2^degree - 1` remainders but 0 before the
 * first of them comes again (R. Lidl and H. Niederreiter, "Finite Fields", 1997, theorem 3.16).
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
