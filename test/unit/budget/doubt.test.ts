import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { admittanceOf, type Admittance } from '../../../src/budget/admittance.ts';
import type { Slot } from '../../../src/budget/admission.ts';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import { MemoryLockouts } from '../../../src/budget/lockouts.ts';
import { LEDGER_WORLDS, type LedgerWorld, type TestLedger } from '../../support/ledger-worlds.ts';

const WINDOW_MS = 60_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

const budgets = (limit: number) =>
  ['orders/list', 'wallets'].map((name) => ({
    name,
    limit,
    windowMs: WINDOW_MS,
    per: 'token' as const,
    assumed: false,
    reserve: 0,
  }));

type Ledger = Pick<TestLedger, 'enter' | 'settle' | 'withdraw'>;

async function admission(ledger: Ledger, nowMs: number, budget = 'orders/list') {
  return ledger.enter({ budget, requestClass: 'market', credential: 'none' }, nowMs);
}

async function admitted(ledger: Ledger, nowMs: number, budget = 'orders/list'): Promise<Slot> {
  const given = await admission(ledger, nowMs, budget);
  if (!given.isAdmitted) throw new Error(`expected a slot at ${nowMs}, found a wait of ${given.waitMs} ms`);
  return given.slot;
}

/** Expects a slot to be free from this time on, and none a ms before it. */
async function expectFreeFrom(ledger: Ledger, fromMs: number): Promise<void> {
  expect((await admission(ledger, fromMs - 1)).isAdmitted).toBe(false);
  await ledger.withdraw(await admitted(ledger, fromMs));
}

/** Wraps the ledger of one process, so that it is asked as the other ledgers are. */
function ofOneProcess(limit: number): Ledger {
  const ledger: Admittance = admittanceOf(new BudgetLedger(budgets(limit)), new MemoryLockouts());
  return {
    enter: async (ask, nowMs) => ledger.enter(ask, nowMs),
    settle: async (...of) => ledger.settle(...of),
    withdraw: async (slot) => ledger.withdraw(slot),
  };
}

const ONE_PROCESS: readonly [string, (() => Promise<LedgerWorld>) | null] = ['of one process', null];

