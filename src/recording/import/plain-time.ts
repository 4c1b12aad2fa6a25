import { NO_COLUMN, type ColumnPlaces } from '../column-places.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/time-text.ts';

/** Layout of a CSV file of candles, as known from its first rows. */
export interface CsvLayout {
  readonly separator: string;
  /** The fields of the first row. */
  readonly firstRow: readonly string[];
  /** Fields that every row has; more are empty. */
  readonly width: number;
  readonly places: ColumnPlaces;
}

/** The columns of money, in the order of their roles: open is role 1, volume role 5. */
const MONEY_FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const;

/** Roles of fields that hold no money. */
export const TIME_ROLE = 0;
export const UNUSED_ROLE = 6;
export const EMPTY_ROLE = 7;

/** Places of the fields of a plain line, and the content of each. */
export interface PlainLayout {
  readonly separator: number;
  /** Content of each field of a line, in their order. */
  readonly roles: Uint8Array;
  readonly time: TimeForm;
}

/**
 * Returns the layout of the plain lines of a file. Null if no line is plain: the times are of a form that
 * only `TimeReader` reads, the first row is short, or one column would have two roles.
 */
export function plainLayout({ separator, firstRow, width, places }: CsvLayout): PlainLayout | null {
  const time = timeForm(firstRow[places.get('time') ?? NO_COLUMN] ?? '');
  if (time === null || firstRow.length < width) return null;
  const roles = Uint8Array.from(firstRow, (_, place) => (place < width ? UNUSED_ROLE : EMPTY_ROLE));
  for (const [role, field] of ['time' as const, ...MONEY_FIELDS].entries()) {
    const place = places.get(field) ?? NO_COLUMN;
    if (place === NO_COLUMN && field === 'volume') continue;
    if (roles[place] !== UNUSED_ROLE) return null;
    roles[place] = role;
  }
  return { separator: separator.charCodeAt(0), roles, time };
}

const ZERO = 48;
const NINE = 57;
const DASH = 45;
const COLON = 58;
const SPACE = 32;
const LETTER_T = 84;

/** A number since 1970, of so many digits. As in `TimeReader`. */
interface NumberForm {
  readonly kind: 'number';
  readonly leastDigits: number;
  readonly mostDigits: number;
  /** Last digits that are less than a millisecond. */
  readonly cut: number;
  readonly unitMs: number;
}

/** A date, or a date with a clock and what follows it in every row. */
interface DateForm {
  readonly kind: 'date';
  readonly hasClock: boolean;
  /** Zeros of a fraction, and the zone, which is UTC. */
  readonly suffix: Uint8Array;
}

/** Format of the times of a plain file. */
type TimeForm = NumberForm | DateForm;

/** Seconds, milliseconds, microseconds and nanoseconds since 1970, by their digits. */
const NUMBERS: readonly NumberForm[] = [
  { kind: 'number', leastDigits: 1, mostDigits: 11, cut: 0, unitMs: SECOND_MS },
  { kind: 'number', leastDigits: 12, mostDigits: 14, cut: 0, unitMs: 1 },
  { kind: 'number', leastDigits: 15, mostDigits: 17, cut: 3, unitMs: 1 },
  { kind: 'number', leastDigits: 18, mostDigits: 18, cut: 6, unitMs: 1 },
];

const ISO = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d((?:\.0+)?(?:Z| UTC|\+00:00)?))?$/;
const DATE_LENGTH = 'yyyy-mm-dd'.length;

/** The form of a file's times by the first one; null where it is of a form that only `TimeReader` reads. */
function timeForm(first: string): TimeForm | null {
  if (/^\d+$/.test(first)) {
    const { length } = first;
    return (
      NUMBERS.find(({ leastDigits, mostDigits }) => length >= leastDigits && length <= mostDigits) ?? null
    );
  }
  const found = ISO.exec(first);
  if (found === null) return null;
  return {
    kind: 'date',
    hasClock: first.length > DATE_LENGTH,
    suffix: new TextEncoder().encode(found[1] ?? ''),
  };
}

/** Reads the times of plain lines out of bytes. A file has the same day again and again. */
export class PlainTimes {
  private readonly form: TimeForm;
  private day = Number.NaN;
  private dayMs = Number.NaN;
  /** The time that was read last, in ms since 1970. */
  timeMs = Number.NaN;

  constructor(form: TimeForm) {
    this.form = form;
  }

  /** Reads the time at a place. Answers where it ends; -1 where none of the form is there. */
  read(bytes: Uint8Array, from: number): number {
    return this.form.kind === 'number'
      ? this.number(bytes, from, this.form)
      : this.date(bytes, from, this.form);
  }

  private number(bytes: Uint8Array, from: number, form: NumberForm): number {
    let end = from;
    while (isDigit(bytes[end])) end += 1;
    const digits = end - from;
    if (digits < form.leastDigits || digits > form.mostDigits) return -1;
    // A number with zeros before it is smaller than its digits make it look.
    if (form.unitMs === 1 && bytes[from] === ZERO) return -1;
    let number = 0;
    for (let at = from; at < end - form.cut; at += 1) number = number * 10 + (bytes[at] ?? 0) - ZERO;
    this.timeMs = number * form.unitMs;
    return end;
  }

  private date(bytes: Uint8Array, from: number, { hasClock, suffix }: DateForm): number {
    const [year, month, date] = [
      pair(bytes, from) * 100 + pair(bytes, from + 2),
      pair(bytes, from + 5),
      pair(bytes, from + 8),
    ];
    const day = (year * 100 + month) * 100 + date;
    if (day !== this.day) {
      this.dayMs =
        bytes[from + 4] === DASH && bytes[from + 7] === DASH ? dayMs(year, month, date) : Number.NaN;
      this.day = day;
    }
    let end = from + DATE_LENGTH;
    this.timeMs = this.dayMs;
    if (hasClock) {
      if (bytes[end] !== SPACE && bytes[end] !== LETTER_T) return -1;
      this.timeMs += clockMs(bytes, end + 1);
      end += 'Thh:mm:ss'.length;
    }
    for (const code of suffix) {
      if (bytes[end] !== code) return -1;
      end += 1;
    }
    return Number.isNaN(this.timeMs) ? -1 : end;
  }
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= ZERO && code <= NINE;
}

/** Two digits as a number; NaN where they are none. */
function pair(bytes: Uint8Array, at: number): number {
  const [tens, ones] = [bytes[at], bytes[at + 1]];
  return isDigit(tens) && isDigit(ones) ? ((tens ?? 0) - ZERO) * 10 + (ones ?? 0) - ZERO : Number.NaN;
}

/** The ms of `hh:mm:ss`; NaN where it is no time of a day. */
function clockMs(bytes: Uint8Array, at: number): number {
  const [hours, minutes, seconds] = [pair(bytes, at), pair(bytes, at + 3), pair(bytes, at + 6)];
  const isClock = hours < 24 && minutes < 60 && seconds < 60;
  if (!isClock || bytes[at + 2] !== COLON || bytes[at + 5] !== COLON) return Number.NaN;
  return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
}

/** Years of fewer digits are others for `Date.UTC`. */
const FIRST_YEAR = 1_000;

/** Returns the start of a day; NaN for one that the calendar does not have, such as February 30. */
function dayMs(year: number, month: number, date: number): number {
  const timeMs = Date.UTC(year, month - 1, date);
  const found = new Date(timeMs);
  const isOfCalendar = found.getUTCMonth() === month - 1 && found.getUTCDate() === date;
  return year >= FIRST_YEAR && isOfCalendar ? timeMs : Number.NaN;
}
