import { invalidFile } from '../domain/errors.ts';
import { tryDecimalText } from '../domain/decimal-text.ts';
import { NO_COLUMN, type ColumnPlaces, type Field } from './column-places.ts';
import type { FileRow } from '../domain/csv.ts';
import { asciiDigits } from './open-text.ts';

/** Format of a file as given by the user. The first rows decide for each option left out. */
export interface FileForm {
  /** Sign before decimals. */
  readonly decimal?: 'point' | 'comma' | undefined;
  /** First part of dates such as 03/04/2026. */
  readonly dates?: 'day-first' | 'month-first' | undefined;
  /** Maximum number of decimals of prices; prices with more are rounded. Default: prices stay unchanged. */
  readonly roundPrices?: number | undefined;
}

const NUMBER_FIELDS: readonly Field[] = ['open', 'high', 'low', 'close', 'volume', 'price', 'amount'];

/** Numbers with commas between thousands; below, numbers with commas before decimals. */
const POINT_NUMBER = /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/;
const COMMA_NUMBER = /^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/;
/** Numbers with a comma that can only be a thousands separator. */
const SURE_THOUSANDS = /^[+-]?\d{1,3}(?:(?:,\d{3}){2,}|,\d{3}\.\d+)/;
/** Suffixes of short volumes, such as 12.3K. */
const SUFFIXES: Readonly<Record<string, string>> = { K: 'e3', M: 'e6', B: 'e9' };

const CLOCK =
  /^(\d{1,2})(?::?(\d\d)(?::?(\d\d(?:\.\d+)?))?)?(?:[\s-]?([AP]M))?(?:\s?(Z|UTC|[+-]\d\d:?\d\d))?$/i;
const YEAR_FIRST = /^(\d{4})([-./])(\d{1,2})\2(\d{1,2})(?:,?[ T]+(.+))?$/;
const YEAR_LAST = /^(\d{1,2})([-./])(\d{1,2})\2(\d{4})(?:,?[ T]+(.+))?$/;
const DIGITS_ONLY = /^((?:19|20)\d\d)(\d\d)(\d\d)(?: +(.+))?$/;
const MONTH_FIRST = /^([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})(?:,? +(.+))?$/;
const MONTH_SECOND = /^(\d{1,2})[ -]([A-Za-z]{3,9})\.?[ -](\d{4})(?:,? +(.+))?$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Times that `TimeReader` reads unchanged, except dates of eight digits. */
const PLAIN_TIME =
  /^(?:\d+(?:\.\d+)?|\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?(?:Z|UTC|[+-]\d\d(?::?\d\d)?))?)?)$/;

/** Spreadsheet dates (days since 1899-12-31) of 1954 to 2119; as seconds all would be on 1970-01-01. */
const FIRST_SERIAL = 20_000;
const LAST_SERIAL = 80_000;

