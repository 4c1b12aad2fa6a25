import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Slot } from '../../../src/budget/admission.ts';
import { HAS_REDIS, RedisWorld, type TestLedger } from '../../support/ledger-worlds.ts';

const WINDOW_MS = 60_000;
const budget = (limit: number) => ({
  name: 'orders/list',
  limit,
  windowMs: WINDOW_MS,
  per: 'token' as const,
  assumed: false,
});
const cancel = { budget: 'orders/list', requestClass: 'cancel', credential: 'with' } as const;
/** Time from the stamp of a slot until the slot is free again, in ms. */
const HELD_MS = WINDOW_MS + 220 + 1;
/** Time from a lost count until requests leave: cancels go until 30 s, and take 120 s at most. */
const UNKNOWN_MS = 30_000 + 120_000 + HELD_MS;

async function admitted(ledger: TestLedger, nowMs: number): Promise<Slot> {
  const entry = await ledger.enter(cancel, nowMs);
  if (!entry.isAdmitted) throw new Error(`expected a slot at ${nowMs}, found a wait of ${entry.waitMs} ms`);
  return entry.slot;
}

/** Returns how long nobody is admitted from a time on, in ms. */
const waitAt = async (ledger: TestLedger, nowMs: number) => {
  const entry = await ledger.enter(cancel, nowMs);
  return entry.isAdmitted ? 0 : entry.waitMs;
};

