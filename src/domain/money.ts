import { type Brand, decimalText, fractionDigits, SURE_DIGITS, type DecimalText } from './decimal-text.ts';
import { SarrafError } from './errors.ts';

/**
 * Money in the books: a whole number of 1e-10 of a currency. One bitcoin in rial is 1.26e20 of these, which
 * no 64-bit integer holds, so it is a bigint everywhere and TEXT in SQLite.
 */
export type Units = Brand<bigint, 'Units'>;

/** A price as a whole number of its market's price steps (a safe integer, positive). */
export type Price = Brand<number, 'Price'>;

/** An amount of the base currency as a whole number of its market's amount steps (safe, not negative). */
export type Amount = Brand<number, 'Amount'>;

/** Number of decimals that the books keep of every currency. */
export const UNIT_DECIMALS = 10;
export const UNITS_PER_ONE = 10_000_000_000n;
export const NO_UNITS = 0n as Units;

/** Smallest positive amount of money, 1e-10. */
export const LEAST_UNITS = 1n as Units;

/** Adds units. Plain bigint arithmetic loses the type `Units`; these functions keep it. */
export const addUnits = (left: Units, right: Units): Units => (left + right) as Units;

export const subtractUnits = (left: Units, right: Units): Units => (left - right) as Units;

export const negateUnits = (units: Units): Units => subtractUnits(NO_UNITS, units);

/** Returns the middle of two, such as the best prices of a book, rounded towards zero. */
export const midOfUnits = (left: Units, right: Units): Units => ((left + right) / 2n) as Units;

/** Returns the product of two decimals, such as an amount and a price, rounded as `divide` says. */
export function multiplyUnits(
  left: Units,
  right: Units,
  divide: (dividend: bigint, divisor: bigint) => bigint,
): Units {
  return divide(left * right, UNITS_PER_ONE) as Units;
}

/** Code of the character 0, and the code of the point minus that. */
const ZERO = 48;
const POINT = -2;

/** Maximum number of characters of a short text: as many digits as a float keeps, and a point. */
const MOST_SHORT = SURE_DIGITS + 1;

/** Powers of ten, computed once: a power costs more than everything else in reading a number. */
const POWERS_OF_TEN = Array.from({ length: UNIT_DECIMALS + 1 }, (_, power) => 10n ** BigInt(power));
const FLOAT_POWERS_OF_TEN = POWERS_OF_TEN.map(Number);

/**
 * Returns a decimal text as units.
 * @throws SarrafError `TOO_MANY_DECIMALS` beyond ten decimals: cutting them off would be a silent loss.
 */
export function unitsOf(text: DecimalText): Units {
  const short = shortUnitsOf(text);
  if (short >= 0) return BigInt(short) as Units;
  const digits = fractionDigits(text);
  if (digits > UNIT_DECIMALS)
    throw new SarrafError('TOO_MANY_DECIMALS', `expected at most ${UNIT_DECIMALS} decimals, was "${text}"`);
  const point = text.indexOf('.');
  const digitsOnly = point === -1 ? text : text.slice(0, point) + text.slice(point + 1);
  return (BigInt(digitsOnly) * (POWERS_OF_TEN[UNIT_DECIMALS - digits] ?? 1n)) as Units;
}

/**
 * Returns the units of a text with so few digits that a float holds them exactly, as most texts have; -1 for
 * any other text, and for one that is no plain decimal.
 */
function shortUnitsOf(text: DecimalText): number {
  const { length } = text;
  if (length > MOST_SHORT) return -1;
  let digits = 0;
  let point = length;
  for (let index = 0; index < length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit;
    else if (digit === POINT && point === length) point = index;
    else return -1;
  }
  const decimals = point === length ? 0 : length - point - 1;
  // With more decimals than units have there is no such power: the long way refuses the text.
  const units = digits * (FLOAT_POWERS_OF_TEN[UNIT_DECIMALS - decimals] ?? Number.NaN);
  return units <= Number.MAX_SAFE_INTEGER ? units : -1;
}

/** Reads units from the text of a person or of a reply. Throws as `decimalText` and `unitsOf` do. */
export const parseUnits = (input: string | number): Units => unitsOf(decimalText(input));

const FLOAT_UNITS_PER_ONE = Number(UNITS_PER_ONE);

