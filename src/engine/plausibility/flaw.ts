import { decimalText, fractionDigits, type DecimalText } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS, unitsOf } from '../../domain/money.ts';

/**
 * What can not be right about something that the exchange said: which of its fields, what it was expected to
 * be, and what was found.
 */
export interface Flaw {
  /** In the words of `VenueOrder` and `VenueTrade`. */
  readonly field: string;
  readonly expected: string;
  readonly found: string;
  /**
   * It contradicts a field that nothing is made of, which was looked at to see whether the others are right:
   * what two readings say alike is believed, and the contradiction told.
   */
  readonly isSoft?: true;
}

/**
 * The first of the fields that the books can not hold: it has more than ten decimals. Null where they hold
 * all.
 */
export function tooFine(fields: Readonly<Record<string, DecimalText | null>>): Flaw | null {
  for (const field in fields) {
    const text = fields[field] ?? null;
    if (text !== null && fractionDigits(text) > UNIT_DECIMALS) {
      return { field, expected: `at most ${UNIT_DECIMALS} decimals`, found: text };
    }
  }
  return null;
}

/** A number that is only compared, in units: what is beyond ten decimals is the dust of somebody's floats. */
export function unitsAbout(text: DecimalText): bigint {
  const spare = fractionDigits(text) - UNIT_DECIMALS;
  return spare <= 0 ? unitsOf(text) : unitsOf(decimalText(text.slice(0, -spare)));
}

/**
 * Whether two values agree to one part in a hundred: what is left of the rounding of prices and averages is
 * far smaller.
 */
export function isAbout(value: bigint, other: bigint): boolean {
  const difference = value > other ? value - other : other - value;
  const size = other > 0n ? other : -other;
  return difference * 100n <= size;
}
