import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import type { BudgetTrouble } from '../../../src/budget/budget-queue.ts';
import { troubleText, type LimitedCall, RequestLimiter } from '../../../src/budget/limiter.ts';
import { MemoryLockouts } from '../../../src/budget/lockouts.ts';
import type { Admission, AdmissionAsk, Slot } from '../../../src/budget/admission.ts';
import { admittanceOf } from '../../../src/budget/admittance.ts';
import { CommitTimes } from '../../../src/budget/commit-times.ts';
import type { RateLimit, RequestClass } from '../../../src/domain/rate-limit.ts';
import { SarrafError } from '../../../src/domain/errors.ts';

const limiters: RequestLimiter[] = [];
// Only the clock of the limiter and its timers are virtual.
beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(async () => {
  await Promise.all([
    ...limiters.splice(0).map(async (limiter) => limiter.close()),
    vi.advanceTimersByTimeAsync(10),
  ]);
  vi.useRealTimers();
});

function limiterOf(options: {
  readonly limit: number;
  readonly ledger?: BudgetLedger;
  readonly mostConcurrent?: number;
  readonly troubles?: BudgetTrouble[];
  readonly sleptMs?: () => number;
  readonly commits?: CommitTimes;
}) {
  const budgets = [{ name: 'orders/list', limit: options.limit, windowMs: 60_000 }];
  const ledger = options.ledger ?? new BudgetLedger(budgets);
  const { mostConcurrent = 8 } = options;
  const limiter = new RequestLimiter({
    budgets,
    ledger,
    lockouts: new MemoryLockouts(),
    nowMs: () => Date.now(),
    mostConcurrent,
    onTrouble: (trouble) => options.troubles?.push(trouble),
    ...(options.sleptMs === undefined ? {} : { sleptMs: options.sleptMs }),
    ...(options.commits === undefined ? {} : { commits: options.commits }),
  });
  limiters.push(limiter);
  return { limiter, ledger };
}

const call = <T>(send: () => Promise<T>, changes: Partial<LimitedCall<T>> = {}): LimitedCall<T> => ({
  budget: 'orders/list',
  requestClass: 'market',
  kind: null,
  credential: 'with',
  canLogIn: false,
  expiresAtMs: 100_000_000,
  timeoutMs: 5_000,
  send,
  ...changes,
});

const zero = async (): Promise<number> => 0;

/** A ledger after whose admissions the process stands still for some time, which may count as a commit. */
class Stopping extends BudgetLedger {
  asked = 0;
  private readonly stopMs: () => number;
  private readonly commits: CommitTimes | null;
  private readonly isKept: boolean;

  constructor(
    of: {
      readonly limit: number;
      /** Lengths of the stops, in ms, one for each admission; after the last one there are none. */
      readonly stopsMs?: number[];
      readonly stopMs?: () => number;
      readonly commits?: CommitTimes;
      /** True if a late slot still counts as held when the ledger is asked for it. */
      readonly isKept?: boolean;
    },
    budgets: readonly RateLimit[] = [{ name: 'orders/list', limit: of.limit, windowMs: 60_000 }],
  ) {
    super(budgets);
    const { stopsMs = [], commits = null, isKept = true } = of;
    this.stopMs = of.stopMs ?? (() => stopsMs.shift() ?? 0);
    this.commits = commits;
    this.isKept = isKept;
  }

  override admit(ask: AdmissionAsk, nowMs: number): Admission {
    this.asked += 1;
    const stopMs = this.stopMs();
    // The stop comes before the executor's own timers, and after the time of admission was noted.
    if (stopMs > 0)
      queueMicrotask(() => {
        vi.setSystemTime(Date.now() + stopMs);
        this.commits?.add(stopMs);
      });
    return super.admit(ask, nowMs);
  }

  override holds(slot: Slot): boolean {
    return this.isKept && super.holds(slot);
  }
}

