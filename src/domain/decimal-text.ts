import { Decimal } from 'decimal.js';
import { SarrafError } from './errors.ts';

declare const brand: unique symbol;

/** A value of type `T` that only its own constructor makes: a price can not be passed as an amount. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/**
 * A decimal number as its canonical text: optional minus, digits, and a fraction without trailing zeros.
 * Never an exponent, never `-0`, never a leading zero but the one before the point. Equal numbers have equal
 * texts.
 */
export type DecimalText = Brand<string, 'DecimalText'>;

export const ZERO = '0' as DecimalText;

/** Number of decimal digits that a float always keeps, wherever the point is. */
export const SURE_DIGITS = 15;

/** The code of the character 0. */
const ZERO_DIGIT = 48;

const CANONICAL = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;
const PLAIN = /^[+-]?\d+(?:\.\d+)?$/;
const SCIENTIFIC = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)[eE][+-]?\d{1,4}$/;
/**
 * Maximum number of characters of a number. No number of this exchange comes near it: 1e30 rial is more than
 * all money. It bounds the work for one bad field.
 */
const MAX_TEXT_LENGTH = 80;

/** A separate Decimal constructor, so that no change to decimal.js's global settings can round our money. */
const Exact = Decimal.clone({ precision: 200, toExpNeg: -9e15, toExpPos: 9e15 });

/**
 * Returns the canonical text of a decimal number in any notation of the exchange (`"8500000.0000000000"`,
 * `"0E-10"`), or null if `input` is no finite decimal. A JavaScript number is read by its shortest text.
 */
export function tryDecimalText(input: string | number | Decimal): DecimalText | null {
  const text =
    typeof input === 'string' ? input : typeof input === 'number' ? String(input) : input.toFixed();
  if (text.length > MAX_TEXT_LENGTH) return null;
  if (CANONICAL.test(text)) return (text === '-0' ? '0' : text) as DecimalText;
  if (PLAIN.test(text)) return trimmed(text);
  if (SCIENTIFIC.test(text)) {
    const canonical = new Exact(text).toFixed();
    if (canonical.length > MAX_TEXT_LENGTH) return null;
    return (canonical === '-0' ? '0' : canonical) as DecimalText;
  }
  return null;
}

/** Removes zeros that mean nothing, which the exchange writes with most of its numbers. */
function trimmed(text: string): DecimalText {
  const isSigned = text.startsWith('-') || text.startsWith('+');
  const point = text.indexOf('.');
  const wholeEnd = point === -1 ? text.length : point;
  let end = text.length;
  while (end > wholeEnd && text.charCodeAt(end - 1) === ZERO_DIGIT) end -= 1;
  if (end === wholeEnd + 1) end = wholeEnd;
  let start = isSigned ? 1 : 0;
  while (start < wholeEnd - 1 && text.charCodeAt(start) === ZERO_DIGIT) start += 1;
  const digits = text.slice(start, end);
  return (text.startsWith('-') && digits !== '0' ? `-${digits}` : digits) as DecimalText;
}

/**
 * Returns the canonical text of a decimal number.
 * @throws SarrafError `INVALID_DECIMAL` when `input` is no finite decimal number.
 */
export function decimalText(input: string | number | Decimal): DecimalText {
  const text = tryDecimalText(input);
  if (text === null)
    throw new SarrafError(
      'INVALID_DECIMAL',
      `expected a decimal number such as "12.5", was ${JSON.stringify(input)}`,
    );
  return text;
}

/** Returns the number of digits after the point of a canonical decimal. */
export function fractionDigits(text: DecimalText): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}
