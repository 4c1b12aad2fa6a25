import { sentenceOf } from '../engine/issue-log.ts';
import { readRecord } from '../engine/stored-records.ts';
import { sentence, type Sentence } from '../language/sentence.ts';

/**
 * Returns the reason, in a sentence, that a bot that may trade holds new orders back by itself: replies about
 * one of its orders contradict each other, the books could not be compared for too long, or this machine is
 * too slow to send one. Null if there is no such reason. Halts, breaks and a refused credential are reported
 * elsewhere.
 */
export function whyNoOrders(stored: Parameters<typeof readRecord>[0]): Sentence | null {
  const grave = readRecord(stored, 'findings')?.find(({ isGrave }) => isGrave);
  if (grave !== undefined) return sentence('exchange-contradicts', { finding: sentenceOf(grave) });
  const tooSlow = whyNothingLeaves(stored);
  if (tooSlow !== null) return tooSlow;
  const blockedBy = readRecord(stored, 'reconciliation')?.blockedBy ?? null;
  return blockedBy === null ? null : sentence('books-uncompared', { reason: blockedBy });
}

/** Returns the reason that no request leaves, though the ledger would permit it; null while requests do. */
export function whyNothingLeaves(stored: Parameters<typeof readRecord>[0]): Sentence | null {
  const sinceMs = readRecord(stored, 'slow-machine')?.sinceMs ?? null;
  return sinceMs === null ? null : sentence('machine-slow');
}
