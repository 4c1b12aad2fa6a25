import { readKept } from '../engine/kept-records.ts';
import { durationText } from '../domain/time-text.ts';
import { bothTimesText } from '../domain/tehran-time.ts';
import { scopeText, UNTIL_RESUMED_MS, untilText, type Lock } from '../execution/locks/lock.ts';
import { NO_LOCKS } from '../execution/locks/lock-state.ts';
import type { KeptRow } from '../mirror/mirror-reader.ts';
import { tableLines } from './table.ts';

/** The locks of a mirror as they stand at a time. */
export interface LocksNow {
  /** Those that hold, the one that ends first first. */
  readonly locks: readonly Lock[];
  /** The next change by the clock that the bot knew; null where there is none. */
  readonly nextChangeAtMs: number | null;
}

/** The locks that hold at a time: those that have ended since the bot last wrote are left out. */
export function locksNow(kept: readonly KeptRow[], nowMs: number): LocksNow {
  const { locks, nextChangeAtMs } = readKept(kept, 'locks') ?? NO_LOCKS;
  const holding = locks.filter(({ endsAtMs }) => endsAtMs > nowMs);
  const isAhead = nextChangeAtMs !== null && nextChangeAtMs > nowMs;
  return {
    locks: holding.toSorted((left, right) => left.endsAtMs - right.endsAtMs),
    nextChangeAtMs: isAhead ? nextChangeAtMs : null,
  };
}

const COLUMNS = [
  { title: 'lock' },
  { title: 'of' },
  { title: 'for', align: 'right' },
  { title: 'until' },
  { title: 'entries' },
  { title: 'why' },
] as const;

/** A table of locks; none where there are none. */
export function lockLines(locks: readonly Lock[], nowMs: number): readonly string[] {
  if (locks.length === 0) return [];
  return tableLines(
    COLUMNS,
    locks.map((lock) => [
      lock.name,
      scopeText(lock),
      ...(lock.endsAtMs >= UNTIL_RESUMED_MS
        ? ['', '"sarraf resume"']
        : [durationText(lock.endsAtMs - nowMs), bothTimesText(lock.endsAtMs)]),
      lock.entries,
      whyText(lock),
    ]),
  );
}

/** The lock that pauses a strategy; undefined where none does. */
export function pauseOf({ locks }: LocksNow, strategy: string): Lock | undefined {
  return locks.find((lock) => lock.pauses === true && lock.strategy === strategy);
}

/** `by hand until it is resumed: news (ali)`. */
export function pauseText(pause: Lock): string {
  return `by hand ${untilText(pause.endsAtMs)}: ${whyText(pause)}`;
}

function whyText({ reason, by }: Lock): string {
  return by === undefined ? reason : `${reason} (${by})`;
}

/** One line about locks, for an overview. */
export function locksText({ locks, nextChangeAtMs }: LocksNow): string {
  const names = locks.map((lock) => `${lock.name} of ${scopeText(lock)}`);
  const next = nextChangeAtMs === null ? '' : `; next change ${bothTimesText(nextChangeAtMs)}`;
  if (names.length === 0) return `none${next}`;
  return `${names.length} hold: ${names.join(', ')}${next}. "sarraf locks" shows them`;
}
