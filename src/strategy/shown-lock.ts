import type { LockKind } from '../domain/lock-kind.ts';

/** A lock that refuses orders of this strategy which add risk; those that reduce its position pass. */
export interface ShownLock {
  /** As refusals and the log call it. */
  readonly name: string;
  readonly kind: LockKind;
  /** The one market that it is about; null for all. */
  readonly market: string | null;
  /** This strategy, where the lock is about it alone; null for all strategies. */
  readonly strategy: string | null;
  /** Reason for the lock. */
  readonly reason: string;
  /** In ms since 1970. */
  readonly beganAtMs: number;
  /** In ms since 1970; not in it. A rule or an operator may make it longer. */
  readonly endsAtMs: number;
  /** Treatment of resting orders that add risk at the start of the lock. */
  readonly entries: 'cancel' | 'keep';
}