/** Removes spaces and apostrophes between thousands. */
const joinedDigits = (text: string): string =>
  asciiDigits(text).replaceAll(/(?<=\d)[\s'\u2019](?=\d{3}(?:\D|$))/g, '');

/**
 * Format of a file's numbers and times, found from its first rows: commas between thousands or before
 * decimals, Persian or Arabic digits, other orders of dates, a separate column for the time of day. It
 * converts texts to the plain format, and leaves an unreadable text unchanged for the message.
 */
export class WrittenForm {
  private readonly sign: 'point' | 'comma';
  private readonly dateOrder: 'day-first' | 'month-first';
  /** True if numbers and times of the first rows are plain, so that the file may be read as columns. */
  readonly isPlain: boolean;

  /** Throws `INVALID_FILE` if the first rows are ambiguous; the message names the option that decides. */
  constructor(of: {
    readonly path: string;
    readonly places: ColumnPlaces;
    readonly rows: readonly FileRow[];
    readonly form: FileForm;
  }) {
    const { path, places, rows, form } = of;
    const textsOf = (field: Field): string[] => {
      const place = places.get(field) ?? NO_COLUMN;
      return place === NO_COLUMN ? [] : rows.map(({ fields }) => fields[place] ?? '');
    };
    const numbers = NUMBER_FIELDS.flatMap(textsOf);
    const times = textsOf('time');
    this.sign = decimalSign(path, numbers, form.decimal);
    this.dateOrder = dateOrder(path, times.map(asciiDigits), form.dates);
    this.isPlain =
      this.sign === 'point' &&
      !places.has('clock') &&
      numbers.every((text) => tryDecimalText(text) !== null || !/\d/.test(text)) &&
      times.every((text) => (PLAIN_TIME.test(text) || !/\d/.test(text)) && !DIGITS_ONLY.test(text));
  }

  /** Converts a number to plain text. */
  number(text: string, field: Field): string {
    if (tryDecimalText(text) !== null && this.sign === 'point') return text;
    const joined = joinedDigits(text);
    if (field !== 'volume') return this.plain(joined) ?? text;
    // Some programs write a dash for no volume.
    if (joined === '-') return '0';
    const suffix = SUFFIXES[joined.slice(-1).toUpperCase()];
    const number = this.plain(suffix === undefined ? joined : joined.slice(0, -1));
    return number === null ? text : `${number}${suffix ?? ''}`;
  }

  private plain(text: string): string | null {
    if (this.sign === 'comma')
      return COMMA_NUMBER.test(text) ? text.replaceAll('.', '').replace(',', '.') : null;
    if (!text.includes(',')) return text;
    return POINT_NUMBER.test(text) ? text.replaceAll(',', '') : null;
  }

  /** Converts a time to ISO 8601; a number is unchanged. */
  time(text: string, clock: string): string {
    const whole = asciiDigits(clock === '' ? text : `${text} ${clock}`);
    const date = this.dateOf(whole);
    if (date === null) return whole;
    const { year, month, day, rest } = date;
    const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    if (rest === '') return iso;
    const found = CLOCK.exec(rest);
    if (found === null) return whole;
    const [, hour = '', minute = '00', second = '00', half, zone = ''] = found;
    return `${iso} ${hourOf(Number(hour), half)}:${minute}:${second}${zone.toUpperCase()}`;
  }

  private dateOf(text: string): WrittenDate | null {
    const [, year, , month, day, rest = ''] = YEAR_FIRST.exec(text) ?? [];
    if (year !== undefined && month !== undefined && day !== undefined) return { year, month, day, rest };
    const digits = DIGITS_ONLY.exec(text);
    if (digits !== null) return dateFrom(digits[1], digits[2], digits[3], digits[4]);
    const last = YEAR_LAST.exec(text);
    if (last !== null) {
      const isDayFirst = this.dateOrder === 'day-first';
      return dateFrom(last[4], last[isDayFirst ? 3 : 1], last[isDayFirst ? 1 : 3], last[5]);
    }
    const named = MONTH_FIRST.exec(text);
    if (named !== null) return dateFrom(named[3], monthOf(named[1]), named[2], named[4]);
    const second = MONTH_SECOND.exec(text);
    return second === null ? null : dateFrom(second[3], monthOf(second[2]), second[1], second[4]);
  }
}

interface WrittenDate {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly rest: string;
}

const dateFrom = (year = '', month = '', day = '', rest = ''): WrittenDate | null =>
  month === '' ? null : { year, month, day, rest };

function monthOf(name = ''): string {
  const index = MONTHS.indexOf(name.slice(0, 3).toLowerCase());
  return index === -1 ? '' : String(index + 1);
}

/** Returns the hour of the day; an hour that a 12-hour clock does not have becomes 99, which is refused. */
function hourOf(hour: number, half: string | undefined): string {
  if (half === undefined) return String(hour).padStart(2, '0');
  if (hour < 1 || hour > 12) return '99';
  return String((hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)).padStart(2, '0');
}

function decimalSign(path: string, texts: readonly string[], form: FileForm['decimal']): 'point' | 'comma' {
  if (form !== undefined) return form;
  const odd = texts.filter((text) => tryDecimalText(text) === null);
  if (odd.length === 0) return 'point';
  const isNumber = (text: string): boolean => POINT_NUMBER.test(text) || COMMA_NUMBER.test(text);
  const numbers = texts.map((text) => joinedDigits(text).replace(/[KMB]$/i, '')).filter(isNumber);
  const doubtful = numbers.find((text) => text.includes(',') || /\..*\./.test(text));
  if (doubtful === undefined) return 'point';
  const [isPoint, isComma] = [POINT_NUMBER, COMMA_NUMBER].map((form) =>
    numbers.every((text) => form.test(text)),
  );
  if (isPoint !== isComma) return isPoint === true ? 'point' : 'comma';
  const sure = numbers.some((text) => SURE_THOUSANDS.test(text));
  const found =
    isPoint === true
      ? `numbers such as "${doubtful}", where the comma may be either`
      : sure
        ? `numbers with both, such as "${doubtful}"`
        : `numbers such as "${doubtful}" beside others`;
  throw invalidFile(
    `expected numbers in ${path} whose comma is between thousands or before decimals, found ${found}: say which with --decimal point (1,234 is a thousand) or --decimal comma (1,234 is about one)`,
  );
}

function dateOrder(
  path: string,
  texts: readonly string[],
  form: FileForm['dates'],
): 'day-first' | 'month-first' {
  refuseForeignDates(path, texts);
  if (form !== undefined) return form;
  const dates = texts.flatMap((text) => {
    const found = YEAR_LAST.exec(text);
    return found === null ? [] : [{ text, first: Number(found[1]), second: Number(found[3]) }];
  });
  const [sample] = dates;
  if (sample === undefined) return 'day-first';
  const isDayFirst = dates.some(({ first }) => first > 12);
  const isMonthFirst = dates.some(({ second }) => second > 12);
  if (isDayFirst !== isMonthFirst) return isDayFirst ? 'day-first' : 'month-first';
  const found = isDayFirst ? 'both, such as' : 'only dates that may be either, such as';
  throw invalidFile(
    `expected dates in ${path} that show whether the day or the month comes first, found ${found} "${sample.text}": say it with --dates day-first or --dates month-first, or write yyyy-mm-dd`,
  );
}

const isSerial = (text: string): boolean =>
  /^\d{5}(?:[.,]\d+)?$/.test(text) &&
  Number.parseInt(text, 10) >= FIRST_SERIAL &&
  Number.parseInt(text, 10) < LAST_SERIAL;

function refuseForeignDates(path: string, texts: readonly string[]): void {
  const persian = texts.find((text) => /^1[34]\d\d[-/.]\d{1,2}[-/.]\d{1,2}(?:\D|$)/.test(text));
  if (persian !== undefined)
    throw invalidFile(
      `expected dates of the Gregorian calendar in ${path}, found "${persian}" of the Persian one: convert the column to yyyy-mm-dd`,
    );
  const [serial] = texts;
  if (serial !== undefined && texts.every(isSerial))
    throw invalidFile(
      `expected times in ${path}, found numbers of days as a spreadsheet counts them, such as ${serial}: give the column the format yyyy-mm-dd hh:mm:ss, and save it as CSV again`,
    );
}

/** Bounds of times in seconds, milliseconds, microseconds; above are nanoseconds. 1e11 s is 5138. */
const FIRST_MS = 1e11;
const FIRST_MICROSECONDS = 1e14;
const FIRST_NANOSECONDS = 1e17;

const ISO = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:\s?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/;

/**
 * Reads the times of one file: seconds, milliseconds, microseconds or nanoseconds since 1970, or ISO 8601, in
 * UTC if no zone is given. All must have one form, one unit and one zone: a file in which these change was
 * combined from parts that do not fit.
 */
export class TimeReader {
  private form: string | null = null;
  private zone: string | null = null;
  private zoneLine = 0;

  /** Returns a time in ms since 1970, or the problem. Throws `INVALID_FILE` if the zone changes. */
  read(text: string, at: { readonly path: string; readonly line: number }): number | string {
    if (/^\d+(?:\.\d+)?$/.test(text)) return this.number(text);
    const [, date, clock, zone = 'none'] = ISO.exec(text) ?? [];
    if (date === undefined)
      return `expected a time in s, ms, microseconds or nanoseconds, or as ISO 8601, found "${text}"`;
    const timeMs = Date.parse(`${date}T${clock ?? '00:00'}${offset(zone)}`);
    // Invalid dates, such as February 30, would be read as days of the next month.
    if (!Number.isSafeInteger(timeMs) || !new Date(`${date}T00:00Z`).toISOString().startsWith(date))
      return `expected a date of the calendar, found "${text}"`;
    const problem = this.formProblem('ISO 8601', text);
    if (problem !== null) return problem;
    this.checkZone(zone, at);
    return timeMs;
  }

  /** Returns the problem of a time in this unit or form; null if all times before have the same. */
  private formProblem(form: string, text: string): string | null {
    this.form ??= form;
    return this.form === form ? null : `expected a time in ${this.form} as in the first row, found "${text}"`;
  }

  private number(text: string): number | string {
    const number = Number(text);
    const unit =
      number < FIRST_MS
        ? 's'
        : number < FIRST_MICROSECONDS
          ? 'ms'
          : number < FIRST_NANOSECONDS
            ? 'microseconds'
            : 'nanoseconds';
    const problem = this.formProblem(unit, text);
    if (problem !== null) return problem;
    // Decimals are cut off below, since a float with so many digits may have been rounded up.
    if (unit === 'ms' && !text.includes('.')) return number;
    const [whole = '0', part = ''] = text.split('.');
    if (unit === 's') return Number(whole) * 1_000 + Number(part.slice(0, 3).padEnd(3, '0'));
    const digits = unit === 'ms' ? 0 : unit === 'microseconds' ? 3 : 6;
    return digits === 0 ? Number(whole) : Number(whole.slice(0, -digits));
  }

  private checkZone(zone: string, { path, line }: { readonly path: string; readonly line: number }): void {
    const named = zone === 'UTC' || zone === '+00:00' ? 'Z' : zone;
    if (this.zone === null) {
      this.zone = named;
      this.zoneLine = line;
    }
    if (this.zone === named) return;
    throw invalidFile(
      `${path}:${line}: expected times of one time zone, found ${zoneText(named)} here and ${zoneText(this.zone)} in line ${this.zoneLine}: write them all in UTC, and import again`,
    );
  }
}

function zoneText(name: string): string {
  if (name === 'none') return 'no zone';
  return name === 'Z' ? 'UTC' : `the zone ${name}`;
}

function offset(zone: string): string {
  if (zone === 'none' || zone === 'UTC' || zone === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
