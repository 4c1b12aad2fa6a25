import type { Database } from './duckdb.ts';
import type { RowDecimals } from './table-shape.ts';

/** What there is to know of the rows in the table `given`. */
export interface StagedRows {
  readonly rows: number;
  /** The most decimals by partition. */
  readonly decimals: ReadonlyMap<string, RowDecimals>;
  /** Of the first and the last row by time, in ms; infinite without rows. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether each row is later than the one before it. */
  readonly isInOrder: boolean;
}

/** Makes the table `given` of a source by itself. Null where it can not take it in, and then there is no such table. */
export type StageRows = (database: Database) => Promise<StagedRows | null>;
