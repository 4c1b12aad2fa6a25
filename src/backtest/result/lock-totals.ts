import type { LockRecord } from '../../engine/lock-records.ts';
import type { ResultHead } from './result-schema.ts';

/**
 * Returns how often and how long locks of each name held, and what they refused. Times that overlap count
 * once.
 */
export function lockTotals(records: readonly LockRecord[], toMs: number): ResultHead['locks'] {
  return [...Map.groupBy(records, ({ lock }) => lock.name)].map(([name, ofOne]) => {
    let heldMs = 0;
    let seenUntilMs = Number.NEGATIVE_INFINITY;
    for (const { lock, endedAtMs } of ofOne.toSorted((a, b) => a.lock.beganAtMs - b.lock.beganAtMs)) {
      const endMs = endedAtMs ?? Math.max(toMs, lock.beganAtMs);
      heldMs += Math.max(0, endMs - Math.max(lock.beganAtMs, seenUntilMs));
      seenUntilMs = Math.max(seenUntilMs, endMs);
    }
    return {
      name,
      times: ofOne.length,
      heldMs,
      refused: ofOne.reduce((sum, { refused }) => sum + refused, 0),
    };
  });
}
