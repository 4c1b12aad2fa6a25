import { sentenceOf } from '../engine/flaw-log.ts';
import { readKept } from '../engine/kept-records.ts';
import { sentence, type Sentence } from '../language/sentence.ts';

/**
 * Returns the reason, in a sentence, that a bot that may trade holds new orders back by itself: replies about
 * one of its orders contradict each other, the books could not be compared for too long, or this machine is
 * too slow to send one. Null if there is no such reason. Halts, breaks and a refused credential are reported
 * elsewhere.
 */
export function whyNoOrders(kept: Parameters<typeof readKept>[0]): Sentence | null {
  const grave = readKept(kept, 'findings')?.find(({ isGrave }) => isGrave);
  if (grave !== undefined) return sentence('exchange-contradicts', { finding: sentenceOf(grave) });
  const tooSlow = whyNothingLeaves(kept);
  if (tooSlow !== null) return tooSlow;
  const blockedBy = readKept(kept, 'reconciliation')?.blockedBy ?? null;
  return blockedBy === null ? null : sentence('books-uncompared', { reason: blockedBy });
}

/** Returns the reason that no request leaves, though the ledger would permit it; null while requests do. */
export function whyNothingLeaves(kept: Parameters<typeof readKept>[0]): Sentence | null {
  const sinceMs = readKept(kept, 'slow-machine')?.sinceMs ?? null;
  return sinceMs === null ? null : sentence('machine-slow');
}
