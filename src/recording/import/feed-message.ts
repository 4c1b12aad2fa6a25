import { z } from 'zod';
import { tryDecimalText, type DecimalText } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS } from '../../domain/money.ts';
import type { BookLevel } from '../../domain/order-book.ts';
import type { RecordedTrade } from '../records.ts';
import { LATEST_MS } from '../read-partitions.ts';
import { decimalProblem } from '../rounded-decimal.ts';

const decimal = z.string().transform((text, context): DecimalText => {
  const found = tryDecimalText(text);
  if (found !== null && !found.startsWith('-') && decimalProblem(found) === null) return found;
  context.addIssue({ code: 'custom', message: 'expected a decimal number that can be stored' });
  return z.NEVER;
});
const levels = z.array(
  z.tuple([decimal, decimal], z.unknown()).transform(([price, amount]) => [price, amount] as const),
);
/** Of trades; an amount of 0 at a price of the depth takes the price away. */
const positive = decimal.refine((text) => text !== '0');
const count = z.int().nonnegative();
const time = z.int().nonnegative().max(LATEST_MS);

const depth = z.object({ E: time, U: count, u: count, b: levels, a: levels });
const snapshot = z.object({ lastUpdateId: count, bids: levels, asks: levels });
const trade = z.object({
  T: time,
  p: positive,
  q: positive,
  m: z.boolean(),
  t: count.optional(),
  a: count.optional(),
  s: z.string().optional(),
});

const DECIMALS = `of at most ${UNIT_DECIMALS} decimals`;

/** What a line of a feed tells. Times in ms since 1970; `seenMs` is when it was received. */
export type FeedMessage =
  | {
      readonly kind: 'depth';
      readonly seenMs: number;
      readonly venueTimeMs: number;
      readonly firstId: number;
      readonly lastId: number;
      readonly bids: readonly BookLevel[];
      readonly asks: readonly BookLevel[];
    }
  | {
      readonly kind: 'snapshot';
      readonly lastId: number;
      readonly bids: readonly BookLevel[];
      readonly asks: readonly BookLevel[];
    }
  | { readonly kind: 'trade'; readonly trade: RecordedTrade; readonly symbol: string | null }
  /** Something that is not used, such as the best prices, which the depth tells too. */
  | { readonly kind: 'other' }
  | { readonly kind: 'bad'; readonly problem: string };

/**
 * Reads a line of a feed: the time of its receipt in ns (or ms), a space, and a JSON message, by itself or as
 * `data` beside the name of its stream.
 */
export function readFeedMessage(text: string): FeedMessage {
  const found = /^\s*(\d{13,19})?\s*(\{.*)$/s.exec(text);
  if (found === null) return bad('expected a receive time and a JSON object');
  const parsed = parseJson(found[2] ?? '');
  if (parsed === null) return bad('expected a JSON object after the receive time');
  const received = found[1] ?? null;
  const message = typeof parsed['data'] === 'object' && parsed['data'] !== null ? parsed['data'] : parsed;
  const type = (message as { readonly e?: unknown }).e;
  if (type === 'depthUpdate') return depthMessage(message, received);
  if (type === 'trade' || type === 'aggTrade')
    return tradeMessage(message, { received, isSum: type === 'aggTrade' });
  if ('lastUpdateId' in message) return snapshotMessage(message);
  return { kind: 'other' };
}

function depthMessage(message: object, received: string | null): FeedMessage {
  const read = depth.safeParse(message);
  if (!read.success)
    return bad(
      `expected a depth message with a time E in ms, numbers U, u and lists b, a of price and amount, ${DECIMALS}`,
    );
  const { E: venueTimeMs, U: firstId, u: lastId, b: bids, a: asks } = read.data;
  return {
    kind: 'depth',
    seenMs: receiptMs(received) ?? venueTimeMs,
    venueTimeMs,
    firstId,
    lastId,
    bids,
    asks,
  };
}

function snapshotMessage(message: object): FeedMessage {
  const read = snapshot.safeParse(message);
  if (!read.success)
    return bad(
      `expected a snapshot with a number lastUpdateId and lists bids, asks of price and amount, ${DECIMALS}`,
    );
  return { kind: 'snapshot', lastId: read.data.lastUpdateId, bids: read.data.bids, asks: read.data.asks };
}

function tradeMessage(
  message: object,
  how: { readonly received: string | null; readonly isSum: boolean },
): FeedMessage {
  const read = trade.safeParse(message);
  if (!read.success)
    return bad(`expected a trade with positive texts p and q, ${DECIMALS}, a time T in ms and a boolean m`);
  const { T: timeMs, p: price, q: amount, m: buyerWasThere, t, a, s } = read.data;
  const seenMs = receiptMs(how.received) ?? timeMs;
  const side = buyerWasThere ? 'sell' : 'buy';
  const id = (how.isSum ? a : t) ?? null;
  return { kind: 'trade', trade: { timeMs, seenMs, price, amount, side, id }, symbol: s ?? null };
}

function receiptMs(text: string | null): number | null {
  return text === null ? null : Number(text.slice(0, 13));
}

function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function bad(problem: string): FeedMessage {
  return { kind: 'bad', problem };
}
