import type { BarAnchor } from '../../domain/bar-grid.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Field, Preset } from './column-places.ts';
import type { ReadProgress } from './open-text.ts';
import type { FileForm } from './written-form.ts';

/** A file with columns, and how it is to be taken in. */
export interface ImportTableOptions {
  /** What takes in the rows: all of them, or none. */
  readonly catalogue: Pick<Catalogue, 'appendCandles'> & Partial<Pick<Catalogue, 'appendTrades'>>;
  readonly path: string;
  readonly market: MarketSymbol;
  /** Null: what its columns say. */
  readonly kind: 'candles' | 'trades' | null;
  readonly timeframe: Timeframe | null;
  /** Where bars begin; null, as without it: where most of the file's do. */
  readonly anchor?: BarAnchor | null;
  /** Whether bars may be put together to the timeframe. */
  readonly mayResample: boolean;
  readonly preset: Preset | null;
  readonly columns: ReadonlyMap<Field, string>;
  /** Whether rows that can not be read are left out; else one of them keeps the whole file out. */
  readonly skipBadRows: boolean;
  /**
   * Whether amounts of trades with more than ten decimals are rounded, as volumes are; else they are bad
   * rows.
   */
  readonly roundsAmounts?: boolean;
  /** What the user says of how numbers and dates are written. */
  readonly form?: FileForm;
  /** What prices are multiplied by, such as 10 for rial of toman. */
  readonly priceFactor?: number;
  readonly source: string;
  readonly onProgress?: (rows: number, progress: ReadProgress) => void;
}
