import { UNIT_DECIMALS } from '../../domain/money.ts';
import type { CandleBlock } from '../stage-blocks.ts';
import { NO_COLUMN, type ColumnPlaces } from '../column-places.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/time-text.ts';

/** Largest number of rows in one block. */
const BLOCK_ROWS = 8_192;

/** Bound of numbers of at most 15 digits: exact, and equal to the float of their text with a point. */
const SURE = 1e15;

/** Longest plain number in bytes; most digits of a longer one are zeros. */
const MOST_NUMBER_BYTES = 40;

/** Longest plain line in bytes. */
export const MOST_LINE_BYTES = 10_000;

const POWERS = Float64Array.from({ length: MOST_NUMBER_BYTES }, (_, power) => 10 ** power);

const ZERO = 48;
const NINE = 57;
const POINT = 46;
const QUOTE = 34;
const RETURN = 13;
const NEWLINE = 10;

/** Roles of the price and volume columns. @see plainLayout */
const [OPEN, HIGH, LOW, CLOSE, VOLUME] = [1, 2, 3, 4, 5] as const;

/** Reason for which `scan` stopped. */
type ScanStop = 'end' | 'block' | 'odd-line';

/** Possible open times of a file's bars. */
export interface BarStarts {
  /** Fixed distance between neighbouring starts in ms; NaN if it varies. */
  readonly stepMs: number;
  isStart(timeMs: number): boolean;
}

/**
 * Scans plain lines of candles from bytes into columns, without a text for each field. A line is plain if
 * `RowReader` would read it in the same way: plain digits, times in the form of the first row, a bar on the
 * grid, low <= open, close <= high, and as many fields as the first row.
 */
export class PlainScanner {
  /** Byte index at which `scan` stopped. */
  at = 0;
  /** Number of time steps forward and back so far. */
  forward = 0;
  back = 0;
  private readonly separator: number;
  private readonly roles: Uint8Array;
  private readonly times: PlainTimes;
  private readonly starts: BarStarts;
  private readonly isCrlf: boolean;
  private beforeMs = Number.NaN;
  /** Digits of a line's numbers as whole numbers by role, and how many of the digits are decimals. */
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

