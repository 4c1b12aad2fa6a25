import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlannedFeed } from '../../../src/scheduler/feed.ts';
import { PollQueue } from '../../../src/scheduler/poll-queue.ts';
import { deepRuns } from '../../support/deep-runs.ts';

type Given = Partial<PlannedFeed> & Pick<PlannedFeed, 'key' | 'intervalMs'>;

/** Makes a feed with a budget of its own. */
const feed = ({ key, intervalMs, ...rest }: Given): PlannedFeed => ({
  key,
  kind: 'book',
  market: null,
  budget: key,
  requestClass: 'market',
  wantedAgeMs: intervalMs,
  longestAgeMs: intervalMs,
  intervalMs,
  idleIntervalMs: intervalMs,
  worstAgeMs: intervalMs,
  idleAgeMs: intervalMs,
  askers: [],
  cacheMs: 0,
  turns: 1,
  lists: 1,
  weight: 1,
  latestAfterCloseMs: null,
  ...rest,
});

const book = feed({ key: 'book', intervalMs: 1_000 });
const wallets = feed({ key: 'wallets', intervalMs: 10_000 });
const fills = feed({ key: 'fills', intervalMs: 3_000, idleIntervalMs: 15_000 });

const answerAt = (queue: PollQueue, key: string, atMs: number): void => {
  queue.asked(key, atMs);
  queue.answered(key, atMs);
};

