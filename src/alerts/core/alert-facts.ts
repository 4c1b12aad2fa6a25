import type { UNCLEAR_REASONS } from '../../engine/bracket.ts';
import type { FillWith, FillRecord } from '../../records/fill.ts';
import type { Sentence } from '../../language/sentence.ts';
import type { Units } from '../../domain/money.ts';
import type { ValueAt } from '../../portfolio/value-series.ts';

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

/**
 * Severities of alerts. They decide from which severity on a channel accepts an alert, and what may wait for
 * the morning.
 */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

export type Severity = (typeof SEVERITIES)[number];

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);
}

/** A difference of the books, as decimal texts. */
interface BookDifference {
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

/** An alert, open or over. Times are ms since 1970. */
export interface Alert {
  readonly id: number;
  /** Subject of the alert: two open alerts never have the same key. */
  readonly key: string;
  readonly severity: Severity;
  readonly facts: AlertFacts;
  readonly openedAtMs: number;
  /** Null while it holds. */
  readonly endedAtMs: number | null;
  readonly acknowledgedAtMs: number | null;
  readonly acknowledgedBy: string | null;
  /** Escalation step reached: channels up to this step have the alert. */
  readonly step: number;
  /** Time of the last notification: opening, escalation or reminder. */
  readonly saidAtMs: number;
  /** Since when it does not hold any more, before that is believed; null while it holds. */
  readonly absentSinceMs: number | null;
}

/** Kind of a channel's notification about an alert. */
export type NoteKind = 'opened' | 'ended' | 'escalated' | 'reminder';

/** Alerts that a channel accepts. */
export interface ChannelRoute {
  readonly name: string;
  readonly least: Severity;
  /** 1 takes an alert at once, 2 takes one that nobody has acknowledged in time, and so on. */
  readonly step: number;
}

/** The channels that are told something of an alert, by name. */
export function channelsFor(
  note: { readonly kind: NoteKind; readonly severity: Severity; readonly step: number },
  channels: readonly ChannelRoute[],
): readonly string[] {
  return channels.flatMap(({ name, least, step }) => {
    const isTurn = note.kind === 'escalated' ? step === note.step : step <= note.step;
    return isTurn && isAtLeast(note.severity, least) ? [name] : [];
  });
}

/** Parameters of each rule; null switches a rule off. */
export interface RuleSettings {
  readonly lockout: { readonly severity: Severity } | null;
  readonly credential: { readonly severity: Severity } | null;
  readonly unknownOrder: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly break: { readonly severity: Severity } | null;
  readonly noOrders: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly riskLimit: { readonly severity: Severity } | null;
  readonly refused: { readonly severity: Severity } | null;
  readonly standstill: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly halted: { readonly severity: Severity } | null;
  readonly noData: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly drawdown: { readonly severity: Severity; readonly percent: number } | null;
  readonly dailyLoss: { readonly severity: Severity; readonly percent: number } | null;
  readonly unprotected: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly unclear: { readonly severity: Severity } | null;
  readonly strategy: { readonly severity: Severity } | null;
  readonly disk: { readonly severity: Severity; readonly leastMegabytes: number } | null;
  readonly clock: { readonly severity: Severity } | null;
  readonly newDevice: { readonly severity: Severity } | null;
  /** The least value by quote currency. */
  readonly bigFill: {
    readonly severity: Severity;
    readonly least: Readonly<Partial<Record<string, Units>>>;
  } | null;
  readonly silent: { readonly severity: Severity; readonly afterMs: number } | null;
}

/** Settings for repeating alerts that stay open. */
export interface TrackSettings {
  /** An alert that nobody has acknowledged goes to the next step after so long; null: never. */
  readonly escalateAfterMs: number | null;
  /** The last step that has a channel. */
  readonly lastStep: number;
  /** A critical alert that nobody has acknowledged is said again after so long; null: never. */
  readonly remindEveryMs: number | null;
}

/** Change of an alert after a poll. */
export type AlertChange =
  | { readonly kind: 'open'; readonly condition: AlertCondition }
  | { readonly kind: 'end'; readonly id: number; readonly atMs: number }
  | { readonly kind: 'escalate'; readonly id: number; readonly step: number }
  | { readonly kind: 'remind'; readonly id: number }
  /** It does not hold, which the next looks must confirm; null: it holds again. */
  | { readonly kind: 'absent'; readonly id: number; readonly sinceMs: number | null };

/** Time after which an absent condition is over: one that comes and goes is one alert. */
export const ABSENT_FOR_MS = 15_000;

/**
 * Holds the conditions of a moment against the open alerts. `waiting` has conditions that must hold for a
 * time first, by key since when; it is brought up to date.
 */
export function trackAlerts(
  {
    open,
    conditions,
    waiting,
  }: {
    readonly open: readonly Alert[];
    readonly conditions: readonly AlertCondition[];
    readonly waiting: Map<string, number>;
  },
  settings: TrackSettings,
  atMs: number,
): readonly AlertChange[] {
  const holding = new Map(conditions.map((one) => [one.key, one]));
  for (const key of waiting.keys()) if (!holding.has(key)) waiting.delete(key);
  const known = new Map(open.map((one) => [one.key, one]));
  const begun = conditions
    .filter((one) => !known.has(one.key) && hasHeld(one, waiting, atMs))
    .map((condition): AlertChange => ({ kind: 'open', condition }));
  const gone = open.flatMap((alert) =>
    holding.has(alert.key) ? stillOpen(alert, settings, atMs) : maybeOver(alert, atMs),
  );
  return [...begun, ...gone];
}

function hasHeld({ key, forMs = 0 }: AlertCondition, waiting: Map<string, number>, atMs: number): boolean {
  if (forMs === 0) return true;
  // Where the clock was set back it must hold for the whole time again, not until the date that was wrong.
  const sinceMs = Math.min(waiting.get(key) ?? atMs, atMs);
  waiting.set(key, sinceMs);
  if (atMs - sinceMs < forMs) return false;
  waiting.delete(key);
  return true;
}

function maybeOver({ id, absentSinceMs }: Alert, atMs: number): readonly AlertChange[] {
  if (absentSinceMs === null || absentSinceMs > atMs) return [{ kind: 'absent', id, sinceMs: atMs }];
  return atMs - absentSinceMs < ABSENT_FOR_MS ? [] : [{ kind: 'end', id, atMs: absentSinceMs }];
}

function stillOpen(alert: Alert, settings: TrackSettings, atMs: number): readonly AlertChange[] {
  const { id, absentSinceMs, acknowledgedAtMs, severity, step, saidAtMs } = alert;
  const back: AlertChange[] = absentSinceMs === null ? [] : [{ kind: 'absent', id, sinceMs: null }];
  if (acknowledgedAtMs !== null || severity === 'info') return back;
  const { escalateAfterMs, lastStep, remindEveryMs } = settings;
  // What waits for a time does not wait for a date that was wrong. A few milliseconds below zero are of a
  // clock that was put right.
  const sinceSentMs = isAhead(saidAtMs, atMs) ? Number.POSITIVE_INFINITY : atMs - saidAtMs;
  if (escalateAfterMs !== null && step < lastStep && sinceSentMs >= escalateAfterMs)
    return [...back, { kind: 'escalate', id, step: step + 1 }];
  if (remindEveryMs !== null && severity === 'critical' && sinceSentMs >= remindEveryMs)
    return [...back, { kind: 'remind', id }];
  return back;
}

/** Clocks are put right by seconds all the time. A time so far ahead is one of a clock that was set back. */
const AHEAD_MS = 60_000;

/** Returns true if a stored time is from before the clock was set back. */
export function isAhead(writtenMs: number, atMs: number): boolean {
  return writtenMs - atMs > AHEAD_MS;
}
