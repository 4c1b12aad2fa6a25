import type { Budget } from '../../../../src/domain/rate-limit.ts';
import { expect, test } from 'vitest';
import {
  DEFAULT_LIMITS,
  type LimitSettings,
  RateLimits,
  SlidingLog,
} from '../../../../src/simulator/rate-limits.ts';
import * as fc from 'fast-check';

const HOUR_MS = 3_600_000;
const BUDGET: Budget = { name: 'orders/list', limit: 2, windowMs: 60_000, per: 'token', assumed: false };
const OTHER: Budget = { name: 'wallets/list', limit: 2, windowMs: 60_000, per: 'token', assumed: false };

const limits = (settings: Partial<LimitSettings> = {}): RateLimits =>
  new RateLimits({ ...DEFAULT_LIMITS, ...settings });

/** Exceeds the budget at a time; returns how long the lockout lasts, in ms. */
function exceed(rates: RateLimits, timeMs: number): number | undefined {
  rates.admit(BUDGET, 'a', timeMs);
  rates.admit(BUDGET, 'a', timeMs);
  return rates.admit(BUDGET, 'a', timeMs)?.waitMs;
}

test('locks out for an hour when a budget is exceeded, and only that caller on that budget', () => {
  const rates = limits();
  expect(exceed(rates, 0)).toBe(HOUR_MS);
  expect(rates.admit(BUDGET, 'a', 61_000)).toMatchObject({
    kind: 'lockout',
    waitMs: HOUR_MS - 61_000,
    limit: 2,
  });
  expect(rates.admit(OTHER, 'a', 61_000)).toBeNull();
  expect(rates.admit(BUDGET, 'b', 61_000)).toBeNull();
  expect(rates.admit(BUDGET, 'a', HOUR_MS)).toBeNull();
});

test('closes every budget of the caller when the scope is the caller', () => {
  const rates = limits({ lockoutScope: 'caller' });
  exceed(rates, 0);
  expect(rates.admit(OTHER, 'a', 1000)).toMatchObject({ kind: 'lockout' });
});

test('doubles the lockout on repetition, to 24 hours at most', () => {
  const rates = limits();
  let timeMs = 0;
  const hours: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const lockedMs = exceed(rates, timeMs) ?? 0;
    hours.push(lockedMs / HOUR_MS);
    timeMs += lockedMs;
  }
  expect(hours).toEqual([1, 2, 4, 8, 16, 24, 24]);
});

test('begins at one hour again after a day without a lockout', () => {
  const rates = limits();
  exceed(rates, 0);
  expect(exceed(rates, 25 * HOUR_MS - 1)).toBe(2 * HOUR_MS);
  expect(exceed(rates, 25 * HOUR_MS - 1 + 2 * HOUR_MS + 24 * HOUR_MS)).toBe(HOUR_MS);
});

test('requests during a lockout do not make it longer', () => {
  const rates = limits();
  exceed(rates, 0);
  for (let timeMs = 0; timeMs < HOUR_MS; timeMs += 60_000)
    expect(rates.admit(BUDGET, 'a', timeMs)).not.toBeNull();
  expect(rates.admit(BUDGET, 'a', HOUR_MS)).toBeNull();
});

test('asks to back off until the oldest request leaves the window, by setting', () => {
  const rates = limits({ exceeded: 'back-off' });
  rates.admit(BUDGET, 'a', 0);
  rates.admit(BUDGET, 'a', 10_000);
  expect(rates.admit(BUDGET, 'a', 48_500)).toMatchObject({ kind: 'back-off', waitMs: 11_500, limit: 2 });
  expect(rates.admit(BUDGET, 'a', 60_000)).toBeNull();
});

test('takes overrides of single budgets, and counts nothing where one says none', () => {
  const rates = limits({ overrides: { 'orders/list': { limit: 1 }, 'wallets/list': 'none' } });
  expect(rates.admit(BUDGET, 'a', 0)).toBeNull();
  expect(rates.admit(BUDGET, 'a', 0)).toMatchObject({ limit: 1 });
  for (let count = 0; count < 100; count += 1) expect(rates.admit(OTHER, 'a', 0)).toBeNull();
});

test('lets everything through when limits are off', () => {
  const rates = limits({ enabled: false });
  for (let count = 0; count < 100; count += 1) expect(rates.admit(BUDGET, 'a', 0)).toBeNull();
});

test('blocks an IP at the 101st bad token within half an hour, and not at the 100th', () => {
  const rates = limits();
  for (let count = 0; count < 100; count += 1) rates.countBadToken('1.2.3.4', count * 1000);
  expect(rates.blockedIp('1.2.3.4', 100_000)).toBeNull();
  rates.countBadToken('1.2.3.4', 100_000);
  expect(rates.blockedIp('1.2.3.4', 100_001)).toMatchObject({ kind: 'ip-block', waitMs: HOUR_MS - 1 });
  expect(rates.blockedIp('5.6.7.8', 100_001)).toBeNull();
  expect(rates.blockedIp('1.2.3.4', 100_000 + HOUR_MS)).toBeNull();
});

