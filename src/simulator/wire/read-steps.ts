import { fractionDigits, tryDecimalText, type DecimalText } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS, unitsOf } from '../../domain/money.ts';
import { divideDown, divideHalfEven } from '../../domain/rounding.ts';
import { BareNumber } from './bare-number.ts';
import type { WireInput } from './handler.ts';

/** A decimal as a whole number over ten to some power, and the step over the same. */
function scaled(text: DecimalText, step: bigint): { readonly value: bigint; readonly step: bigint } {
  const digits = fractionDigits(text);
  if (digits <= UNIT_DECIMALS) return { value: unitsOf(text), step };
  return { value: BigInt(text.replace('.', '')), step: step * 10n ** BigInt(digits - UNIT_DECIMALS) };
}

function decimalField(input: WireInput, name: string): DecimalText | null | undefined {
  const value = input[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (value instanceof BareNumber) return tryDecimalText(value.text);
  return typeof value === 'string' || typeof value === 'number' ? tryDecimalText(value) : null;
}

/**
 * A price in steps, digits beyond the step rounded half-even. Null when it did not come; NaN when it is no decimal. Beyond 2^53 steps it is
 * no safe integer, which the exchange refuses as a price.
 */
export function priceStepsField(input: WireInput, name: string, priceStep: bigint): number | null {
  const text = decimalField(input, name);
  if (text === undefined) return null;
  if (text === null) return Number.NaN;
  const { value, step } = scaled(text, priceStep);
  return Number(divideHalfEven(value, step));
}

/** An amount in steps, digits beyond the step cut off. NaN when it did not come or is no decimal. */
export function amountStepsField(input: WireInput, name: string, amountStep: bigint): number {
  const text = decimalField(input, name);
  if (text === undefined || text === null) return Number.NaN;
  const { value, step } = scaled(text, amountStep);
  return Number(divideDown(value, step));
}
