import { Decimal as Shared } from 'decimal.js';
import { tryDecimalText } from '../domain/decimal-text.ts';
import type { DecimalInput } from './intents.ts';

/** decimal.js for strategies, with its own settings: `Decimal.set` changes no rounding elsewhere. */
export const Decimal = Shared.clone();
export type Decimal = Shared;

/** Longest text that is read the fast way. Longer ones are read exactly; no money needs them. */
const SHORT = 40;

/** Exponent of a Decimal, and number of its words of seven digits, that fit the longest allowed text. */
const PLAIN_EXPONENT = 25;
const PLAIN_WORDS = 6;

const ZERO_CODE = 48;
const NINE_CODE = 57;
const POINT_CODE = 46;

/** Number of digits of any decimal that a float keeps. */
const SURE_DIGITS = 15;

/** Ten to the power of the most decimals of an ordinary number: the decimals that the books keep. */
const FEW = 1e10;

/**
 * Returns an author's number as a decimal text: the shortest of at most 15 digits, so that `0.1 + 0.2` is
 * 0.3. Null for a number that can not be money.
 */
export function textOfNumber(input: number): string | null {
  if (!Number.isFinite(input)) return null;
  // Most numbers that are written down have few decimals; most that are computed have many.
  if (Math.round(input * FEW) / FEW === input) {
    const text = String(input);
    if (text.length <= SURE_DIGITS && !text.includes('e')) return text;
  }
  return tryDecimalText(input.toPrecision(SURE_DIGITS));
}

/**
 * True for a finite decimal above zero: a number, a text or a Decimal. Runs for every number of every intent,
 * so a plain text is read by its characters alone.
 */
export function isPositiveDecimal(input: unknown): input is DecimalInput {
  if (typeof input === 'number') return input > 0 && Number.isFinite(input);
  if (typeof input === 'string')
    return plainSign(input) === 1 || (plainSign(input) === null && slowSign(input) === 1);
  return Decimal.isDecimal(input) && signOf(input) === 1;
}

/** True for what `isPositiveDecimal` accepts, and for zero. */
export function isDecimalFromZero(input: unknown): input is DecimalInput {
  if (input === 0 || isPositiveDecimal(input)) return true;
  if (typeof input === 'string') return slowSign(input) === 0;
  return Decimal.isDecimal(input) && signOf(input) === 0;
}

/** Returns a short description of the value found in place of a decimal. */
export function inputText(input: unknown): string {
  if (typeof input === 'string')
    return JSON.stringify(input.length > SHORT ? `${input.slice(0, SHORT)}…` : input);
  if (typeof input === 'number' || typeof input === 'boolean') return String(input);
  if (Decimal.isDecimal(input)) return input.toString();
  if (input === null || input === undefined) return String(input);
  if (Array.isArray(input)) return 'a list';
  return typeof input === 'object' ? 'an object' : `a ${typeof input}`;
}

/** Returns 1 for plain digits with at most one point between them, 0 if all are zero, else null. */
function plainSign(text: string): 0 | 1 | null {
  const { length } = text;
  if (length === 0 || length > SHORT) return null;
  let sign: 0 | 1 = 0;
  let pointAt = -1;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= ZERO_CODE && code <= NINE_CODE) {
      if (code !== ZERO_CODE) sign = 1;
    } else if (code === POINT_CODE && pointAt === -1) pointAt = index;
    else return null;
  }
  return pointAt === 0 || pointAt === length - 1 ? null : sign;
}

/** Returns the sign of a Decimal, from its text if its size is unusual; null if it is not finite. */
function signOf(input: Decimal): -1 | 0 | 1 | null {
  if (!input.isFinite()) return null;
  if (input.isZero()) return 0;
  if (Math.abs(input.e) > PLAIN_EXPONENT || input.d.length > PLAIN_WORDS) return slowSign(input);
  return input.isNegative() ? -1 : 1;
}

/** Returns the sign, -1, 0 or 1; null if it is no finite decimal, or too long for money. */
function slowSign(input: string | Decimal): -1 | 0 | 1 | null {
  const text = tryDecimalText(input);
  if (text === null) return null;
  if (text === '0') return 0;
  return text.startsWith('-') ? -1 : 1;
}

/** Returns the message for a market that does not exist. */
export function expectedMarket(was: string, knownMarkets: ReadonlySet<string>): string {
  const some = [...knownMarkets].slice(0, 10).join(', ');
  return `expected one of the markets ${some}${knownMarkets.size > 10 ? ', …' : ''}, was ${JSON.stringify(was)}`;
}
