import type { AppendOutcome } from './staging-table.ts';
import type { BarAnchor, Timeframe } from '../domain/candle.ts';
import { csvLine } from '../domain/csv.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { Catalogue } from './catalogue.ts';
import type { Field, Preset } from './column-places.ts';
import type { ReadProgress } from './open-text.ts';
import type { FileForm } from './written-form.ts';

/** Outcome of one part of a file: its candles, its trades or its books. */
export interface ImportPart {
  readonly kind: 'candles' | 'trades' | 'books';
  /** For candles. */
  readonly timeframe: string | null;
  readonly outcome: AppendOutcome;
}

/**
 * Outcome of a file. `imported`: it is in the catalogue, except for the rejected rows. `bad-rows`: it has
 * some, nothing was imported. `conflict`: it contradicts existing data, nothing was imported.
 */
export interface ImportReport {
  readonly file: string;
  readonly market: string;
  readonly result: 'imported' | 'bad-rows' | 'conflict';
  /** Rows that the file has, its titles apart. */
  readonly rows: number;
  readonly parts: readonly ImportPart[];
  readonly rejects: Rejects;
  /** The first of the rows that keep the file out; null where none does, or the whole is what is wrong. */
  readonly firstBad: Reject | null;
  /** Notes for the reader, one sentence each. */
  readonly notes: readonly string[];
}

/** A row that was not taken. */
export interface Reject {
  readonly line: number;
  readonly problem: string;
  /** The row as it was, cut where it is long. */
  readonly text: string;
}

/** Rejects that are kept; beyond that they are only counted. */
const MOST_RETAINED = 100_000;
const MOST_CHARACTERS = 200;

/** The rows of one file that were not taken. */
export class Rejects {
  count = 0;
  readonly rows: Reject[] = [];

  add(reject: Reject): void {
    this.count += 1;
    if (this.rows.length < MOST_RETAINED)
      this.rows.push({ ...reject, text: reject.text.slice(0, MOST_CHARACTERS) });
  }

  /** Counts rows that are not listed one by one. */
  addUnlisted(count: number): void {
    this.count += count;
  }

  /** As CSV, with a title line; a last line says how many are left out. */
  csv(): string {
    const lines = this.rows.map(({ line, problem, text }) => csvLine([line, problem, text]));
    const more = this.count - this.rows.length;
    if (more > 0) lines.push(csvLine([null, `${more} more rows were not taken`, null]));
    return [csvLine(['line', 'problem', 'row']), ...lines].join('');
  }
}

/** A file with columns, and how it is to be taken in. */
export interface ImportTableOptions {
  /** Catalogue that accepts the rows: all of them, or none. */
  readonly catalogue: Pick<Catalogue, 'appendCandles'> & Partial<Pick<Catalogue, 'appendTrades'>>;
  readonly path: string;
  readonly market: MarketSymbol;
  /** Null: what its columns say. */
  readonly kind: 'candles' | 'trades' | null;
  readonly timeframe: Timeframe | null;
  /** Start of the bars; null, or left out: that of most of the file's bars. */
  readonly anchor?: BarAnchor | null;
  /** True if bars may be resampled to the timeframe. */
  readonly mayResample: boolean;
  readonly preset: Preset | null;
  readonly columns: ReadonlyMap<Field, string>;
  /** True if unreadable rows are left out; else one of them rejects the whole file. */
  readonly skipBadRows: boolean;
  /**
   * True if amounts of trades with more than ten decimals are rounded, as volumes are; else they are bad
   * rows.
   */
  readonly roundsAmounts?: boolean;
  /** Format of numbers and dates as given by the user. */
  readonly form?: FileForm;
  /** Factor for prices, such as 10 for rial of toman. */
  readonly priceFactor?: number;
  readonly source: string;
  readonly onProgress?: (rows: number, progress: ReadProgress) => void;
}
