import { english, sentence, sentenceFacts } from '../../language/sentence.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { ApiError } from '../api-error.ts';
import { MOST_ROWS_OF_PAGE } from '../schema/fields.ts';
import type { OrderReply } from '../schema/order.ts';
import { fillItemOf, orderItemOf, stepItemOf } from './row-items.ts';

/** An order with its whole life. Throws `ApiError` where there is none of that name. */
export function orderReplyOf(reader: MirrorReader, name: string): OrderReply {
  const orders = reader.order(name);
  const [first] = orders;
  if (first === undefined)
    throw new ApiError('not-found', sentence('not-an-order', { found: JSON.stringify(name) }));
  const fills = orders.flatMap(({ key }) =>
    reader.fills({ strategy: null, market: null, orderKey: key, last: MOST_ROWS_OF_PAGE }),
  );
  const subjects = [...new Set([...orders.map(({ key }) => key), first.intentId])];
  const steps = subjects
    .flatMap((subject) => reader.journalOf(subject, MOST_ROWS_OF_PAGE))
    .toSorted((left, right) => left.seq - right.seq)
    .slice(-MOST_ROWS_OF_PAGE);
  const intent = reader.intent(first.intentId);
  return {
    orders: orders.map((order) => orderItemOf(order)),
    fills: fills.toSorted((left, right) => left.cursor - right.cursor).map((fill) => fillItemOf(fill)),
    steps: steps.map((line) => stepItemOf(line)),
    replies: orders
      .flatMap(({ key }) => reader.replies(key))
      .toSorted((left, right) => left.atMs - right.atMs),
    intent:
      intent === null
        ? null
        : {
            id: intent.id,
            kind: intent.kind,
            status: intent.status,
            reason: english(intent.reason),
            reasonFacts: sentenceFacts(intent.reason),
            atMs: intent.atMs,
          },
  };
}
