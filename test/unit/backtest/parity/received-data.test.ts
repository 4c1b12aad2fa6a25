import { describe, expect, test } from 'vitest';
import { inputDifference } from '../../../../src/backtest/difference.ts';
import { ReceivedData } from '../../../../src/backtest/parity/received-data.ts';
import type { VenueCall, VenueAnswer } from '../../../../src/venues/port.ts';
import { measuredLatency } from '../../../../src/backtest/session.ts';
import type { EngineEvent } from '../../../../src/engine/engine-event.ts';

const BOOK: VenueCall = { kind: 'book', market: 'BTCUSDT' };
const STATS: VenueCall = { kind: 'stats', base: ['btc'], quote: ['usdt'] };
const ORDERS: VenueCall = { kind: 'orders', status: 'all', market: null, from: null };

type Answer = readonly [call: VenueCall, value: unknown];

const book = (bid: string): Answer => [BOOK, { bids: [[bid, '1']], asks: [], updatedAtMs: null }];
const stats = (latest: string): Answer => [STATS, [{ market: { symbol: 'BTCUSDT' }, latest }]];
const order = (id: number, status: string): object => ({
  id,
  side: 'buy',
  amount: '1',
  price: '100',
  matchedAmount: '0',
  status,
});
const orders = (...items: readonly object[]): Answer => [ORDERS, { items, hasNext: false }];

/** Makes the data of a bot that receives one answer each second. */
function received(...answers: readonly Answer[]): ReceivedData {
  const all = new ReceivedData();
  for (const [index, [call, value]] of answers.entries())
    all.answer(call, { outcome: 'value', value } as Parameters<ReceivedData['answer']>[1], index * 1_000);
  return all;
}

function difference(session: ReceivedData, again: ReceivedData, kinds: readonly string[] = []): unknown {
  const counts = (kind: string): boolean => kind === 'book' || kind === 'account' || kinds.includes(kind);
  const [sessionAnswers, againAnswers] = [session.answersBefore(null, 1e9), again.answersBefore(null, 1e9)];
  return inputDifference({ session, again, sessionAnswers, againAnswers, counts })?.cause ?? null;
}

describe('what two runs know when they decide', () => {
  test('is the same where their last data is', () => {
    expect(
      difference(received(book('9'), book('10'), book('10')), received(book('10'), book('10'), book('10'))),
    ).toBeNull();
  });

  test('is of another age where one has looked more often, since each look notifies a strategy', () => {
    expect(difference(received(book('9'), book('9')), received(book('9')))).toBe('latency');
    expect(difference(received(orders(), orders()), received(orders()))).toBeNull();
  });

  test('is of another age where one has seen already what the other is to see', () => {
    const session = received(book('9'), book('10'));
    expect(difference(session, received(book('9')))).toBe('latency');
    expect(difference(received(), received(book('9')))).toBe('latency');
  });

  test('is other data where one has never seen what the other has', () => {
    expect(difference(received(book('9'), book('10')), received(book('9'), book('11')))).toBe('data age');
  });

  test('is of those things that count for a strategy', () => {
    const [session, again] = [received(book('9'), stats('1')), received(book('9'), stats('2'))];
    expect(difference(session, again)).toBeNull();
    expect(difference(session, again, ['stats'])).toBe('data age');
  });

  test('is its orders too, whatever they are called and in whatever order they came', () => {
    const session = received(orders(order(7, 'Active')), orders(order(8, 'Done')), orders());
    expect(difference(session, received(orders(order(42, 'Done'), order(41, 'Active'))))).toBeNull();
    expect(difference(session, received(orders(order(42, 'Done'), order(41, 'Done'))))).toBe('latency');
    expect(difference(session, received(orders(order(41, 'Active'))))).toBe('latency');
  });
});

test('data of the same millisecond as a decision, but after it, is not known to it', () => {
  const of = received(book('9'));
  of.decide('order 1');
  of.answer(BOOK, { outcome: 'value', value: { bids: [], asks: [], updatedAtMs: null } }, 0);
  of.decide('order 1');
  expect(of.answersBefore('order 1', 0)).toBe(1);
  expect(of.answersBefore('order 2', 0)).toBe(2);
  expect(of.after('book BTCUSDT', 1)).toContain('"9"');
});

const BOOK_ANSWER: VenueAnswer = { outcome: 'value', value: { bids: [], asks: [], updatedAtMs: null } };

async function* events(
  ...answers: readonly (readonly [sentAtMs: number | null, tookMs: number, answer: VenueAnswer])[]
): AsyncGenerator<EngineEvent> {
  for (const [index, [sentAtMs, tookMs, answer]] of answers.entries()) {
    yield { kind: 'tick', atMs: index };
    yield { kind: 'answer', requestId: index, sentAtMs, atMs: (sentAtMs ?? 0) + tookMs, answer };
  }
}

describe('the latency of a session', () => {
  test('is that of its books, and for orders that of its orders', async () => {
    const received = events(
      [1_000, 40, BOOK_ANSWER],
      [2_000, 90, BOOK_ANSWER],
      [3_000, 700, { outcome: 'value', value: [] }],
      [4_000, 800, { outcome: 'failed', code: 'TIMED_OUT', message: '', effect: 'none' }],
      [null, 900, BOOK_ANSWER],
    );
    expect(await measuredLatency({ roundTripsMs: [120, 130] }, received, 7)).toEqual({
      kind: 'drawn',
      roundTripsMs: [40, 90],
      orderTripsMs: [120, 130],
      seed: 7,
    });
  });

  test('is that of what there was, where there were no orders or no books', async () => {
    const ofBooks = await measuredLatency({ roundTripsMs: [] }, events([5, 40, BOOK_ANSWER]), 1);
    expect(ofBooks).toEqual({ kind: 'drawn', roundTripsMs: [40], seed: 1 });
    const ofOrders = await measuredLatency({ roundTripsMs: [120] }, events(), 1);
    expect(ofOrders).toEqual({ kind: 'drawn', roundTripsMs: [120], seed: 1 });
    expect(await measuredLatency({ roundTripsMs: [] }, events(), 1)).toBeNull();
  });

  test('of a long session is drawn from two thousand round trips, from all over it', async () => {
    const long = Array.from({ length: 5_000 }, (_, index) => [index, index, BOOK_ANSWER] as const);
    const { roundTripsMs = [] } = (await measuredLatency({ roundTripsMs: [] }, events(...long), 1)) ?? {};
    expect(roundTripsMs).toHaveLength(2_000);
    expect(roundTripsMs.slice(0, 3)).toEqual([0, 2, 5]);
    expect(roundTripsMs.at(-1)).toBe(4_997);
  });
});
