import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BudgetLedger, type RequestClass, type Slot } from '../../../src/budget/ledger.ts';

const budget = (limit: number, windowMs = 60_000) => ({ name: 'orders/add', limit, windowMs });

function admitted(ledger: BudgetLedger, nowMs: number, requestClass: RequestClass = 'cancel'): Slot {
  const admission = ledger.admit('orders/add', requestClass, nowMs);
  if (!admission.admitted) throw new Error(`expected a slot at ${nowMs}, was told to wait ${admission.waitMs}`);
  return admission.slot;
}

/** The most of `times` that lie in any window, both its ends included. */
function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  let first = 0;
  let most = 0;
  for (const [index, time] of sorted.entries()) {
    while ((sorted[first] ?? time) < time - windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

describe('the ledger', () => {
  test('gives as many slots as the limit, and the next one a window after the first reply', () => {
    const ledger = new BudgetLedger([budget(2)]);
    ledger.settle(admitted(ledger, 0), 100);
    ledger.settle(admitted(ledger, 50), 60);
    expect(ledger.admit('orders/add', 'cancel', 1_000)).toEqual({ admitted: false, waitMs: 59_061 });
    expect(ledger.admit('orders/add', 'cancel', 60_060).admitted).toBe(false);
    expect(ledger.admit('orders/add', 'cancel', 60_061).admitted).toBe(true);
    expect(ledger.admit('orders/add', 'cancel', 60_062)).toEqual({ admitted: false, waitMs: 39 });
  });

  test('keeps the slot of a request without a reply for as long as it takes', () => {
    const ledger = new BudgetLedger([budget(1)]);
    const slot = admitted(ledger, 0);
    expect(ledger.admit('orders/add', 'cancel', 10_000_000)).toEqual({ admitted: false, waitMs: null });
    ledger.settle(slot, 10_000_000);
    expect(ledger.admit('orders/add', 'cancel', 10_060_000).admitted).toBe(false);
    expect(ledger.admit('orders/add', 'cancel', 10_060_001).admitted).toBe(true);
  });

  test('counts from the first stamp of a reply, not from a second one', () => {
    const ledger = new BudgetLedger([budget(1)]);
    const slot = admitted(ledger, 0);
    ledger.settle(slot, 10);
    ledger.settle(slot, 50_000);
    expect(ledger.admit('orders/add', 'cancel', 60_011).admitted).toBe(true);
  });

  test('keeps a tenth of the slots for cancels', () => {
    const ledger = new BudgetLedger([budget(20)]);
    for (let count = 0; count < 18; count += 1) admitted(ledger, 0, count % 2 === 0 ? 'poll' : 'trade');
    expect(ledger.admit('orders/add', 'poll', 0).admitted).toBe(false);
    expect(ledger.admit('orders/add', 'trade', 0).admitted).toBe(false);
    admitted(ledger, 0);
    admitted(ledger, 0);
    expect(ledger.admit('orders/add', 'cancel', 0).admitted).toBe(false);
    expect(ledger.usage()).toEqual([{ budget: budget(20), most: 20 }]);
  });

  test('counts each budget apart, and gives an unknown one nothing', () => {
    const ledger = new BudgetLedger([budget(1), { name: 'other', limit: 1, windowMs: 1_000 }]);
    admitted(ledger, 0);
    expect(ledger.admit('other', 'poll', 0).admitted).toBe(true);
    expect(ledger.admit('third', 'poll', 0)).toEqual({ admitted: false, waitMs: null });
  });

  test('never lets the exchange count more than the limit in any window, wherever between sending and reply it counts', () => {
    const calls = fc.array(
      fc.record({
        gapMs: fc.oneof(fc.constant(0), fc.constant(1), fc.nat(300), fc.nat(3_000)),
        tripMs: fc.oneof(fc.constant(0), fc.nat(100), fc.nat(5_000)),
        /** Where in its trip the request is counted. */
        countedAt: fc.double({ min: 0, max: 1, noNaN: true }),
        requestClass: fc.constantFrom<RequestClass>('cancel', 'trade', 'poll'),
      }),
      { minLength: 50, maxLength: 300 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), calls, (limit, trips) => {
        const windowMs = 1_000;
        const ledger = new BudgetLedger([budget(limit, windowMs)]);
        const underWay: { slot: Slot; endsAtMs: number }[] = [];
        const counted: number[] = [];
        let nowMs = 0;
        for (const { gapMs, tripMs, countedAt, requestClass } of trips) {
          nowMs += gapMs;
          for (const trip of underWay) if (trip.endsAtMs <= nowMs) ledger.settle(trip.slot, trip.endsAtMs);
          const admission = ledger.admit('orders/add', requestClass, nowMs);
          if (!admission.admitted) continue;
          counted.push(nowMs + Math.floor(tripMs * countedAt));
          underWay.push({ slot: admission.slot, endsAtMs: nowMs + tripMs });
        }
        expect(mostWithin(counted, windowMs)).toBeLessThanOrEqual(limit);
        expect(ledger.usage()[0]?.most).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 300 },
    );
  });

  test('wastes little: replies within a hundredth of the window leave 98 of 100 requests a window', () => {
    const limit = 100;
    const ledger = new BudgetLedger([budget(limit)]);
    const underWay: { slot: Slot; endsAtMs: number }[] = [];
    let sent = 0;
    for (let nowMs = 0; nowMs < 600_000; nowMs += 10) {
      for (const trip of underWay.splice(0)) {
        if (trip.endsAtMs <= nowMs) ledger.settle(trip.slot, trip.endsAtMs);
        else underWay.push(trip);
      }
      for (;;) {
        const admission = ledger.admit('orders/add', 'cancel', nowMs);
        if (!admission.admitted) break;
        sent += 1;
        underWay.push({ slot: admission.slot, endsAtMs: nowMs + 590 });
      }
    }
    expect(sent / 10).toBeGreaterThanOrEqual(limit * 0.98);
  });
});
