import { afterEach, describe, expect, it, vi } from 'vitest';
import { BottleneckExecutor } from '../../../src/budget/limiter.ts';

const HOUR_MS = 3_600_000;
const BUDGET = { name: 'orders/add', limit: 5, windowMs: 60_000 };
const JOB = { requestClass: 'place', timeoutMs: 10_000 } as const;

afterEach(() => {
  vi.restoreAllMocks();
});

/** From now on the wall clock is so far from where it would be. */
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
    // It has looked at the clock, and Bottleneck has not yet.
    stepWallClock(-HOUR_MS);
    expect(await amid).toBe('amid the step');
    expect(await executor.execute(JOB, async () => 'next')).toBe('next');
    await executor.close();
    expect(times).toBe(1);
  });
});