describe.each([ONE_PROCESS, ...LEDGER_WORLDS])(
  'the ledger %s, where a request ended without an answer,',
  (_, begin) => {
    let world: LedgerWorld | null = null;
    let driftMs = 0;
    beforeAll(async () => {
      world = (await begin?.()) ?? null;
      driftMs = world?.driftMs(WINDOW_MS) ?? 0;
    });
    afterEach(async () => world?.clear());
    afterAll(async () => world?.close());

    const create = async (limit: number): Promise<Ledger> =>
      world === null ? ofOneProcess(limit) : world.open({ budgets: budgets(limit) });

    test('lets one request at a time go while nothing answers, each after a longer pause', async () => {
      const ledger = await create(12);
      await ledger.settle(await admitted(ledger, 0), 'unanswered', 10_000);
      let endMs = 10_000;
      const pauses: number[] = [];
      for (let probe = 0; probe < 9; probe += 1) {
        let nowMs = endMs;
        const wait = await admission(ledger, nowMs);
        if (!wait.isAdmitted) nowMs += wait.waitMs ?? 0;
        else await ledger.withdraw(wait.slot);
        pauses.push(nowMs - endMs);
        const slot = await admitted(ledger, nowMs);
        expect(await admission(ledger, nowMs + 1)).toMatchObject({ isAdmitted: false, waitMs: null });
        endMs = nowMs + 10_000;
        await ledger.settle(slot, 'unanswered', endMs);
      }
      expect(pauses.map((pauseMs) => pauseMs / SECOND_MS)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128]);
    });

    test('lets several go at once again after the first answer', async () => {
      const ledger = await create(12);
      await ledger.settle(await admitted(ledger, 0), 'unanswered', 10_000);
      const probe = await admitted(ledger, 10_000);
      expect((await admission(ledger, 10_001)).isAdmitted).toBe(false);
      await ledger.settle(probe, 'answered', 10_100);
      for (let count = 0; count < 10; count += 1) await admitted(ledger, 10_101);
      expect((await admission(ledger, 10_102)).isAdmitted).toBe(false);
    });

    test('keeps its slot however long the exchange stands still, until a window after an answer to a later request', async () => {
      const ledger = await create(3);
      const lost = [await admitted(ledger, 0), await admitted(ledger, 0)];
      for (const slot of lost) await ledger.settle(slot, 'unanswered', 10_000);
      const probe = await admitted(ledger, 230_000);
      expect((await admission(ledger, 230_000)).isAdmitted).toBe(false);
      await ledger.settle(probe, 'answered', 231_000);
      // The slot of the probe is free a window after its answer; the slots of the lost requests are free a
      // little later, since the exchange may have handled them together with it.
      await expectFreeFrom(ledger, 231_000 + WINDOW_MS + driftMs + 1);
      await admitted(ledger, 231_000 + WINDOW_MS + driftMs + 1);
      await expectFreeFrom(ledger, 231_000 + 5_000 + WINDOW_MS + driftMs + 1);
    });

    test('takes no answer for a proof that came to a request which was sent while it may have been on its way', async () => {
      const ledger = await create(2);
      await ledger.settle(await admitted(ledger, 0), 'unanswered', 10_000);
      await ledger.settle(await admitted(ledger, 129_999), 'answered', 130_100);
      await admitted(ledger, 200_000);
      expect((await admission(ledger, 1_000_000)).isAdmitted).toBe(false);
    });

    test('takes an answer of another budget for a proof after a quarter of an hour', async () => {
      const ledger = await create(1);
      await ledger.settle(await admitted(ledger, 0), 'unanswered', 10_000);
      await ledger.settle(
        await admitted(ledger, 10_000 + 15 * MINUTE_MS - 1, 'wallets'),
        'answered',
        15 * MINUTE_MS + 10_100,
      );
      expect((await admission(ledger, 20 * MINUTE_MS)).isAdmitted).toBe(false);
      await ledger.settle(await admitted(ledger, 20 * MINUTE_MS, 'wallets'), 'answered', 20 * MINUTE_MS);
      await expectFreeFrom(ledger, 21 * MINUTE_MS + 5_000 + driftMs + 1);
    });

    test('gives its slot back an hour and a window later where nothing ever answers', async () => {
      const ledger = await create(1);
      await ledger.settle(await admitted(ledger, 0), 'unanswered', 10_000);
      await expectFreeFrom(ledger, 10_000 + 61 * MINUTE_MS + driftMs + 1);
    });

    test('has no doubt about a request of which nothing was sent', async () => {
      const ledger = await create(2);
      await ledger.settle(await admitted(ledger, 0), 'unsent', 10_000);
      await admitted(ledger, 10_000);
      await expectFreeFrom(ledger, 10_000 + WINDOW_MS + driftMs + 1);
    });
  },
);

describe.each(LEDGER_WORLDS)('the ledger %s', (_, begin) => {
  let world: LedgerWorld;
  beforeAll(async () => {
    world = await begin();
  });
  afterEach(async () => world.clear());
  afterAll(async () => world.close());

  test('a doubt outlasts the process and holds for all that share the ledger', async () => {
    const first = await world.open({ budgets: budgets(2) });
    await first.settle(await admitted(first, 0), 'unanswered', 10_000);
    const second = await world.open({ budgets: budgets(2), owner: 'other' });
    const probe = await admitted(second, 20_000);
    expect(await admission(first, 20_001)).toMatchObject({ isAdmitted: false, waitMs: null });
    await first.close();
    world.signs['me'] = 'dead';
    const third = await world.open({ budgets: budgets(2), owner: 'third' });
    expect((await admission(third, 500_000)).isAdmitted).toBe(false);
    await second.settle(probe, 'answered', 500_000);
    await expectFreeFrom(third, 500_000 + WINDOW_MS + world.driftMs(WINDOW_MS) + 1);
  });

  test('a dead process leaves a doubt, and its successor sends one request at a time until something answers', async () => {
    await admitted(await world.open({ budgets: budgets(4) }), 0);
    world.signs['me'] = 'dead';
    const next = await world.open({ budgets: budgets(4), owner: 'next' });
    const probe = await admitted(next, 1_000);
    expect((await admission(next, 1_001)).isAdmitted).toBe(false);
    await next.settle(probe, 'answered', 1_100);
    await admitted(next, 1_101);
    await admitted(next, 1_101);
    expect((await admission(next, 1_102)).isAdmitted).toBe(false);
  });
});
