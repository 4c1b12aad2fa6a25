import { fractionDigits, type DecimalText } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS } from '../../domain/money.ts';

/** Digits before the point that fit DECIMAL(38,10); more would silently become another number. */
const MOST_WHOLE_DIGITS = 28;

/** What a number can not be stored for, as the rest of "expected …"; null where it can. */
export function decimalProblem(decimal: DecimalText): string | null {
  if (decimal.length <= UNIT_DECIMALS) return null;
  if (fractionDigits(decimal) > UNIT_DECIMALS) return `at most ${UNIT_DECIMALS} decimals`;
  const [whole = ''] = decimal.replace('-', '').split('.');
  return whole.length > MOST_WHOLE_DIGITS ? `at most ${MOST_WHOLE_DIGITS} digits before the point` : null;
}