describe('the limiter of a machine that sleeps', () => {
  test('drops what has grown too old meanwhile, and sends what is asked for afterwards', async () => {
    let sleptMs = 0;
    const { limiter } = limiterOf({ limit: 1, sleptMs: () => sleptMs });
    void limiter.run(call(zero));
    await vi.advanceTimersByTimeAsync(10);
    const waiting = limiter.run(call(zero, { requestClass: 'place', expiresAtMs: Date.now() + 90_000 }));
    await vi.advanceTimersByTimeAsync(30_000);
    sleptMs = 3_600_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toMatchObject({ sent: false });
    const after = limiter.run(call(zero, { requestClass: 'place', expiresAtMs: Date.now() + 90_000 }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await after).toMatchObject({ sent: true });
  });

  test('sends nothing between the admission and the sending of which it slept, and asks again', async () => {
    const times: number[] = [];
    let sleptMs = 0;
    const { limiter } = limiterOf({ limit: 5, sleptMs: () => (sleptMs === 0 ? ++sleptMs - 1 : 3_600_000) });
    const sent = limiter.run(call(async () => times.push(Date.now()), { expiresAtMs: 100_000_000 }));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await sent).toMatchObject({ sent: true });
    expect(times).toHaveLength(1);
  });
});

describe('the limiter', () => {
  test('sends at once while there are slots, and the next a window after the first reply', async () => {
    const { limiter } = limiterOf({ limit: 2 });
    const times: number[] = [];
    const send = async () => times.push(Date.now());
    const replies = Promise.all([1, 2, 3].map(async () => limiter.run(call(send))));
    await vi.advanceTimersByTimeAsync(70_000);
    expect((await replies).every(({ sent }) => sent)).toBe(true);
    expect(times.slice(0, 2).every((time) => time < 10)).toBe(true);
    expect(times[2]).toBeGreaterThan(60_000);
    expect(times[2]).toBeLessThan(60_100);
  });

  test('lets a cancel pass the polls that wait, and drops a poll that waits behind a newer one', async () => {
    const { limiter } = limiterOf({ limit: 1 });
    const order: string[] = [];
    const named = (name: string, changes: Partial<LimitedCall<number>> = {}) =>
      limiter.run(call(async () => order.push(name), changes));
    void named('first');
    await vi.advanceTimersByTimeAsync(10);
    const older = named('older', { kind: 'open orders' });
    void named('newer', { kind: 'open orders' });
    void named('cancel', { requestClass: 'cancel' });
    expect(await older).toEqual({ sent: false, reason: 'superseded', retryInMs: null });
    await vi.advanceTimersByTimeAsync(150_000);
    expect(order).toEqual(['first', 'cancel', 'newer']);
  });

  test('tells that a request has expired, that its budget is unknown, and that it was closed', async () => {
    const { limiter } = limiterOf({ limit: 1 });
    await Promise.all([limiter.run(call(zero)), vi.advanceTimersByTimeAsync(10)]);
    const expiring = limiter.run(call(zero, { expiresAtMs: 2_000 }));
    await vi.advanceTimersByTimeAsync(2_100);
    const expired = await expiring;
    expect(expired).toMatchObject({ sent: false, reason: 'expired' });
    // The only slot is free again a minute after the reply that used it.
    expect(expired.sent ? null : expired.retryInMs).toBeGreaterThan(57_000);
    expect(expired.sent ? null : expired.retryInMs).toBeLessThan(59_000);
    expect(await limiter.run(call(zero, { budget: 'other' }))).toMatchObject({
      sent: false,
      reason: 'unknown budget',
    });
    const waiting = limiter.run(call(zero));
    await Promise.all([limiter.close(), vi.advanceTimersByTimeAsync(10)]);
    expect(await waiting).toMatchObject({ sent: false, reason: 'closed' });
    expect(await limiter.run(call(zero))).toMatchObject({ sent: false, reason: 'closed' });
  });

  test.each([
    { code: 'UNAUTHORIZED', httpStatus: 401, reason: 'credential refused', free: 'none' },
    { code: 'RATE_LIMITED', httpStatus: 429, reason: 'locked out', free: null },
  ] as const)('tells of a request that expired behind a $httpStatus what held it back', async (refusal) => {
    const { limiter } = limiterOf({ limit: 30 });
    const { code, httpStatus, reason, free } = refusal;
    const refused = limiter.run(
      call(
        async () =>
          Promise.reject(new SarrafError(code, 'no', { details: { httpStatus, backOffMs: 90_000 } })),
        {
          credential: 'with',
        },
      ),
    );
    await Promise.all([expect(refused).rejects.toThrow('no'), vi.advanceTimersByTimeAsync(10)]);
    const held = limiter.run(call(zero, { credential: 'with', expiresAtMs: 2_000 }));
    await vi.advanceTimersByTimeAsync(2_100);
    expect(await held).toMatchObject({ sent: false, reason, retryInMs: expect.any(Number) });
    if (free === null) return;
    const open = limiter.run(call(zero, { credential: free }));
    await vi.advanceTimersByTimeAsync(10);
    expect(await open).toMatchObject({ sent: true });
  });

  test('holds a budget back after a limit reply, and goes on with one request when that is over', async () => {
    const { limiter } = limiterOf({ limit: 30 });
    let calls = 0;
    const limited = limiter.run(
      call(() =>
        Promise.reject(
          new SarrafError('RATE_LIMITED', 'too many', { details: { httpStatus: 429, backOffMs: 90_000 } }),
        ),
      ),
    );
    await Promise.all([expect(limited).rejects.toThrow('too many'), vi.advanceTimersByTimeAsync(10)]);
    const slow = (): Promise<number> =>
      new Promise((resolve) => setTimeout(() => resolve((calls += 1)), 100));
    for (let count = 0; count < 3; count += 1) void limiter.run(call(slow));
    await vi.advanceTimersByTimeAsync(89_000);
    expect(calls).toBe(0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(calls).toBe(3);
  });

  test('tells of every lockout, with its length and the limit that the exchange names', async () => {
    const troubles: BudgetTrouble[] = [];
    const { limiter } = limiterOf({ limit: 30, troubles });
    const details = { httpStatus: 429, backOffMs: 90_000, limit: 20 };
    const limited = limiter.run(
      call(() => Promise.reject(new SarrafError('RATE_LIMITED', 'too many', { details }))),
    );
    await Promise.all([expect(limited).rejects.toThrow('too many'), vi.advanceTimersByTimeAsync(10)]);
    expect(troubles).toEqual([
      { kind: 'locked out', budget: 'orders/list', forMs: 90_000, namedLimit: 20, change: 'lowered' },
    ]);
  });

  test('tells once that its ledger can not be used', async () => {
    class Gone extends BudgetLedger {
      override admit(): Admission {
        return { admitted: false, reason: 'ledger unusable', waitMs: null };
      }
    }
    const troubles: BudgetTrouble[] = [];
    const { limiter } = limiterOf({ limit: 1, ledger: new Gone([]), troubles });
    void limiter.run(call(zero));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(troubles).toEqual([{ kind: 'ledger unusable', budget: 'orders/list' }]);
  });

  test('does not send what it finds more than 250 ms after its admission, gives the slot back and asks again', async () => {
    const ledger = new Stopping({ limit: 1, stopsMs: [90_000] });
    const { limiter } = limiterOf({ limit: 1, ledger });
    const sentAt: number[] = [];
    const reply = limiter.run(call(async () => sentAt.push(Date.now())));
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await reply).sent).toBe(true);
    expect(ledger.asked).toBe(2);
    expect(sentAt).toHaveLength(1);
  });

  test.each([
    ['sends a cancel that it finds 29 s after its admission', 29_000, 1, true],
    ['asks again for a cancel that it finds over 30 s after its admission', 31_000, 2, true],
    ['asks again for a late cancel whose slot is not in the ledger any more', 29_000, 2, false],
  ])('%s', async (_name, stopMs, asked, isKept) => {
    const ledger = new Stopping({ limit: 2, stopsMs: [stopMs], isKept });
    const { limiter } = limiterOf({ limit: 2, ledger });
    const reply = limiter.run(call(zero, { requestClass: 'cancel' }));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await reply).toMatchObject({ sent: true });
    expect(ledger.asked).toBe(asked);
  });

  test('counts the time of own commits as no delay, and sends nothing that has expired over them', async () => {
    const commits = new CommitTimes(() => Date.now());
    const ledger = new Stopping({ limit: 9, stopsMs: [4_900, 0, 4_900, 8_000], commits });
    const { limiter } = limiterOf({ limit: 9, ledger, commits });
    const order = limiter.run(call(zero, { requestClass: 'place' }));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await order).toMatchObject({ sent: true });
    expect(ledger.asked).toBe(1);
    await limiter.run(call(zero)).then(() => undefined, vi.advanceTimersByTimeAsync(100) as never);
    const old = limiter.run(call(zero, { requestClass: 'place', expiresAtMs: Date.now() + 3_000 }));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await old).toMatchObject({ sent: false, reason: 'expired' });
    // No disk takes as long as 8 s: the process was stopped during its commit.
    const asked = ledger.asked;
    expect((await Promise.all([limiter.run(call(zero)), vi.advanceTimersByTimeAsync(2_000)]))[0].sent).toBe(
      true,
    );
    expect(ledger.asked).toBe(asked + 2);
  });

  test('has one request at a time between admission and send, over all budgets, the most urgent first', async () => {
    const budgets = ['orders/list', 'update-status'].map((name) => ({ name, limit: 9, windowMs: 60_000 }));
    const said: string[] = [];
    class Telling extends BudgetLedger {
      override admit(ask: AdmissionAsk, nowMs: number): Admission {
        said.push(`admits ${ask.requestClass}`);
        return super.admit(ask, nowMs);
      }
    }
    const ledger = new Telling(budgets);
    const limiter = new RequestLimiter({
      budgets,
      ledger,
      lockouts: new MemoryLockouts(),
      nowMs: () => Date.now(),
    });
    limiters.push(limiter);
    const send = (requestClass: RequestClass, budget: string): void =>
      void limiter.run(call(async () => said.push(`sends ${requestClass}`), { requestClass, budget }));
    for (const requestClass of ['market', 'account'] as const) send(requestClass, 'orders/list');
    for (let count = 0; count < 2; count += 1) send('cancel', 'update-status');
    await vi.advanceTimersByTimeAsync(1_000);
    const alternating = ['market', 'cancel', 'cancel', 'account'];
    expect(said).toEqual(alternating.flatMap((name) => [`admits ${name}`, `sends ${name}`]));
  });

  test('says once that it is late with every request, and again when that begins anew', async () => {
    let isSlow = true;
    const ledger = new Stopping({ limit: 5, stopMs: () => (isSlow ? 300 : 0) });
    const troubles: BudgetTrouble[] = [];
    const { limiter } = limiterOf({ limit: 5, ledger, troubles });
    const isSent = limiter.run(call(zero));
    await vi.advanceTimersByTimeAsync(8_000);
    const late = { kind: 'too late', forMs: expect.any(Number) as number } as const;
    expect(troubles).toEqual([late]);
    expect(troubleText({ ...late, forMs: 5_100 }, '/l')).toMatch(
      /^nothing but cancels leaves: for 5 s this machine took over 250 ms /,
    );
    isSlow = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await isSent).sent).toBe(true);
    isSlow = true;
    void limiter.run(call(zero));
    await vi.advanceTimersByTimeAsync(8_000);
    expect(troubles).toEqual([late, late]);
  });

  test('says it once for all budgets, and names it as why a request was not sent', async () => {
    const budgets = ['orders/list', 'orders/add'].map((name) => ({ name, limit: 5, windowMs: 60_000 }));
    const troubles: BudgetTrouble[] = [];
    const limiter = new RequestLimiter({
      budgets,
      ledger: new Stopping({ limit: 5, stopMs: () => 300 }, budgets),
      lockouts: new MemoryLockouts(),
      nowMs: () => Date.now(),
      onTrouble: (trouble) => troubles.push(trouble),
    });
    limiters.push(limiter);
    const replies = budgets.map(async ({ name: budget }) =>
      limiter.run(call(zero, { budget, expiresAtMs: Date.now() + 20_000 })),
    );
    await vi.advanceTimersByTimeAsync(60_000);
    const unsent = { sent: false, reason: 'this machine is too slow', retryInMs: null };
    expect(await Promise.all(replies)).toEqual([unsent, unsent]);
    expect(troubles).toHaveLength(1);
  });

  test('sends what stops of the process made late, however many, and says nothing of it', async () => {
    // As many as the outer guard permits; if late requests counted there, all others would wait for ever.
    const ledger = new Stopping({ limit: 12, stopsMs: Array.from({ length: 12 }, () => 300) });
    const troubles: BudgetTrouble[] = [];
    const { limiter } = limiterOf({ limit: 12, ledger, troubles, mostConcurrent: 12 });
    const sentAt: number[] = [];
    const send = async (): Promise<number> => sentAt.push(Date.now());
    const replies = Array.from({ length: 12 }, async () => limiter.run(call(send)));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(sentAt).toHaveLength(replies.length);
    expect(ledger.asked).toBe(2 * 12);
    expect(troubles).toEqual([]);
  });

  test('gives the slot back and asks again when the process stood still before the request was written', async () => {
    const { limiter, ledger } = limiterOf({ limit: 1 });
    const stoodStill = new SarrafError('TIMED_OUT', 'stood still', {
      outcome: 'none',
      details: { stoodStill: true },
    });
    let calls = 0;
    const reply = limiter.run(
      call(async () => {
        calls += 1;
        if (calls === 1) throw stoodStill;
        return calls;
      }),
    );
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await reply).toEqual({ sent: true, value: 2 });
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, Date.now()).admitted).toBe(false);
  });

  test('gives up at the time-out, and keeps the slot until an answer shows that the request can not arrive any more', async () => {
    const { limiter, ledger } = limiterOf({ limit: 2 });
    const endless = limiter.run(
      call((): Promise<never> => new Promise(() => undefined), {
        send: (signal) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('gone')))),
        timeoutMs: 3_000,
      }),
    );
    await Promise.all([
      expect(endless).rejects.toMatchObject({ code: 'TIMED_OUT' }),
      vi.advanceTimersByTimeAsync(3_100),
    ]);
    const ask = { budget: 'orders/list', requestClass: 'cancel' } as const;
    const later = ledger.admit(ask, 123_100);
    if (!later.admitted) throw new Error('expected a slot');
    expect(ledger.admit(ask, 123_100).admitted).toBe(false);
    ledger.settle(later.slot, 'answered', 123_200);
    expect(ledger.admit(ask, 183_201).admitted).toBe(true);
    expect(ledger.admit(ask, 188_200).admitted).toBe(false);
    expect(ledger.admit(ask, 188_201).admitted).toBe(true);
  });

  test('has no more requests on their way at once than it may', async () => {
    const { limiter } = limiterOf({ limit: 30, mostConcurrent: 2 });
    let under = 0;
    let most = 0;
    const send = async (): Promise<void> => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 50));
      under -= 1;
    };
    const all = Promise.all([1, 2, 3, 4, 5].map(async () => limiter.run(call(send))));
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await all).every(({ sent }) => sent)).toBe(true);
    expect(most).toBe(2);
  });
});

