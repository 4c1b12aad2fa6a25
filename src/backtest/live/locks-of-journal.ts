import { z } from 'zod';
import { readStored, storedCount } from '../../domain/stored-json.ts';
import type { LockRecord } from '../../engine/lock-records.ts';
import { storedLock } from '../../execution/locks/lock.ts';
import type { JournalLine } from '../../mirror/mirror-reader.ts';
import type { LocksOfRun } from '../backtest-run.ts';

/** Journal data of a change of a lock. */
const lockLine = z.object({ ...storedLock.shape, refused: storedCount });

/**
 * The locks that held within a range, from the lines of the journal about them. How many orders a lock
 * refused is only known once it has ended.
 */
export function locksOfJournal(
  lines: readonly JournalLine[],
  range: { readonly fromMs: number; readonly toMs: number },
): LocksOfRun {
  const open = new Map<string, LockRecord>();
  const records: LockRecord[] = [];
  for (const { seq, subject, json, atMs } of lines) {
    const { refused, ...lock } = readStored(lockLine, json, `line ${seq} of the journal`);
    const key = JSON.stringify([lock.name, lock.rule, lock.strategy, lock.market]);
    if (subject === 'lock begun' || subject === 'lock extended') {
      open.set(key, { lock, endedAtMs: null, refused });
      continue;
    }
    open.delete(key);
    const endedAtMs = subject === 'lock ended' ? lock.endsAtMs : Math.max(atMs, lock.beganAtMs);
    records.push({ lock, endedAtMs, refused });
  }
  const within = [...records, ...open.values()].filter(
    ({ lock, endedAtMs }) => lock.beganAtMs < range.toMs && (endedAtMs ?? range.toMs) > range.fromMs,
  );
  return { records: within.toSorted((left, right) => left.lock.beganAtMs - right.lock.beganAtMs), more: 0 };
}
