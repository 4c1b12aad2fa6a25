import type { AppendOutcome } from '../append-outcome.ts';
import type { Reject, Rejects } from './rejects.ts';

/** What became of one part of a file: its candles, its trades or its books. */
export interface ImportPart {
  readonly kind: 'candles' | 'trades' | 'books';
  /** For candles. */
  readonly timeframe: string | null;
  readonly outcome: AppendOutcome;
}

/**
 * What became of a file. `imported`: it is in the catalogue, but for the rejected rows. `bad-rows`: it has some, nothing was imported. `conflict`: it contradicts
 * what is there, nothing was imported.
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
  /** What the reader should know, one sentence each. */
  readonly notes: readonly string[];
}
