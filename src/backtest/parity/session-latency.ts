import { readEvents } from '../../daemon/event-file.ts';
import { readSessionFile } from '../../daemon/session-file.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { EngineEvent } from '../../engine/engine-event.ts';
import type { DrawnLatency } from '../../venues/recorded/poll-rules.ts';
import { readSession, type ReadSession } from './read-session.ts';

/** Round trips of a kind that are drawn from at most, spread over the session. */
const MOST_DRAWN_FROM = 2_000;

/**
 * How long requests took in a recorded session, to be drawn from: those about orders by what its orders took, all others by what its books took. On paper nothing about
 * an order travels, so there all are as its books. Throws `INVALID_FILE` where the folder holds no recorded session, `DATA_UNUSABLE` where nothing was measured in it.
 */
export async function latencyOfSession(folder: string, seed: number): Promise<DrawnLatency> {
  const file = readSessionFile(folder);
  const session = readSession(file);
  const measured = file.mode === 'paper' ? { ...session, roundTripsMs: [] } : session;
  const latency = await measuredLatency(measured, readEvents(folder), seed);
  if (latency !== null) return latency;
  throw new SarrafError(
    'DATA_UNUSABLE',
    `expected round trips of requests in the session in ${folder}, found none: give the folder of one that asked for books or sent orders`,
  );
}

/** What the requests of a session took; null where nothing was measured. Where one of both kinds was not, the other stands for it. */
export async function measuredLatency(
  { roundTripsMs: orderTripsMs }: Pick<ReadSession, 'roundTripsMs'>,
  events: AsyncIterable<EngineEvent>,
  seed: number,
): Promise<DrawnLatency | null> {
  const bookTripsMs: number[] = [];
  for await (const event of events) {
    const { kind } = event;
    if (kind !== 'answer' || event.sentAtMs === null || !isBook(event.answer)) continue;
    bookTripsMs.push(Math.max(0, event.atMs - event.sentAtMs));
  }
  const [books, orders] = [spread(bookTripsMs), spread(orderTripsMs)];
  if (books.length + orders.length === 0) return null;
  if (books.length === 0) return { kind: 'drawn', roundTripsMs: orders, seed };
  return { kind: 'drawn', roundTripsMs: books, ...(orders.length === 0 ? {} : { orderTripsMs: orders }), seed };
}

/** Of all answers only a book has bids. */
function isBook(answer: (EngineEvent & { readonly kind: 'answer' })['answer']): boolean {
  return (
    answer.outcome === 'value' && typeof answer.value === 'object' && answer.value !== null && 'bids' in answer.value
  );
}

function spread(all: readonly number[]): readonly number[] {
  const step = Math.max(1, all.length / MOST_DRAWN_FROM);
  return Array.from(
    { length: Math.min(all.length, MOST_DRAWN_FROM) },
    (_, index) => all[Math.floor(index * step)] ?? 0,
  );
}
