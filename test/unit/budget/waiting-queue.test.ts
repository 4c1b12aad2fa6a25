import { describe, expect, test, afterEach, it, vi } from 'vitest';
import type { RequestClass } from '../../../src/domain/rate-limit.ts';
import { MOST_WAITING, WaitingQueue } from '../../../src/budget/waiting-queue.ts';
import { BottleneckExecutor } from '../../../src/budget/limiter.ts';

const waiting = (
  id: number,
  requestClass: RequestClass,
  kind: string | null = null,
  expiresAtMs = 1_000,
) => ({
  id,
  requestClass,
  kind,
  expiresAtMs,
});
const ids = (queue: WaitingQueue): number[] => queue.all().map(({ id }) => id);

describe('the queue of a budget', () => {
  test('serves the most urgent class first, and in it whoever came first', () => {
    const queue = new WaitingQueue();
    const classes: readonly RequestClass[] = [
      'backfill',
      'market',
      'account',
      'place',
      'exit',
      'resolve',
      'cancel',
      'market',
      'cancel',
    ];
    for (const [index, requestClass] of classes.entries()) queue.add(waiting(index, requestClass));
    expect(ids(queue)).toEqual([6, 8, 5, 4, 3, 2, 1, 7, 0]);
    expect(queue.first()?.id).toBe(6);
  });

  test('drops a stale poll for a newer one of its kind, which takes its place', () => {
    const queue = new WaitingQueue();
    queue.add(waiting(1, 'market', 'book BTCIRT'));
    queue.add(waiting(2, 'market', 'book USDTIRT'));
    expect(queue.add(waiting(3, 'market', 'book BTCIRT'))).toEqual([{ id: 1, reason: 'superseded' }]);
    expect(ids(queue)).toEqual([3, 2]);
    expect(queue.add(waiting(4, 'market'))).toEqual([]);
    expect(queue.add(waiting(5, 'market'))).toEqual([]);
  });

  test('drops what has expired', () => {
    const queue = new WaitingQueue();
    queue.add(waiting(1, 'cancel', null, 500));
    queue.add(waiting(2, 'market', null, 501));
    expect(queue.expire(500)).toEqual([{ id: 1, reason: 'expired' }]);
    expect(ids(queue)).toEqual([2]);
  });

  test('drops the newest of the least urgent beyond its bound', () => {
    const queue = new WaitingQueue();
    for (let id = 0; id < MOST_WAITING; id += 1) queue.add(waiting(id, 'market'));
    expect(queue.add(waiting(9_001, 'backfill'))).toEqual([{ id: 9_001, reason: 'queue full' }]);
    expect(queue.add(waiting(9_002, 'cancel'))).toEqual([{ id: MOST_WAITING - 1, reason: 'queue full' }]);
    expect(queue.first()?.id).toBe(9_002);
  });
});

const HOUR_MS = 3_600_000;
const BUDGET = { name: 'orders/add', limit: 5, windowMs: 60_000 };
const JOB = { requestClass: 'place', timeoutMs: 10_000, weight: 1 } as const;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Moves the wall clock by a number of ms from now on. */
function stepWallClock(byMs: number): void {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + byMs);
}

describe('the executor of a budget', () => {
  it.each([
    ['back', -HOUR_MS],
    ['ahead', HOUR_MS],
  ])('goes on at once when the wall clock is set %s by an hour', async (_name, byMs) => {
    const executor = new BottleneckExecutor(BUDGET, { mostConcurrent: 2 });
    const begun = Promise.withResolvers<string>();
    const before = executor.execute(JOB, async () => begun.promise);
    expect(await executor.execute(JOB, async () => 'first')).toBe('first');
    stepWallClock(byMs);
    expect(await executor.execute(JOB, async () => 'second')).toBe('second');
    begun.resolve('begun before');
    expect(await before).toBe('begun before');
    await executor.close();
  });

  it('holds no job of the moment at which the wall clock is set back', async () => {
    const executor = new BottleneckExecutor(BUDGET, { mostConcurrent: 2 });
    expect(await executor.execute(JOB, async () => 'first')).toBe('first');
    let times = 0;
    const amid = executor.execute(JOB, async () => {
      times += 1;
      return 'amid the step';
    });
    // The executor has read the clock by now, and Bottleneck has not yet.
    stepWallClock(-HOUR_MS);
    expect(await amid).toBe('amid the step');
    expect(await executor.execute(JOB, async () => 'next')).toBe('next');
    await executor.close();
    expect(times).toBe(1);
  });
});
