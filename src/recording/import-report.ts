import { countText } from '../domain/money.ts';
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
  /** Timeframe of candles; null for other kinds. */
  readonly timeframe: string | null;
  readonly outcome: AppendOutcome;
}

/**
 * Outcome of importing a file. `imported`: it is in the catalogue, except for rejected rows. `bad-rows`: it
 * has bad rows, nothing was imported. `conflict`: it contradicts existing data, nothing was imported.
 */
export interface ImportReport {
  readonly file: string;
  readonly market: string;
  readonly result: 'imported' | 'bad-rows' | 'conflict';
  /** Number of rows in the file, without titles. */
  readonly rows: number;
  readonly parts: readonly ImportPart[];
  readonly rejects: Rejects;
  /** First row that rejects the file; null if no row does, or if the file as a whole is wrong. */
  readonly firstBad: Reject | null;
  /** Notes for the reader, one sentence each. */
  readonly notes: readonly string[];
}

/** Row that was rejected. */
export interface Reject {
  readonly line: number;
  readonly problem: string;
  /** Text of the row, cut if it is long. */
  readonly text: string;
}

/** Maximum number of rejected rows that are stored; further ones are only counted. */
const MOST_RETAINED = 100_000;
const MOST_CHARACTERS = 200;

/** Rejected rows of one file. */
export class Rejects {
  count = 0;
  readonly rows: Reject[] = [];

  add(reject: Reject): void {
    this.count += 1;
    if (this.rows.length < MOST_RETAINED)
      this.rows.push({ ...reject, text: reject.text.slice(0, MOST_CHARACTERS) });
  }

  /** Counts rejected rows that are not stored. */
  addUnlisted(count: number): void {
    this.count += count;
  }

  /** Writes the rejected rows as CSV with titles; a last line says how many are left out. */
  csv(): string {
    const lines = this.rows.map(({ line, problem, text }) => csvLine([line, problem, text]));
    const more = this.count - this.rows.length;
    if (more > 0)
      lines.push(csvLine([null, `${countText(more, 'more row was', 'more rows were')} not taken`, null]));
    return [csvLine(['line', 'problem', 'row']), ...lines].join('');
  }
}

/** Table file to import, and options of the import. */
export interface ImportTableOptions {
  /** Catalogue that accepts the rows: all of them, or none. */
  readonly catalogue: Pick<Catalogue, 'appendCandles'> & Partial<Pick<Catalogue, 'appendTrades'>>;
  readonly path: string;
  readonly market: MarketSymbol;
  /** Kind of the rows; null: found from the columns. */
  readonly kind: 'candles' | 'trades' | null;
  readonly timeframe: Timeframe | null;
  /** Start of the bars; null or omitted: the start of most bars of the file. */
  readonly anchor?: BarAnchor | null;
  /** True if bars may be resampled to the timeframe. */
  readonly mayResample: boolean;
  readonly preset: Preset | null;
  readonly columns: ReadonlyMap<Field, string>;
  /** True if unreadable rows are left out; else one of them rejects the whole file. */
  readonly skipBadRows: boolean;
  /** True if amounts of trades with more than ten decimals are rounded, as volumes are; else they are bad. */
  readonly roundsAmounts?: boolean;
  /** Format of numbers and dates as given by the user. */
  readonly form?: FileForm;
  /** Factor for prices, such as 10 to convert toman to rial. */
  readonly priceFactor?: number;
  readonly source: string;
  readonly onProgress?: (rows: number, progress: ReadProgress) => void;
}
