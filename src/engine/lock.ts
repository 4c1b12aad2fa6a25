import { z } from 'zod';
import { bothTimesText } from '../domain/tehran-time.ts';
import { LATEST_STORED_MS, storedTimeMs } from '../domain/stored-json.ts';
import { sentence } from '../language/sentence.ts';
import { ENTRY_POLICIES } from './lock-rule.ts';

export const storedLock = z.object({
  name: z.string(),
  /** The key of the rule that made it; null for one by hand. */
  rule: z.string().nullable(),
  strategy: z.string().nullable(),
  market: z.string().nullable(),
  reason: z.string(),
  beganAtMs: storedTimeMs,
  endsAtMs: storedTimeMs,
  entries: z.enum(ENTRY_POLICIES),
  /**
   * True if its strategy is notified of nothing while it holds. Only a manual lock of one strategy pauses.
   */
  pauses: z.boolean().optional(),
  /** Person who made it manually, if given. */
  by: z.string().optional(),
});

/** The name of a lock that pauses a strategy. */
export const PAUSE = 'pause';

/** The end of a lock that only a person ends. */
export const UNTIL_RESUMED_MS = LATEST_STORED_MS;

/**
 * A time in which nothing that adds risk is placed: for one strategy or all (null), in one market or all
 * (null). It begins before it ends, and its end is not in it.
 */
export type Lock = Readonly<z.output<typeof storedLock>>;

/** Scope of a lock. Null stands for all. */
export interface LockScope {
  readonly strategy: string | null;
  readonly market: string | null;
}

/** True if a lock covers an order of a strategy in a market. */
export function reaches(lock: LockScope, strategy: string, market: string): boolean {
  return (
    (lock.strategy === null || lock.strategy === strategy) && (lock.market === null || lock.market === market)
  );
}

export function isSameScope(left: LockScope, right: LockScope): boolean {
  return left.strategy === right.strategy && left.market === right.market;
}

/** `all markets`, `BTCIRT`, `BTCIRT for grid`, `all markets for grid`. */
export function scopeText({ strategy, market }: LockScope): string {
  const where = market ?? 'all markets';
  return strategy === null ? where : `${where} for ${strategy}`;
}

/** `until 2026-04-03T04:30:00Z (…)`, or that only a person ends it. */
export function untilText(endsAtMs: number): string {
  return endsAtMs >= UNTIL_RESUMED_MS ? 'until it is resumed' : `until ${bothTimesText(endsAtMs)}`;
}

/** Returns the text of a refusal: the lock, its scope, its reason and its end. */
export function lockReason(lock: Lock): string {
  return sentence('lock-refusal', {
    lock: lock.name,
    scope: scopeText(lock),
    until: untilText(lock.endsAtMs),
    reason: lock.reason,
  });
}
