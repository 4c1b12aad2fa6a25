import { sentence, type Sentence } from '../language/sentence.ts';
import { readRecord } from '../engine/stored-records.ts';
import { untilText, type Lock } from '../engine/lock.ts';
import { NO_LOCKS } from '../engine/lock-state.ts';
import type { StoredRow } from './mirror-reader.ts';

/** The locks of a mirror as they stand at a time. */
export interface LocksNow {
  /** Those that hold, the one that ends first first. */
  readonly locks: readonly Lock[];
  /** The next change by the clock that the bot knew; null where there is none. */
  readonly nextChangeAtMs: number | null;
}

/** The locks that hold at a time: those that have ended since the bot last wrote are left out. */
export function locksNow(stored: readonly StoredRow[], nowMs: number): LocksNow {
  const { locks, nextChangeAtMs } = readRecord(stored, 'locks') ?? NO_LOCKS;
  const holding = locks.filter(({ endsAtMs }) => endsAtMs > nowMs);
  const isAhead = nextChangeAtMs !== null && nextChangeAtMs > nowMs;
  return {
    locks: holding.toSorted((left, right) => left.endsAtMs - right.endsAtMs),
    nextChangeAtMs: isAhead ? nextChangeAtMs : null,
  };
}

/** The lock that pauses a strategy; undefined where none does. */
export function pauseOf({ locks }: LocksNow, strategy: string): Lock | undefined {
  return locks.find((lock) => lock.pauses === true && lock.strategy === strategy);
}

/** `by hand until it is resumed: news (ali)`. */
export function pauseText(pause: Lock): Sentence {
  return sentence('pause-by-hand', { until: untilText(pause.endsAtMs), reason: whyLocked(pause) });
}

/** Returns the reason a lock holds, and who made it if known. */
export function whyLocked({ reason, by }: Lock): Sentence {
  return by === undefined ? reason : sentence('by-person', { reason, person: by });
}
