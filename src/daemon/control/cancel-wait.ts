import type { QueueWait } from '../../budget/budget-lane.ts';
import { lengthText } from '../../domain/time-text.ts';
import { sentence } from '../../language/sentences/sentence.ts';
import type { Venue } from '../../venues/venue.ts';

/** A cancel has a commit of the ledger, one of the mirror, and part of one that others make. */
const COMMITS_A_CANCEL = 3;

/** What cancels wait for, in a sentence. `ledgerFault`: why the ledger gives no slot; null where it does. */
export function cancelWaitText(
  { waiting, onTheWay, heldBy, forMs }: QueueWait,
  of: { readonly ledgerFault: string | null; readonly longestCommitMs: number },
): string {
  if (waiting === 0) return sentence('cancels-wait-answers', { count: onTheWay });
  const wait = lengthText(forMs);
  if (heldBy === 'locked out') return sentence('cancels-wait-lockout', { count: waiting, wait });
  if (heldBy === 'credential refused') return sentence('cancels-wait-credential', { count: waiting });
  if (of.ledgerFault !== null)
    return sentence('cancels-wait-ledger', { count: waiting, reason: of.ledgerFault });
  if (heldBy === 'full') return sentence('cancels-wait-limit', { count: waiting, wait });
  return sentence('cancels-wait-turn', { count: waiting, took: lengthText(of.longestCommitMs) });
}

/** Why the end of a run could not cancel what is open, on this disk; null where it could. */
export function slowDiskFault(
  { commits }: Pick<Venue, 'commits'>,
  of: { readonly openOrders: number; readonly withinMs: number },
): string | null {
  const { openOrders, withinMs } = of;
  const longestMs = commits?.longestMs ?? 0;
  if (longestMs * COMMITS_A_CANCEL * openOrders <= withinMs) return null;
  return sentence('disk-slow', {
    took: lengthText(longestMs),
    orders: openOrders,
    within: lengthText(withinMs),
  });
}
