import { fractionDigits, type DecimalText } from '../domain/decimal-text.ts';
import { formatUnits, UNIT_DECIMALS } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';

/** A decimal as it is, and one with more than ten decimals with ten, half to even. */
export function roundedDecimal(decimal: DecimalText): DecimalText {
  const excess = fractionDigits(decimal) - UNIT_DECIMALS;
  if (excess <= 0) return decimal;
  return formatUnits(divideHalfEven(BigInt(decimal.replace('.', '')), 10n ** BigInt(excess)));
}
