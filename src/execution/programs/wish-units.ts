import { Decimal } from 'decimal.js';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS, unitsOf, type Units } from '../../domain/money.ts';
import type { DecimalInput } from '../../strategy/intents.ts';

const PLAIN = /^(?:0|[1-9]\d{0,29})(?:\.\d{1,10})?$/;
/** Ten to this power is more than all money, and bounds the work of one bad number. */
const HIGHEST_EXPONENT = 30;

/**
 * What an author wrote, in units of 1e-10; digits below that are cut, as they are far below any step. Null when it is no finite decimal or is negative.
 */
export function wishUnits(input: DecimalInput): Units | null {
  if (typeof input === 'string' && PLAIN.test(input)) return unitsOf(input as DecimalText);
  if (typeof input !== 'string' && !Decimal.isDecimal(input)) return null;
  try {
    const value = new Decimal(input);
    if (value.isZero()) return 0n as Units;
    if (!value.isFinite() || value.isNegative() || value.e > HIGHEST_EXPONENT) return null;
    return BigInt(value.toFixed(UNIT_DECIMALS, Decimal.ROUND_DOWN).replace('.', '')) as Units;
  } catch {
    return null;
  }
}

/** The same, and null also when nothing is left of it. */
export function positiveWishUnits(input: DecimalInput): Units | null {
  const units = wishUnits(input);
  return units === 0n ? null : units;
}
