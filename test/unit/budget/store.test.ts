import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LEDGER_MIGRATIONS } from '../../../src/budget/ledger-file.ts';
import { readLedger } from '../../../src/budget/ledger-report.ts';
import { thisMachine, type Machine, type LifeSign } from '../../../src/budget/process-owner.ts';
import { LedgerStore, type LedgerStoreOptions } from '../../../src/budget/store.ts';
import { startNode } from '../../support/sarraf-process.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const LEDGER_PROCESS = fileURLToPath(new URL('./ledger-process.ts', import.meta.url));

const folder = folderOfEachTest();
let path = '';
const open: LedgerStore[] = [];

beforeEach(() => {
  path = join(folder, 'ledger.sqlite');
});
afterEach(() => {
  for (const store of open.splice(0)) store.close();
});

/** Makes a machine whose clocks and processes the test sets. */
function machine(state: {
  boot?: string;
  owner?: string;
  nowMs?: number;
  wallMs?: number;
  signs?: Record<string, LifeSign>;
}): Machine {
  return {
    bootId: state.boot ?? 'boot-1',
    owner: state.owner ?? 'me',
    lifeSignOf: (owner) => state.signs?.[owner] ?? 'alive',
    monotonicMs: () => state.nowMs ?? 0,
    wallMs: () => state.wallMs ?? 1_000_000,
  };
}

const budget = (limit: number, windowMs = 60_000) => ({
  name: 'orders/list',
  limit,
  windowMs,
  per: 'token' as const,
  assumed: false,
});

function openStore(options: Partial<LedgerStoreOptions> = {}): LedgerStore {
  const store = new LedgerStore({
    path,
    budgets: [budget(2)],
    subjects: { ip: 'ip', token: 'abc' },
    whenMissing: 'empty',
    machine: machine({}),
    ...options,
  });
  open.push(store);
  return store;
}

const cancel = { budget: 'orders/list', requestClass: 'cancel' } as const;
const use = { budget: 'orders/list', credential: 'with' } as const;

const readOrders = (nowMs: number) => readLedger(path, nowMs).find((row) => row.budget === 'orders/add');

function admitted(store: LedgerStore, nowMs: number) {
  const admission = store.admit(cancel, nowMs);
  if (!admission.admitted) throw new Error(`expected a slot at ${nowMs}, was ${admission.reason}`);
  return admission.slot;
}

const word = (named: number | null) => ({ named, isOwn: true });

/** Counts the requests that are admitted at a time. */
function roomOf(store: LedgerStore, nowMs: number): number {
  let count = 0;
  while (store.admit(cancel, nowMs).admitted) count += 1;
  return count;
}

describe('a limit that the exchange has lowered', () => {
  const budgets = [{ ...budget(29), statedLimit: 30 }];

  test('is forgotten by nobody who is killed right after the reply', () => {
    openStore({ budgets }).applyLimit('orders/list', word(5), 0);
    expect([...openStore({ budgets, machine: machine({ owner: 'next' }) }).namedLimits(1)]).toEqual([
      ['orders/list', 5],
    ]);
  });

  test('is written later where another process holds the file, and holds with the next admission', () => {
    const store = openStore({ budgets });
    const holder = new Database(path);
    holder.exec('BEGIN IMMEDIATE');
    expect(store.applyLimit('orders/list', word(1), 0)).toBe('lowered');
    holder.exec('ROLLBACK');
    holder.close();
    expect(roomOf(store, 10)).toBe(1);
  });
});

