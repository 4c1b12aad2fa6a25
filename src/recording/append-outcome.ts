import type { Database } from './duckdb.ts';
import type { RowDecimals } from './table-shape.ts';

/** A record that contradicts one of the same time or number. */
export interface RecordConflict {
  readonly timeMs: number;
  /** True if both came together; else one of them is there already. */
  readonly isWithin: boolean;
  /** Existing record, or one of the two that came, as a list of its values. */
  readonly there: string;
  /** Record that came. */
  readonly given: string;
}

/**
 * Outcome of an append. At a conflict nothing was changed; at most `MOST_CONFLICTS` of `count` are listed.
 * `known`: rows that were there already, or came twice.
 */
export type AppendOutcome =
  | {
      readonly kind: 'added';
      readonly added: number;
      readonly known: number;
      /** Of what came; null where nothing did. */
      readonly fromMs: number | null;
      readonly toMs: number | null;
    }
  /** The required confirmation was not given; nothing was changed. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'conflict'; readonly count: number; readonly conflicts: readonly RecordConflict[] };

/** Conflicts that are listed one by one. */
export const MOST_CONFLICTS = 10;

/** Summary of the rows in the table `given`. */
export interface StagedRows {
  readonly rows: number;
  /** The most decimals by partition. */
  readonly decimals: ReadonlyMap<string, RowDecimals>;
  /** Of the first and the last row by time, in ms; infinite without rows. */
  readonly fromMs: number;
  readonly toMs: number;
  /** True if each row is later than the one before it. */
  readonly isInOrder: boolean;
}

/**
 * Makes the table `given` of a source by itself. Null where it can not take it in, and then there is no such
 * table.
 */
export type StageRows = (database: Database) => Promise<StagedRows | null>;