  /** Scans lines from index `from` to `to`, which must follow a line end. */
  scan(bytes: Uint8Array, from: number, to: number): ScanStop {
    this.at = from;
    while (this.at < to) {
      let end = this.lineEnd(bytes, this.at);
      if (end === -1) {
        if (this.length === BLOCK_ROWS) return 'block';
        end = this.line(bytes, this.at);
        if (end === -1 || end - this.at > MOST_LINE_BYTES) return 'odd-line';
        // A line with more decimals than those before it begins a new block.
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

  /** Returns the bars since the last block, as precise as the most precise one, in reused columns. */
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

  /** Scans the fields of a line. Returns the index of the next line; -1 if the line is not plain. */
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

  /** Returns the index after a field; -1 if the field is not plain. */
  private field(
    bytes: Uint8Array,
    at: number,
    of: { readonly role: number; readonly isQuoted: boolean },
  ): number {
    if (of.role === TIME_ROLE) return this.times.read(bytes, at);
    if (of.role < UNUSED_ROLE) return this.number(bytes, at, of.role);
    return of.role === EMPTY_ROLE ? at : this.unused(bytes, at, of.isQuoted);
  }

  /** Scans a number that is not negative, and stores its digits without trailing zeros of the decimals. */
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

  /** Returns the index after the line end at `at`; -1 if there is no line end. */
  private lineEnd(bytes: Uint8Array, at: number): number {
    if (!this.isCrlf) return bytes[at] === NEWLINE ? at + 1 : -1;
    return bytes[at] === RETURN && bytes[at + 1] === NEWLINE ? at + 2 : -1;
  }

  /** Adds the scanned line to the columns. Returns false if it is no valid bar, or does not fit them. */
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

  /** Counts the step to a time. Returns false if no bar of the timeframe opens at it. */
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

  /** Returns a number of the line as a whole number of 10^-decimals; beyond 2^53 it may be inexact. */
  private cell(role: number, decimals: number): number {
    return (this.digits[role] ?? Number.NaN) * (POWERS[decimals - this.decimalsOf(role)] ?? Number.NaN);
  }
}

/** Layout of a CSV file of candles, known from its first rows. */
export interface CsvLayout {
  readonly separator: string;
  /** Values of the first row. */
  readonly firstRow: readonly string[];
  /** Number of fields of every row; further fields are empty. */
  readonly width: number;
  readonly places: ColumnPlaces;
}

/** Price and volume fields in the order of their roles: open is role 1, volume role 5. */
const MONEY_FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const;

/** Roles of other fields. */
const TIME_ROLE = 0;
const UNUSED_ROLE = 6;
const EMPTY_ROLE = 7;

/** Layout of a plain line: its separator, the role of each field, and the form of its times. */
export interface PlainLayout {
  readonly separator: number;
  /** Role of each field of a line, in order. */
  readonly roles: Uint8Array;
  readonly time: TimeForm;
}

/**
 * Returns the layout of the plain lines of a file; null if no line is plain: only `TimeReader` can read its
 * times, the first row is too short, or one column would have two roles.
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

/** Form of times as numbers since 1970 with some count of digits, as in `TimeReader`. */
interface NumberForm {
  readonly kind: 'number';
  readonly leastDigits: number;
  readonly mostDigits: number;
  /** Number of last digits that are below a millisecond. */
  readonly cut: number;
  readonly unitMs: number;
}

/** Form of times as dates, or as dates with a time of day and the same suffix in every row. */
interface DateForm {
  readonly kind: 'date';
  readonly hasClock: boolean;
  /** Suffix: zeros of a fraction, and the zone, which is UTC. */
  readonly suffix: Uint8Array;
}

type TimeForm = NumberForm | DateForm;

/** Forms of seconds, milliseconds, microseconds and nanoseconds since 1970, by number of digits. */
const NUMBERS: readonly NumberForm[] = [
  { kind: 'number', leastDigits: 1, mostDigits: 11, cut: 0, unitMs: SECOND_MS },
  { kind: 'number', leastDigits: 12, mostDigits: 14, cut: 0, unitMs: 1 },
  { kind: 'number', leastDigits: 15, mostDigits: 17, cut: 3, unitMs: 1 },
  { kind: 'number', leastDigits: 18, mostDigits: 18, cut: 6, unitMs: 1 },
];

const ISO = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d((?:\.0+)?(?:Z| UTC|\+00:00)?))?$/;
const DATE_LENGTH = 'yyyy-mm-dd'.length;

/** Returns the form of a file's times from the first one; null if only `TimeReader` can read it. */
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

/** Reads the times of plain lines from bytes. The last day is cached, since a file repeats it often. */
class PlainTimes {
  private readonly form: TimeForm;
  private day = Number.NaN;
  private dayMs = Number.NaN;
  /** Time that was read last, in ms since 1970. */
  timeMs = Number.NaN;

  constructor(form: TimeForm) {
    this.form = form;
  }

  /** Reads the time at an index. Returns the index after it; -1 if it does not have the form. */
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
    // A number with leading zeros is smaller than its number of digits suggests.
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

const isDigit = (code: number | undefined): boolean => code !== undefined && code >= ZERO && code <= NINE;

/** Returns two digits as a number; NaN if they are no digits. */
function pair(bytes: Uint8Array, at: number): number {
  const [tens, ones] = [bytes[at], bytes[at + 1]];
  return isDigit(tens) && isDigit(ones) ? ((tens ?? 0) - ZERO) * 10 + (ones ?? 0) - ZERO : Number.NaN;
}

/** Returns `hh:mm:ss` in ms; NaN if it is no valid time of day. */
function clockMs(bytes: Uint8Array, at: number): number {
  const [hours, minutes, seconds] = [pair(bytes, at), pair(bytes, at + 3), pair(bytes, at + 6)];
  const isClock = hours < 24 && minutes < 60 && seconds < 60;
  if (!isClock || bytes[at + 2] !== COLON || bytes[at + 5] !== COLON) return Number.NaN;
  return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
}

/** First year that is accepted; `Date.UTC` interprets years below 100 differently. */
const FIRST_YEAR = 1_000;

/** Returns the start of a day in ms since 1970; NaN for a day that does not exist, such as February 30. */
function dayMs(year: number, month: number, date: number): number {
  const timeMs = Date.UTC(year, month - 1, date);
  const found = new Date(timeMs);
  const isOfCalendar = found.getUTCMonth() === month - 1 && found.getUTCDate() === date;
  return year >= FIRST_YEAR && isOfCalendar ? timeMs : Number.NaN;
}