describe('the ledger in a file', () => {
  test('keeps the slot of an owner of which nothing can be proven for an hour', () => {
    admitted(openStore({ budgets: [budget(1)], machine: machine({ owner: 'far' }) }), 0);
    const store = openStore({ budgets: [budget(1)], machine: machine({ signs: { far: 'foreign' } }) });
    expect(store.admit(cancel, 3_600_000).admitted).toBe(false);
    expect(store.admit(cancel, 3_660_000).admitted).toBe(false);
    admitted(store, 3_660_007);
  });

  test('counts the window as full where the file was missing, and after a restart of the machine', () => {
    const missing = openStore({ whenMissing: 'full', machine: machine({ nowMs: 1_000 }) });
    expect(missing.admit(cancel, 1_000)).toEqual({ admitted: false, reason: 'full', waitMs: 180_007 });
    admitted(missing, 181_007);
    const rebooted = openStore({ machine: machine({ boot: 'boot-2', nowMs: 50 }) });
    expect(rebooted.admit(cancel, 50)).toEqual({ admitted: false, reason: 'full', waitMs: 180_007 });
    admitted(rebooted, 180_057);
  });

  test('is free a window after the first answer where the file was missing, for every subject and process', () => {
    const budgets = [
      { ...budget(2), statedLimit: 3 },
      { ...budget(2, 600_000), name: 'orders/add', statedLimit: 3 },
      { ...budget(2), name: 'v2/options', per: 'ip' as const, statedLimit: 3 },
    ];
    const fresh = { budgets, whenMissing: 'full' as const };
    const store = openStore({ ...fresh, machine: machine({ nowMs: 1_000 }) });
    expect(readOrders(1_000)).toMatchObject({ fullForMs: 720_000, isUnheard: true });
    const question = store.admit({ budget: 'v2/options', requestClass: 'account' }, 1_000);
    if (!question.admitted) throw new Error('expected a question to be admitted');
    const other = openStore({ ...fresh, machine: machine({ owner: 'other', nowMs: 1_050 }) });
    expect(other.admit({ budget: 'v2/options', requestClass: 'account' }, 1_100).admitted).toBe(false);
    store.settle(question.slot, 'answered', 1_200);
    expect(readOrders(1_200)).toMatchObject({ fullForMs: 600_000, isUnheard: false });
    expect(other.admit(cancel, 61_206).admitted).toBe(false);
    admitted(other, 61_207);
    const later = openStore({
      ...fresh,
      subjects: { ip: 'ip', token: 'xyz' },
      machine: machine({ owner: 'later' }),
    });
    expect(later.admit({ budget: 'orders/add', requestClass: 'place' }, 601_260).admitted).toBe(false);
    expect(later.admit({ budget: 'orders/add', requestClass: 'place' }, 601_261).admitted).toBe(true);
    const rebooted = openStore({ ...fresh, machine: machine({ boot: 'boot-2', nowMs: 50 }) });
    expect(rebooted.admit({ budget: 'orders/add', requestClass: 'place' }, 60).admitted).toBe(false);
    expect(readOrders(50)).toMatchObject({ fullForMs: 720_000, isUnheard: true });
  });

  test('says no within its 50 ms where another holds the file, and writes the stamp later', () => {
    const store = openStore({ budgets: [budget(1)] });
    const slot = admitted(store, 0);
    const holder = new Database(path);
    holder.exec('BEGIN IMMEDIATE');
    expect(store.admit(cancel, 10)).toEqual({ admitted: false, reason: 'locked', waitMs: 50 });
    store.settle(slot, 'answered', 20);
    holder.exec('ROLLBACK');
    holder.close();
    admitted(store, 60_027);
  });

  test('takes an answer that comes after it was closed', () => {
    const store = openStore({ budgets: [budget(1)] });
    const slot = admitted(store, 0);
    store.close();
    expect(() => store.settle(slot, 'answered', 20)).not.toThrow();
  });

  test('admits nothing once its file is gone or another one lies there', () => {
    const store = openStore();
    renameSync(path, `${path}.moved`);
    expect(store.admit(cancel, 0)).toEqual({ admitted: false, reason: 'ledger unusable', waitMs: null });
    writeFileSync(path, '');
    expect(store.admit(cancel, 0).admitted).toBe(false);
  });

  test('shows a ledger that an older version wrote, and leaves it as it is', () => {
    const old = new Database(path);
    old.pragma('journal_mode = WAL');
    old.exec(LEDGER_MIGRATIONS[0] ?? '');
    old.pragma('application_id = 0x7361726c');
    old.pragma('user_version = 1');
    old.exec(
      `INSERT INTO clock VALUES (1, 'boot-1', 0); INSERT INTO budgets VALUES ('abc', 'orders/list', 2, 60000, 0, 0, NULL)`,
    );
    old.close();
    expect(readLedger(path, 100)).toMatchObject([{ budget: 'orders/list', limit: 2, fullForMs: 179_900 }]);
    const version = new Database(path, { readonly: true });
    expect(version.pragma('user_version', { simple: true })).toBe(1);
    version.close();
    openStore().close();
    open.length = 0;
    expect(readLedger(path, 100)).toMatchObject([{ budget: 'orders/list', fullForMs: 179_900 }]);
  });

  test('refuses a damaged or foreign file and leaves it as it is', () => {
    writeFileSync(path, 'not a database, but longer than a page header would be'.repeat(40));
    const before = readFileSync(path);
    expect(() => openStore()).toThrow(/expected a ledger of sarraf at .*It was left as it is.*ledger new/s);
    expect(readFileSync(path).equals(before)).toBe(true);
    rmSync(path);
    const foreign = new Database(path);
    foreign.exec('CREATE TABLE notes (text TEXT)');
    foreign.close();
    expect(() => openStore()).toThrow('found another database');
  });

  test('keeps lockouts over restarts of the process and, by the clock on the wall, of the machine', () => {
    const store = openStore();
    const { permit: pass } = store.acquire(use, 0);
    store.report(pass!, { kind: 'limited', waitMs: 3_600_000, limit: null, isOwn: true }, 1_000);
    store.close();
    open.length = 0;
    expect(openStore().heldUntil(use, 2_000)).toBe(3_601_000);
    const rebooted = openStore({ machine: machine({ boot: 'boot-2', nowMs: 10, wallMs: 1_600_000 }) });
    expect(rebooted.heldUntil(use, 10)).toBe(3_000_010);
    const steppedBack = openStore({ machine: machine({ boot: 'boot-3', nowMs: 10, wallMs: 0 }) });
    expect(steppedBack.heldUntil(use, 10)).toBe(3_600_010);
  });
});

