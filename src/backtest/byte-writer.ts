import { DAY_MS } from '../domain/time-text.ts';
import { negateUnits, UNIT_DECIMALS, UNITS_PER_ONE, type Units } from '../domain/money.ts';

/** Bytes are passed on in pieces of at most this size; only a text that is longer comes as a larger one. */
const PIECE = 65_536;
/** More than a number or a time takes. */
const NUMBER_ROOM = 64;

/** Codes of characters. */
const ZERO = 48;
const MINUS = 45;
const POINT = 46;
const COLON = 58;
const Z = 90;

/** Divisors of whole numbers that count units of the last decimal, by the number of decimals. */
const SCALES = Array.from({ length: 16 }, (_, decimals) => 10 ** decimals);

/** Digits below it are taken from a small integer, which is faster. */
const CUT_DIGITS = 8;
const CUT = 10 ** CUT_DIGITS;

/** The digits of 0 to 99: two come of one division. */
const TENS = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + Math.floor(pair / 10));
const ONES = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + (pair % 10));

/** Fractions of floats in this range are written digit by digit: below it ten times a rest is not exact. */
const LEAST_BY_DIGIT = 8;
const MOST_BY_DIGIT = 2 ** 32;

/** Bits of a float's mantissa, the one before its point among them. */
const MANTISSA_BITS = 53;

const ASCII = new Uint8Array(128).fill(1);

/**
 * Writes text as bytes into one buffer, which is passed on whenever it is full: a file of any size leaves no
 * garbage. Whoever gets a piece uses it at once, as the next one is written over it.
 */
export class ByteWriter {
  readonly #handOn: (piece: Uint8Array) => void;
  readonly #bytes = new Uint8Array(PIECE);
  #at = 0;
  #dayStartMs = Number.NaN;
  #day = '';

  constructor(handOn: (piece: Uint8Array) => void) {
    this.#handOn = handOn;
  }

