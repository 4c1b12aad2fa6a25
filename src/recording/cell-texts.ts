import { cellText } from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';

/** Texts that are remembered; then all are forgotten. */
const MOST_REMEMBERED = 20_000;

/** Whole numbers of 10^-decimals as texts. The same ones come again and again in a book, so they are remembered. */
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
