import type { DuckDBVector } from '@duckdb/node-api';
import { cellText } from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
import { present } from '../domain/invariant.ts';
import { formatUnits, UNIT_DECIMALS } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';

const WORD = 4_294_967_296;
/** Two words make a number below 2^53 where the second is below this. */
const EXACT_WORDS = 2 ** 21;
/** A quotient of floats is off by less than this where it is below 2^53. */
const MOST_OFF = 4;

/**
 * A vector of DECIMAL(38,10), read from its memory. Each value is four little-endian words; the library would
 * make a bigint of each, which a million bars have no time for.
 */
export class MoneyCells {
  private readonly words: Uint32Array;

  /** Throws a TypeError for a vector of another type. */
  constructor(vector: DuckDBVector) {
    // Private by its type only, and the package is pinned: the bytes of the column.
    const { dataView } = vector as unknown as { readonly dataView?: DataView };
    if (!(dataView instanceof DataView) || dataView.byteOffset % 4 !== 0) {
      throw new TypeError('expected a vector of decimals with 128 bits');
    }
    this.words = new Uint32Array(dataView.buffer, dataView.byteOffset, dataView.byteLength >> 2);
  }

  /**
   * Writes the first `count` values into a column as whole numbers of 10^-decimals. Throws `TOO_LARGE` where
   * one is beyond 2^53, or has more decimals, unless those are to be rounded, half-even.
   *
   * The quotient of floats is off by a little, but the lowest 32 bits of the exact one are known: dividing by
   * an odd number without a remainder is a multiplication by its inverse. The number next to the quotient
   * with these bits is the exact one; none is near where it has a remainder.
   */
  copyInto(
    column: Float64Array,
    options: {
      readonly at: number;
      readonly count: number;
      readonly decimals: number;
      readonly rounds?: boolean;
    },
  ): void {
    const { at, count, decimals, rounds = false } = options;
    const { words } = this;
    const shift = UNIT_DECIMALS - decimals;
    const divisor = 10 ** shift;
    const inverse = oddInverse(5 ** shift);
    for (let row = 0, word = 0; row < count; row += 1, word += 4) {
      const lowest = words[word] ?? 0;
      const second = words[word + 1] ?? 0;
      const highest = (words[word + 2] ?? 0) | (words[word + 3] ?? 0);
      const plain = (second * WORD + lowest) / divisor;
      // Below 2^53 a quotient with a remainder is never rounded to a whole number.
      if (highest === 0 && second < EXACT_WORDS && Math.floor(plain) === plain) {
        column[at + row] = plain;
        continue;
      }
      const near = (((words[word + 2] ?? 0) * WORD + second) * WORD + lowest) / divisor;
      const shifted = shift === 0 ? lowest : (lowest >>> shift) | (second << (32 - shift));
      const low = Math.imul(shifted, inverse) >>> 0;
      const cell = Math.round((near - low) / WORD) * WORD + low;
      const isExact =
        (words[word + 3] ?? 0) === 0 && Math.abs(cell - near) <= MOST_OFF && Number.isSafeInteger(cell);
      column[at + row] = isExact ? cell : this.rareCell(row, { decimals, rounds });
    }
  }

  /** One value as units of 1e-10. */
  units(row: number): bigint {
    const at = row * 4;
    const word = (index: number): bigint => BigInt(this.words[at + index] ?? 0);
    return BigInt.asIntN(128, word(0) | (word(1) << 32n) | (word(2) << 64n) | (word(3) << 96n));
  }

  /** One value as text. */
  text(row: number): DecimalText {
    return formatUnits(this.units(row));
  }

  /** All values as texts, each worked out when it is asked for. */
  texts(count: number, texts: CellTexts): TextColumn {
    const cells = new Float64Array(count);
    try {
      this.copyInto(cells, { at: 0, count, decimals: texts.decimals });
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      const all = Array.from({ length: count }, (_, row) => this.text(row));
      return { at: (row) => present(all[row], 'a decimal of a column') };
    }
    return { at: (row) => texts.of(present(cells[row], 'a cell of a column')) };
  }

  /** A negative value, which only damaged data has, or one with more decimals. */
  private rareCell(
    row: number,
    { decimals, rounds }: { readonly decimals: number; readonly rounds: boolean },
  ): number {
    const units = this.units(row);
    const divisor = 10n ** BigInt(UNIT_DECIMALS - decimals);
    const cell = Number(divideHalfEven(units, divisor));
    if ((rounds || units % divisor === 0n) && Number.isSafeInteger(cell)) return cell;
    throw new SarrafError(
      'TOO_LARGE',
      `expected a number within 2^53 of ${decimals} decimals at most, was ${this.text(row)}`,
    );
  }
}

/**
 * The number that makes 1 of an odd one when multiplied, in 32 bits. Each round of Newton's doubles the bits
 * that are right.
 */
function oddInverse(odd: number): number {
  const value = odd | 0;
  let inverse = value;
  for (let round = 0; round < 5; round += 1) inverse = Math.imul(inverse, 2 - Math.imul(value, inverse));
  return inverse;
}

/** Decimals of one column by their row. */
export interface TextColumn {
  at(row: number): DecimalText;
}

/** Texts that are remembered; then all are forgotten. */
const MOST_REMEMBERED = 20_000;

/**
 * Whole numbers of 10^-decimals as texts. The same ones come again and again in a book, so they are
 * remembered.
 */
export class CellTexts {
  readonly decimals: number;
  private readonly known = new Map<number, DecimalText>();

  constructor(decimals: number) {
    this.decimals = decimals;
  }

  /** The text of a cell, without an exponent. */
  of(cell: number): DecimalText {
    const known = this.known.get(cell);
    if (known !== undefined) return known;
    if (this.known.size >= MOST_REMEMBERED) this.known.clear();
    const text = cellText(cell, this.decimals);
    this.known.set(cell, text);
    return text;
  }
}