test('a ledger that another process writes to again and again is opened between its writes', async () => {
  openStore().close();
  open.length = 0;
  const other = startNode([
    '--input-type=module',
    '-e',
    `import Database from 'better-sqlite3';
     const database = new Database(${JSON.stringify(path)}, { timeout: 10_000 });
     const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
     for (let turn = 0; turn < 15; turn += 1) {
       database.exec('BEGIN IMMEDIATE');
       if (turn === 0) process.stdout.write('writing\\n');
       wait(100);
       database.exec('COMMIT');
       wait(5);
     }`,
  ]);
  await other.line((line) => line === 'writing');
  const store = openStore();
  // The other process holds the lock for longer than the 50 ms after which an admission is refused.
  expect(await other.finished).toMatchObject({ code: 0 });
  expect(store.admit({ budget: 'orders/list', requestClass: 'cancel' }, 0)).toMatchObject({ admitted: true });
});

test('processes that share a ledger never have more than the limit on their way', async () => {
  const limit = 20;
  openStore({ budgets: [budget(limit, 1_000)], machine: thisMachine() }).close();
  open.length = 0;
  const processes = ['1', '2'].map(() => startNode([LEDGER_PROCESS, path, String(limit), '3000']));
  const sent: number[] = [];
  for (const { finished } of processes) {
    const { code, out, error } = await finished;
    expect(code, error).toBe(0);
    sent.push(...(JSON.parse(out) as number[]));
  }
  sent.sort((left, right) => left - right);
  for (const [index, time] of sent.entries()) {
    const next = sent[index + limit];
    if (next !== undefined) expect(next - time).toBeGreaterThan(1_000);
  }
  expect(sent.length).toBeGreaterThanOrEqual(limit * 2);
  expect(existsSync(path)).toBe(true);
});
