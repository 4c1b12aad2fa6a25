import { tryDecimalText } from '../../domain/decimal-text.ts';

/**
 * A number of a JSON body as it was written, where a float might change it: `0.1`, `1e20`. It is no text: a field that takes only text does not take
 * it, however it reads.
 */
export class BareNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** A number of a JSON body from its float and its own text: a number where it is a whole one that a float holds, as `1.0` is. */
export function bareNumber(float: number, text: string): number | BareNumber {
  return Number.isSafeInteger(float) && tryDecimalText(text) === String(float) ? float : new BareNumber(text);
}
