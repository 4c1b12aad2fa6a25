import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { admittanceOf, type Admittance, type Entry } from '../../../src/budget/admittance.ts';
import { openLedger } from '../../../src/budget/open-ledger.ts';
import { LedgerStore, type LedgerStoreOptions } from '../../../src/budget/store.ts';
import type { Budget } from '../../../src/domain/rate-limit.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const BUDGETS: readonly Budget[] = [
  { name: 'weight', limit: 100, windowMs: 60_000, per: 'ip', assumed: false, isWeighted: true },
  { name: 'orders', limit: 3, windowMs: 10_000, per: 'token', assumed: false },
];
const PLACE = {
  budget: 'orders',
  requestClass: 'place',
  credential: 'with',
  also: [{ budget: 'weight', weight: 1 }],
} as const;
const read = (weight: number) =>
  ({ budget: 'weight', requestClass: 'account', credential: 'with', weight }) as const;

const folder = folderOfEachTest();
const open: LedgerStore[] = [];
let nowMs = 0;

/** Opens the one ledger of this address for an account, as a process of its own does. */
function process(token: string, over: Partial<LedgerStoreOptions> = {}): Admittance {
  const store = new LedgerStore({
    path: join(folder, 'ledger.sqlite'),
    budgets: BUDGETS,
    subjects: { ip: 'ip', token },
    whenMissing: 'empty',
    machine: {
      bootId: 'boot',
      owner: token,
      lifeSignOf: () => 'alive',
      monotonicMs: () => nowMs,
      wallMs: () => nowMs,
    },
    ...over,
  });
  open.push(store);
  return admittanceOf(store, store);
}

function admitted(entry: Entry | Promise<Entry>): Extract<Entry, { isAdmitted: true }> {
  if (entry instanceof Promise || !entry.isAdmitted)
    throw new Error(`expected a slot: ${JSON.stringify(entry)}`);
  return entry;
}

describe('two processes of two accounts behind one address', () => {
  let one: Admittance;
  let other: Admittance;
  beforeEach(() => {
    nowMs = 0;
    one = process('account-1');
    other = process('account-2');
  });
  afterEach(() => {
    for (const store of open.splice(0)) store.close();
  });

  test('share its weights, and have an order count of their own', () => {
    const { slot } = admitted(one.enter(read(60), 0));
    one.settle(slot, 'answered', 10);
    expect(other.enter(read(50), 20)).toMatchObject({ isAdmitted: false, waitMs: 59_997 });
    for (const mine of [one, one, one, other, other, other])
      mine.settle(admitted(mine.enter(PLACE, 30)).slot, 'answered', 40);
    expect(one.enter(PLACE, 50)).toMatchObject({ isAdmitted: false });
    expect(admitted(other.enter(read(34), 60)).slot.weight).toBe(34);
    expect(other.enter(read(1), 70)).toMatchObject({ isAdmitted: false });
  });

  test('take no slot of a limit where another one is full, and get back what is not counted', () => {
    one.settle(admitted(one.enter(read(99), 0)).slot, 'answered', 10);
    const { slot } = admitted(one.enter(PLACE, 20));
    expect(one.enter(PLACE, 30)).toMatchObject({ isAdmitted: false });
    expect(one.holds(slot)).toBe(true);
    one.settle(slot, 'answered', 40, [{ budget: 'weight', used: 99, isCounted: false }]);
    for (const atMs of [50, 60])
      one.settle(admitted(one.enter(PLACE, atMs)).slot, 'answered', atMs, [
        { budget: 'weight', used: null, isCounted: false },
      ]);
    expect(one.enter(PLACE, 70)).toMatchObject({ isAdmitted: false });
    // The orders are free again ten seconds after the first reply; their window is no part of the weights'.
    expect(one.enter(PLACE, 10_043)).toMatchObject({ isAdmitted: true });
  });

  test('believe the exchange where it has counted more than they have', () => {
    one.settle(admitted(one.enter(read(10), 0)).slot, 'answered', 10, [{ budget: 'weight', used: 80 }]);
    expect(other.enter(read(21), 20)).toMatchObject({ isAdmitted: false });
    other.settle(admitted(other.enter(read(20), 20)).slot, 'answered', 30, [{ budget: 'weight', used: 12 }]);
    expect(one.enter(read(1), 40)).toMatchObject({ isAdmitted: false });
    expect(one.enter(read(100), 60_040)).toMatchObject({ isAdmitted: true });
  });

  test('keep the slots of the stored window where a guest knows a shorter one', () => {
    one.settle(admitted(one.enter(read(60), 0)).slot, 'answered', 10);
    const short = BUDGETS.map((budget) => ({ ...budget, windowMs: 1_000 }));
    const guest = process('account-1', { budgets: short, isGuest: true });
    guest.settle(admitted(guest.enter(read(10), 30_000)).slot, 'answered', 30_010, [
      { budget: 'weight', used: 5 },
    ]);
    expect(one.enter(read(31), 30_020)).toMatchObject({ isAdmitted: false });
  });

  test('stop both where the address is banned by a reply to an order, and go on with one canary', () => {
    const { slot, permit } = admitted(one.enter(PLACE, 0));
    const banned = { kind: 'limited', waitMs: 120_000, limit: null, isOwn: true, budget: 'weight' } as const;
    one.settle(slot, 'answered', 10);
    one.report(permit, banned, 10);
    for (const ask of [PLACE, read(5)])
      expect(other.enter(ask, 119_000)).toMatchObject({ isAdmitted: false, heldBy: 'locked out' });
    const canary = admitted(other.enter(PLACE, 120_010));
    expect(one.enter(read(5), 120_011)).toMatchObject({ isAdmitted: false, heldBy: 'locked out' });
    other.settle(canary.slot, 'answered', 120_050);
    other.report(canary.permit, { kind: 'answered', loggedIn: false }, 120_050);
    expect(one.enter(read(5), 120_060)).toMatchObject({ isAdmitted: true });
  });

  test('hold back only orders of the account whose order count is exceeded', () => {
    const { slot, permit } = admitted(one.enter(PLACE, 0));
    one.settle(slot, 'answered', 10);
    one.report(permit, { kind: 'limited', waitMs: 5_000, limit: null, isOwn: true }, 10);
    expect(one.enter(PLACE, 100)).toMatchObject({ isAdmitted: false, heldBy: 'locked out' });
    expect(one.enter(read(5), 100)).toMatchObject({ isAdmitted: true });
    expect(other.enter(PLACE, 100)).toMatchObject({ isAdmitted: true });
  });
});

test('a ledger in Redis is refused to a venue with weights', async () => {
  const options = { budgets: BUDGETS, subjects: { ip: 'ip', token: 'us' } };
  await expect(openLedger({ ...options, place: 'redis://127.0.0.1:1#key' } as never)).rejects.toThrow(
    'the venue counts weight by weights, and a ledger in Redis counts requests alone',
  );
});
