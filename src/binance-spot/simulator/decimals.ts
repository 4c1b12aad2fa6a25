import { decimalText } from '../../domain/decimal-text.ts';
import { divideHalfEven, UNIT_DECIMALS, unitsOf } from '../../domain/money.ts';
import { refusals } from './refusal.ts';

/** Largest number of a parameter, in steps of its asset's precision: a signed integer of 64 bits. */
const MOST_STEPS = 2n ** 63n - 1n;

/** Returns 10 to a power. */
export const powerOfTen = (power: number): bigint => 10n ** BigInt(power);

/** Writes units with a fixed number of decimals. What is finer is rounded half to even. */
export function paddedText(units: bigint, decimals: number): string {
  const rounded =
    decimals >= UNIT_DECIMALS
      ? units * powerOfTen(decimals - UNIT_DECIMALS)
      : divideHalfEven(units, powerOfTen(UNIT_DECIMALS - decimals));
  const digits = (rounded < 0n ? -rounded : rounded).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const text = decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return rounded < 0n ? `-${text}` : text;
}

/** Returns the units of a parameter. Refuses more decimals than `precision`, and what no 64 bits hold. */
export function sentUnits(text: string, precision: number, name: string): bigint {
  const point = text.indexOf('.');
  if (point !== -1 && text.length - point - 1 > precision) throw refusals.precision(name);
  const units = unitsOf(decimalText(text));
  if (units > (MOST_STEPS * powerOfTen(UNIT_DECIMALS)) / powerOfTen(precision)) throw refusals.overflow(name);
  return units;
}

/** Returns a quotient of positive numbers rounded to the nearest integer, ties up. */
export const divideHalfUp = (dividend: bigint, divisor: bigint): bigint =>
  (dividend * 2n + divisor) / (divisor * 2n);
