import { describe, expect, test } from 'vitest';
import { MemoryLockouts, type LockoutAsk, type Permit, type Outcome } from '../../../src/budget/lockouts.ts';

const HOUR_MS = 3_600_000;
const add: LockoutAsk = { budget: 'orders/add', credential: 'with' };
const answered: Outcome = { kind: 'answered', loggedIn: false };
const unauthorized = (canLogIn: boolean): Outcome => ({ kind: 'unauthorized', canLogIn });
const limited = (waitMs: number | null): Outcome => ({ kind: 'limited', waitMs, limit: null, isOwn: true });

function passed(book: MemoryLockouts, ask: LockoutAsk, nowMs: number): Permit {
  const lockout = book.acquire(ask, nowMs);
  if (lockout.permit === null)
    throw new Error(`expected to pass at ${nowMs}, found a retry at ${lockout.retryAtMs}`);
  return lockout.permit;
}

describe('a limit reply', () => {
  test('holds its budget back for as long as it says, and no other', () => {
    const book = new MemoryLockouts();
    book.report(passed(book, add, 0), limited(12_000), 100);
    expect(book.acquire(add, 12_099)).toEqual({ permit: null, retryAtMs: 12_100 });
    expect(book.heldUntil(add, 12_099)).toBe(12_100);
    expect(passed(book, { ...add, budget: 'orders/list' }, 200).isCanary).toBe(false);
  });

  test('lets one canary through when it ends, whose success closes it', () => {
    const book = new MemoryLockouts();
    book.report(passed(book, add, 0), limited(1_000), 0);
    const canary = passed(book, add, 1_000);
    expect(canary.isCanary).toBe(true);
    expect(book.acquire(add, 1_001).permit).toBeNull();
    book.report(canary, answered, 1_100);
    expect(passed(book, add, 1_101).isCanary).toBe(false);
  });

  test('without a wait holds for an hour, doubling with each canary that fails, up to a day', () => {
    const book = new MemoryLockouts();
    let nowMs = 0;
    for (const hours of [1, 2, 4, 8, 16, 24, 24]) {
      book.report(passed(book, add, nowMs), limited(null), nowMs);
      expect(book.heldUntil(add, nowMs)).toBe(nowMs + hours * HOUR_MS);
      nowMs += hours * HOUR_MS;
    }
  });

  test("that is not the interface's own holds for ten minutes at the most, and then lets one canary through", () => {
    const book = new MemoryLockouts();
    const page: Outcome = { kind: 'limited', waitMs: 24 * HOUR_MS, limit: null, isOwn: false };
    book.report(passed(book, add, 0), page, 0);
    expect(book.heldUntil(add, 0)).toBe(600_000);
    expect(passed(book, add, 600_000).isCanary).toBe(true);
    expect(book.acquire(add, 600_001).permit).toBeNull();
  });

  test('counts once with others of its burst, and the longest wait of them stays', () => {
    const book = new MemoryLockouts();
    const passes = [0, 1, 2].map((nowMs) => passed(book, add, nowMs));
    for (const [index, pass] of passes.entries())
      book.report(pass, limited([null, 10, null][index] ?? null), 10 + index);
    expect(book.heldUntil(add, 20)).toBe(12 + HOUR_MS);
  });

  test('is not ended by the success of a request that was sent before it', () => {
    const book = new MemoryLockouts();
    const before = passed(book, add, 0);
    book.report(passed(book, add, 0), limited(1_000), 10);
    book.report(before, answered, 20);
    expect(book.heldUntil(add, 30)).toBe(1_010);
  });

  test('lets another canary go two minutes after one of which nothing was heard', () => {
    const book = new MemoryLockouts();
    book.report(passed(book, add, 0), limited(1_000), 0);
    const canary = passed(book, add, 1_000);
    expect(book.heldUntil(add, 1_001)).toBe(121_000);
    book.report(canary, { kind: 'silence' }, 5_000);
    expect(book.heldUntil(add, 5_001)).toBe(125_000);
    expect(passed(book, add, 125_000).isCanary).toBe(true);
  });
});

