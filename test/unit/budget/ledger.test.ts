import { describe, expect, test } from 'vitest';
import type { Slot } from '../../../src/budget/admission.ts';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import type { RequestClass } from '../../../src/domain/rate-limit.ts';

const budget = (limit: number, windowMs = 60_000) => ({
  name: 'orders/list',
  limit,
  windowMs,
  hasReserve: true,
});

function admitted(ledger: BudgetLedger, nowMs: number, requestClass: RequestClass = 'cancel'): Slot {
  const admission = ledger.admit({ budget: 'orders/list', requestClass }, nowMs);
  if (!admission.admitted)
    throw new Error(`expected a slot at ${nowMs}, found a wait of ${admission.waitMs}`);
  return admission.slot;
}

const ask = (weight: number) => ({ budget: 'orders/list', requestClass: 'cancel', weight }) as const;

const take = (ledger: BudgetLedger, weight: number, nowMs: number): Slot => {
  const admission = ledger.admit(ask(weight), nowMs);
  if (!admission.admitted) throw new Error(`expected ${weight} units at ${nowMs}`);
  return admission.slot;
};

describe('the ledger', () => {
  test('gives as many slots as the limit, and the next one a window after the first reply', () => {
    const ledger = new BudgetLedger([budget(2)]);
    ledger.settle(admitted(ledger, 0), 'answered', 100);
    ledger.settle(admitted(ledger, 50), 'answered', 60);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 1_000)).toEqual({
      admitted: false,
      reason: 'full',
      waitMs: 59_061,
    });
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 60_060).admitted).toBe(false);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 60_061).admitted).toBe(true);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 60_062)).toEqual({
      admitted: false,
      reason: 'full',
      waitMs: 39,
    });
  });

  test('says how many of how many slots are occupied', () => {
    const ledger = new BudgetLedger([budget(2)]);
    ledger.settle(admitted(ledger, 0), 'answered', 100);
    const inUse = (nowMs: number) => ledger.inUse(nowMs);
    expect(inUse(60_100)).toEqual([{ budget: 'orders/list', inUse: 1, limit: 2 }]);
    expect(inUse(60_101)).toEqual([{ budget: 'orders/list', inUse: 0, limit: 2 }]);
  });

  test('keeps the slot of a request without a reply for as long as it takes', () => {
    const ledger = new BudgetLedger([budget(1)]);
    const slot = admitted(ledger, 0);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 10_000_000)).toEqual({
      admitted: false,
      reason: 'full',
      waitMs: null,
    });
    ledger.settle(slot, 'answered', 10_000_000);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 10_060_000).admitted).toBe(false);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 10_060_001).admitted).toBe(true);
  });

  test('has each slot free again on time, whatever was looked at before and however late another was stamped', () => {
    const ledger = new BudgetLedger([budget(3)]);
    const late = admitted(ledger, 0);
    ledger.settle(admitted(ledger, 10), 'answered', 20);
    const last = admitted(ledger, 50_000);
    ledger.settle(late, 'answered', 30_000);
    ledger.settle(last, 'answered', 50_010);
    const isFree = (nowMs: number): boolean => {
      const admission = ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, nowMs);
      return admission.admitted;
    };
    expect([60_020, 60_021, 90_000, 90_001, 110_010, 110_011].map(isFree)).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test('counts from the first stamp of a reply, not from a second one', () => {
    const ledger = new BudgetLedger([budget(1)]);
    const slot = admitted(ledger, 0);
    ledger.settle(slot, 'answered', 10);
    ledger.settle(slot, 'answered', 50_000);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 60_011).admitted).toBe(true);
  });

  test('keeps a tenth of the slots for cancels', () => {
    const ledger = new BudgetLedger([budget(20)]);
    for (let count = 0; count < 18; count += 1) admitted(ledger, 0, count % 2 === 0 ? 'market' : 'place');
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'market' }, 0).admitted).toBe(false);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'place' }, 0).admitted).toBe(false);
    admitted(ledger, 0);
    admitted(ledger, 0);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 0).admitted).toBe(false);
    expect(ledger.usage()).toEqual([{ budget: budget(20), most: 20 }]);
  });

  test('counts each budget apart, and gives an unknown one nothing', () => {
    const ledger = new BudgetLedger([budget(1), { name: 'other', limit: 1, windowMs: 1_000 }]);
    admitted(ledger, 0);
    expect(ledger.admit({ budget: 'other', requestClass: 'market' }, 0).admitted).toBe(true);
    expect(ledger.admit({ budget: 'third', requestClass: 'market' }, 0)).toEqual({
      admitted: false,
      reason: 'unknown budget',
      waitMs: null,
    });
  });

  test('gives back the slot of a request that was never sent, and no other', () => {
    const ledger = new BudgetLedger([budget(1)]);
    const slot = admitted(ledger, 0);
    ledger.withdraw(slot);
    const sent = admitted(ledger, 1);
    ledger.settle(sent, 'answered', 2);
    ledger.withdraw(sent);
    ledger.withdraw(slot);
    expect(ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, 3).admitted).toBe(false);
  });

  test('keeps what a dead owner left until an answer shows that nothing of it can arrive any more, and the slots of others', () => {
    const ledger = new BudgetLedger([budget(3)]);
    const ask = { budget: 'orders/list', requestClass: 'cancel' } as const;
    ledger.admit({ ...ask, owner: 'dead' }, 0);
    ledger.admit({ ...ask, owner: 'stopped' }, 0);
    ledger.bury('dead', 10_000);
    expect(ledger.admit(ask, 110_000)).toMatchObject({ admitted: false, waitMs: null });
    ledger.settle(admitted(ledger, 130_000), 'answered', 130_100);
    expect(ledger.admit(ask, 190_100).admitted).toBe(false);
    admitted(ledger, 190_101);
    expect(ledger.admit(ask, 195_100).admitted).toBe(false);
    admitted(ledger, 195_101);
    expect(ledger.admit(ask, 900_000)).toEqual({ admitted: false, reason: 'full', waitMs: null });
  });

  test('asks one request of each budget while nothing is known, and is free a window after the first answer', () => {
    const add = { ...budget(5), name: 'orders/add', windowMs: 600_000, statedLimit: 6 };
    const ledger = new BudgetLedger([{ ...budget(5), statedLimit: 6 }, add], { fullSinceMs: 1_000 });
    const ask = { budget: 'orders/list', requestClass: 'account' } as const;
    const question = ledger.admit(ask, 1_000);
    if (!question.admitted) throw new Error('expected a question to be admitted');
    expect(ledger.admit(ask, 1_001)).toEqual({ admitted: false, reason: 'full', waitMs: 60_001 });
    expect(ledger.admit({ budget: 'orders/add', requestClass: 'place' }, 1_001).admitted).toBe(false);
    ledger.settle(question.slot, 'answered', 1_200);
    expect(ledger.admit(ask, 1_300)).toEqual({ admitted: false, reason: 'full', waitMs: 59_901 });
    expect(ledger.admit(ask, 61_200).admitted).toBe(false);
    expect(ledger.admit(ask, 61_201).admitted).toBe(true);
    expect(ledger.admit({ budget: 'orders/add', requestClass: 'place' }, 601_200).admitted).toBe(false);
    expect(ledger.admit({ budget: 'orders/add', requestClass: 'place' }, 601_201).admitted).toBe(true);
  });

  test('waits for what may still arrive where its question is not answered, and asks again where it never left', () => {
    const ask = { budget: 'orders/list', requestClass: 'account' } as const;
    const ledger = new BudgetLedger([{ ...budget(5), statedLimit: 6 }], { fullSinceMs: 0 });
    const unsent = ledger.admit(ask, 0);
    if (unsent.admitted) ledger.settle(unsent.slot, 'unsent', 10);
    const lost = ledger.admit(ask, 20);
    if (lost.admitted) ledger.settle(lost.slot, 'unanswered', 30_000);
    expect([unsent.admitted, lost.admitted]).toEqual([true, true]);
    expect(ledger.admit(ask, 31_000).admitted).toBe(false);
    expect(ledger.admit(ask, 180_000).admitted).toBe(false);
    expect(ledger.admit(ask, 180_001).admitted).toBe(true);
  });

  test('counts a window of which nothing is known as full', () => {
    const ledger = new BudgetLedger([budget(5)], { fullSinceMs: 1_000 });
    const ask = { budget: 'orders/list', requestClass: 'cancel' } as const;
    expect(ledger.admit(ask, 1_000)).toEqual({ admitted: false, reason: 'full', waitMs: 180_001 });
    expect(ledger.admit(ask, 181_001).admitted).toBe(true);
  });

  test('keeps no reserve where no cancel goes, and the one that is asked for', () => {
    const free = new BudgetLedger([{ name: 'orders/add', limit: 20, windowMs: 60_000 }]);
    const place = { budget: 'orders/add', requestClass: 'place' } as const;
    for (let count = 0; count < 20; count += 1) expect(free.admit(place, 0).admitted).toBe(true);
    const asked = new BudgetLedger([{ name: 'orders/add', limit: 2, windowMs: 60_000, reserve: 2 }]);
    expect(asked.admit(place, 0)).toEqual({ admitted: false, reason: 'full', waitMs: null });
  });

  test('wastes little: replies within a hundredth of the window leave 98 of 100 requests a window', () => {
    const limit = 100;
    const ledger = new BudgetLedger([budget(limit)]);
    const underWay: { slot: Slot; endsAtMs: number }[] = [];
    let sent = 0;
    for (let nowMs = 0; nowMs < 600_000; nowMs += 10) {
      for (const trip of underWay.splice(0)) {
        if (trip.endsAtMs <= nowMs) ledger.settle(trip.slot, 'answered', trip.endsAtMs);
        else underWay.push(trip);
      }
      for (;;) {
        const admission = ledger.admit({ budget: 'orders/list', requestClass: 'cancel' }, nowMs);
        if (!admission.admitted) break;
        sent += 1;
        underWay.push({ slot: admission.slot, endsAtMs: nowMs + 590 });
      }
    }
    expect(sent / 10).toBeGreaterThanOrEqual(limit * 0.98);
  });

  describe('with weights', () => {
    test('gives as many units as the limit, and waits for as many as a request needs', () => {
      const ledger = new BudgetLedger([budget(10)]);
      ledger.settle(take(ledger, 3, 0), 'answered', 100);
      ledger.settle(take(ledger, 3, 1_000), 'answered', 1_100);
      ledger.settle(take(ledger, 4, 2_000), 'answered', 2_100);
      expect([1, 3, 4, 6, 7, 10, 11].map((weight) => ledger.admit(ask(weight), 3_000))).toMatchObject(
        [57_101, 57_101, 58_101, 58_101, 59_101, 59_101, null].map((waitMs) => ({ waitMs })),
      );
      expect(ledger.admit(ask(4), 60_101).admitted).toBe(false);
      expect(ledger.admit(ask(3), 60_101).admitted).toBe(true);
    });

    test('counts what others have taken by the exchange, and only from then on', () => {
      const ledger = new BudgetLedger([budget(10)]);
      ledger.settle(take(ledger, 2, 0), 'answered', 100, 7);
      expect(ledger.inUse(100)).toMatchObject([{ inUse: 7 }]);
      expect(ledger.admit(ask(4), 200)).toMatchObject({ admitted: false, waitMs: 59_901 });
      ledger.settle(take(ledger, 2, 300), 'answered', 400, 4);
      expect(ledger.inUse(400)).toMatchObject([{ inUse: 9 }]);
      expect(ledger.inUse(60_101)).toMatchObject([{ inUse: 2 }]);
    });

    test('gives back at once what the exchange does not count', () => {
      const ledger = new BudgetLedger([budget(10)]);
      ledger.settle(take(ledger, 10, 0), 'uncounted', 100);
      expect(ledger.admit(ask(10), 100).admitted).toBe(true);
    });

    test('asks of an unknown window only within the headroom', () => {
      const ledger = new BudgetLedger([{ ...budget(10), statedLimit: 14 }], { fullSinceMs: 0 });
      expect(ledger.admit(ask(5), 10).admitted).toBe(false);
      expect(ledger.admit(ask(4), 20).admitted).toBe(true);
    });
  });
});
