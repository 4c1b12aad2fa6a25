import { sentenceOf } from '../engine/flaw-log.ts';
import { readKept } from '../engine/kept-records.ts';
import { sentence } from '../language/sentences/sentence.ts';

/**
 * Why a bot that may trade keeps new orders back by itself, in a sentence: replies about an order of its own
 * contradict each other, the books could not be compared for too long, or this machine is too slow to send
 * one. Null where nothing does. Halts, breaks and a refused credential are said elsewhere.
 */
export function whyNoOrders(kept: Parameters<typeof readKept>[0]): string | null {
  const grave = readKept(kept, 'findings')?.find(({ isGrave }) => isGrave);
  if (grave !== undefined) return sentence('exchange-contradicts', { finding: sentenceOf(grave) });
  const tooSlow = whyNothingLeaves(kept);
  if (tooSlow !== null) return tooSlow;
  const blockedBy = readKept(kept, 'reconciliation')?.blockedBy ?? null;
  return blockedBy === null ? null : sentence('books-uncompared', { reason: blockedBy });
}

/** Why no request at all leaves, though the ledger would let it; null while requests do. */
export function whyNothingLeaves(kept: Parameters<typeof readKept>[0]): string | null {
  const sinceMs = readKept(kept, 'slow-machine')?.sinceMs ?? null;
  return sinceMs === null ? null : sentence('machine-slow');
}
