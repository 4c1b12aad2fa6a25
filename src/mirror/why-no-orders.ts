import { sentenceOf } from '../engine/flaw-log.ts';
import { readKept } from '../engine/kept-records.ts';
import { sentence } from '../language/sentences/sentence.ts';

/**
 * Why a bot that may trade keeps new orders back by itself, in a sentence: replies about an order of its own
 * contradict each other, or the books could not be compared for too long. Null where nothing does. Halts,
 * breaks and a refused credential are said elsewhere.
 */
export function whyNoOrders(kept: Parameters<typeof readKept>[0]): string | null {
  const grave = readKept(kept, 'findings')?.find(({ isGrave }) => isGrave);
  if (grave !== undefined) return sentence('exchange-contradicts', { finding: sentenceOf(grave) });
  const blockedBy = readKept(kept, 'reconciliation')?.blockedBy ?? null;
  return blockedBy === null ? null : sentence('books-uncompared', { reason: blockedBy });
}