/** Makes a limiter with a ledger over the network, each answer of which takes `roundTripMs`. */
function remoteLimiter(limit: number, roundTripMs: number) {
  const budgets = [{ name: 'orders/list', limit, windowMs: 60_000 }];
  const ledger = new BudgetLedger(budgets);
  const asked: string[] = [];
  const inner = admittanceOf(ledger, new MemoryLockouts());
  const limiter = new RequestLimiter({
    budgets,
    admittance: {
      ...inner,
      enter: (ask, nowMs) => {
        asked.push(ask.requestClass);
        return new Promise((resolve) => setTimeout(() => resolve(inner.enter(ask, nowMs)), roundTripMs));
      },
    },
    nowMs: () => Date.now(),
  });
  limiters.push(limiter);
  return { limiter, asked, ledger };
}

describe('the limiter over a ledger that answers later', () => {
  test('asks one thing at a time, and sends what is admitted', async () => {
    const { limiter } = remoteLimiter(2, 20);
    const times: number[] = [];
    const replies = Promise.all(
      [1, 2, 3].map(async () => limiter.run(call(async () => times.push(Date.now())))),
    );
    await vi.advanceTimersByTimeAsync(70_000);
    expect((await replies).every(({ sent }) => sent)).toBe(true);
    expect(times.map((timeMs) => Math.floor(timeMs / 10))).toEqual([2, 4, expect.any(Number)]);
    expect(times[2]).toBeGreaterThan(60_020);
  });

  test('gives back a slot that nobody wants any more, and gives it to one that would have asked alike', async () => {
    const { limiter, ledger } = remoteLimiter(1, 50);
    const giveUp = new AbortController();
    const gone = limiter.run(call(zero, { signal: giveUp.signal }));
    giveUp.abort();
    await vi.advanceTimersByTimeAsync(60);
    expect(await gone).toMatchObject({ sent: false, reason: 'aborted' });
    expect(ledger.usage()).toMatchObject([{ most: 1 }]);
    const older = limiter.run(call(zero, { kind: 'book' }));
    const newer = limiter.run(call(async () => 'newer', { kind: 'book' }));
    await vi.advanceTimersByTimeAsync(60);
    expect(await older).toMatchObject({ sent: false, reason: 'superseded' });
    expect(await newer).toEqual({ sent: true, value: 'newer' });
  });

  test('does not send what was asked for more than 250 ms ago', async () => {
    const { limiter, asked } = remoteLimiter(1, 251);
    let sends = 0;
    void limiter.run(call(async () => (sends += 1)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sends).toBe(0);
    expect(asked.length).toBeGreaterThan(2);
  });
});
