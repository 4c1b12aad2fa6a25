import type { Lock, LockScope } from './lock.ts';
import type { LockChange } from './locks/lock-book.ts';

/** A lock as it was: what a backtest reports. */
export interface LockRecord {
  readonly lock: Lock;
  /** Null while it holds. */
  readonly endedAtMs: number | null;
  /** Orders that it refused. */
  readonly refused: number;
}

/** Locks that are remembered; later ones are counted alone. */
const MOST_RECORDS = 10_000;

interface Working {
  lock: Lock;
  endedAtMs: number | null;
  refused: number;
  /** Strategies whose refusal by it is in the log. */
  readonly logged: Set<string>;
}

/** Records the locks of this life, and what they refused. */
export class LockRecords {
  private readonly working = new Map<string, Working>();
  private readonly past: Working[] = [];
  /** Locks beyond those that are remembered. */
  more = 0;

  /** Takes in a change; answers how many orders a lock that has ended refused. */
  note({ kind, lock }: LockChange, nowMs: number): number {
    const record = this.recordOf(lock);
    record.lock = lock;
    if (kind === 'begun' || kind === 'extended') return 0;
    record.endedAtMs = kind === 'ended' ? lock.endsAtMs : Math.max(nowMs, lock.beganAtMs);
    this.working.delete(keyOf(lock));
    return record.refused;
  }

  /** Counts a refusal; answers whether it is the strategy's first. */
  refuse(lock: Lock, strategy: string): boolean {
    const record = this.recordOf(lock);
    record.refused += 1;
    const isFirst = !record.logged.has(strategy);
    record.logged.add(strategy);
    return isFirst;
  }

  /** Returns all locks of this life that are remembered, the first that began first. */
  all(): readonly LockRecord[] {
    return this.past.map(({ lock, endedAtMs, refused }) => ({ lock, endedAtMs, refused }));
  }

  private recordOf(lock: Lock): Working {
    const key = keyOf(lock);
    const known = this.working.get(key);
    if (known !== undefined) return known;
    const record: Working = { lock, endedAtMs: null, refused: 0, logged: new Set() };
    this.working.set(key, record);
    if (this.past.length < MOST_RECORDS) this.past.push(record);
    else this.more += 1;
    return record;
  }
}

function keyOf({ name, rule, strategy, market }: LockScope & Pick<Lock, 'name' | 'rule'>): string {
  return JSON.stringify([name, rule, strategy, market]);
}
