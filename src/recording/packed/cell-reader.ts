import type { DecimalText } from '../../domain/decimal-text.ts';
import { SarrafError } from '../../domain/errors.ts';

/** Cells that are remembered; then all are forgotten. */
const MOST_REMEMBERED = 20_000;

/** Decimal texts as whole numbers of 10^-decimals. The same ones come again and again in a book. */
export class CellReader {
  private readonly decimals: number;
  private readonly known = new Map<DecimalText, number>();

  constructor(decimals: number) {
    this.decimals = decimals;
  }

  /** Throws `TOO_LARGE` for a number beyond 2^53, or with more decimals. */
  of(text: DecimalText): number {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const [whole = '', fraction = ''] = text.split('.');
    const cell = Number(whole + fraction.padEnd(this.decimals, '0'));
    if (fraction.length > this.decimals || !Number.isSafeInteger(cell))
      throw new SarrafError(
        'TOO_LARGE',
        `expected a number within 2^53 of ${this.decimals} decimals at most, was ${text}`,
      );
    if (this.known.size >= MOST_REMEMBERED) this.known.clear();
    this.known.set(text, cell);
    return cell;
  }
}
