import type { Alert, AlertCondition } from './alert-facts.ts';

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
