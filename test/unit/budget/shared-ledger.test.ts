import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Slot } from '../../../src/budget/admission.ts';
import { LEDGER_WORLDS, type LedgerWorld, type TestLedger } from '../../support/ledger-worlds.ts';

const budget = (limit: number, windowMs = 60_000) => ({
  name: 'orders/list',
  limit,
  windowMs,
  per: 'token' as const,
  assumed: false,
});

const cancel = { budget: 'orders/list', requestClass: 'cancel', credential: 'with' } as const;
const use = { budget: 'orders/list', credential: 'with' } as const;
const place = { budget: 'orders/add', requestClass: 'place', credential: 'with' } as const;
const word = (named: number | null) => ({ named, isOwn: true });
const limited = (waitMs: number) => ({ kind: 'limited', waitMs, limit: null, isOwn: true }) as const;
const DAY_MS = 86_400_000;

const admission = async (ledger: TestLedger, nowMs: number) => ledger.enter(cancel, nowMs);

async function admitted(ledger: TestLedger, nowMs: number): Promise<Slot> {
  const entry = await admission(ledger, nowMs);
  if (!entry.isAdmitted) throw new Error(`expected a slot at ${nowMs}, found a wait of ${entry.waitMs} ms`);
  return entry.slot;
}

/** Counts the requests that are admitted at a time. */
async function roomOf(ledger: TestLedger, nowMs: number): Promise<number> {
  let count = 0;
  while ((await admission(ledger, nowMs)).isAdmitted) count += 1;
  return count;
}

