import { UNIT_DECIMALS } from '../../domain/money.ts';
import type { CandleBlock } from '../stage-blocks.ts';
import { NO_COLUMN, type ColumnPlaces } from '../column-places.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/time-text.ts';

/** Rows of one block at most. */
const BLOCK_ROWS = 8_192;

/** A number below this has at most 15 digits: exact, and the same as a float with a point among them. */
const SURE = 1e15;

/** A longer number is not plain: most of its digits are zeros. */
const MOST_NUMBER_BYTES = 40;

/** A longer line is not plain. */
export const MOST_LINE_BYTES = 10_000;

const POWERS = Float64Array.from({ length: MOST_NUMBER_BYTES }, (_, power) => 10 ** power);

const ZERO = 48;
const NINE = 57;
const POINT = 46;
const QUOTE = 34;
const RETURN = 13;
const NEWLINE = 10;

/** The roles of the columns of money. @see plainLayout */
const [OPEN, HIGH, LOW, CLOSE, VOLUME] = [1, 2, 3, 4, 5] as const;

/** Reason that `take` stopped. */
type ScanStop = 'end' | 'block' | 'odd-line';

/** Possible starts of a file's bars. */
export interface BarStarts {
  /** Guaranteed distance of two of them; NaN if it is not the same for all. */
  readonly stepMs: number;
  isStart(timeMs: number): boolean;
}

/**
 * Reads plain lines of candles out of bytes into columns, without a text of any field. A line is plain where
 * `RowReader` could not take it for anything else: plain digits, times of the form of the first row, a bar at
 * its place, low <= open, close <= high, and the fields of the first row.
 */
export class PlainScanner {
  /** Place at which `take` stopped. */
  at = 0;
  /** Steps of the times so far, in either direction. */
  forward = 0;
  back = 0;
  private readonly separator: number;
  private readonly roles: Uint8Array;
  private readonly times: PlainTimes;
  private readonly starts: BarStarts;
  private readonly isCrlf: boolean;
  private beforeMs = Number.NaN;
  /** The digits of a line's numbers by their roles, and how many of them are decimals. */
  private readonly digits = new Float64Array(EMPTY_ROLE + 1);
  private readonly decimals = new Uint8Array(EMPTY_ROLE + 1);
  private readonly openTimeMs = new Float64Array(BLOCK_ROWS);
  private readonly open = new Float64Array(BLOCK_ROWS);
  private readonly high = new Float64Array(BLOCK_ROWS);
  private readonly low = new Float64Array(BLOCK_ROWS);
  private readonly close = new Float64Array(BLOCK_ROWS);
  private readonly volume = new Float64Array(BLOCK_ROWS);
  private length = 0;
  private priceDecimals = 0;
  private volumeDecimals = 0;

  constructor(of: { readonly layout: PlainLayout; readonly starts: BarStarts; readonly isCrlf: boolean }) {
    this.separator = of.layout.separator;
    this.roles = of.layout.roles;
    this.times = new PlainTimes(of.layout.time);
    this.starts = of.starts;
    this.isCrlf = of.isCrlf;
  }

  /** Reads lines from one place up to another, which follows the end of a line. */
  scan(bytes: Uint8Array, from: number, to: number): ScanStop {
    this.at = from;
    while (this.at < to) {
      let end = this.lineEnd(bytes, this.at);
      if (end === -1) {
        if (this.length === BLOCK_ROWS) return 'block';
        end = this.line(bytes, this.at);
        if (end === -1 || end - this.at > MOST_LINE_BYTES) return 'odd-line';
        // True if the line just read has more decimals than those before it.
        if (
          (this.linePriceDecimals() > this.priceDecimals || this.decimalsOf(VOLUME) > this.volumeDecimals) &&
          this.length > 0
        )
          return 'block';
        if (!this.closeRow()) return 'odd-line';
      }
      this.at = end;
    }
    return 'end';
  }

  /**
   * The bars since the last block, all with the decimals of the finest of all so far. Its columns are used
   * again for the next one.
   */
  block(): CandleBlock {
    const { length, priceDecimals, volumeDecimals } = this;
    const part = (column: Float64Array): Float64Array => column.subarray(0, length);
    const { openTimeMs, open, high, low, close, volume } = this;
    this.length = 0;
    return {
      length,
      openTimeMs: part(openTimeMs),
      priceDecimals,
      open: part(open),
      high: part(high),
      low: part(low),
      close: part(close),
      volumeDecimals,
      volume: part(volume),
    };
  }

  /** Reads the fields of a line. Answers where the next one begins; -1 where it is not plain. */
  private line(bytes: Uint8Array, from: number): number {
    const { roles, separator } = this;
    let at = from;
    for (let place = 0; place < roles.length; place += 1) {
      if (place > 0) {
        if (bytes[at] !== separator) return -1;
        at += 1;
      }
      const isQuoted = bytes[at] === QUOTE;
      if (isQuoted) at += 1;
      at = this.field(bytes, at, { role: roles[place] ?? EMPTY_ROLE, isQuoted });
      if (at === -1) return -1;
      if (isQuoted) {
        if (bytes[at] !== QUOTE) return -1;
        at += 1;
      }
    }
    return this.lineEnd(bytes, at);
  }

