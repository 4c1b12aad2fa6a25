import { afterEach, describe, expect, test, vi } from 'vitest';
import { nextDueMs } from '../../../src/strategy/check-subscriptions.ts';

const after = (iso: string): number => Date.parse(iso);
const next = (cron: string, iso: string): string => new Date(nextDueMs(cron, after(iso))).toISOString();

afterEach(() => {
  vi.useRealTimers();
});

describe('a timer', () => {
  test.each([
    ['*/5 * * * *', '2026-01-05T12:00:00Z', '2026-01-05T12:05:00.000Z'],
    ['*/5 * * * *', '2026-01-05T12:04:59.999Z', '2026-01-05T12:05:00.000Z'],
    ['0 9 * * 1-5', '2026-01-09T09:00:00Z', '2026-01-12T09:00:00.000Z'],
    ['*/10 * * * * *', '2026-01-05T12:00:00.500Z', '2026-01-05T12:00:10.000Z'],
    ['* * * * * *', '2026-01-05T12:00:00.500Z', '2026-01-05T12:00:01.000Z'],
    ['0 0 29 2 *', '2026-01-05T12:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['30 2 * * *', '2026-03-29T00:00:00Z', '2026-03-29T02:30:00.000Z'],
    ['@daily', '2026-01-05T12:00:00Z', '2026-01-06T00:00:00.000Z'],
  ])('of %s is due after %s at %s', (cron, from, due) => {
    expect(next(cron, from)).toBe(due);
  });

  test('goes by the injected time, whatever the clock says', () => {
    vi.useFakeTimers({ now: after('2031-07-01T00:00:00Z') });
    expect(next('0 * * * *', '2026-01-05T12:00:00Z')).toBe('2026-01-05T13:00:00.000Z');
  });

  test('is due at most once a second', () => {
    let dueMs = after('2026-01-05T12:00:00Z');
    for (let count = 0; count < 100; count += 1) {
      const followingMs = nextDueMs('* * * * * *', dueMs);
      expect(followingMs - dueMs).toBe(1_000);
      dueMs = followingMs;
    }
  });

  test.each([
    ['daily', 'was "daily"'],
    ['', 'was ""'],
    ['60 * * * *', 'Invalid value for minute: 60'],
    ['* * * * * * 2030', 'requires exactly 5 or 6 parts'],
    ['2030-01-01T00:00:00', 'expected a cron pattern of five or six fields such as "0 9 * * 1-5", in UTC'],
    ['0 0 30 2 *', 'which never does'],
    [`${'1,'.repeat(60)}1 * * * *`, 'expected a cron pattern'],
    [5, 'was 5'],
  ])('is refused when its pattern is %j', (cron, message) => {
    expect(() => nextDueMs(cron as string, 0)).toThrow(
      expect.objectContaining({
        code: 'INVALID_STRATEGY',
        message: expect.stringContaining(message) as string,
      }),
    );
  });
});