describe.each(LEDGER_WORLDS)('the ledger %s', (_, begin) => {
  let world: LedgerWorld;
  beforeAll(async () => {
    world = await begin();
  });
  afterEach(async () => world.clear());
  afterAll(async () => world.close());

  const openFor = async (owner: string, budgets = [budget(2)]): Promise<TestLedger> =>
    world.open({ budgets, owner });

  const rowOf = async (name: string) => (await world.read()).find((row) => row.budget === name);

  test('gives as many slots as the limit over all that have it open, and one back a window after its stamp', async () => {
    const [one, other] = [await openFor('one'), await openFor('other')];
    const slot = await admitted(one, 0);
    await admitted(other, 10);
    expect(await admission(one, 20)).toEqual({
      isAdmitted: false,
      waitMs: null,
      heldBy: null,
      isUnusable: false,
    });
    await one.settle(slot, 'answered', 100);
    const freeMs = 100 + 60_000 + world.driftMs(60_000) + 1;
    expect(await admission(other, freeMs - 1)).toMatchObject({ isAdmitted: false, waitMs: 1 });
    await admitted(other, freeMs);
  });

  test('holds a slot until it ends or is given back, and none of another run of the clock', async () => {
    const ledger = await openFor('one', [budget(4)]);
    const [sent, unsent, lost] = [
      await admitted(ledger, 0),
      await admitted(ledger, 0),
      await admitted(ledger, 0),
    ];
    expect([sent, unsent, lost].map((slot) => ledger.holds(slot))).toEqual([true, true, true]);
    await ledger.settle(sent, 'answered', 10);
    await ledger.withdraw(unsent);
    expect([sent, unsent, lost].map((slot) => ledger.holds(slot))).toEqual([false, false, true]);
    await world.restart();
    const next = await openFor('next', [budget(4)]);
    await admission(next, 20);
    await admission(ledger, 30);
    expect(ledger.holds(lost)).toBe(false);
  });

  test('keeps a reserve for cancels, and knows no other budget', async () => {
    const ledger = await openFor('one', [{ ...budget(2), reserve: 1 } as ReturnType<typeof budget>]);
    const market = { ...cancel, requestClass: 'market' } as const;
    expect((await ledger.enter(market, 0)).isAdmitted).toBe(true);
    expect((await ledger.enter(market, 1)).isAdmitted).toBe(false);
    expect((await ledger.enter(cancel, 2)).isAdmitted).toBe(true);
    expect(await ledger.enter({ ...cancel, budget: 'nothing' }, 3)).toMatchObject({ isAdmitted: false });
  });

  test('counts tokens apart, and gives back a slot that was not sent', async () => {
    const ledger = await openFor('one', [budget(1)]);
    const other = await world.open({ budgets: [budget(1)], token: 'xyz', owner: 'other' });
    const slot = await admitted(ledger, 0);
    await admitted(other, 0);
    await ledger.withdraw(slot);
    await admitted(ledger, 1);
  });

  test('remembers slots over a restart, and those of the dead until an answer shows that nothing can arrive any more', async () => {
    const first = await openFor('first');
    await first.settle(await admitted(first, 0), 'answered', 10);
    await admitted(first, 20);
    const second = await openFor('second');
    expect((await admission(second, 30)).isAdmitted).toBe(false);
    await admitted(second, 60_011 + world.driftMs(60_000));
    world.signs['first'] = 'dead';
    // The request of `second` is still on its way, and in doubt only one may be.
    expect(await admission(second, 100_000)).toMatchObject({ isAdmitted: false, waitMs: null });
  });

  test('counts every window as full where nothing is known, and after a restart', async () => {
    const fullMs = world.unknownMs + 60_000 + world.driftMs(60_000) + 1;
    await world.at(1_000);
    const missing = await world.open({ budgets: [budget(2)], whenMissing: 'full' });
    expect(await admission(missing, 1_000)).toMatchObject({ isAdmitted: false, waitMs: fullMs });
    await admitted(missing, 1_000 + fullMs);
    await world.restart();
    const restarted = await openFor('next');
    expect(await admission(restarted, 1_000 + fullMs)).toMatchObject({ isAdmitted: false, waitMs: fullMs });
    await admitted(restarted, 1_000 + 2 * fullMs);
  });

  test('counts a window that was made longer as full', async () => {
    const ledger = await openFor('one');
    await ledger.settle(await admitted(ledger, 0), 'answered', 0);
    await world.at(70_000);
    const longer = await openFor('next', [budget(2, 600_000)]);
    expect(await admission(longer, 70_000)).toMatchObject({
      isAdmitted: false,
      waitMs: 720_000 + world.driftMs(600_000) + 1,
    });
  });

  describe('where the exchange has lowered a limit', () => {
    const budgets = [{ ...budget(29), statedLimit: 30 }];

    test('holds for every process, over a restart of one, and shows', async () => {
      const [one, other] = [await openFor('one', budgets), await openFor('other', budgets)];
      expect(await one.applyLimit('orders/list', word(10), 0)).toBe('lowered');
      expect(await one.applyLimit('orders/list', word(10), 1)).toBeNull();
      expect(await roomOf(other, 1)).toBe(9);
      expect([...other.namedLimits(1)]).toEqual([['orders/list', 10]]);
      expect(await world.read()).toMatchObject([
        { limit: 9, ownLimit: 29, reserve: 0, lowered: { named: 10, forMs: DAY_MS } },
      ]);
      const again = await openFor('again', budgets);
      expect((await admission(again, 2)).isAdmitted).toBe(false);
    });

    test('is raised after 24 quiet hours, which each limit reply and a restart begin anew', async () => {
      const ledger = await openFor('one', budgets);
      await ledger.applyLimit('orders/list', word(10), 0);
      await ledger.applyLimit('orders/list', word(null), 1_000);
      expect(ledger.namedLimits(DAY_MS + 1_000).size).toBe(1);
      expect(ledger.namedLimits(DAY_MS + 1_001).size).toBe(0);
      expect(await roomOf(ledger, DAY_MS + 1_001)).toBe(29);
      await world.restart();
      const restarted = await openFor('next', budgets);
      expect(restarted.namedLimits(2 * DAY_MS + 1_001).size).toBe(1);
      expect(restarted.namedLimits(2 * DAY_MS + 1_002).size).toBe(0);
    });

    test('counts tokens apart', async () => {
      const ledger = await openFor('one', budgets);
      await ledger.applyLimit('orders/list', word(10), 0);
      const other = await world.open({ budgets, token: 'xyz', owner: 'other' });
      expect(other.namedLimits(1).size).toBe(0);
    });
  });

  describe('where a request was refused', () => {
    test('locks the budget out over restarts of the process and of what keeps it', async () => {
      const ledger = await openFor('one');
      const entry = await admission(ledger, 0);
      if (!entry.isAdmitted) throw new Error('expected a slot');
      await ledger.report(entry.permit, limited(3_600_000), 1_000);
      expect(ledger.heldUntil(use, 1_000)).toBe(3_601_000);
      await ledger.settle(entry.slot, 'answered', 1_000);
      await ledger.close();
      const next = await openFor('next');
      expect(await admission(next, 2_000)).toMatchObject({
        isAdmitted: false,
        heldBy: 'locked out',
        waitMs: 3_599_000,
      });
      await world.restart();
      expect((await openFor('last')).heldUntil(use, 2_000)).toBe(3_601_000);
    });

    test('lets one canary through over all that have it open, and shows the lockout', async () => {
      const [one, other] = [await openFor('one'), await openFor('other')];
      const first = await admission(one, 0);
      if (!first.isAdmitted) throw new Error('expected a slot');
      await one.report(first.permit, limited(500), 0);
      await one.settle(first.slot, 'unsent', 0);
      await world.at(100);
      expect(await rowOf('orders/list')).toMatchObject({ subject: 'abc', limit: 2, lockedForMs: 400 });
      const canary = await admission(one, 500);
      expect(canary).toMatchObject({ isAdmitted: true, permit: { isCanary: true } });
      expect(await admission(other, 501)).toMatchObject({ isAdmitted: false, heldBy: 'locked out' });
      if (!canary.isAdmitted) throw new Error('expected a canary');
      await one.report(canary.permit, { kind: 'unauthorized', canLogIn: false }, 600);
      expect(await rowOf('orders/list')).toMatchObject({ lockedForMs: null, stoppedForMs: 600_000 });
      expect(await admission(other, 601)).toMatchObject({ heldBy: 'credential refused' });
    });

    test('keeps other budgets free', async () => {
      const ledger = await openFor('one', [budget(2), { ...budget(2), name: 'orders/add' }]);
      const entry = await admission(ledger, 0);
      if (!entry.isAdmitted) throw new Error('expected a slot');
      await ledger.report(entry.permit, limited(500), 0);
      expect((await ledger.enter(place, 1)).isAdmitted).toBe(true);
    });
  });

  test('shows what is in use and on its way, by the limits of whoever opened it last', async () => {
    await openFor('one', [budget(2)]);
    expect(await rowOf('orders/list')).toMatchObject({ limit: 2, inUse: 0, reserve: 0, onTheWay: 0 });
    const ledger = await openFor('next', [budget(3)]);
    const slot = await admitted(ledger, 10);
    expect(await rowOf('orders/list')).toMatchObject({ limit: 3, inUse: 1, onTheWay: 1, fullForMs: 0 });
    await ledger.settle(slot, 'unsent', 20);
    expect(await rowOf('orders/list')).toMatchObject({ onTheWay: 0 });
  });
});
