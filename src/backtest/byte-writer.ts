import { writeSync, openSync, closeSync } from 'node:fs';
import { flushOpen } from '../recording/durable-file.ts';
import { disposable } from '../domain/closing.ts';
import { DAY_MS } from '../domain/time-text.ts';
import { negateUnits, UNIT_DECIMALS, UNITS_PER_ONE, type Units } from '../domain/money.ts';

/** Maximum number of bytes of one piece that is passed on; only a longer text makes a larger piece. */
const PIECE = 65_536;
/** Bytes to reserve for a number or a time: more than any of them needs. */
const NUMBER_ROOM = 64;

/** Character codes. */
const ZERO = 48;
const MINUS = 45;
const POINT = 46;
const COLON = 58;
const Z = 90;

/** Powers of ten, by the number of decimals. */
const SCALES = Array.from({ length: 16 }, (_, decimals) => 10 ** decimals);

/** Number of last digits that are written from a small integer, which is faster. */
const CUT_DIGITS = 8;
const CUT = 10 ** CUT_DIGITS;

/** Digits of the numbers 0 to 99, so that one division yields two digits. */
const TENS = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + Math.floor(pair / 10));
const ONES = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + (pair % 10));

/** Range of floats whose fraction is written digit by digit; below it ten times a rest is not exact. */
const LEAST_BY_DIGIT = 8;
const MOST_BY_DIGIT = 2 ** 32;

/** Bits of the mantissa of a float, including the leading one. */
const MANTISSA_BITS = 53;

const ASCII = new Uint8Array(128).fill(1);

/**
 * Writes text as bytes into one buffer, which is passed on whenever it is full, so a file of any size leaves
 * no garbage. The receiver must use a piece at once: the next one overwrites it.
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

  /** Passes on the remaining bytes. Must be called at the end. */
  flush(): void {
    if (this.#at === 0) return;
    this.#handOn(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
  }

  /** Writes any text, as UTF-8. */
  text(text: string): void {
    if (!this.plain(text, ASCII)) this.bytes(Buffer.from(text, 'utf8'));
  }

  /** Writes bytes as they are. */
  bytes(bytes: Uint8Array): void {
    this.flush();
    this.#handOn(bytes);
  }

  /**
   * Writes a text whose characters all have a 1 at their code, below 128, in `characters`. Writes nothing and
   * returns false for any other text, and for one longer than a piece.
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

  /** Writes a number as `String` does: the shortest decimal that is read back as the same number. */
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

  /** Writes a whole number of 10^-decimals without trailing zeros. `value`: 0 to 2^53; decimals: 0 to 15. */
  decimal(value: number, decimals: number): void {
    const scale = SCALES[decimals] ?? 1;
    let whole = Math.floor(value / scale);
    // The quotient may have been rounded up to a whole number.
    if (whole * scale > value) whole -= 1;
    this.#makeRoom(NUMBER_ROOM);
    this.#whole(whole);
    this.#fraction(value - whole * scale, decimals);
  }

  /** Writes money as its canonical decimal. */
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
   * Writes a time as `toISOString` does: `2024-01-31T12:00:00.000Z`. The day is cached, so times in order are
   * fastest. Throws a RangeError for an invalid time.
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
    // Most numbers have few decimals: then the last eight of ten are zeros and need not be written.
    if (count > CUT_DIGITS && high * CUT === value) this.#padded(high, count - CUT_DIGITS);
    else this.#padded(value, count);
    while (this.#bytes[this.#at - 1] === ZERO) this.#at -= 1;
  }

  /**
   * Writes the fewest digits that distinguish a float from its neighbours: the free-format algorithm of
   * Steele and White, "How to Print Floating-Point Numbers Accurately" (1990). All steps are exact in floats.
   */
  #shortest(whole: number, fraction: number): void {
    this.#byte(POINT);
    let rest = fraction;
    // Half of the distance between this float and the next, in units of the next digit.
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

  /** Writes a number with exactly `count` digits, padded with zeros. */
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

  /** Writes the digits of a number of at most eight digits, from index `from` to `to` (excluded). */
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

/** Writes a file and flushes it to the disk. */
export function writeBytes(path: string, write: (out: ByteWriter) => void): void {
  using file = disposable(openSync(path, 'w'), closeSync);
  // A write may accept fewer bytes than it was given.
  const out = new ByteWriter((piece) => {
    let written = 0;
    while (written < piece.length) written += writeSync(file.value, piece, written);
  });
  write(out);
  out.flush();
  flushOpen(file.value);
}

/** Address space that `bytesOf` reserves, without memory behind it. More bytes throw a RangeError. */
const MOST_BYTES = 2 ** 32;
const GROWTH_BYTES = 2 ** 20;

/** Returns all that is written as one piece of memory, which grows in place: copies would need it twice. */
export function bytesOf(write: (out: ByteWriter) => void): Uint8Array {
  const buffer = new ArrayBuffer(0, { maxByteLength: MOST_BYTES });
  let length = 0;
  const out = new ByteWriter((piece) => {
    if (length + piece.length > buffer.byteLength) buffer.resize(length + piece.length + GROWTH_BYTES);
    new Uint8Array(buffer, length, piece.length).set(piece);
    length += piece.length;
  });
  write(out);
  out.flush();
  return new Uint8Array(buffer, 0, length);
}
