import { volumeCell, volumeColumnDecimals } from '../domain/candle-columns.ts';
import { fractionDigits, type DecimalText } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
import { formatUnits, NO_UNITS, UNIT_DECIMALS, UNITS_PER_ONE, type Units } from '../domain/money.ts';

/** Rows that a growing column has room for at first; then for twice as many, again and again. */
export const FIRST_ROOM = 65_536;

/** A column with twice the room. */
export function grown(column: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** The cells of a column in another order. */
export function picked(column: Float64Array, order: Uint32Array): Float64Array<ArrayBuffer> {
  const sorted = new Float64Array(order.length);
  for (const [place, index] of order.entries()) sorted[place] = column[index] ?? Number.NaN;
  return sorted;
}

/**
 * A growing column of volumes: the digits before the point, and those after it in units of 1e-10. Both are
 * exact, whatever is added later; which decimals the column of all has is known at its end only.
 */
export class VolumeColumn {
  private finest = 0;
  private whole = new Float64Array(FIRST_ROOM);
  private part = new Float64Array(FIRST_ROOM);

  /** Throws `TOO_LARGE` for more than 15 digits before the point. */
  set(index: number, text: DecimalText): void {
    if (index >= this.whole.length) {
      this.whole = grown(this.whole);
      this.part = grown(this.part);
    }
    const decimals = fractionDigits(text);
    const whole = Number(decimals === 0 ? text : text.slice(0, -decimals - 1));
    if (!Number.isSafeInteger(whole)) {
      throw new SarrafError(
        'TOO_LARGE',
        `expected a volume of at most 15 digits before the point, found "${text}"`,
      );
    }
    this.finest = Math.max(this.finest, decimals);
    this.whole[index] = whole;
    this.part[index] = decimals === 0 ? 0 : Number(text.slice(-decimals)) * 10 ** (UNIT_DECIMALS - decimals);
  }

  move(from: number, to: number): void {
    this.whole[to] = this.whole[from] ?? Number.NaN;
    this.part[to] = this.part[from] ?? Number.NaN;
  }

  pick(order: Uint32Array): void {
    this.whole = picked(this.whole, order);
    this.part = picked(this.part, order);
  }

  textAt(index: number): DecimalText {
    return formatUnits(this.unitsAt(index));
  }

  /** The first so many as whole numbers of one column. @see volumeColumnDecimals */
  cells(length: number): { readonly volumeDecimals: number; readonly volume: Float64Array<ArrayBuffer> } {
    const largest = length === 0 ? NO_UNITS : this.unitsAt(this.largest(length));
    const volumeDecimals = volumeColumnDecimals({ finest: this.finest, largest });
    const scale = 10 ** volumeDecimals;
    const unitsOfCell = 10 ** (UNIT_DECIMALS - volumeDecimals);
    const volume = Float64Array.from({ length }, (_, index) => {
      const part = this.part[index] ?? 0;
      if (part % unitsOfCell !== 0) return volumeCell(this.unitsAt(index), volumeDecimals);
      return (this.whole[index] ?? 0) * scale + part / unitsOfCell;
    });
    return { volumeDecimals, volume };
  }

  private largest(length: number): number {
    const { whole, part } = this;
    let found = 0;
    for (let index = 1; index < length; index += 1) {
      const more = (whole[index] ?? 0) - (whole[found] ?? 0);
      if (more > 0 || (more === 0 && (part[index] ?? 0) > (part[found] ?? 0))) found = index;
    }
    return found;
  }

  private unitsAt(index: number): Units {
    return (BigInt(this.whole[index] ?? 0) * UNITS_PER_ONE + BigInt(this.part[index] ?? 0)) as Units;
  }
}
