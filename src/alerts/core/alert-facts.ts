import type { DecimalText } from '../../domain/decimal-text.ts';
import type { Units } from '../../domain/money.ts';
import type { BracketAlgorithm } from '../../engine/bracket.ts';
import type { FillWith, FillRecord } from '../../records/fill.ts';
import type { Sentence } from '../../language/sentence.ts';
import type { TextsOf } from '../../records/field.ts';
import type { INTENT } from '../../records/rows.ts';
import type { ValueAt } from '../../portfolio/value-series.ts';
import type { DisagreementText } from '../../engine/stored-records.ts';

/** A line of the journal in the mirror. */
export interface JournalRow {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: string;
  readonly subject: string;
  readonly json: string;
}

/** A fill that was stored since the last poll. */
export interface NewFill extends Pick<
  FillRecord,
  'strategy' | 'market' | 'side' | 'atMs' | 'price' | 'amount' | 'total'
> {
  readonly tradeId: string;
  /** Quote currency of the market. */
  readonly currency: string;
}

/** Equity of the bot in one currency, without deposits and withdrawals; the oldest value first. */
export interface EquitySeries {
  readonly currency: string;
  readonly values: readonly ValueAt[];
}

/** State of a bot at one moment: from its mirror, its ledger, its folder, and itself. */
export interface AlertSnapshot {
  readonly atMs: number;
  /** Lines of the journal since the last poll, the oldest first. */
  readonly rows: readonly JournalRow[];
  readonly fills: readonly NewFill[];
  /** Last sign of life that the bot wrote, in ms since 1970; null before any. */
  readonly lastSignMs: number | null;
  /** Start of this watch, in ms since 1970. Anything never seen counts as silent since then. */
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
  readonly break: { readonly sinceMs: number; readonly rows: readonly DisagreementText[] } | null;
  /** Reason the bot itself holds back new orders, other than a break or a refused credential. */
  readonly noOrders: Sentence | null;
  /** Strategies that may not add risk because of a limit on losses. */
  readonly lossLimits: readonly {
    readonly strategy: string;
    readonly reason: Sentence;
    readonly sinceMs: number;
  }[];
  /** Markets whose order books stand still at the exchange. */
  readonly standstills: readonly {
    readonly market: string;
    readonly reason: Sentence;
    readonly sinceMs: number;
  }[];
  readonly halt: { readonly reason: Sentence; readonly sinceMs: number } | null;
  readonly approvals: readonly WaitingApproval[];
  /** Feeds that are older than the plan allows, as the bot itself judges; empty if it was not asked. */
  readonly staleFeeds: readonly { readonly feed: string; readonly readAtMs: number | null }[];
  /** Time of the last read from the exchange, in ms since 1970; null before any. */
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
  /** Reason the disk cannot be written to, according to the bot itself. */
  readonly diskFault: Sentence | null;
  /**
   * Time by which this machine's clock is ahead of the exchange's, in ms; null if they agree or it is
   * unknown.
   */
  readonly clockAheadMs: number | null;
  /** Hash of the device that the exchange knows, now and at the last poll; null before any. */
  readonly device: string | null;
  readonly deviceBefore: string | null;
  readonly equity: readonly EquitySeries[];
  /** Shadows, and by how much each has earned more than its strategy. */
  readonly shadows: readonly {
    readonly shadow: string;
    readonly strategy: string;
    readonly currency: string;
    readonly ahead: Units;
  }[];
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

/** Profit, trades and fees of a period, for a summary. Money is decimal texts. */
export interface PeriodFigures {
  readonly fromMs: number;
  readonly toMs: number;
  /** Equity in each currency of the bot. */
  readonly equity: readonly {
    readonly currency: string;
    readonly now: string;
    readonly change: string;
    /** Largest fall from a peak within the period, as a share of 1. */
    readonly drawdown: number;
    /** Values from the first to the last, at most 100, for a small picture. */
    readonly points: readonly number[];
  }[];
  readonly trades: number;
  /** Fees by currency. */
  readonly fees: readonly { readonly currency: string; readonly amount: string }[];
  readonly lockouts: number;
}

/** Entry that waits until a person approves it, or has waited. Money is decimal texts. */
export interface WaitingApproval extends TextsOf<
  Pick<typeof INTENT, 'id' | 'strategy' | 'kind' | 'market' | 'value' | 'bound' | 'expiresAtMs'>
> {
  /** About what it buys, in the base currency; null if that is not known in advance. */
  readonly amount?: DecimalText | null;
  /** Null while it waits. */
  readonly outcome?: ApprovalOutcome | null;
}

/** Outcome of an entry that has waited. `refused`: it was approved, and did not begin. */
export interface ApprovalOutcome {
  readonly kind: 'approved' | 'refused' | 'declined' | 'expired' | 'withdrawn';
  readonly by: string | null;
  readonly reason: Sentence | null;
}

/** Content of an alert, by the rule that found it. Its text is made from it in the reader's language. */
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
  | { readonly rule: 'break'; readonly rows: readonly DisagreementText[] }
  /** The bot itself holds back new orders. */
  | { readonly rule: 'no-orders'; readonly reason: Sentence }
  /** A limit on losses stops a strategy from adding risk. */
  | { readonly rule: 'risk-limit'; readonly strategy: string; readonly reason: Sentence }
  /** The exchange refused an order of the same kind three times. */
  | {
      readonly rule: 'refused';
      readonly strategy: string;
      readonly market: string;
      readonly code: string;
    }
  /** The book of a market stands still at the exchange, so no order goes there. */
  | { readonly rule: 'standstill'; readonly market: string; readonly reason: Sentence }
  | { readonly rule: 'halted'; readonly reason: Sentence }
  | ({ readonly rule: 'approval' } & WaitingApproval)
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
  /** It is unknown whether coins of strategies are still there. */
  | {
      readonly rule: 'unclear';
      /** Strategy and market of the coins; null if coins are missing and their owner is unknown. */
      readonly of: { readonly strategy: string; readonly market: string } | null;
      readonly why: NonNullable<BracketAlgorithm['unclear']>['why'];
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
  /** The shadow of a strategy has earned more than the strategy, or less if `ahead` is negative. */
  | {
      readonly rule: 'shadow';
      readonly shadow: string;
      readonly strategy: string;
      readonly currency: string;
      readonly ahead: string;
    }
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

/** A condition that holds now, or an event that has just happened. */
export interface AlertCondition {
  /** Identity of the condition: the rule and its subject. */
  readonly key: string;
  readonly severity: Severity;
  readonly facts: AlertFacts;
  /** Start of the condition or time of the event, in ms since 1970. */
  readonly sinceMs: number;
  /** Time it has to hold before it is an alert, in ms. */
  readonly forMs?: number;
  /** True for an event: it is over at once, and no end follows. */
  readonly isMoment?: true;
  /** True if it holds no more: an open alert about it ends with these facts, and none begins. */
  readonly isOver?: true;
}

/** An alert, open or over. Times are ms since 1970. */
export interface Alert {
  readonly id: number;
  /** Subject of the alert: two open alerts never have the same key. */
  readonly key: string;
  readonly severity: Severity;
  readonly facts: AlertFacts;
  readonly openedAtMs: number;
  /** End of the alert; null while it holds. */
  readonly endedAtMs: number | null;
  readonly acknowledgedAtMs: number | null;
  readonly acknowledgedBy: string | null;
  /** Escalation step reached: channels up to this step have the alert. */
  readonly step: number;
  /** Time of the last notification: opening, escalation or reminder. */
  readonly saidAtMs: number;
  /** Time since which the condition is absent, while its end is not confirmed; null while it holds. */
  readonly absentSinceMs: number | null;
}

/** Kind of a channel's notification about an alert. */
export type NoteKind = 'opened' | 'ended' | 'escalated' | 'reminder';

/** Alerts that a channel accepts. */
export interface ChannelRoute {
  readonly name: string;
  readonly least: Severity;
  /** Step from which the channel accepts alerts: 1 at once, 2 if nobody acknowledged in time, and so on. */
  readonly step: number;
}

/** Returns the names of the channels that are notified about an alert. */
export function channelsFor(
  note: { readonly kind: NoteKind; readonly severity: Severity; readonly step: number },
  channels: readonly ChannelRoute[],
): readonly string[] {
  return channels.flatMap(({ name, least, step }) => {
    const isTurn = note.kind === 'escalated' ? step === note.step : step <= note.step;
    return isTurn && isAtLeast(note.severity, least) ? [name] : [];
  });
}

/** Parameters of rules, with a severity each; null switches a rule off. */
type Rules<Name extends string, Parameters = object> = Readonly<
  Record<Name, Readonly<{ severity: Severity } & Parameters> | null>
>;

export type RuleSettings = Rules<
  'lockout' | 'credential' | 'break' | 'riskLimit' | 'refused' | 'halted' | 'unclear' | 'strategy' | 'clock'
> &
  Rules<'newDevice' | 'approval'> &
  Rules<
    'unknownOrder' | 'noOrders' | 'standstill' | 'noData' | 'unprotected' | 'silent',
    { afterMs: number }
  > &
  Rules<'drawdown' | 'dailyLoss', { percent: number }> &
  Rules<'disk', { leastMegabytes: number }> &
  /** Least value of a big fill, and of a difference between a strategy and its shadow, by quote currency. */
  Rules<'bigFill' | 'shadow', { least: Readonly<Partial<Record<string, Units>>> }>;

/** Settings for repeating alerts that stay open. */
export interface TrackSettings {
  /** Time after which an alert without acknowledgement goes to the next step, in ms; null: never. */
  readonly escalateAfterMs: number | null;
  /** Last step that has a channel. */
  readonly lastStep: number;
  /** Interval of reminders of a critical alert without acknowledgement, in ms; null: never. */
  readonly remindEveryMs: number | null;
}

/** Change of an alert after a poll. */
export type AlertChange =
  | { readonly kind: 'open'; readonly condition: AlertCondition }
  /** `facts`: those of its end; if missing, those that it began with stay. */
  | { readonly kind: 'end'; readonly id: number; readonly atMs: number; readonly facts?: AlertFacts }
  | { readonly kind: 'escalate'; readonly id: number; readonly step: number }
  | { readonly kind: 'remind'; readonly id: number }
  /** The condition is absent, which the next polls must confirm; `sinceMs` null: it holds again. */
  | { readonly kind: 'absent'; readonly id: number; readonly sinceMs: number | null };

/** Time after which an absent condition is over, in ms: one that comes and goes is one alert. */
export const ABSENT_FOR_MS = 15_000;

/**
 * Compares the conditions of a moment with the open alerts. `waiting` has the conditions that must hold for a
 * time first, with their start by key; it is updated.
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
    .filter((one) => one.isOver !== true && !known.has(one.key) && hasHeld(one, waiting, atMs))
    .map((condition): AlertChange => ({ kind: 'open', condition }));
  const gone = open.flatMap((alert): readonly AlertChange[] => {
    const { id, key } = alert;
    const found = holding.get(key);
    if (found === undefined) return maybeOver(alert, atMs);
    if (found.isOver === true) return [{ kind: 'end', id, atMs: found.sinceMs, facts: found.facts }];
    return stillOpen(alert, settings, atMs);
  });
  return [...begun, ...gone];
}

function hasHeld({ key, forMs = 0 }: AlertCondition, waiting: Map<string, number>, atMs: number): boolean {
  if (forMs === 0) return true;
  // After the clock was set back, the condition must hold for the whole time again, not until the wrong date.
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
  // Waits must not last until a wrong date. A few ms below zero come from a clock that was corrected.
  const sinceSentMs = isAhead(saidAtMs, atMs) ? Number.POSITIVE_INFINITY : atMs - saidAtMs;
  if (escalateAfterMs !== null && step < lastStep && sinceSentMs >= escalateAfterMs)
    return [...back, { kind: 'escalate', id, step: step + 1 }];
  if (remindEveryMs !== null && severity === 'critical' && sinceSentMs >= remindEveryMs)
    return [...back, { kind: 'remind', id }];
  return back;
}

/** Time ahead in ms from which a clock was surely set back; corrections of seconds are usual. */
const AHEAD_MS = 60_000;

/** Returns true if a stored time is from before the clock was set back. */
export function isAhead(writtenMs: number, atMs: number): boolean {
  return writtenMs - atMs > AHEAD_MS;
}
