import {
  cellUnits,
  columnScale,
  firstBarFrom,
  gridOfColumns,
  type CandleColumns,
} from '../domain/candle-columns.ts';
import { refuseStraddling } from './bar-feed.ts';

/** The places of the finer bars inside of a bar: from the first to the last, which is one of them. */
export interface BarParts {
  readonly first: number;
  readonly last: number;
}

const PRICES = ['open', 'high', 'low', 'close'] as const;

/** Finer bars of the same market, by the bars that they lie inside of. */
export class BarDetail {
  readonly columns: CandleColumns;
  private readonly whole: CandleColumns;

  /** Throws `INVALID_OPTIONS` where the finer bars do not lie whole inside the others. */
  constructor(whole: CandleColumns, columns: CandleColumns) {
    refuseStraddling(columns, { parts: gridOfColumns(columns), whole: gridOfColumns(whole) });
    this.whole = whole;
    this.columns = columns;
  }

  /**
   * Those inside of the bar `index`, where they reach from its begin to its end, and together have its open,
   * high, low and close; else null.
   */
  partsOf(index: number): BarParts | null {
    const { whole, columns } = this;
    const openMs = whole.openTimeMs[index] ?? Number.NaN;
    const endMs = gridOfColumns(whole).endOf(openMs);
    const first = firstBarFrom(columns, openMs);
    const last = firstBarFrom(columns, endMs) - 1;
    const hasEnds =
      columns.openTimeMs[first] === openMs &&
      gridOfColumns(columns).endOf(columns.openTimeMs[last] ?? Number.NaN) === endMs;
    return hasEnds && this.agrees(index, { first, last }) ? { first, last } : null;
  }

  private agrees(index: number, { first, last }: BarParts): boolean {
    const { whole, columns } = this;
    let [high, low] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let place = first; place <= last; place += 1) {
      high = Math.max(high, columns.high[place] ?? Number.NaN);
      low = Math.min(low, columns.low[place] ?? Number.NaN);
    }
    const together = {
      open: columns.open[first] ?? Number.NaN,
      high,
      low,
      close: columns.close[last] ?? Number.NaN,
    };
    const [scale, partScale] = [columnScale(whole.priceDecimals), columnScale(columns.priceDecimals)];
    return PRICES.every((price) => {
      const cell = whole[price][index] ?? Number.NaN;
      if (scale === partScale) return cell === together[price];
      return cellUnits(cell, scale) === cellUnits(together[price], partScale);
    });
  }
}

/** How many bars from a place on are walked whole, since there is no detail that agrees with them. */
export function barsWithoutDetail(whole: CandleColumns, columns: CandleColumns, from: number): number {
  const detail = new BarDetail(whole, columns);
  let without = 0;
  for (let index = from; index < whole.length; index += 1) if (detail.partsOf(index) === null) without += 1;
  return without;
}
