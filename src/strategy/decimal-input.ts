import { Decimal } from 'decimal.js';
import { tryDecimalText } from '../domain/decimal-text.ts';
import type { DecimalInput } from './intents.ts';

/** Longer texts are read the slow way, which refuses what no money needs. */
const SHORT = 40;

/**
 * A Decimal between these powers of ten, with no more words of seven digits, is written within the length
 * that a text may have.
 */
const PLAIN_EXPONENT = 25;
const PLAIN_WORDS = 6;

const ZERO_CODE = 48;
const NINE_CODE = 57;
const POINT_CODE = 46;

/** A float keeps so many digits of any decimal. */
const SURE_DIGITS = 15;

/** Ten to the decimals that a number of few has at most: those that the books keep. */
const FEW = 1e10;

/**
 * An author's number as a decimal text: the shortest of at most 15 digits, so that `0.1 + 0.2` is 0.3. Null
 * for what is no number that money could be.
 */
export function textOfNumber(input: number): string | null {
  if (!Number.isFinite(input)) return null;
  // Most that are written are of few decimals, and most that are worked out are not.
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

/** The same, or zero. */
export function isDecimalFromZero(input: unknown): input is DecimalInput {
  if (input === 0 || isPositiveDecimal(input)) return true;
  if (typeof input === 'string') return slowSign(input) === 0;
  return Decimal.isDecimal(input) && signOf(input) === 0;
}

/** Returns a short description of the value found in place of a decimal. */
export function inputText(input: unknown): string {
  if (typeof input === 'string')
    return JSON.stringify(input.length > SHORT ? `${input.slice(0, SHORT)}…` : input);
  if (typeof input === 'number') return String(input);
  if (Decimal.isDecimal(input)) return input.toString();
  if (input === null || input === undefined) return String(input);
  if (Array.isArray(input)) return 'a list';
  return typeof input === 'object' ? 'an object' : `a ${typeof input}`;
}

/**
 * 1 or 0 for digits with at most one point amid them, by whether one of them is not zero; null for anything
 * else.
 */
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

/** The sign of a Decimal of a plain size; others are held against their text. */
function signOf(input: Decimal): -1 | 0 | 1 | null {
  if (!input.isFinite()) return null;
  if (input.isZero()) return 0;
  if (Math.abs(input.e) > PLAIN_EXPONENT || input.d.length > PLAIN_WORDS) return slowSign(input);
  return input.isNegative() ? -1 : 1;
}

/** -1, 0 or 1, or null for what is no finite decimal, or longer than any money. */
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
