import type { Candle, Timeframe } from '../domain/candle.ts';
import type { PlotRecord } from '../engine/live-plots.ts';
import type { MarketVersionRecord } from '../engine/mirror-change.ts';
import type { StrategyRecord, BalanceRecord } from '../records/rows.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import type { FigureValue } from './read-series.ts';
import type { StoredRow } from './mirror-reader.ts';
import type { JournalLine } from './row-pages.ts';
import type { Sentence } from '../language/sentence.ts';

/** A table that a mirror keeps within a limit, by its oldest rows. */
export type BoundedTable = 'fills' | 'orders' | 'intents' | 'journal';

/** Number of a table's removed rows, and time the oldest one left was written. */
export interface RowsOf {
  readonly removed: number;
  /** Null without any row. */
  readonly sinceMs: number | null;
}

/** An intent that was refused, and the check that did so, where the journal still has it. */
export interface RefusedIntent {
  readonly id: string;
  readonly strategy: string;
  readonly kind: string;
  readonly atMs: number;
  readonly reason: Sentence | null;
  readonly check: string | null;
}

/** An order of an algorithm that a check refused. */
export interface RefusedSlice {
  readonly strategy: string;
  readonly atMs: number;
  readonly check: string;
  /** The numbers of the check, as JSON. */
  readonly json: string;
}

/** Start of strategies, and the silence before it. */
export interface SessionStart {
  readonly atMs: number;
  /** JSON of the line. */
  readonly json: string;
  /** The line of the journal before it; null where it is the first. */
  readonly lineBeforeMs: number | null;
}

export interface StoredSeries {
  readonly market: string;
  readonly timeframe: Timeframe;
  readonly candles: readonly Candle[];
}

/** A series that a strategy plots: how it is drawn, and its values of the range. */
export interface StoredPlot {
  readonly plot: PlotRecord;
  readonly values: readonly FigureValue[];
}

/** A price that somebody traded at, or else the middle of a book, and when it was. */
export interface SeenPrice {
  readonly market: string;
  readonly price: string;
  readonly atMs: number;
}

/** Data of a mirror on the life of a bot, all of one moment but for `isRunning`. Lists are oldest first. */
export interface SessionRows {
  readonly path: string;
  readonly epoch: string;
  /** Stored data of the account, as its owner wrote it. */
  readonly account: string | null;
  /** Null where that is not known. */
  readonly isRunning: boolean | null;
  readonly tables: Readonly<Record<BoundedTable, RowsOf>>;
  /** The beginning of the range, or of all that the mirror has; null where it has nothing. */
  readonly fromMs: number | null;
  /** The last sign of life of the bot; null in a mirror that never held any. */
  readonly aliveUntilMs: number | null;
  /** In the order in which the bot learned of them; `moreFills` older ones were left out. */
  readonly fills: readonly FillRecord[];
  readonly moreFills: number;
  /** Planned within the range, in the order of their plans; `moreOrders` older ones were left out. */
  readonly orders: readonly OrderRecord[];
  readonly moreOrders: number;
  readonly unfinished: readonly OrderRecord[];
  /** Intents of the range by strategy. */
  readonly intents: ReadonlyMap<string, number>;
  readonly refusedIntents: readonly RefusedIntent[];
  readonly refusedSlices: readonly RefusedSlice[];
  readonly starts: readonly SessionStart[];
  readonly lockLines: readonly JournalLine[];
  readonly logs: ReadonlyMap<string, readonly JournalLine[]>;
  /**
   * One series a market, with the bar that ends at the range's beginning: the finest that reaches it, else
   * the one that reaches furthest.
   */
  readonly series: readonly StoredSeries[];
  readonly prices: readonly SeenPrice[];
  readonly plots: readonly StoredPlot[];
  readonly markets: readonly MarketVersionRecord[];
  readonly strategies: readonly StrategyRecord[];
  readonly balances: readonly BalanceRecord[];
  readonly stored: readonly StoredRow[];
}
