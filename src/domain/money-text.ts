import { decimalText, type DecimalText } from './decimal-text.ts';
import { formatUnits, UNIT_DECIMALS, unitsOf, divideHalfEven } from './money.ts';

const COIN_DECIMALS = 8;

/**
 * Money for people, rounded half to even, with separators: `12,345.68`. `decimals`: how many people write of
 * the currency; null for a coin, of which up to eight digits are shown.
 */
export function moneyText(money: string, decimals: number | null): string {
  const step = 10n ** BigInt(UNIT_DECIMALS - (decimals ?? COIN_DECIMALS));
  const rounded = divideHalfEven(unitsOf(decimalText(money)), step) * step;
  return groupedText(formatUnits(rounded), decimals ?? 0);
}

/**
 * A price or an amount in full, with separators: `59,995,662,130`. At least `decimals` digits after the
 * point.
 */
export function groupedText(text: DecimalText | string, decimals = 0): string {
  const [whole = '0', part = ''] = text.split('.');
  const shown = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  const digits = part.padEnd(decimals, '0');
  return digits === '' ? shown : `${shown}.${digits}`;
}

/** A number of things: `1 fill`, `2 fills`, `1,000 rows`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${groupedText(String(count))} ${count === 1 ? one : many}`;
}

/**
 * A text of others in one line, without what would break a line of a log, or move a terminal's cursor or
 * colours.
 */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ');
}

/**
 * Characters that a terminal would obey, or that would reverse the rest of a line; tabs and line ends stay.
 */
const OBEYED = /[^\P{Cc}\t\n]|[\u202A-\u202E\u2066-\u2069]/gu;

/** A text of others as a terminal may show it. */
export function harmless(text: string): string {
  return text.replaceAll(OBEYED, '?');
}

/** A name such as `plannedAt` with a mark before each word, as SQL and options have it: `planned_at`. */
export function separatedName(name: string, mark: '-' | '_'): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `${mark}${letter.toLowerCase()}`);
}