  /** Answers where a field ends; -1 where it is not plain. */
  private field(
    bytes: Uint8Array,
    at: number,
    of: { readonly role: number; readonly isQuoted: boolean },
  ): number {
    if (of.role === TIME_ROLE) return this.times.read(bytes, at);
    if (of.role < UNUSED_ROLE) return this.number(bytes, at, of.role);
    return of.role === EMPTY_ROLE ? at : this.unused(bytes, at, of.isQuoted);
  }

  /** A number that is not negative: its digits without the zeros after its last decimal. */
  private number(bytes: Uint8Array, from: number, role: number): number {
    let at = from;
    let digits = 0;
    let code = bytes[at] ?? NEWLINE;
    while (code >= ZERO && code <= NINE) {
      digits = digits * 10 + code - ZERO;
      at += 1;
      code = bytes[at] ?? NEWLINE;
    }
    if (at === from) return -1;
    let decimals = 0;
    if (code === POINT) {
      const point = at;
      for (;;) {
        at += 1;
        code = bytes[at] ?? NEWLINE;
        if (code < ZERO || code > NINE) break;
        if (code === ZERO) continue;
        const more = at - point - decimals;
        digits = digits * (POWERS[more] ?? Number.NaN) + code - ZERO;
        decimals += more;
      }
      if (at === point + 1) return -1;
    }
    if (!(digits < SURE) || decimals > UNIT_DECIMALS || at - from > MOST_NUMBER_BYTES) return -1;
    this.digits[role] = digits;
    this.decimals[role] = decimals;
    return at;
  }

  private unused(bytes: Uint8Array, from: number, isQuoted: boolean): number {
    for (let at = from; ; at += 1) {
      const code = bytes[at] ?? NEWLINE;
      if (code === QUOTE) return isQuoted ? at : -1;
      if (code === NEWLINE || code === RETURN || (!isQuoted && code === this.separator)) return at;
    }
  }

  /** Returns the end of the line that ends here; -1 if none does. */
  private lineEnd(bytes: Uint8Array, at: number): number {
    if (!this.isCrlf) return bytes[at] === NEWLINE ? at + 1 : -1;
    return bytes[at] === RETURN && bytes[at + 1] === NEWLINE ? at + 2 : -1;
  }

  /** Puts the line that was read into the columns. False where it is no bar, or does not fit them. */
  private closeRow(): boolean {
    this.priceDecimals = Math.max(this.priceDecimals, this.linePriceDecimals());
    this.volumeDecimals = Math.max(this.volumeDecimals, this.decimalsOf(VOLUME));
    const [open, high, low, close] = [this.price(OPEN), this.price(HIGH), this.price(LOW), this.price(CLOSE)];
    const volume = this.cell(VOLUME, this.volumeDecimals);
    const isBar = low > 0 && low <= open && low <= close && high >= open && high >= close;
    const isExact = high <= Number.MAX_SAFE_INTEGER && volume <= Number.MAX_SAFE_INTEGER;
    if (!isBar || !isExact || !this.step(this.times.timeMs)) return false;
    const { length } = this;
    this.openTimeMs[length] = this.times.timeMs;
    this.open[length] = open;
    this.high[length] = high;
    this.low[length] = low;
    this.close[length] = close;
    this.volume[length] = volume;
    this.length = length + 1;
    return true;
  }

  /** Counts the step to a time. False where no bar of this length opens then. */
  private step(timeMs: number): boolean {
    const stepMs = timeMs - this.beforeMs;
    this.beforeMs = timeMs;
    if (stepMs > 0) this.forward += 1;
    if (stepMs < 0) this.back += 1;
    return stepMs === this.starts.stepMs || this.starts.isStart(timeMs);
  }

  private linePriceDecimals(): number {
    const prices = Math.max(this.decimalsOf(OPEN), this.decimalsOf(HIGH));
    return Math.max(prices, this.decimalsOf(LOW), this.decimalsOf(CLOSE));
  }

  private decimalsOf(role: number): number {
    return this.decimals[role] ?? 0;
  }

  private price(role: number): number {
    return this.cell(role, this.priceDecimals);
  }

  /** A number of the line as a whole number of 10^-decimals; beyond 2^53 it need not be exact. */
  private cell(role: number, decimals: number): number {
    return (this.digits[role] ?? Number.NaN) * (POWERS[decimals - this.decimalsOf(role)] ?? Number.NaN);
  }
}

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
const TIME_ROLE = 0;
const UNUSED_ROLE = 6;
const EMPTY_ROLE = 7;

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
class PlainTimes {
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
