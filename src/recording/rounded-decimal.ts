import { fractionDigits, type DecimalText } from '../domain/decimal-text.ts';
import { formatUnits, UNIT_DECIMALS } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';

/** A decimal as it is, and one with more decimals than these (0 to 10) with as many, half to even. */
export function roundedDecimal(decimal: DecimalText, decimals: number = UNIT_DECIMALS): DecimalText {
  const excess = fractionDigits(decimal) - decimals;
  if (excess <= 0) return decimal;
  const rounded = divideHalfEven(BigInt(decimal.replace('.', '')), 10n ** BigInt(excess));
  return formatUnits(rounded * 10n ** BigInt(UNIT_DECIMALS - decimals));
}

/** Digits before the point that fit DECIMAL(38,10); more would silently become another number. */
const MOST_WHOLE_DIGITS = 28;

/** Requirement that a number fails for storage, as the rest of "expected …"; null if it can be stored. */
export function decimalProblem(decimal: DecimalText): string | null {
  if (decimal.length <= UNIT_DECIMALS) return null;
  if (fractionDigits(decimal) > UNIT_DECIMALS) return `at most ${UNIT_DECIMALS} decimals`;
  const [whole = ''] = decimal.replace('-', '').split('.');
  return whole.length > MOST_WHOLE_DIGITS ? `at most ${MOST_WHOLE_DIGITS} digits before the point` : null;
}
