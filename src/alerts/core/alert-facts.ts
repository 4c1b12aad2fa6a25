import type { UNCLEAR_REASONS } from '../../engine/bracket.ts';
import type { FillWith } from '../../records/fill.ts';
import type { Sentence } from '../../language/sentence.ts';

/**
 * Severities of alerts. They decide from which severity on a channel accepts an alert, and what may wait for
 * the morning.
 */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Returns true if `severity` is at least `least`. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);
}

/** A difference of the books, as decimal texts. */
export interface BookDifference {
  readonly currency: string;
  readonly expected: string;
  readonly found: string;
}

/** Profit and more of a period, for a summary. Money is decimal texts. */
export interface PeriodFigures {
  readonly fromMs: number;
  readonly toMs: number;
  /** One for each currency that the bot counts in. */
  readonly equity: readonly {
    readonly currency: string;
    readonly now: string;
    readonly change: string;
    /** The worst fall from a peak within the period, as a share of one. */
    readonly drawdown: number;
    /** At most 100 values from the first to the last, for a small picture. */
    readonly points: readonly number[];
  }[];
  readonly trades: number;
  /** By currency. */
  readonly fees: readonly { readonly currency: string; readonly amount: string }[];
  readonly lockouts: number;
}

/** Content of an alert, by the rule that found it. Texts are made from it in the language of the reader. */
export type AlertFacts =
  | { readonly rule: 'lockout'; readonly budget: string; readonly endsAtMs: number | null }
  | { readonly rule: 'credential'; readonly name: Sentence; readonly advice: Sentence }
  | {
      readonly rule: 'unknown-order';
      readonly order: string;
      readonly strategy: string;
      readonly market: string;
      readonly sinceMs: number;
    }
  | { readonly rule: 'break'; readonly rows: readonly BookDifference[] }
  /** New orders are kept back by the bot itself. */
  | { readonly rule: 'no-orders'; readonly reason: Sentence }
  /** A limit on losses lets a strategy add no risk. */
  | { readonly rule: 'risk-limit'; readonly strategy: string; readonly reason: Sentence }
  /** The exchange refused the like of an order three times. */
  | {
      readonly rule: 'refused';
      readonly strategy: string;
      readonly market: string;
      readonly code: string;
    }
  /** The book of a market stands still at the exchange, so no order goes there. */
  | { readonly rule: 'standstill'; readonly market: string; readonly reason: Sentence }
  | { readonly rule: 'halted'; readonly reason: Sentence }
  | { readonly rule: 'no-data'; readonly feed: string | null; readonly readAtMs: number | null }
  | { readonly rule: 'drawdown'; readonly currency: string; readonly share: number; readonly limit: number }
  | { readonly rule: 'daily-loss'; readonly currency: string; readonly share: number; readonly limit: number }
  | {
      readonly rule: 'unprotected';
      readonly strategy: string;
      readonly market: string;
      readonly asset: string;
      readonly amount: string;
      readonly reason: Sentence | null;
    }
  /** It is not known whether coins of strategies are still there. */
  | {
      readonly rule: 'unclear';
      /** Null where coins are missing, and whose is not known. */
      readonly of: { readonly strategy: string; readonly market: string } | null;
      readonly why: (typeof UNCLEAR_REASONS)[number];
      readonly asset: string;
      readonly amount: string;
    }
  | {
      readonly rule: 'strategy';
      readonly strategy: string;
      readonly status: 'paused' | 'stopped';
      readonly reason: Sentence;
    }
  | { readonly rule: 'disk'; readonly freeBytes: number | null; readonly fault: Sentence | null }
  | { readonly rule: 'clock'; readonly aheadMs: number }
  | { readonly rule: 'new-device' }
  | (Pick<FillWith<string>, 'strategy' | 'market' | 'side' | 'amount' | 'price'> & {
      readonly rule: 'big-fill';
      readonly value: string;
      readonly currency: string;
    })
  | { readonly rule: 'silent'; readonly lastSignMs: number | null }
  /** A run ended with an error. */
  | { readonly rule: 'ended'; readonly reason: Sentence }
  /** Counts of what the watchdog did with the orders of a silent bot. */
  | {
      readonly rule: 'entries';
      readonly canceled: number;
      readonly kept: number;
      readonly left: number;
    }
  | { readonly rule: 'entries-failed'; readonly reason: Sentence }
  | { readonly rule: 'outbox'; readonly reason: Sentence }
  | { readonly rule: 'summary'; readonly period: 'day' | 'week'; readonly figures: PeriodFigures }
  | { readonly rule: 'test' };

/** Something that holds now, or that has just happened. */
export interface AlertCondition {
  /** Identity of the condition: the rule and its subject. */
  readonly key: string;
  readonly severity: Severity;
  readonly facts: AlertFacts;
  /** Since when, or when it happened, in ms since 1970. */
  readonly sinceMs: number;
  /** It has to hold for so long before it is an alert. */
  readonly forMs?: number;
  /** True if it is over as soon as it happens: nothing ends later. */
  readonly isMoment?: true;
}
