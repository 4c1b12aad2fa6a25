import { z } from 'zod';
import { readStored, storedTimeMs } from '../../domain/stored-json.ts';
import type { Outbox } from '../outbox.ts';

/**
 * Time each feed was last read to its end, by its key, in ms since 1970. Stored for readers of the mirror.
 */
export const storedReadTimes = z.record(z.string(), storedTimeMs);

export const KEPT_READ_TIMES = 'read-times';

/**
 * Returns the time of the last reading before a restart, which is the last sign of life to within seconds;
 * null if there was none. Throws `DATA_UNUSABLE` if it is damaged.
 */
export function lastReadMs(kept: Readonly<Record<string, string>>): number | null {
  const json = kept[KEPT_READ_TIMES];
  if (json === undefined) return null;
  const times = Object.values(readStored(storedReadTimes, json, `what is kept of ${KEPT_READ_TIMES}`));
  return times.length === 0 ? null : times.reduce((left, right) => Math.max(left, right));
}

/** So often they are written down while they change. */
const KEEP_TIMES_EVERY_MS = 5_000;

/** Times each feed was last read to its end, by its key. */
export class FeedReadTimes {
  private readonly outbox: Outbox;
  /** As they are kept. */
  private readonly times: Record<string, number> = {};
  /** The time of the next `store`. */
  dueAtMs = Number.POSITIVE_INFINITY;

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  /** Null before the first. */
  of(key: string): number | null {
    return this.times[key] ?? null;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.times, key);
  }

  /** A feed was read to its end just now. */
  note(key: string): void {
    if (!this.has(key)) this.dueAtMs = Number.NEGATIVE_INFINITY;
    this.times[key] = this.outbox.nowMs;
  }

  /**
   * Writes them down every few seconds, and what is read for the first time at once: what was read and had
   * not changed is in no other row.
   */
  store(nowMs: number): void {
    this.dueAtMs = nowMs + KEEP_TIMES_EVERY_MS;
    this.outbox.keep(KEPT_READ_TIMES, this.times satisfies z.input<typeof storedReadTimes>);
  }
}
