import { describe, expect, test } from 'vitest';
import { PollPlan } from '../../../src/scheduler/poll-plan.ts';

const plan = (startMs = 0) =>
  new PollPlan(
    [
      { kind: 'book', intervalMs: 1_000 },
      { kind: 'wallets', intervalMs: 10_000 },
    ],
    startMs,
  );

describe('the poll plan', () => {
  test('asks for everything at the start, in the order given', () => {
    const polls = plan(500);
    expect(polls.next()).toEqual({ kind: 'book', dueMs: 500 });
    polls.done('book', 500);
    expect(polls.next()).toEqual({ kind: 'wallets', dueMs: 500 });
  });

  test('comes back to a poll its interval after it was done', () => {
    const polls = plan();
    polls.done('book', 20);
    polls.done('wallets', 30);
    expect(polls.next()).toEqual({ kind: 'book', dueMs: 1_020 });
  });

  test('follows a stall with no burst', () => {
    const polls = plan();
    polls.done('wallets', 0);
    polls.done('book', 7_500);
    expect(polls.next()).toEqual({ kind: 'book', dueMs: 8_500 });
  });

  test('takes the most overdue first', () => {
    const polls = plan();
    polls.done('book', 0);
    polls.done('wallets', 0);
    polls.defer('book', 20_000);
    expect(polls.next()).toEqual({ kind: 'wallets', dueMs: 10_000 });
  });

  test('brings a poll forward and never back', () => {
    const polls = plan();
    polls.done('book', 0);
    polls.done('wallets', 0);
    polls.hasten('wallets', 300);
    expect(polls.next()).toEqual({ kind: 'wallets', dueMs: 300 });
    polls.hasten('wallets', 5_000);
    expect(polls.next()).toEqual({ kind: 'wallets', dueMs: 300 });
  });

  test('has nothing next without polls', () => {
    expect(new PollPlan([], 0).next()).toBeUndefined();
  });
});
