import { describe, expect, test } from 'vitest';
import type { PlannedFeed } from '../../../src/scheduler/feed.ts';
import { pacesOf, PollQueue } from '../../../src/scheduler/poll-queue.ts';

const feed = (key: string, but: Partial<PlannedFeed> = {}): PlannedFeed => ({
  key,
  kind: 'book',
  market: 'BTCIRT',
  budget: 'v2/orderbook',
  requestClass: 'market',
  wantedAgeMs: 1_000,
  longestAgeMs: 10_000,
  intervalMs: 1_000,
  idleIntervalMs: 2_000,
  worstAgeMs: 3_000,
  idleAgeMs: 2_000,
  askers: [],
  cacheMs: 0,
  turns: 1,
  lists: 1,
  weight: 1,
  latestAfterCloseMs: null,
  ...but,
});

describe('the paces after a limit has changed', () => {
  test('are those of the new plan, and of what it asks otherwise stretched by the limit', () => {
    const feeds = [
      feed('a'),
      feed('b'),
      feed('c', { budget: 'market/stats' }),
      feed('bars', { kind: 'candles' }),
    ];
    const planned = [feed('a', { intervalMs: 1_700, idleIntervalMs: 2_500, worstAgeMs: 4_000 })];
    const changed = [{ budget: 'v2/orderbook', plannedLimit: 30, limit: 20 }];
    expect(pacesOf(feeds, planned, changed)).toEqual([
      { key: 'a', intervalMs: 1_700, idleIntervalMs: 2_500, worstAgeMs: 4_000 },
      { key: 'b', intervalMs: 1_500, idleIntervalMs: 3_000, worstAgeMs: 4_500 },
      { key: 'c', intervalMs: 1_000, idleIntervalMs: 2_000, worstAgeMs: 3_000 },
      { key: 'bars', intervalMs: 1_000, idleIntervalMs: 2_000, worstAgeMs: 3_000 },
    ]);
  });

  test('hold from the next question on, and what is quicker is asked sooner', () => {
    const queue = new PollQueue([feed('a')], 0);
    const ask = (nowMs: number): void => {
      expect(queue.due(nowMs)?.key).toBe('a');
      queue.asked('a', nowMs);
      queue.answered('a', nowMs);
    };
    ask(0);
    queue.setPaces([{ key: 'a', intervalMs: 5_000, idleIntervalMs: 5_000, worstAgeMs: 0 }]);
    ask(1_000);
    expect(queue.due(5_999)).toBeNull();
    queue.setPaces([{ key: 'a', intervalMs: 1_000, idleIntervalMs: 1_000, worstAgeMs: 0 }]);
    ask(2_000);
    queue.setPaces([{ key: 'a', intervalMs: 9_000, idleIntervalMs: 9_000, worstAgeMs: 0 }]);
    expect(queue.wakeAtMs()).toBe(3_000);
  });
});