describe('the first 401', () => {
  const logIn: LockoutAsk = { budget: 'auth/login', credential: 'log-in' };

  test('stops every call of the credential but a probe every ten minutes, and no public call', () => {
    const book = new MemoryLockouts();
    book.report(passed(book, add, 0), unauthorized(false), 0);
    expect(book.acquire({ ...add, budget: 'orders/list' }, 1)).toEqual({ permit: null, retryAtMs: 600_000 });
    expect(book.acquire(logIn, 1).permit).toBeNull();
    expect(passed(book, { budget: 'v2/orderbook', credential: 'none' }, 1).isProbe).toBe(false);
    const probe = passed(book, add, 600_000);
    expect(book.acquire(add, 600_001).permit).toBeNull();
    book.report(probe, unauthorized(false), 600_500);
    expect(book.heldUntil(add, 600_501)).toBe(1_200_500);
    book.report(passed(book, add, 1_200_500), answered, 1_200_600);
    expect(passed(book, add, 1_200_601).isProbe).toBe(false);
  });

  test('earns one log-in, whose credential is tried at once and earns no second one by failing', () => {
    const book = new MemoryLockouts();
    book.report(passed(book, add, 0), unauthorized(true), 0);
    book.report(passed(book, logIn, 10), { kind: 'answered', loggedIn: true }, 20);
    const first = passed(book, add, 21);
    expect(book.acquire(add, 22).permit).toBeNull();
    book.report(first, unauthorized(true), 30);
    expect(book.acquire(logIn, 40).permit).toBeNull();
    expect(book.heldUntil(add, 40)).toBeGreaterThanOrEqual(600_021);
  });

  test('lets one call through at once that brings the log-in about, and the others only after it', () => {
    const book = new MemoryLockouts();
    book.report(passed(book, add, 0), unauthorized(true), 5);
    const bringer = passed(book, add, 6);
    expect(book.acquire(add, 7)).toEqual({ permit: null, retryAtMs: 600_006 });
    book.report(passed(book, logIn, 8), { kind: 'answered', loggedIn: true }, 20);
    book.report(bringer, answered, 30);
    expect(passed(book, add, 31).isProbe).toBe(false);
  });

  test('keeps the log-in that it earned when calls that were on their way are refused, too', () => {
    const book = new MemoryLockouts();
    const [one, two] = [passed(book, add, 0), passed(book, add, 0)];
    book.report(one, unauthorized(true), 5);
    book.report(two, unauthorized(true), 6);
    expect(passed(book, logIn, 7).isProbe).toBe(true);
  });

  test('lets a probe log in where no credential is left to probe with, once a probe', () => {
    const book = new MemoryLockouts();
    book.report(passed(book, add, 0), unauthorized(true), 0);
    book.report(passed(book, logIn, 10), { kind: 'silence' }, 20);
    const probe = passed(book, add, 600_010);
    const lost = passed(book, logIn, 600_011);
    book.report(lost, { kind: 'silence' }, 600_020);
    book.report(probe, { kind: 'silence' }, 600_021);
    expect(book.acquire(logIn, 600_022).permit).toBeNull();
    const next = passed(book, add, 1_200_011);
    book.report(passed(book, logIn, 1_200_012), { kind: 'answered', loggedIn: true }, 1_200_020);
    book.report(next, answered, 1_200_030);
    expect(passed(book, add, 1_200_031).isProbe).toBe(false);
  });

  test('stays after a log-in that was refused', () => {
    const book = new MemoryLockouts();
    book.report(passed(book, add, 0), unauthorized(true), 0);
    book.report(passed(book, logIn, 10), answered, 20);
    expect(book.heldUntil(add, 30)).toBe(600_010);
    expect(book.acquire(logIn, 30).permit).toBeNull();
  });
});
