import { decimalText, fractionDigits, type DecimalText } from './decimal-text.ts';
import { UNIT_DECIMALS, unitsOf, type Units } from './money.ts';

/** A number with more decimals than the books keep, as the exchange wrote it. */
export interface TooFine {
  /** The field of the record. */
  readonly field: string;
  readonly text: DecimalText;
}

/** The first of the fields that the books can not hold; null where they hold all. */
export function tooFineIn(fields: Readonly<Record<string, DecimalText | null>>): TooFine | null {
  for (const field in fields) {
    const text = fields[field] ?? null;
    if (text !== null && fractionDigits(text) > UNIT_DECIMALS) return { field, text };
  }
  return null;
}

/** A decimal as units, cut to ten decimals: what is beyond them is the dust of somebody's floats. */
export function unitsAbout(text: DecimalText): Units {
  const spare = fractionDigits(text) - UNIT_DECIMALS;
  return spare <= 0 ? unitsOf(text) : unitsOf(decimalText(text.slice(0, -spare)));
}
