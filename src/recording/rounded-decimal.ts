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
