import type { RateLimit } from '../../../src/domain/rate-limit.ts';
import { describe, expect, test } from 'vitest';
import type { Admission, AdmissionAsk } from '../../../src/budget/admission.ts';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import type { LimitedCall } from '../../../src/budget/limiter.ts';
import { MemoryLockouts } from '../../../src/budget/lockouts.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import { createVirtualLimiter } from '../../../src/virtual/virtual-executor.ts';
import { VirtualTime } from '../../../src/virtual/virtual-time.ts';

const BUDGETS: readonly RateLimit[] = [{ name: 'v2/trades', limit: 3, windowMs: 60_000 }];

function setUp(options: { readonly ledger?: BudgetLedger; readonly startMs?: () => number } = {}) {
  const time = new VirtualTime(0);
  const { ledger = new BudgetLedger(BUDGETS), startMs = () => 0 } = options;
  const limiter = createVirtualLimiter({
    time,
    budgets: BUDGETS,
    ledger,
    lockouts: new MemoryLockouts(),
    startMs,
  });
  const call = <T>(send: (signal: AbortSignal) => Promise<T>, changes: Partial<LimitedCall<T>> = {}) =>
    limiter.run({
      budget: 'v2/trades',
      requestClass: 'market',
      kind: null,
      credential: 'none',
      canLogIn: false,
      expiresAtMs: Number.MAX_SAFE_INTEGER,
      timeoutMs: 5_000,
      send,
      ...changes,
    });
  return { time, limiter, ledger, call };
}

describe('the limiter in virtual time', () => {
  test('fills every window of a saturated budget and exceeds none', async () => {
    const { time, call } = setUp();
    const sentAt: number[] = [];
    const poll = async (): Promise<void> => {
      for (;;) {
        await call(async () => {
          sentAt.push(time.now());
          await time.sleep(100);
        });
      }
    };
    for (let pollers = 0; pollers < 4; pollers += 1) void poll();
    await time.run(600_000);
    expect(sentAt.length).toBe(30);
    for (const from of sentAt)
      expect(sentAt.filter((at) => at >= from && at <= from + 60_000).length).toBeLessThanOrEqual(3);
  });

  test('gives up at the time-out and aborts the send', async () => {
    const { time, call } = setUp();
    const endless = call(
      (signal) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('gone')));
        }),
      { timeoutMs: 3_000 },
    );
    const failed = expect(endless).rejects.toMatchObject({ code: 'TIMED_OUT' });
    await time.run(3_000);
    await failed;
  });

  test('tells at its time that a request has expired', async () => {
    const { time, call } = setUp();
    for (let count = 0; count < 3; count += 1) void call(async () => 0);
    let reply: unknown = null;
    void call(async () => 0, { expiresAtMs: 2_000 }).then((value) => (reply = value));
    await time.run(1_999);
    expect(reply).toBeNull();
    await time.run(2_000);
    expect(reply).toMatchObject({ sent: false, reason: 'expired' });
  });

  test('does not send what it gets to more than 250 ms after its admission', async () => {
    class Counting extends BudgetLedger {
      asked = 0;
      override admit(ask: AdmissionAsk, nowMs: number): Admission {
        this.asked += 1;
        return super.admit(ask, nowMs);
      }
    }
    const ledger = new Counting(BUDGETS);
    const startsMs = [90_000, 250];
    const { time, call } = setUp({ ledger, startMs: () => startsMs.shift() ?? 0 });
    const sentAt: number[] = [];
    void call(async () => sentAt.push(time.now()));
    await time.run(100_000);
    expect(sentAt).toEqual([90_250]);
    expect(ledger.asked).toBe(2);
  });

  test('stays away for as long as a limit reply says', async () => {
    const { time, call } = setUp();
    const limited = call(() =>
      Promise.reject(
        new SarrafError('RATE_LIMITED', 'too many', { details: { httpStatus: 429, backOffMs: 90_000 } }),
      ),
    );
    const refused = expect(limited).rejects.toThrow('too many');
    await time.run(10);
    await refused;
    const sentAt: number[] = [];
    void call(async () => sentAt.push(time.now()));
    await time.run(200_000);
    expect(sentAt[0]).toBeGreaterThanOrEqual(90_000);
  });
});
