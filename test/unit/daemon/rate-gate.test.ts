import { describe, expect, test } from 'vitest';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import { createVirtualClock, createWallClock } from '../../../src/daemon/clock.ts';
import { RateGate } from '../../../src/daemon/rate-gate.ts';
import { budgetTable } from '../../../src/exchange/budget-table.ts';

function gateOf(limit: number) {
  const clock = createVirtualClock(1_000);
  const budgets = budgetTable({ 'orders/list': { limit, windowMs: 60_000 } });
  return { clock, gate: new RateGate({ ledger: new BudgetLedger(budgets.values()), clock, budgets }) };
}

describe('the gate', () => {
  test('sends while slots are free, and says when the next one may be', async () => {
    const { clock, gate } = gateOf(2);
    expect(await gate.tryTo('ordersList', 'poll', async () => 'a')).toEqual({ sent: true, value: 'a' });
    await clock.sleepUntil(5_000);
    expect(await gate.tryTo('ordersList', 'poll', async () => 'b')).toEqual({ sent: true, value: 'b' });
    expect(await gate.tryTo('ordersList', 'poll', async () => 'c')).toEqual({ sent: false, retryAtMs: 61_001 });
  });

  test('waits for a slot where it is told to', async () => {
    const { clock, gate } = gateOf(1);
    await gate.waitTo('ordersList', 'cancel', async () => null);
    await gate.waitTo('ordersList', 'cancel', async () => null);
    expect(clock.now()).toBe(61_001);
  });

  test('keeps the slot of a request that failed', async () => {
    const { gate } = gateOf(1);
    const failing = gate.tryTo('ordersList', 'poll', () => Promise.reject(new Error('lost')));
    await expect(failing).rejects.toThrow('lost');
    expect((await gate.tryTo('ordersList', 'poll', async () => null)).sent).toBe(false);
  });

  test('tells what was sent and the most that a window saw', async () => {
    const { clock, gate } = gateOf(2);
    for (let count = 0; count < 5; count += 1) await gate.waitTo('ordersList', 'poll', async () => null);
    expect(clock.now()).toBeGreaterThan(120_000);
    expect(gate.usage()).toMatchObject([{ endpoint: 'ordersList', sent: 5, most: 2, budget: { limit: 2 } }]);
  });
});

describe('the clocks', () => {
  test('jump where time is virtual, and never back', async () => {
    const clock = createVirtualClock(1_000);
    await clock.sleepUntil(3_600_000);
    await clock.sleepUntil(2_000);
    expect(clock.now()).toBe(3_600_000);
  });

  test('run faster than the wall by their factor, and a sleep lasts until its time', async () => {
    const clock = createWallClock({ startMs: 50_000, speed: 1_000 });
    await clock.sleepUntil(55_000);
    expect(clock.now()).toBeGreaterThanOrEqual(55_000);
  });

  test('wake at a signal', async () => {
    const clock = createWallClock({ startMs: 0, speed: 1 });
    const controller = new AbortController();
    const sleep = clock.sleepUntil(3_600_000, controller.signal);
    controller.abort();
    await sleep;
    expect(clock.now()).toBeLessThan(3_600_000);
  });
});
