import type { AlertFacts, Severity } from './alert-facts.ts';

/** An alert, open or over. Times are ms since 1970. */
export interface Alert {
  readonly id: number;
  /** What it is about: two open alerts never have one key. */
  readonly key: string;
  readonly severity: Severity;
  readonly facts: AlertFacts;
  readonly openedAtMs: number;
  /** Null while it holds. */
  readonly endedAtMs: number | null;
  readonly acknowledgedAtMs: number | null;
  readonly acknowledgedBy: string | null;
  /** How far it was escalated: channels up to this step have it. */
  readonly step: number;
  /** When it was last said: opened, escalated or reminded of. */
  readonly saidAtMs: number;
  /** Since when it does not hold any more, before that is believed; null while it holds. */
  readonly absentSinceMs: number | null;
}

/** What channels are told of an alert. */
export type NoteKind = 'opened' | 'ended' | 'escalated' | 'reminder';
