import { describe, expect, test } from 'vitest';
import { inputDifference } from '../../../../src/backtest/parity/seen.ts';
import { RecordedEvent } from '../../../../src/backtest/parity/told.ts';
import type { VenueCall } from '../../../../src/venues/port.ts';

const BOOK: VenueCall = { kind: 'book', market: 'BTCUSDT' };
const STATS: VenueCall = { kind: 'stats', base: ['btc'], quote: ['usdt'] };
const ORDERS: VenueCall = { kind: 'orders', status: 'all', from: null };

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

/** A bot that was told one thing a second. */
function told(...answers: readonly Answer[]): RecordedEvent {
  const all = new RecordedEvent();
  for (const [index, [call, value]] of answers.entries()) {
    all.answer(call, { outcome: 'value', value } as Parameters<RecordedEvent['answer']>[1], index * 1_000);
  }
  return all;
}

function difference(session: RecordedEvent, again: RecordedEvent, kinds: readonly string[] = []): unknown {
  const counts = (kind: string): boolean => kind === 'book' || kind === 'account' || kinds.includes(kind);
  const [sessionAnswers, againAnswers] = [session.answersBefore(null, 1e9), again.answersBefore(null, 1e9)];
  return inputDifference({ session, again, sessionAnswers, againAnswers, counts })?.cause ?? null;
}

describe('what two runs know when they decide', () => {
  test('is the same where the last they were told is', () => {
    expect(
      difference(told(book('9'), book('10'), book('10')), told(book('10'), book('10'), book('10'))),
    ).toBeNull();
  });

  test('is of another age where one has looked more often, for a strategy is told of each look', () => {
    expect(difference(told(book('9'), book('9')), told(book('9')))).toBe('latency');
    expect(difference(told(orders(), orders()), told(orders()))).toBeNull();
  });

  test('is of another age where one has seen already what the other is to see', () => {
    const session = told(book('9'), book('10'));
    expect(difference(session, told(book('9')))).toBe('latency');
    expect(difference(told(), told(book('9')))).toBe('latency');
  });

  test('is other data where one has never seen what the other has', () => {
    expect(difference(told(book('9'), book('10')), told(book('9'), book('11')))).toBe('data age');
  });

  test('is of those things that count for a strategy', () => {
    const [session, again] = [told(book('9'), stats('1')), told(book('9'), stats('2'))];
    expect(difference(session, again)).toBeNull();
    expect(difference(session, again, ['stats'])).toBe('data age');
  });

  test('is its orders too, whatever they are called and in whatever order they came', () => {
    const session = told(orders(order(7, 'Active')), orders(order(8, 'Done')), orders());
    expect(difference(session, told(orders(order(42, 'Done'), order(41, 'Active'))))).toBeNull();
    expect(difference(session, told(orders(order(42, 'Done'), order(41, 'Done'))))).toBe('latency');
    expect(difference(session, told(orders(order(41, 'Active'))))).toBe('latency');
  });
});

test('what is told within the millisecond of a decision, but after it, is not known to it', () => {
  const of = told(book('9'));
  of.decide('order 1');
  of.answer(BOOK, { outcome: 'value', value: { bids: [], asks: [], updatedAtMs: null } }, 0);
  of.decide('order 1');
  expect(of.answersBefore('order 1', 0)).toBe(1);
  expect(of.answersBefore('order 2', 0)).toBe(2);
  expect(of.after('book BTCUSDT', 1)).toContain('"9"');
});
