import type { QueueWait } from '../../budget/budget-queue.ts';
import { lengthText } from '../../domain/time-text.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { Venue } from '../../venues/venue.ts';

/** An order that closes later than so long after the one before is waited for. */
const LONG_MS = 5_000;

/** Polls the reason the cancels of a halt wait, now and then while no order closes. */
export class CancelWait {
  private readonly venue: Pick<Venue, 'commits' | 'cancelWait'>;
  private readonly ledgerFault: () => string | null;
  private readonly onWait: (why: Sentence) => void;
  private left = -1;
  private polledMs = 0;
  private text: Sentence | undefined;

  /** `onWait` is called with each text. */
  constructor(
    venue: Pick<Venue, 'commits' | 'cancelWait'>,
    of: { readonly ledgerFault?: () => string | null; readonly onWait: (why: Sentence) => void },
  ) {
    this.venue = venue;
    this.ledgerFault = of.ledgerFault ?? (() => null);
    this.onWait = of.onWait;
  }

  /** While so many orders are left; undefined where none is waited for long. */
  update(left: number, nowMs: number): Sentence | undefined {
    if (left !== this.left) {
      this.left = left;
      this.polledMs = nowMs;
      this.text = undefined;
    }
    if (nowMs - this.polledMs < LONG_MS) return this.text;
    this.polledMs = nowMs;
    const { cancelWait, commits } = this.venue;
    const wait = cancelWait?.() ?? null;
    const longestCommitMs = commits?.longestMs ?? 0;
    this.text =
      wait === null ? undefined : cancelWaitText(wait, { ledgerFault: this.ledgerFault(), longestCommitMs });
    if (this.text !== undefined) this.onWait(this.text);
    return this.text;
  }
}

/** A cancel has a commit of the ledger, one of the mirror, and part of one that others make. */
const COMMITS_A_CANCEL = 3;

/**
 * Describes why cancels wait, in a sentence. `ledgerFault`: why the ledger gives no slot; null if it does.
 */
export function cancelWaitText(
  { waiting, inFlight, heldBy, forMs }: QueueWait,
  of: { readonly ledgerFault: string | null; readonly longestCommitMs: number },
): Sentence {
  if (waiting === 0) return sentence('cancels-wait-answers', { count: inFlight });
  const wait = lengthText(forMs);
  if (heldBy === 'locked out') return sentence('cancels-wait-lockout', { count: waiting, wait });
  if (heldBy === 'credential refused') return sentence('cancels-wait-credential', { count: waiting });
  if (of.ledgerFault !== null)
    return sentence('cancels-wait-ledger', { count: waiting, reason: of.ledgerFault });
  if (heldBy === 'full') return sentence('cancels-wait-limit', { count: waiting, wait });
  return sentence('cancels-wait-turn', { count: waiting, took: lengthText(of.longestCommitMs) });
}

/** Returns why the end of a run could not cancel the open orders on this disk; null if it could. */
export function slowDiskFault(
  { commits }: Pick<Venue, 'commits'>,
  of: { readonly openOrders: number; readonly withinMs: number },
): Sentence | null {
  const { openOrders, withinMs } = of;
  const longestMs = commits?.longestMs ?? 0;
  if (longestMs * COMMITS_A_CANCEL * openOrders <= withinMs) return null;
  return sentence('disk-slow', {
    took: lengthText(longestMs),
    orders: openOrders,
    within: lengthText(withinMs),
  });
}