test('does not block an IP whose bad tokens are spread over more than half an hour', () => {
  const rates = limits();
  for (let count = 0; count < 500; count += 1) rates.countBadToken('1.2.3.4', count * 18_000);
  expect(rates.blockedIp('1.2.3.4', 500 * 18_000)).toBeNull();
});

test('blocks a token on every call for two minutes when it goes on, by setting', () => {
  const rates = limits({
    exceeded: 'back-off',
    continuedAbuse: { refusals: 10, windowMs: 60_000, blockMs: 120_000 },
  });
  for (let count = 0; count < 12; count += 1) rates.admit(BUDGET, 'a', 0);
  expect(rates.admit(OTHER, 'a', 0)).toBeNull();
  rates.admit(BUDGET, 'a', 0);
  expect(rates.admit(OTHER, 'a', 1)).toMatchObject({ kind: 'token-block', waitMs: 119_999 });
  expect(rates.admit(OTHER, 'a', 120_000)).toBeNull();
});

test('keeps counts, lockouts and blocks over a snapshot', () => {
  const rates = limits();
  rates.admit(OTHER, 'a', 0);
  exceed(rates, 0);
  for (let count = 0; count <= 100; count += 1) rates.countBadToken('1.2.3.4', 0);
  const restored = limits();
  restored.restore(JSON.parse(JSON.stringify(rates.snapshot())) as ReturnType<RateLimits['snapshot']>);
  expect(restored.snapshot()).toEqual(rates.snapshot());
  expect(restored.admit(BUDGET, 'a', 1)).toMatchObject({ kind: 'lockout' });
  expect(restored.blockedIp('1.2.3.4', 1)).not.toBeNull();
  expect(restored.admit(OTHER, 'a', 1)).toBeNull();
  expect(restored.admit(OTHER, 'a', 1)).not.toBeNull();
});

test('a lowered limit is named by thirty 429s an hour, and then is a limit like any other', () => {
  const rates = limits({ overrides: { 'orders/list': { limit: 10 } } });
  for (let timeMs = 0; timeMs < 5; timeMs += 1) expect(rates.admit(BUDGET, 'a', timeMs)).toBeNull();
  rates.lower('orders/list', 3);
  const warned = rates.admit(BUDGET, 'a', 1_000);
  expect(warned).toMatchObject({ kind: 'back-off', limit: 3, waitMs: 59_002 });
  expect(rates.admit(BUDGET, 'b', 1_000)).toBeNull();
  for (let warnings = 1; warnings < 30; warnings += 1)
    expect(rates.admit(BUDGET, 'a', 1_000)).toMatchObject({ kind: 'back-off', limit: 3 });
  // Requests counted before the change still count: the third newest has to leave the window.
  expect(rates.admit(BUDGET, 'a', 60_002)).toBeNull();
  expect(rates.admit(BUDGET, 'a', 60_002)).toMatchObject({ kind: 'lockout', waitMs: HOUR_MS });
});

test('a limit that was lowered is what it was once it is given back', () => {
  const rates = limits();
  rates.lower('orders/list', 1);
  expect(rates.admit(BUDGET, 'a', 0)).toBeNull();
  expect(rates.admit(BUDGET, 'a', 1)).toMatchObject({ kind: 'back-off', limit: 1 });
  rates.lower('orders/list', null);
  expect(rates.admit(BUDGET, 'a', 2)).toBeNull();
  expect(rates.admit(BUDGET, 'a', 3)).toMatchObject({ kind: 'lockout', limit: 2 });
});

test('admits the limit within a window and the next one exactly a window after the first', () => {
  const log = new SlidingLog(2, 1000);
  expect([
    log.tryAdd(0),
    log.tryAdd(400),
    log.tryAdd(999),
    log.tryAdd(1000),
    log.tryAdd(1399),
    log.tryAdd(1400),
  ]).toEqual([true, true, false, true, false, true]);
});

test('says how long until a request is admitted', () => {
  const log = new SlidingLog(1, 1000);
  expect(log.waitMs(0)).toBe(0);
  log.tryAdd(100);
  expect(log.waitMs(300)).toBe(800);
  expect(log.waitMs(1100)).toBe(0);
});

test('admits nothing at a limit of zero', () => {
  const log = new SlidingLog(0, 1000);
  expect(log.tryAdd(5)).toBe(false);
  expect(log.waitMs(5)).toBe(1000);
});

test('admits exactly what a list of all admitted times would admit', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 300 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 500 }),
      gaps,
      (limit, windowMs, steps) => {
        const log = new SlidingLog(limit, windowMs);
        const admitted: number[] = [];
        let timeMs = 0;
        for (const step of steps) {
          timeMs += step;
          const expected = admitted.filter((at) => timeMs - at < windowMs).length < limit;
          expect(log.tryAdd(timeMs)).toBe(expected);
          if (expected) admitted.push(timeMs);
        }
      },
    ),
  );
});
