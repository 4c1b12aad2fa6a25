import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, describe } from 'vitest';
import { LedgerSnapshot } from '../../../src/budget/ledger-snapshot.ts';
import { LedgerStore } from '../../../src/budget/store.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lifeSignOf, monotonicMs, ownerText, thisOwner } from '../../../src/budget/process-owner.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const folder = folderOfEachTest();

function makeLedger(path: string): void {
  new LedgerStore({
    path,
    budgets: [
      { name: 'orders/list', limit: 3, statedLimit: 3, windowMs: 1_000, per: 'token', assumed: false },
    ],
    subjects: { ip: 'this-address', token: 'abc' },
    whenMissing: 'empty',
  }).close();
}

test('a ledger that is not there yet has no rows, is looked for once a second, and then has them', () => {
  const path = join(folder, 'ledger.sqlite');
  let nowMs = 1_000_000;
  const ledger = new LedgerSnapshot(path, () => nowMs);
  expect(ledger.rows()).toEqual([]);
  makeLedger(path);
  nowMs += 999;
  expect(ledger.rows()).toEqual([]);
  nowMs += 1;
  expect(ledger.rows()).toMatchObject([{ budget: 'orders/list', subject: 'abc', limit: 3 }]);
});

test('the last reading stands for a minute while the ledger can not be read', () => {
  const path = join(folder, 'ledger.sqlite');
  makeLedger(path);
  let nowMs = 1_000_000;
  const ledger = new LedgerSnapshot(path, () => nowMs);
  expect(ledger.rows()).toHaveLength(1);
  renameSync(path, `${path}.away`);
  nowMs += 60_000;
  expect(ledger.rows()).toHaveLength(1);
  nowMs += 1;
  expect(ledger.rows()).toEqual([]);
});

const me = thisOwner();

describe('an owner', () => {
  test('is alive while it runs, and doubt is for life', () => {
    expect(lifeSignOf(ownerText(me), me)).toBe('alive');
    expect(lifeSignOf(ownerText({ ...me, startTicks: null }), me)).toBe('alive');
  });

  test('is dead once its process has ended, its id is used by another, or the machine was started again', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const { pid } = child;
    await once(child, 'close');
    expect(lifeSignOf(ownerText({ ...me, pid: pid! }), me)).toBe('dead');
    expect(lifeSignOf(ownerText({ ...me, bootId: 'earlier' }), me)).toBe('dead');
    const reused = me.startTicks === null ? 'alive' : 'dead';
    expect(lifeSignOf(ownerText({ ...me, startTicks: (me.startTicks ?? 1) - 1 }), me)).toBe(reused);
  });

  test('of another container is neither', () => {
    expect(lifeSignOf(ownerText({ ...me, pidNamespace: 'pid:[1]' }), me)).toBe('foreign');
    expect(lifeSignOf('nonsense', { ...me, bootId: 'nonsense' })).toBe('foreign');
  });

  test('has a clock that does not go back', () => {
    const before = monotonicMs();
    expect(monotonicMs()).toBeGreaterThanOrEqual(before);
  });
});
