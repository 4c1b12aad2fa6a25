import type { Lock, LockScope } from './lock.ts';
import type { LockChange } from './locks/lock-book.ts';

/** A lock with its end and its refusals, for the report of a backtest. */
export interface LockRecord {
  readonly lock: Lock;
  /** Time of its end, in ms since 1970; null while it holds. */
  readonly endedAtMs: number | null;
  /** Number of orders that it refused. */
  readonly refused: number;
}

/** Maximum number of locks that are remembered; later ones are only counted. */
const MOST_RECORDS = 10_000;

interface Working {
  lock: Lock;
  endedAtMs: number | null;
  refused: number;
  /** Strategies whose first refusal by this lock was logged. */
  readonly logged: Set<string>;
}

/** Remembers the locks of this process, and how many orders each refused. */
export class LockRecords {
  private readonly working = new Map<string, Working>();
  private readonly past: Working[] = [];
  /** Number of locks beyond those that are remembered. */
  more = 0;

  /** Notes a change of a lock. Returns how many orders it refused if it has ended, else 0. */
  note({ kind, lock }: LockChange, nowMs: number): number {
    const record = this.recordOf(lock);
    record.lock = lock;
    if (kind === 'begun' || kind === 'extended') return 0;
    record.endedAtMs = kind === 'ended' ? lock.endsAtMs : Math.max(nowMs, lock.beganAtMs);
    this.working.delete(keyOf(lock));
    return record.refused;
  }

  /** Counts a refusal. True if it is the first of the strategy by this lock. */
  refuse(lock: Lock, strategy: string): boolean {
    const record = this.recordOf(lock);
    record.refused += 1;
    const isFirst = !record.logged.has(strategy);
    record.logged.add(strategy);
    return isFirst;
  }

  /** Returns the remembered locks of this process, in the order of their beginnings. */
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
