import type { AlertFacts, Severity } from './alert-facts.ts';

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
