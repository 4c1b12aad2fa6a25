import { fractionDigits, type DecimalText } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS, unitsOf } from '../../domain/money.ts';

/** A decimal in units; null when it is finer than the books keep. */
export function tryUnits(decimal: DecimalText): bigint | null {
  return fractionDigits(decimal) > UNIT_DECIMALS ? null : unitsOf(decimal);
}
