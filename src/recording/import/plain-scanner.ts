import { UNIT_DECIMALS } from '../../domain/money.ts';
import type { CandleBlock } from '../stage-blocks.ts';
import { EMPTY_ROLE, TIME_ROLE, UNUSED_ROLE, type PlainLayout, PlainTimes } from './plain-time.ts';

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
        if (this.isFiner() && this.length > 0) return 'block';
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

  /** True if the line just read has more decimals than those before it. */
  private isFiner(): boolean {
    return this.linePriceDecimals() > this.priceDecimals || this.decimalsOf(VOLUME) > this.volumeDecimals;
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