/** Returns the float nearest to units, which is also the number of their text. */
export function numberOfUnits(units: Units): number {
  const float = Number(units);
  // Of two numbers that a float holds exactly the quotient is rounded once, as reading a text is.
  return Number.isSafeInteger(float) ? float / FLOAT_UNITS_PER_ONE : Number(formatUnits(units));
}

/** Returns units as canonical decimal text. */
export function formatUnits(units: bigint): DecimalText {
  const negative = units < 0n;
  const digits = (negative ? -units : units).toString().padStart(UNIT_DECIMALS + 1, '0');
  const point = digits.length - UNIT_DECIMALS;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  const whole = digits.slice(0, point);
  const text = end === point ? whole : `${whole}.${digits.slice(point, end)}`;
  return (negative ? `-${text}` : text) as DecimalText;
}

/**
 * The only place where digits are lost; the name of each function says how it rounds.
 *
 * All divisions are of bigints: a rial notional at ten decimals (1.26e20 for one bitcoin) fits no 64-bit
 * integer and no float.
 */

/** Returns the quotient rounded to the nearest integer, ties to the even one. `divisor` is positive. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  // Cheaper than a second division.
  const rest = dividend - quotient * divisor;
  if (rest === 0n) return quotient;
  const magnitude = rest < 0n ? -rest : rest;
  const twice = magnitude * 2n;
  if (twice < divisor || (twice === divisor && quotient % 2n === 0n)) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}

/** Returns the quotient rounded towards zero. `divisor` is positive. */
export const divideDown = (dividend: bigint, divisor: bigint): bigint => dividend / divisor;

/** Returns the quotient rounded away from zero: a hold covers its debit. `divisor` is positive. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (dividend % divisor === 0n) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}

/** A number with more decimals than the books keep, as the exchange wrote it. */
export interface TooFine {
  /** Field of the record that has the number. */
  readonly field: string;
  readonly text: DecimalText;
}

/** Returns the first of the fields with more decimals than the books hold; null if there is none. */
export function tooFineIn(fields: Readonly<Record<string, DecimalText | null>>): TooFine | null {
  for (const field in fields) {
    const text = fields[field] ?? null;
    if (text !== null && fractionDigits(text) > UNIT_DECIMALS) return { field, text };
  }
  return null;
}

/** Returns a decimal as units, cut to ten decimals: more digits come from somebody's floats. */
export function unitsAbout(text: DecimalText): Units {
  const spare = fractionDigits(text) - UNIT_DECIMALS;
  return spare <= 0 ? unitsOf(text) : unitsOf(decimalText(text.slice(0, -spare)));
}

const COIN_DECIMALS = 8;

/**
 * Writes money for people, rounded half to even, with separators: `12,345.68`. `decimals` is how many people
 * write of the currency; null for a coin, which is shown with up to eight.
 */
export function moneyText(money: string, decimals: number | null): string {
  const step = 10n ** BigInt(UNIT_DECIMALS - (decimals ?? COIN_DECIMALS));
  const rounded = divideHalfEven(unitsOf(decimalText(money)), step) * step;
  return groupedText(formatUnits(rounded), decimals ?? 0);
}

/** Writes a price or an amount in full: `59,995,662,130`, with at least `decimals` digits after the point. */
export function groupedText(text: DecimalText | string, decimals = 0): string {
  const [whole = '0', part = ''] = text.split('.');
  const shown = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  const digits = part.padEnd(decimals, '0');
  return digits === '' ? shown : `${shown}.${digits}`;
}

/** Writes a number of things: `1 fill`, `2 fills`, `1,000 rows`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${groupedText(String(count))} ${count === 1 ? one : many}`;

/**
 * Returns a foreign text as one line, without characters that break a line of a log, or move a terminal's
 * cursor or change its colours.
 */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ');
}

/** Characters that a terminal obeys, or that reverse the rest of a line, except tabs and line ends. */
const OBEYED = /[^\P{Cc}\t\n]|[\u202A-\u202E\u2066-\u2069]/gu;

/** Returns a foreign text in a form that a terminal may show. */
export const harmless = (text: string): string => text.replaceAll(OBEYED, '?');

/** Separates the words of a name such as `plannedAt` with a mark, as SQL does: `planned_at`. */
export const separatedName = (name: string, mark: '-' | '_'): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `${mark}${letter.toLowerCase()}`);
