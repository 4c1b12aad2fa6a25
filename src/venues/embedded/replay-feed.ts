import { tryDecimalText } from '../../domain/decimal-text.ts';
import type { ReplayRow } from '../../simulator/flow/replay-row.ts';
import { badLine, type FileLine } from './replay-lines.ts';

/** A message of a recorded feed, as far as it is used. */
interface FeedMessage {
  readonly e?: unknown;
  readonly s?: unknown;
  readonly p?: unknown;
  readonly q?: unknown;
  /** Time of the trade in ms. */
  readonly T?: unknown;
  /** Whether the buyer was there first, so that the seller took. */
  readonly m?: unknown;
}

/**
 * The trade in one line of a recorded feed: an optional receive time, then JSON, either the message or `{ stream, data: message }`. Null for
 * messages of other kinds, such as books. Throws `INVALID_FILE` naming file and line.
 */
export function readFeedLine(
  path: string,
  line: FileLine,
): { readonly row: ReplayRow; readonly symbol: string } | null {
  const begin = line.text.indexOf('{');
  let message: FeedMessage;
  try {
    const parsed = JSON.parse(line.text.slice(begin)) as FeedMessage & { readonly data?: FeedMessage };
    message = parsed.data ?? parsed;
  } catch {
    throw badLine(path, line, 'expected a JSON object after the receive time, found none');
  }
  if (message.e !== 'trade' && message.e !== 'aggTrade') return null;
  const { p, q, T: timeMs, m: buyerWasThere, s } = message;
  const price = typeof p === 'string' ? tryDecimalText(p) : null;
  const amount = typeof q === 'string' ? tryDecimalText(q) : null;
  if (price === null || amount === null || typeof timeMs !== 'number' || typeof buyerWasThere !== 'boolean') {
    throw badLine(path, line, 'expected a trade with texts p and q, a number T and a boolean m, found another shape');
  }
  const side = buyerWasThere ? 'sell' : 'buy';
  return { row: { kind: 'trade', timeMs, price, amount, side }, symbol: typeof s === 'string' ? s : '' };
}
