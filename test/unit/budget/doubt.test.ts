import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RequestLedger, Slot } from '../../../src/budget/admission.ts';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import type { Machine } from '../../../src/budget/machine.ts';
import { LedgerStore } from '../../../src/budget/store.ts';

const WINDOW_MS = 60_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

let folder = '';
const open: LedgerStore[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-doubt-'));
});
afterEach(() => {
  for (const store of open.splice(0)) store.close();
  rmSync(folder, { recursive: true });
});

const budgets = (limit: number) =>
  ['orders/list', 'wallets'].map((name) => ({
    name,
    limit,
    windowMs: WINDOW_MS,
    per: 'token' as const,
    assumed: false,
    reserve: 0,
  }));

function openStore(limit: number, owner = 'me', deadOwners: readonly string[] = []): LedgerStore {
  const machine: Machine = {
    bootId: 'boot',
    owner,
    lifeSignOf: (other) => (deadOwners.includes(other) ? 'dead' : 'alive'),
    monotonicMs: () => 0,
    wallMs: () => 0,
  };
  const path = join(folder, 'ledger.sqlite');
  const subjects = { ip: 'ip', token: 'abc' };
  const store = new LedgerStore({ path, budgets: budgets(limit), subjects, whenMissing: 'empty', machine });
  open.push(store);
  return store;
}

function admission(ledger: RequestLedger, nowMs: number, budget = 'orders/list') {
  return ledger.admit({ budget, requestClass: 'market' }, nowMs);
}

function admitted(ledger: RequestLedger, nowMs: number, budget = 'orders/list'): Slot {
  const given = admission(ledger, nowMs, budget);
  if (!given.admitted) throw new Error(`expected a slot at ${nowMs}, found a wait of ${given.waitMs} ms`);
  return given.slot;
}

/** Holds that there is a slot from this time on, and none the ms before. */
function expectFreeFrom(ledger: RequestLedger, fromMs: number): void {
  expect(admission(ledger, fromMs - 1).admitted).toBe(false);
  ledger.withdraw(admitted(ledger, fromMs));
}

describe.each([
  ['of one process', (limit: number): RequestLedger => new BudgetLedger(budgets(limit)), 0],
  ['in a file', (limit: number): RequestLedger => openStore(limit), 6],
] as const)('the ledger %s, where a request ended without an answer,', (_, create, driftMs) => {
  test('lets one request at a time go while nothing answers, each after a longer pause', () => {
    const ledger = create(12);
    ledger.settle(admitted(ledger, 0), 'unanswered', 10_000);
    let endMs = 10_000;
    const pauses: number[] = [];
    for (let probe = 0; probe < 9; probe += 1) {
      let nowMs = endMs;
      const wait = admission(ledger, nowMs);
      if (!wait.admitted) nowMs += wait.waitMs ?? 0;
      else ledger.withdraw(wait.slot);
      pauses.push(nowMs - endMs);
      const slot = admitted(ledger, nowMs);
      expect(admission(ledger, nowMs + 1)).toEqual({ admitted: false, reason: 'full', waitMs: null });
      endMs = nowMs + 10_000;
      ledger.settle(slot, 'unanswered', endMs);
    }
    expect(pauses.map((pauseMs) => pauseMs / SECOND_MS)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128]);
  });

  test('lets several go at once again after the first answer', () => {
    const ledger = create(12);
    ledger.settle(admitted(ledger, 0), 'unanswered', 10_000);
    const probe = admitted(ledger, 10_000);
    expect(admission(ledger, 10_001).admitted).toBe(false);
    ledger.settle(probe, 'answered', 10_100);
    for (let count = 0; count < 10; count += 1) admitted(ledger, 10_101);
    expect(admission(ledger, 10_102).admitted).toBe(false);
  });

  test('keeps its slot however long the exchange stands still, until a window after an answer to a later request', () => {
    const ledger = create(3);
    const lost = [admitted(ledger, 0), admitted(ledger, 0)];
    for (const slot of lost) ledger.settle(slot, 'unanswered', 10_000);
    const probe = admitted(ledger, 230_000);
    expect(admission(ledger, 230_000).admitted).toBe(false);
    ledger.settle(probe, 'answered', 231_000);
    // The probe's own slot is free a window after its answer, those of the others a little later, since all
    // may have been handled together.
    expectFreeFrom(ledger, 231_000 + WINDOW_MS + driftMs + 1);
    admitted(ledger, 231_000 + WINDOW_MS + driftMs + 1);
    expectFreeFrom(ledger, 231_000 + 5_000 + WINDOW_MS + driftMs + 1);
  });

  test('takes no answer for a proof that came to a request which was sent while it may have been on its way', () => {
    const ledger = create(2);
    ledger.settle(admitted(ledger, 0), 'unanswered', 10_000);
    ledger.settle(admitted(ledger, 129_999), 'answered', 130_100);
    admitted(ledger, 200_000);
    expect(admission(ledger, 1_000_000).admitted).toBe(false);
  });

  test('takes an answer of another budget for a proof after a quarter of an hour', () => {
    const ledger = create(1);
    ledger.settle(admitted(ledger, 0), 'unanswered', 10_000);
    ledger.settle(
      admitted(ledger, 10_000 + 15 * MINUTE_MS - 1, 'wallets'),
      'answered',
      15 * MINUTE_MS + 10_100,
    );
    expect(admission(ledger, 20 * MINUTE_MS).admitted).toBe(false);
    ledger.settle(admitted(ledger, 20 * MINUTE_MS, 'wallets'), 'answered', 20 * MINUTE_MS);
    expectFreeFrom(ledger, 21 * MINUTE_MS + 5_000 + driftMs + 1);
  });

  test('gives its slot back an hour and a window later where nothing ever answers', () => {
    const ledger = create(1);
    ledger.settle(admitted(ledger, 0), 'unanswered', 10_000);
    expectFreeFrom(ledger, 10_000 + 61 * MINUTE_MS + driftMs + 1);
  });

  test('has no doubt about a request of which nothing was sent', () => {
    const ledger = create(2);
    ledger.settle(admitted(ledger, 0), 'unsent', 10_000);
    admitted(ledger, 10_000);
    expectFreeFrom(ledger, 10_000 + WINDOW_MS + driftMs + 1);
  });
});

test('a doubt outlasts the process and holds for all that share the file', () => {
  const first = openStore(2);
  first.settle(admitted(first, 0), 'unanswered', 10_000);
  const second = openStore(2, 'other');
  const probe = admitted(second, 20_000);
  expect(admission(first, 20_001)).toMatchObject({ admitted: false, waitMs: null });
  first.close();
  const third = openStore(2, 'third', ['me']);
  expect(admission(third, 500_000).admitted).toBe(false);
  second.settle(probe, 'answered', 500_000);
  expectFreeFrom(third, 500_000 + WINDOW_MS + 7);
});

test('a dead process leaves a doubt, and its successor sends one request at a time until something answers', () => {
  admitted(openStore(4), 0);
  const next = openStore(4, 'next', ['me']);
  const probe = admitted(next, 1_000);
  expect(admission(next, 1_001).admitted).toBe(false);
  next.settle(probe, 'answered', 1_100);
  admitted(next, 1_101);
  admitted(next, 1_101);
  expect(admission(next, 1_102).admitted).toBe(false);
});
