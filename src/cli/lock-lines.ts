import { durationText } from '../domain/time-text.ts';
import { bothTimesText } from '../domain/zone-time.ts';
import { scopeText, UNTIL_RESUMED_MS, type Lock } from '../engine/lock.ts';
import { whyLocked, type LocksNow } from '../mirror/strategy-status.ts';
import { tableLines } from './table.ts';
import { english } from '../language/sentence.ts';

const COLUMNS = ['lock', 'of', '>for', 'until', 'entries', 'why'] as const;

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
      english(whyLocked(lock)),
    ]),
  );
}

/** One line about locks, for an overview. */
export function locksText({ locks, nextChangeAtMs }: LocksNow): string {
  const names = locks.map((lock) => `${lock.name} of ${scopeText(lock)}`);
  const next = nextChangeAtMs === null ? '' : `; next change ${bothTimesText(nextChangeAtMs)}`;
  if (names.length === 0) return `none${next}`;
  return `${names.length} hold: ${names.join(', ')}${next}. "sarraf locks" shows them`;
}