describe('the poll queue', () => {
  test('asks for everything at the start, in the order given', () => {
    const queue = new PollQueue([book, wallets], 500);
    expect([queue.due(499), queue.wakeAtMs()]).toEqual([null, 500]);
    expect(queue.due(500)).toBe(book);
    queue.asked('book', 500);
    expect(queue.due(500)).toBe(wallets);
  });

  test('comes back to a feed its interval after it was asked, and not while it is in flight', () => {
    const queue = new PollQueue([book], 0);
    queue.asked('book', 20);
    expect([queue.wakeAtMs(), queue.due(5_000)]).toEqual([Infinity, null]);
    queue.answered('book', 70);
    expect([queue.wakeAtMs(), queue.due(1_019), queue.due(1_020)]).toEqual([1_020, null, book]);
  });

  test('follows a stall with no burst', () => {
    const queue = new PollQueue([book], 0);
    answerAt(queue, 'book', 0);
    answerAt(queue, 'book', 7_500);
    expect(queue.due(8_499)).toBeNull();
    expect(queue.due(8_500)).toBe(book);
  });

  test('takes the most overdue relative to its interval first', () => {
    const queue = new PollQueue([wallets, book], 0);
    answerAt(queue, 'wallets', 0);
    answerAt(queue, 'book', 10_000);
    expect(queue.due(11_500)).toBe(book);
    answerAt(queue, 'book', 11_500);
    expect(queue.due(11_500)).toBe(wallets);
  });

  test('brings a feed forward, never back, and not while it is in flight', () => {
    const queue = new PollQueue([wallets], 0);
    queue.asked('wallets', 0);
    queue.requestNow('wallets', 300);
    expect([queue.due(400), queue.wakeAtMs()]).toEqual([null, Infinity]);
    queue.answered('wallets', 400);
    expect([queue.wakeAtMs(), queue.due(400)]).toEqual([400, wallets]);
    queue.requestNow('wallets', 5_000);
    expect(queue.due(400)).toBe(wallets);
  });

  test('postpones a feed, whatever else would bring it forward', () => {
    const queue = new PollQueue([fills], 0);
    queue.setIdle(true);
    answerAt(queue, 'fills', 0);
    queue.postpone('fills', 60_000);
    queue.postpone('fills', 20_000);
    queue.requestNow('fills', 1_000);
    queue.setIdle(false);
    expect([queue.wakeAtMs(), queue.due(59_999), queue.due(60_000)]).toEqual([60_000, null, fills]);
  });

  test('is slower while no order is open, and catches up with the first one', () => {
    const queue = new PollQueue([fills], 0);
    queue.setIdle(true);
    answerAt(queue, 'fills', 0);
    expect(queue.wakeAtMs()).toBe(15_000);
    queue.setIdle(false);
    expect(queue.wakeAtMs()).toBe(3_000);
    answerAt(queue, 'fills', 4_000);
    queue.setIdle(true);
    expect(queue.wakeAtMs()).toBe(7_000);
  });

  test('spreads feeds of one budget and pace after their first time, but no bars', () => {
    const shared = ['a', 'b', 'c', 'd'].map((key) => feed({ key, intervalMs: 4_000, budget: 'v2/trades' }));
    const bars = ['x', 'y'].map((key) =>
      feed({ key, intervalMs: 4_000, budget: 'history', kind: 'candles' }),
    );
    const queue = new PollQueue([...shared, ...bars], 0);
    const second = [...shared, ...bars].map(({ key }) => {
      const before = queue.wakeAtMs();
      answerAt(queue, key, 0);
      return before;
    });
    expect(second).toEqual([0, 0, 0, 0, 0, 0]);
    const due: (readonly [string, number])[] = [];
    while (due.length < 6) {
      const next = queue.due(queue.wakeAtMs())!;
      due.push([next.key, queue.wakeAtMs()]);
      queue.asked(next.key, queue.wakeAtMs());
    }
    expect(due).toEqual([
      ['a', 4_000],
      ['x', 4_000],
      ['y', 4_000],
      ['b', 5_000],
      ['c', 6_000],
      ['d', 7_000],
    ]);
  });

  test('never asks for what has no share at all', () => {
    const queue = new PollQueue([feed({ key: 'locked', intervalMs: Infinity })], 0);
    expect([queue.wakeAtMs(), queue.due(1e15)]).toEqual([Infinity, null]);
  });

  test('refuses a key twice, and one that is not of the plan', () => {
    expect(() => new PollQueue([book, book], 0)).toThrow('was "book" twice');
    expect(() => new PollQueue([book], 0).asked('books', 0)).toThrow('was "books"');
  });

  test('asks nobody faster than its interval, whatever stalls there are', () => {
    const feeds = fc
      .array(fc.integer({ min: 50, max: 5_000 }), { minLength: 1, maxLength: 12 })
      .map((intervals) =>
        intervals.map((intervalMs, index) => feed({ key: `${index}`, intervalMs, budget: 'one' })),
      );
    // Only one request is under way at a time; after a reply there is now and then a stall.
    const delays = fc.array(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 20_000 })), {
      minLength: 50,
      maxLength: 300,
    });
    fc.assert(
      fc.property(feeds, delays, (plan, replies) => {
        const queue = new PollQueue(plan, 0);
        const lastMs = new Map<string, number>();
        let nowMs = 0;
        for (const replyMs of replies) {
          nowMs = Math.max(nowMs, queue.wakeAtMs());
          const next = queue.due(nowMs)!;
          const before = lastMs.get(next.key);
          if (before !== undefined) expect(nowMs - before).toBeGreaterThanOrEqual(next.intervalMs);
          queue.asked(next.key, nowMs);
          lastMs.set(next.key, nowMs);
          nowMs += replyMs;
          queue.answered(next.key, nowMs);
        }
      }),
    );
  });

  test('starves nobody: where answers take too long for all, each comes later in proportion', () => {
    const intervals = fc.array(fc.integer({ min: 10, max: 500 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(intervals, fc.integer({ min: 1, max: 20 }), (list, replyMs) => {
        const plan = list.map((intervalMs, index) => feed({ key: `${index}`, intervalMs }));
        const load = list.reduce((sum, intervalMs) => sum + replyMs / intervalMs, 0);
        const queue = new PollQueue(plan, 0);
        const lastMs = new Map(plan.map(({ key }) => [key, 0]));
        for (let nowMs = 0; nowMs < 10_000; nowMs = Math.max(nowMs + replyMs, queue.wakeAtMs())) {
          const next = queue.due(nowMs)!;
          answerAt(queue, next.key, nowMs);
          lastMs.set(next.key, nowMs);
          for (const { key, intervalMs } of plan) {
            expect(nowMs - lastMs.get(key)!).toBeLessThanOrEqual(
              intervalMs * (2 + load) + plan.length * replyMs,
            );
          }
        }
      }),
      { numRuns: deepRuns(8) },
    );
  });
});
