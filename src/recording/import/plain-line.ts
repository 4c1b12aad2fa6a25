import { SURE_DIGITS } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS } from '../../domain/money.ts';
import { NO_COLUMN, type ColumnPlaces } from './column-places.ts';
import { timeForm } from './plain-time.ts';

/** Digits of a decimal in 64 bits. */
const UNIT_DIGITS = 18;

/** Zeros after the last decimal that are taken: they say nothing, and a number has a longest length. */
const MOST_ZEROS = 9;

/** Digits before the point, and decimals, of a column: both make 18, which fit 64 bits. */
export interface MoneyDigits {
  readonly whole: number;
  readonly decimals: number;
}

const SMALL: MoneyDigits = { whole: UNIT_DIGITS - UNIT_DECIMALS, decimals: UNIT_DECIMALS };
const LARGE: MoneyDigits = { whole: UNIT_DIGITS - 4, decimals: 4 };

/**
 * What DuckDB reads a column of money as, by its first number. A cast of text to the 38 digits of money takes a
 * hundred times as long, and twice the room.
 */
export function moneyDigits(first: string): MoneyDigits {
  return (first.split('.')[0] ?? '').length < SMALL.whole ? SMALL : LARGE;
}

/** Where the fields of a line are, and what they look like. */
export interface LineLayout {
  readonly separator: string;
  /** The fields of the first row. */
  readonly firstRow: readonly string[];
  /** Fields that every row has; more are empty. */
  readonly width: number;
  readonly places: ColumnPlaces;
  /** What a line ends with. */
  readonly lineEnd: string;
}

/**
 * The expression that a plain line of candles matches from where it begins, its end included. DuckDB's casts can
 * take such a line only as it is meant. Null where the first row has a time that only `TimeReader` reads.
 */
export function plainLine({ separator, firstRow, width, places, lineEnd }: LineLayout): RegExp | null {
  const time = timeForm(firstRow[places.get('time') ?? NO_COLUMN] ?? '');
  if (time === null || firstRow.length < width) return null;
  const forms = new Map<number, string>();
  for (const [field, place] of places) {
    if (field === 'time') forms.set(place, orQuoted(time.pattern));
    else if (MONEY_FIELDS.has(field)) forms.set(place, orQuoted(moneyPattern(firstRow[place] ?? '')));
  }
  const unused = `(?:"[^"\\r\\n]*"|[^"\\r\\n${separator}]*)`;
  const fields = firstRow.map((_, place) => forms.get(place) ?? (place < width ? unused : '(?:"")?'));
  return new RegExp(`${fields.join(separator)}${lineEnd}`, 'y');
}

const MONEY_FIELDS: ReadonlySet<string> = new Set(['open', 'high', 'low', 'close', 'volume']);

const orQuoted = (pattern: string): string => `(?:${pattern}|"${pattern}")`;

/** A number that is not negative. It has no more digits than a float keeps: more before the point, fewer after it. */
function moneyPattern(first: string): string {
  const { whole, decimals } = moneyDigits(first);
  const forms = Array.from({ length: whole }, (_, index) => {
    const most = Math.min(decimals, SURE_DIGITS - index - 1);
    return `[0-9]{${index + 1}}(?:[.][0-9]{1,${most}}0{0,${MOST_ZEROS}})?`;
  });
  return `(?:${forms.join('|')})`;
}
