import type { RateLimit } from '../../../src/domain/rate-limit.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import { afterLimitReply, inForce, lowered, QUIET_MS } from '../../../src/budget/admission.ts';

const BUDGET: RateLimit = {
  name: 'orders/list',
  limit: 29,
  statedLimit: 30,
  windowMs: 60_000,
  hasReserve: true,
};
const at = (nowMs: number) => ({ statedLimit: 30, nowMs });
const own = (named: number | null) => ({ named, isOwn: true });

describe('a limit that a reply names', () => {
  test('lowers ours where it is a whole number from 1 to below it', () => {
    expect(afterLimitReply(null, own(20), at(5))).toEqual({
      state: { limit: 20, atMs: 5 },
      change: 'lowered',
    });
    expect(afterLimitReply({ limit: 20, atMs: 5 }, own(1), at(9))).toEqual({
      state: { limit: 1, atMs: 9 },
      change: 'lowered',
    });
  });

  test.each([30, 31, 1e15])('changes nothing at %d, which is not below ours', (named) => {
    expect(afterLimitReply(null, own(named), at(5))).toEqual({ state: null, change: null });
  });

  test.each([0, -3, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])(
    'is wrong at %d, and ignored',
    (named) => {
      expect(afterLimitReply(null, own(named), at(5))).toEqual({ state: null, change: 'wrong' });
      const before = { limit: 20, atMs: 1 };
      expect(afterLimitReply(before, own(named), at(5))).toEqual({
        state: { limit: 20, atMs: 5 },
        change: 'wrong',
      });
    },
  );

  test('is never raised by a reply, and each reply begins the quiet hours anew', () => {
    const before = { limit: 10, atMs: 0 };
    for (const word of [own(20), own(null), own(500), { named: 1, isOwn: false }])
      expect(afterLimitReply(before, word, at(7))).toEqual({ state: { limit: 10, atMs: 7 }, change: null });
  });

  test('is gone after 24 quiet hours, and a larger one may hold then', () => {
    const before = { limit: 10, atMs: 0 };
    expect(inForce(before, QUIET_MS)).toEqual(before);
    expect(inForce(before, QUIET_MS + 1)).toBeNull();
    expect(afterLimitReply(before, own(20), at(QUIET_MS + 1)).state).toMatchObject({ limit: 20 });
  });

  test('is nothing where it is no reply of the exchange itself', () => {
    expect(afterLimitReply(null, { named: 3, isOwn: false }, at(0))).toEqual({ state: null, change: null });
  });

  test('leaves the share of headroom and reserve, and one request at least', () => {
    expect(lowered(BUDGET, 10)).toMatchObject({ limit: 9, statedLimit: 10, reserve: 0 });
    expect(lowered({ ...BUDGET, limit: 300, statedLimit: 300 }, 100)).toMatchObject({
      limit: 100,
      reserve: 10,
    });
    expect(lowered(BUDGET, 1)).toMatchObject({ limit: 1, reserve: 0 });
    expect(lowered(BUDGET, null)).toBe(BUDGET);
    expect(lowered(BUDGET, 30)).toBe(BUDGET);
  });

  test('never leaves more than it allows, nor more than before', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.nat(200),
        fc.integer({ min: 1, max: 2_000 }),
        (limit, spare, named) => {
          const used = lowered({ ...BUDGET, limit, statedLimit: limit + spare }, named);
          expect(used.limit).toBeGreaterThanOrEqual(1);
          expect(used.limit).toBeLessThanOrEqual(Math.min(limit, Math.max(named, limit > named ? 1 : limit)));
          expect(used.reserve ?? 0).toBeLessThan(Math.max(1, used.limit));
        },
      ),
    );
  });
});

test('a ledger in memory keeps to a lowered limit with what was sent before it', () => {
  const ledger = new BudgetLedger([{ ...BUDGET, limit: 4, statedLimit: 4 }]);
  const ask = { budget: BUDGET.name, requestClass: 'cancel' } as const;
  for (const nowMs of [0, 1, 2]) {
    const admission = ledger.admit(ask, nowMs);
    if (admission.admitted) ledger.settle(admission.slot, 'answered', nowMs + 10);
  }
  expect(ledger.applyLimit(BUDGET.name, own(2), 20)).toBe('lowered');
  expect(ledger.admit(ask, 30)).toEqual({ admitted: false, reason: 'full', waitMs: 59_982 });
  expect(ledger.admit(ask, 60_012).admitted).toBe(true);
  expect(ledger.admit(ask, 60_012).admitted).toBe(false);
});
