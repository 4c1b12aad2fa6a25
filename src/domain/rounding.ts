/**
 * The one place where digits are lost, and each function says in its name which way.
 *
 * All divisions are of bigints: a rial notional at ten decimals (1.26e20 for one bitcoin) fits no 64-bit
 * integer and no float.
 */

/**
 * The quotient rounded to the nearest integer, a tie to the even one (banker's rounding). `divisor` is
 * positive.
 */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  // Cheaper than a second division.
  const rest = dividend - quotient * divisor;
  if (rest === 0n) return quotient;
  const magnitude = rest < 0n ? -rest : rest;
  const twice = magnitude * 2n;
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}

/** The quotient rounded towards zero. `divisor` is positive. */
export function divideDown(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor;
}

/**
 * The quotient rounded away from zero: what a hold uses, so that it always covers the debit. `divisor` is
 * positive.
 */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (dividend % divisor === 0n) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}