  /** Hands on what is there. To be called at the end. */
  flush(): void {
    if (this.#at === 0) return;
    this.#handOn(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
  }

  /** Any text, as UTF-8. */
  text(text: string): void {
    if (this.plain(text, ASCII)) return;
    this.flush();
    this.#handOn(Buffer.from(text, 'utf8'));
  }

  /**
   * A text of which each character has a 1 at its code in `characters`, all below 128. Of another one, and of
   * one that is longer than a piece, it writes nothing and answers false.
   */
  plain(text: string, characters: Uint8Array): boolean {
    const { length } = text;
    if (length > PIECE) return false;
    this.#makeRoom(length);
    const bytes = this.#bytes;
    const at = this.#at;
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index);
      if (characters[code] !== 1) return false;
      bytes[at + index] = code;
    }
    this.#at = at + length;
    return true;
  }

  /** A number as `String` has it: the shortest decimal that is read as that number. */
  number(value: number): void {
    const size = Math.abs(value);
    const whole = Math.floor(size);
    const isWhole = whole === size;
    const isByDigit = isWhole
      ? size <= Number.MAX_SAFE_INTEGER
      : size >= LEAST_BY_DIGIT && size < MOST_BY_DIGIT;
    if (!isByDigit) {
      this.text(String(value));
      return;
    }
    this.#makeRoom(NUMBER_ROOM);
    if (value < 0) this.#byte(MINUS);
    this.#whole(whole);
    if (!isWhole) this.#shortest(whole, size - whole);
  }

  /** A whole number of 10^-decimals without needless zeros. From 0 to 2^53, with at most 15 decimals. */
  decimal(value: number, decimals: number): void {
    const scale = SCALES[decimals] ?? 1;
    let whole = Math.floor(value / scale);
    // The quotient may have been rounded up to a whole number.
    if (whole * scale > value) whole -= 1;
    this.#makeRoom(NUMBER_ROOM);
    this.#whole(whole);
    this.#fraction(value - whole * scale, decimals);
  }

  /** Money as its canonical decimal. */
  units(units: Units): void {
    if (units < 0n) this.#minus();
    const size = units < 0n ? negateUnits(units) : units;
    const short = Number(size);
    if (short <= Number.MAX_SAFE_INTEGER) {
      this.decimal(short, UNIT_DECIMALS);
      return;
    }
    const whole = size / UNITS_PER_ONE;
    this.text(String(whole));
    this.#makeRoom(NUMBER_ROOM);
    this.#fraction(Number(size - whole * UNITS_PER_ONE), UNIT_DECIMALS);
  }

  /**
   * A moment as `toISOString` has it: `2024-01-31T12:00:00.000Z`. It remembers the day, so moments in order
   * are the fastest. Throws a RangeError for what is no time.
   */
  isoTime(timeMs: number): void {
    const startMs = Math.floor(timeMs / DAY_MS) * DAY_MS;
    if (startMs !== this.#dayStartMs) {
      this.#day = new Date(startMs).toISOString().slice(0, -13);
      this.#dayStartMs = startMs;
    }
    this.text(this.#day);
    this.#makeRoom(NUMBER_ROOM);
    const within = Math.floor(timeMs - startMs) | 0;
    const seconds = (within / 1_000) | 0;
    const minutes = (seconds / 60) | 0;
    const hours = (minutes / 60) | 0;
    this.#twoDigits(hours, COLON);
    this.#twoDigits(minutes - hours * 60, COLON);
    this.#twoDigits(seconds - minutes * 60, POINT);
    this.#padded(within - seconds * 1_000, 3);
    this.#byte(Z);
  }

  #twoDigits(value: number, after: number): void {
    const bytes = this.#bytes;
    const at = this.#at;
    bytes[at] = TENS[value] ?? ZERO;
    bytes[at + 1] = ONES[value] ?? ZERO;
    bytes[at + 2] = after;
    this.#at = at + 3;
  }

  #minus(): void {
    this.#makeRoom(NUMBER_ROOM);
    this.#byte(MINUS);
  }

  #whole(value: number): void {
    let count = 1;
    for (let limit = 10; limit <= value; limit *= 10) count += 1;
    this.#padded(value, count);
  }

  #fraction(value: number, count: number): void {
    if (value === 0) return;
    this.#byte(POINT);
    const high = Math.floor(value / CUT);
    // Most have few decimals: then the last eight of ten are zeros that are not even written.
    if (count > CUT_DIGITS && high * CUT === value) this.#padded(high, count - CUT_DIGITS);
    else this.#padded(value, count);
    while (this.#bytes[this.#at - 1] === ZERO) this.#at -= 1;
  }

  /**
   * The fraction of a float, with as many digits as tell it from its neighbours: the free-format algorithm of
   * Steele and White, "How to Print Floating-Point Numbers Accurately" (1990). All of it is exact in floats.
   */
  #shortest(whole: number, fraction: number): void {
    this.#byte(POINT);
    let rest = fraction;
    // Half of what lies between this float and the next, in the unit of the digit that comes next.
    let half = 2 ** (31 - Math.clz32(whole) - MANTISSA_BITS);
    for (;;) {
      rest *= 10;
      half *= 10;
      let digit = Math.floor(rest);
      rest -= digit;
      const isLow = rest < half;
      const isHigh = rest + half > 1;
      if (!isLow && !isHigh) {
        this.#byte(ZERO + digit);
        continue;
      }
      if (!isLow || (isHigh && (rest > 0.5 || (rest === 0.5 && digit % 2 === 1)))) digit += 1;
      this.#byte(ZERO + digit);
      return;
    }
  }

  /** Exactly so many digits. */
  #padded(value: number, count: number): void {
    const from = this.#at;
    this.#at = from + count;
    if (count <= CUT_DIGITS) {
      this.#small(value, from, this.#at);
      return;
    }
    const high = Math.floor(value / CUT);
    const cut = this.#at - CUT_DIGITS;
    this.#small(value - high * CUT, cut, this.#at);
    this.#small(high, from, cut);
  }

  /** The digits of a number of at most eight, from one place up to another. */
  #small(value: number, from: number, to: number): void {
    const bytes = this.#bytes;
    let rest = value | 0;
    let place = to - 2;
    for (; place >= from; place -= 2) {
      const next = (rest / 100) | 0;
      const pair = rest - next * 100;
      bytes[place] = TENS[pair] ?? ZERO;
      bytes[place + 1] = ONES[pair] ?? ZERO;
      rest = next;
    }
    if (place === from - 1) bytes[from] = ZERO + rest;
  }

  #byte(code: number): void {
    this.#bytes[this.#at] = code;
    this.#at += 1;
  }

  #makeRoom(count: number): void {
    if (this.#at + count > PIECE) this.flush();
  }
}