describe.skipIf(!HAS_REDIS)('the ledger in Redis', () => {
  let world: RedisWorld;
  const open: TestLedger[] = [];
  beforeAll(async () => {
    world = await RedisWorld.start();
  });
  afterEach(async () => {
    for (const ledger of open.splice(0)) await ledger.close();
    await world.clear();
  });
  afterAll(async () => world.close());

  async function join(owner: string, options: Partial<Parameters<RedisWorld['open']>[0]> = {}) {
    const ledger = await world.open({ budgets: [budget(2)], owner, ...options });
    open.push(ledger);
    return ledger;
  }

  test('admits in one round trip, also after another machine was admitted', async () => {
    const [one, other] = [
      await join('one', { budgets: [budget(9)] }),
      await join('other', { machine: 'far', budgets: [budget(9)] }),
    ];
    await admitted(one, 1);
    const before = world.asked;
    await admitted(other, 2);
    await admitted(one, 3);
    await admitted(other, 4);
    expect(world.asked - before).toBe(3);
  });

  test('is shared by machines whose clocks are days and years apart', async () => {
    const one = await join('one', { machine: 'one', aheadMs: 5 * 86_400_000 });
    const other = await join('other', { machine: 'other', aheadMs: -40 * 365 * 86_400_000 });
    const slot = await admitted(one, 1_000);
    await admitted(other, 1_010);
    expect((await one.enter(cancel, 1_020)).isAdmitted).toBe(false);
    await one.settle(slot, 'answered', 1_100);
    expect(await waitAt(other, 1_200)).toBe(HELD_MS - 100);
    await admitted(other, 1_100 + HELD_MS);
  });

  test('frees nothing because the clock of Redis was stepped forward, and counts every window as full then', async () => {
    const ledger = await join('one');
    for (const at of [0, 0]) await ledger.settle(await admitted(ledger, at), 'answered', 10);
    await world.step(10_000_000);
    const entry = await ledger.inner.enter(cancel, 10);
    expect(entry).toMatchObject({ isAdmitted: false });
    expect(await ledger.inner.enter(cancel, 11)).toMatchObject({ isAdmitted: false, waitMs: UNKNOWN_MS - 1 });
  });

  test('counts every window as full when the clock of Redis was stepped back', async () => {
    await world.at(1_000_000);
    const ledger = await join('one', { aheadMs: 0 });
    await admitted(ledger, 1_000_000);
    await world.step(-600_000);
    expect(await ledger.inner.enter(cancel, 1_000_000)).toMatchObject({
      isAdmitted: false,
      waitMs: UNKNOWN_MS,
    });
  });

  test('counts every window as full once Redis was emptied, for everyone', async () => {
    const [one, other] = [await join('one'), await join('other')];
    await one.settle(await admitted(one, 0), 'answered', 10);
    await world.redis.del('ledger');
    expect(await waitAt(one, 1_000)).toBe(UNKNOWN_MS);
    expect(await waitAt(other, 1_000)).toBe(UNKNOWN_MS);
    await admitted(other, 1_000 + UNKNOWN_MS);
  });

  test('counts every window as full once Redis was put back to an older state', async () => {
    const ledger = await join('one');
    const older = await world.redis.dumpBuffer('ledger');
    await admitted(ledger, 0);
    await admitted(ledger, 1);
    await world.redis.restore('ledger', 0, older, 'REPLACE');
    expect(await waitAt(ledger, 1_000)).toBe(UNKNOWN_MS);
  });

  test('counts every window as full once a count of before is put back in place of the one that is there', async () => {
    const ledger = await join('one');
    const older = await world.redis.dumpBuffer('ledger');
    await world.redis.del('ledger');
    await world.at(1_000);
    await ledger.enter(cancel, 1_000);
    await world.redis.restore('ledger', 0, older, 'REPLACE');
    expect(await waitAt(ledger, 2_000)).toBe(UNKNOWN_MS);
  });

  test('finds a step of the clock by the answer to a request that was admitted', async () => {
    const ledger = await join('one', { budgets: [budget(9)] });
    await admitted(ledger, 0);
    await world.step(5_000);
    // The step is found only by the answer to this request, which is therefore admitted.
    await admitted(ledger, 10);
    expect(await waitAt(ledger, 20)).toBe(UNKNOWN_MS);
  });

  test('goes by the clock anew where somebody else has begun a count by another time', async () => {
    await world.at(1_000_000);
    const [one, other] = [await join('one'), await join('other')];
    await world.step(-500_000);
    expect(await waitAt(one, 1_000_000)).toBe(UNKNOWN_MS);
    await world.step(0);
    // The other process's own clock shows no step, and by it the window would long be over.
    expect(await waitAt(other, 1_000_010)).toBeGreaterThan(100_000);
  });

  test('forgets an answer to a request of before, and so frees nothing by it', async () => {
    const ledger = await join('one');
    const slot = await admitted(ledger, 0);
    await world.redis.del('ledger');
    await ledger.settle(slot, 'answered', 100);
    expect(await waitAt(ledger, 200)).toBe(UNKNOWN_MS - 100);
  });

  test('credits no time that nobody can prove, but what another process of the same machine can', async () => {
    const first = await join('one', { machine: 'here' });
    for (const at of [0, 0]) await first.settle(await admitted(first, at), 'answered', 0);
    await first.settle(await admitted(first, HELD_MS), 'answered', HELD_MS);
    await first.close();
    open.length = 0;
    const laterMs = HELD_MS + 40_000;
    await world.at(laterMs);
    const here = await join('next', { machine: 'here' });
    const slot = await admitted(here, laterMs);
    await here.withdraw(slot);
    expect((await world.read())[0]?.inUse).toBe(1);
    await here.close();
    open.length = 0;
    await world.at(laterMs + 50_000);
    // For the first process on another machine the slot is as old as when the ledger was last used.
    await join('far', { machine: 'far', aheadMs: 7 });
    expect((await world.read())[0]?.inUse).toBe(1);
  });

  test('gives back a slot of which the answer was lost', async () => {
    const ledger = await join('one');
    const { client } = world.lastConnection;
    const evalsha = client.evalsha.bind(client);
    Object.assign(client, {
      evalsha: async (...of: Parameters<typeof evalsha>) => {
        await evalsha(...of);
        throw new Error('Command timed out');
      },
    });
    expect(await ledger.enter(cancel, 0)).toMatchObject({ isAdmitted: false, waitMs: 50 });
    Object.assign(client, { evalsha });
    expect((await world.read())[0]?.onTheWay).toBe(1);
    await admitted(ledger, 10);
    await admitted(ledger, 20);
    expect((await ledger.enter(cancel, 30)).isAdmitted).toBe(false);
  });

  test('keeps the slot of a machine that is silent for a quarter of an hour, and then until an answer', async () => {
    await admitted(await join('lost', { machine: 'lost', budgets: [budget(1)] }), 0);
    const ledger = await join('one', { machine: 'here', budgets: [budget(1)] });
    const quarterMs = 900_000;
    expect(await waitAt(ledger, quarterMs)).toBeNull();
    expect(await waitAt(ledger, quarterMs + 1)).not.toBe(0);
    expect((await world.read())[0]?.onTheWay).toBe(0);
    await admitted(ledger, quarterMs + 1 + 3_600_000 + HELD_MS);
  });

  test('takes at once for dead who was killed on its own machine', async () => {
    await admitted(await join('lost', { budgets: [budget(3)] }), 0);
    world.signs['lost'] = 'dead';
    const ledger = await join('one', { budgets: [budget(3)] });
    const probe = await admitted(ledger, 1_000);
    expect((await ledger.enter(cancel, 1_001)).isAdmitted).toBe(false);
    await ledger.settle(probe, 'answered', 1_100);
    await admitted(ledger, 1_101);
  });

  test('admits nothing while Redis is gone, and asks for no answer that comes too late', async () => {
    const ledger = await join('one');
    await world.server.kill();
    expect(await ledger.inner.enter(cancel, 0)).toMatchObject({ isAdmitted: false, waitMs: 50 });
    await world.server.begin();
    await world.reconnect();
    // The connection comes back without any help.
    await expect.poll(async () => waitAt(ledger, 0)).not.toBe(50);
    expect(await waitAt(ledger, 0)).toBe(UNKNOWN_MS);
  });

  describe('of which a share is leased for cancels', () => {
    const leasing = { budgets: [budget(12)], leases: ['orders/list'] };
    const market = { ...cancel, requestClass: 'market' } as const;
    /** Slots of each lease: a third of the limit of 12 is for leases, and a lease gets a quarter of that. */
    const EACH = 1;
    const QUARTER_OF_AN_HOUR_MS = 900_000;

    async function roomOf(ledger: TestLedger, nowMs: number): Promise<number> {
      let count = 0;
      while ((await ledger.enter(cancel, nowMs)).isAdmitted) count += 1;
      return count;
    }

    test('lets cancels alone leave while Redis is gone, as many in a window as are leased', async () => {
      const ledger = await join('one', leasing);
      ledger.link.isCut = true;
      expect((await ledger.enter(market, 100)).isAdmitted).toBe(false);
      const slot = await admitted(ledger, 100);
      expect(ledger.holds(slot)).toBe(true);
      expect(await waitAt(ledger, 100)).toBe(50);
      await ledger.settle(slot, 'answered', 200);
      expect(ledger.holds(slot)).toBe(false);
      expect(await waitAt(ledger, 200 + HELD_MS - 1)).toBe(50);
      await admitted(ledger, 200 + HELD_MS);
    });

    test('gives no more than the limit with all leases, and no more than a third to leases', async () => {
      const ledgers: Awaited<ReturnType<typeof join>>[] = [];
      for (const name of ['a', 'b', 'c', 'd', 'e']) ledgers.push(await join(name, leasing));
      const [first] = ledgers;
      // The ledger counts four leases as taken; the slots of its own lease are free to the first process.
      expect(await roomOf(first as TestLedger, 10)).toBe(12 - 4 * EACH + EACH);
      for (const { link } of ledgers) link.isCut = true;
      const rest: number[] = [];
      for (const ledger of ledgers) rest.push(await roomOf(ledger, 20));
      expect(rest).toEqual([0, EACH, EACH, EACH, 0]);
    });

    test('counts the lease of who was killed for a quarter of an hour, and until nothing can arrive', async () => {
      const lost = await join('lost', leasing);
      lost.link.isCut = true;
      await admitted(lost, 0);
      lost.abandon();
      world.signs['lost'] = 'dead';
      const ledger = await join('one', leasing);
      const slots = await Promise.all(Array.from({ length: 12 - EACH }, async () => admitted(ledger, 1_000)));
      expect((await ledger.enter(cancel, 1_000)).isAdmitted).toBe(false);
      for (const slot of slots) await ledger.settle(slot, 'answered', 1_100);
      const answered = async (atMs: number): Promise<void> =>
        ledger.settle(await admitted(ledger, atMs), 'answered', atMs + 100);
      await answered(QUARTER_OF_AN_HOUR_MS + 1);
      await answered(QUARTER_OF_AN_HOUR_MS + 120_002);
      expect(await roomOf(ledger, QUARTER_OF_AN_HOUR_MS + 120_102 + 5_000 + HELD_MS)).toBe(12);
    });

    test('has none once it was not written for so long that others may end it, and not after a sleep', async () => {
      const ledger = await join('one', leasing);
      ledger.link.isCut = true;
      const slot = await admitted(ledger, 100);
      await ledger.withdraw(slot);
      await admitted(ledger, QUARTER_OF_AN_HOUR_MS - 91_000);
      expect(await waitAt(ledger, QUARTER_OF_AN_HOUR_MS - 89_000)).toBe(50);
      const sleeper = await join('sleeper', leasing);
      sleeper.link.isCut = true;
      world.sleptMs = QUARTER_OF_AN_HOUR_MS;
      expect(await waitAt(sleeper, QUARTER_OF_AN_HOUR_MS)).toBe(50);
    });

    test('leaves room for leases that a Redis has lost, for as long as they may be used', async () => {
      const ledger = await join('one', leasing);
      await world.redis.del('ledger');
      expect(await waitAt(ledger, 1_000)).toBe(0);
      expect(await waitAt(ledger, 1_000)).toBe(UNKNOWN_MS);
      const freeMs = 1_000 + UNKNOWN_MS;
      expect(await roomOf(ledger, freeMs)).toBe(12 - 4);
      const later = await join('later', leasing);
      expect(await roomOf(later, freeMs + 1)).toBe(0);
    });

    test('is given to nobody while those that a Redis has lost may be used', async () => {
      const ledger = await join('one', leasing);
      await world.redis.del('ledger');
      await waitAt(ledger, 1_000);
      const later = await join('later', leasing);
      for (const [atMs, isGiven] of [
        [UNKNOWN_MS, false],
        [2 * QUARTER_OF_AN_HOUR_MS, true],
      ] as const) {
        await world.at(atMs + 2_000);
        await later.inner.beat();
        later.link.isCut = true;
        expect((await later.enter(cancel, atMs + 2_000)).isAdmitted).toBe(isGiven);
        later.link.isCut = false;
      }
    });

    test('is given back by who ends, and is free a window later', async () => {
      const ledger = await join('one', leasing);
      await world.at(50);
      await ledger.close();
      open.splice(open.indexOf(ledger), 1);
      const next = await join('next', { budgets: leasing.budgets });
      expect(await roomOf(next, 60)).toBe(12 - EACH);
      expect(await roomOf(next, 50 + HELD_MS)).toBe(EACH);
    });

    test('lets no cancel leave in a lockout, and keeps to a limit that the exchange has lowered', async () => {
      const ledger = await join('one', { budgets: [budget(48)], leases: ['orders/list'] });
      ledger.link.isCut = true;
      await ledger.applyLimit('orders/list', { named: 24, isOwn: true }, 10);
      expect(await roomOf(ledger, 20)).toBe(2);
      const pass = { ask: cancel, isCanary: false, isProbe: false };
      await ledger.report(pass, { kind: 'limited', waitMs: 90_000, limit: null, isOwn: true }, 30);
      expect(await roomOf(ledger, 30 + HELD_MS - 1_000)).toBe(0);
    });
  });

  test('refuses a field that is none of a ledger', async () => {
    const ledger = await join('one');
    await world.redis.hset('ledger', 'slots:abc:orders/list', 'nonsense');
    await world.redis.hset(
      'ledger',
      'head',
      (await world.redis.hget('ledger', 'head'))?.replace(/"stable":\d+/, '"stable":99') ?? '',
    );
    expect(await ledger.enter(cancel, 1)).toMatchObject({ isAdmitted: false });
    await expect(world.read()).rejects.toThrow('found something else in its field slots:abc:orders/list');
    await expect(join('next')).rejects.toThrow('expected a ledger of sarraf in Redis');
  });
});
