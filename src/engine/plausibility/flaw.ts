import { UNIT_DECIMALS } from '../../domain/money.ts';
import type { TooFine } from '../../domain/too-fine.ts';

/** Issue with data of the exchange: the field, what it was expected to be, and what was found. */
export interface Flaw {
  /** In the words of `VenueOrder` and `VenueTrade`. */
  readonly field: string;
  readonly expected: string;
  readonly found: string;
  /**
   * It contradicts a field that nothing is made of, which was looked at to see whether the others are right:
   * what two readings say alike is believed, and the contradiction reported.
   */
  readonly isSoft?: true;
}

/** The flaw of a record with a number that the books can not hold; null of one without. */
export function fineFlaw({ tooFine }: { readonly tooFine: TooFine | null }): Flaw | null {
  if (tooFine === null) return null;
  return { field: tooFine.field, expected: `at most ${UNIT_DECIMALS} decimals`, found: tooFine.text };
}

/**
 * True if two values agree to one part in a hundred: what is left of the rounding of prices and averages is
 * far smaller.
 */
export function isAbout(value: bigint, other: bigint): boolean {
  const difference = value > other ? value - other : other - value;
  const size = other > 0n ? other : -other;
  return difference * 100n <= size;
}
