import { Decimal } from 'decimal.js';
import { present } from '../../domain/invariant.ts';
import { NO_UNITS, UNIT_DECIMALS, type Units } from '../../domain/money.ts';
import { textOfNumber } from '../../strategy/decimal-input.ts';
import type { DecimalInput } from '../../strategy/intents.ts';

const PLAIN = /^(?:0|[1-9]\d{0,29})(?:\.\d{1,40})?$/;
/** What makes units of a whole number of 0, 1, 2, … decimals. */
const SCALES: readonly bigint[] = Array.from({ length: UNIT_DECIMALS + 1 }, (_, decimals) => {
  return 10n ** BigInt(UNIT_DECIMALS - decimals);
});
/** Digits that every number of them has exactly as a double, which are read faster that way. */
const SAFE_DIGITS = 15;
/** Ten to this power is more than all money, and bounds the work of one bad number. */
const HIGHEST_EXPONENT = 30;

/**
 * What an author wrote, in units of 1e-10; digits below that are cut, as they are far below any step. Null
 * when it is no finite decimal or is negative.
 */
export function wishUnits(input: DecimalInput): Units | null {
  if (typeof input === 'string' && PLAIN.test(input)) return plainUnits(input);
  if (typeof input === 'number') {
    const text = textOfNumber(input);
    return text === null ? null : wishUnits(text);
  }
  if (typeof input !== 'string' && !Decimal.isDecimal(input)) return null;
  try {
    const value = new Decimal(input);
    if (value.isZero()) return NO_UNITS;
    if (!value.isFinite() || value.isNegative() || value.e > HIGHEST_EXPONENT) return null;
    return BigInt(value.toFixed(UNIT_DECIMALS, Decimal.ROUND_DOWN).replace('.', '')) as Units;
  } catch {
    return null;
  }
}

/**
 * Quotes are read at every book, so the usual form is read without a Decimal and without a power to work out.
 */
function plainUnits(text: string): Units {
  const point = text.indexOf('.');
  const decimals = point === -1 ? 0 : Math.min(text.length - point - 1, UNIT_DECIMALS);
  const digits = point === -1 ? text : text.slice(0, point) + text.slice(point + 1, point + 1 + decimals);
  const whole = digits.length <= SAFE_DIGITS ? BigInt(Number(digits)) : BigInt(digits);
  return (whole * present(SCALES[decimals], 'at most ten decimals')) as Units;
}

/** The same, and null also when nothing is left of it. */
export function positiveWishUnits(input: DecimalInput): Units | null {
  const units = wishUnits(input);
  return units === 0n ? null : units;
}
