import type { OrderRecord } from '../../records/order.ts';
import type { KeptReply, VenueAnswer } from '../../venues/port.ts';
import type { ReplyStep } from '../mirror-change.ts';
import type { Outbox } from '../outbox.ts';

/** A failure's words are as long as the exchange likes. */
const LONGEST_PROBLEM = 300;

interface CameReply {
  readonly step: ReplyStep;
  readonly answer: VenueAnswer;
  readonly reply: KeptReply | null;
  /** Reason an answer that could be read was not used; null if it was. */
  readonly doubt: string | null;
}

/** Text for a reply that contradicts the known state of its order. */
export const DOUBTED = 'it contradicts what is known, and was not used';

/** Keeps what the exchange said of an order, with the changes of the step that took it in. */
export function keepReply(outbox: Outbox, orderKey: string, came: CameReply): void {
  const { step, answer, reply, doubt } = came;
  if (reply === null || !outbox.isJournaled) return;
  const problem =
    answer.outcome === 'failed' ? `${answer.code}: ${answer.message}`.slice(0, LONGEST_PROBLEM) : doubt;
  outbox.change({ kind: 'reply', reply: { orderKey, step, atMs: outbox.nowMs, ...reply, problem } });
}

/**
 * Keeps the reply to a question about an order, as it was before and is after it: where it changed
 * something, refused, or could not be used. Orders are asked about every few seconds, and most of it is
 * nothing new.
 */
export function keepLookUp(
  outbox: Outbox,
  order: { readonly before: OrderRecord | undefined; readonly after: OrderRecord | undefined },
  came: Pick<CameReply, 'answer' | 'reply'> & { readonly isDoubtful: boolean },
): void {
  const { before, after } = order;
  const { answer, isDoubtful } = came;
  const key = (after ?? before)?.key;
  if (key === undefined || (answer.outcome === 'value' && before === after && !isDoubtful)) return;
  keepReply(outbox, key, { ...came, step: 'look-up', doubt: isDoubtful ? DOUBTED : null });
}
