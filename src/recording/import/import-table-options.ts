import type { BarAnchor } from '../../domain/bar-grid.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Field, Preset } from '../column-places.ts';
import type { ReadProgress } from '../open-text.ts';
import type { FileForm } from '../written-form.ts';

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
