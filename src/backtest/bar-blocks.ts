import type { CandleColumns } from '../domain/candle-columns.ts';

/** Bars of one block. */
const BLOCK = 64;

/** What bars come to together, in the units of their columns. */
export interface BarTotals {
  high: number;
  low: number;
  /** Traded, in the base currency. */
  base: number;
  /** The same times each close. */
  quote: number;
}

/**
 * Adds up stretches of bars, again and again while a run goes on: whole blocks of them are added up once. A
 * block is added up only when a stretch has all of it, so nothing later than that is looked at.
 */
export class BarBlocks {
  private readonly columns: CandleColumns;
  private readonly blocks: BarTotals[] = [];

  constructor(columns: CandleColumns) {
    this.columns = columns;
  }

  /** From one bar to another, both included. */
  totals(first: number, last: number): BarTotals {
    const totals = emptyTotals();
    for (let index = first; index <= last;) {
      const isWhole = index % BLOCK === 0 && index + BLOCK - 1 <= last;
      if (isWhole) addTotals(totals, this.block(index / BLOCK));
      else this.addBar(totals, index);
      index += isWhole ? BLOCK : 1;
    }
    return totals;
  }

  private block(place: number): BarTotals {
    const known = this.blocks[place];
    if (known !== undefined) return known;
    const totals = emptyTotals();
    for (let index = place * BLOCK; index < (place + 1) * BLOCK; index += 1) this.addBar(totals, index);
    this.blocks[place] = totals;
    return totals;
  }

  private addBar(totals: BarTotals, index: number): void {
    const { high, low, close, volume } = this.columns;
    totals.high = Math.max(totals.high, high[index] ?? 0);
    totals.low = Math.min(totals.low, low[index] ?? 0);
    totals.base += volume[index] ?? 0;
    totals.quote += (volume[index] ?? 0) * (close[index] ?? 0);
  }
}

function emptyTotals(): BarTotals {
  return { high: 0, low: Number.POSITIVE_INFINITY, base: 0, quote: 0 };
}

function addTotals(totals: BarTotals, { high, low, base, quote }: BarTotals): void {
  totals.high = Math.max(totals.high, high);
  totals.low = Math.min(totals.low, low);
  totals.base += base;
  totals.quote += quote;
}
