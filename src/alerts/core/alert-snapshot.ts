import type { ValueAt } from '../../portfolio/value-series.ts';
import type { AlertFacts, BookDifference } from './alert-facts.ts';
import type { FillRecord } from '../../records/fill.ts';
import type { Sentence } from '../../language/sentence.ts';

/** A line of the journal, as the mirror has it. */
export interface JournalRow {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: string;
  readonly subject: string;
  readonly json: string;
}

/** A trade that was booked since the last look. */
export interface NewFill extends Pick<
  FillRecord,
  'strategy' | 'market' | 'side' | 'atMs' | 'price' | 'amount' | 'total'
> {
  readonly tradeId: string;
  /** The quote currency of the market. */
  readonly currency: string;
}

/** The equity of the bot in one currency, without what came in and went out; the oldest value first. */
export interface EquitySeries {
  readonly currency: string;
  readonly values: readonly ValueAt[];
}

/** State of a bot at one moment: from its mirror, its ledger, its folder, and itself. */
export interface AlertSnapshot {
  readonly atMs: number;
  /** Lines of the journal since the last look, the oldest first. */
  readonly rows: readonly JournalRow[];
  readonly fills: readonly NewFill[];
  /** The last sign of life that the bot wrote down; null before any. */
  readonly lastSignMs: number | null;
  /** Start of this watch. Anything never seen counts as silent since then. */
  readonly watchedSinceMs: number;
  readonly lockouts: readonly { readonly budget: string; readonly endsAtMs: number | null }[];
  readonly credential: {
    readonly name: Sentence;
    readonly advice: Sentence;
    readonly sinceMs: number;
  } | null;
  readonly unknownOrders: readonly {
    readonly key: string;
    readonly strategy: string;
    readonly market: string;
    readonly sinceMs: number;
  }[];
  readonly break: { readonly sinceMs: number; readonly rows: readonly BookDifference[] } | null;
  /** Reason the bot itself holds back new orders, other than a break or a refused credential. */
  readonly noOrders: Sentence | null;
  /** Strategies that a limit on losses lets add no risk. */
  readonly lossLimits: readonly {
    readonly strategy: string;
    readonly reason: Sentence;
    readonly sinceMs: number;
  }[];
  /** Markets whose books stand still at the exchange. */
  readonly standstills: readonly {
    readonly market: string;
    readonly reason: Sentence;
    readonly sinceMs: number;
  }[];
  readonly halt: { readonly reason: Sentence; readonly sinceMs: number } | null;
  /** Feeds that are older than the plan allows, by the bot's own judgement; empty where it was not asked. */
  readonly staleFeeds: readonly { readonly feed: string; readonly readAtMs: number | null }[];
  /** Time of the last read from the exchange; null before any. */
  readonly lastReadMs: number | null;
  readonly strategies: readonly {
    readonly name: string;
    readonly status: 'running' | 'paused' | 'stopped';
    readonly reason: Sentence | null;
    readonly atMs: number;
  }[];
  /** Positions of brackets without any exit at the exchange. */
  readonly unprotected: readonly {
    readonly strategy: string;
    readonly market: string;
    readonly asset: string;
    readonly amount: string;
    readonly reason: Sentence | null;
  }[];
  /** Positions and missing coins that a person has to clarify. */
  readonly unclear: readonly (Omit<Extract<AlertFacts, { rule: 'unclear' }>, 'rule'> & {
    readonly sinceMs: number;
  })[];
  readonly freeBytes: number | null;
  /** Reason nothing can be written, according to the bot itself. */
  readonly diskFault: Sentence | null;
  /**
   * Time by which this machine's clock is ahead of the exchange's; null if they agree or nothing is known.
   */
  readonly clockAheadMs: number | null;
  /** A mark of the device that the exchange knows, and of the one at the last look; null before any. */
  readonly device: string | null;
  readonly deviceBefore: string | null;
  readonly equity: readonly EquitySeries[];
}
