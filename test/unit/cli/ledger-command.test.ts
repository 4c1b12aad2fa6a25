import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ledgerPath } from '../../../src/budget/ledger-file.ts';
import type { Machine } from '../../../src/budget/process-owner.ts';
import { LedgerStore } from '../../../src/budget/store.ts';
import { renewLedgerAt } from '../../../src/cli/commands/ledger.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const ADDRESS = 'https://exchange.example';
const ASK = { budget: 'orders/list', requestClass: 'market' } as const;

const folder = folderOfEachTest();
let path = '';
const open: LedgerStore[] = [];

beforeEach(() => {
  path = ledgerPath(ADDRESS, folder);
});
afterEach(() => {
  for (const store of open.splice(0)) store.close();
});

/** Makes a machine whose time the test sets. */
const machineAt = (nowMs: number, bootId = 'boot-1', wallMs = 1_000_000 + nowMs): Machine => ({
  bootId,
  owner: `${bootId} ns 1 -`,
  lifeSignOf: () => 'dead',
  monotonicMs: () => nowMs,
  wallMs: () => wallMs,
});

function openStore(machine: Machine, whenMissing: 'full' | 'empty' = 'empty'): LedgerStore {
  const budgets = [
    { name: 'orders/list', limit: 2, windowMs: 60_000, per: 'token', assumed: false } as const,
  ];
  const store = new LedgerStore({
    path,
    budgets,
    subjects: { ip: 'ip', token: 'abc' },
    whenMissing,
    machine,
  });
  open.push(store);
  return store;
}

const closeAll = (): void => {
  for (const store of open.splice(0)) store.close();
};

const asides = (): string[] => readdirSync(folder).filter((name) => name.includes('.replaced-'));

describe('renewing a ledger', () => {
  test('makes one that admits at once where nothing was known', async () => {
    openStore(machineAt(0), 'full');
    closeAll();
    const renewal = await renewLedgerAt(path, machineAt(1_000));
    expect(renewal).toMatchObject({ kind: 'made', keptAs: expect.stringContaining('.replaced-') });
    expect(openStore(machineAt(1_000), 'full').admit(ASK, 1_000)).toMatchObject({ admitted: true });
  });

  test('makes one where there was none, which counts nothing as sent', async () => {
    expect(await renewLedgerAt(path, machineAt(0))).toEqual({ kind: 'made', keptAs: null });
    expect(openStore(machineAt(0), 'full').admit(ASK, 0)).toMatchObject({ admitted: true });
    expect(asides()).toEqual([]);
  });

  test('leaves alone one that a process has open, whether it sends or not', async () => {
    openStore(machineAt(0), 'full');
    expect(await renewLedgerAt(path, machineAt(0))).toEqual({ kind: 'in use' });
    expect(openStore(machineAt(0)).admit(ASK, 0)).toMatchObject({ admitted: false, reason: 'full' });
    expect(asides()).toEqual([]);
  });

  test('leaves alone one with a request of its window, to the end of the window', async () => {
    const store = openStore(machineAt(0));
    const admission = store.admit(ASK, 0);
    if (admission.admitted) store.settle(admission.slot, 'answered', 1_000);
    closeAll();
    expect(await renewLedgerAt(path, machineAt(30_000))).toEqual({
      kind: 'counting',
      requests: 1,
      forMs: 31_008,
    });
    expect(await renewLedgerAt(path, machineAt(61_007))).toEqual({ kind: 'counting', requests: 1, forMs: 1 });
    expect(asides()).toEqual([]);
    expect(await renewLedgerAt(path, machineAt(61_008))).toMatchObject({ kind: 'made' });
  });

  test('counts a request whose end nobody wrote down for as long as it may have been on its way', async () => {
    openStore(machineAt(0)).admit(ASK, 0);
    closeAll();
    expect(await renewLedgerAt(path, machineAt(480_007))).toMatchObject({ kind: 'counting' });
    expect(await renewLedgerAt(path, machineAt(480_008))).toMatchObject({ kind: 'made' });
  });

  test('knows nothing by the times of an earlier boot', async () => {
    openStore(machineAt(50_000)).admit(ASK, 50_000);
    closeAll();
    expect(await renewLedgerAt(path, machineAt(10, 'boot-2'))).toMatchObject({ kind: 'made' });
    expect(openStore(machineAt(10, 'boot-2')).admit(ASK, 10)).toMatchObject({ admitted: true });
  });

  test.each([
    ['the same boot', machineAt(600_000), 3_600_000],
    ['the next boot, by the clock of the wall', machineAt(10, 'boot-2', 1_600_000), 3_000_010],
  ])('keeps a lockout, seen from %s', async (_, machine, untilMs) => {
    const store = openStore(machineAt(0));
    const ask = { budget: 'orders/list', credential: 'none' } as const;
    const { permit: pass } = store.acquire(ask, 0);
    if (pass !== null)
      store.report(pass, { kind: 'limited', waitMs: 3_600_000, limit: null, isOwn: true }, 0);
    closeAll();
    expect(await renewLedgerAt(path, machine)).toMatchObject({ kind: 'made' });
    expect(openStore(machine).heldUntil(ask, machine.monotonicMs())).toBe(untilMs);
  });

  test('moves what is no ledger aside, byte for byte', async () => {
    writeFileSync(path, 'not a ledger, though long enough to be looked at as one');
    const renewal = await renewLedgerAt(path, machineAt(0));
    const [aside = ''] = asides();
    expect(renewal).toEqual({ kind: 'made', keptAs: join(folder, aside) });
    expect(readFileSync(join(folder, aside), 'utf8')).toContain('not a ledger');
    expect(openStore(machineAt(0), 'full').admit(ASK, 0)).toMatchObject({ admitted: true });
  });
});

test('renewing moves no file that may be undamaged', async () => {
  mkdirSync(path);
  await expect(renewLedgerAt(path, machineAt(0))).rejects.toMatchObject({ code: 'DATA_UNUSABLE' });
  expect(asides()).toEqual([]);
});

describe('sarraf ledger', () => {
  const PLACE = (): string[] => ['--address', `${ADDRESS}/`, '--ledger-folder', folder];
  const typed = (line: string) =>
    spawnSync(process.execPath, ['bin/sarraf.js', 'ledger', 'new', ...PLACE()], {
      input: line,
      encoding: 'utf8',
    });

  test('prints the path of an address, and the same for a configuration of it', async () => {
    expect(await sarrafHere(['ledger', 'path', ...PLACE()])).toEqual({
      code: 0,
      out: `${path}\n`,
      error: '',
    });
    const config = join(folder, 'bot.yaml');
    writeFileSync(config, `mode: paper\nexchange: { baseUrl: "${ADDRESS}", ledgerFolder: . }\n`);
    const { out } = await sarrafHere(['ledger', 'path', '--json', '--config', config]);
    expect(JSON.parse(out)).toEqual({ ledger: path });
  });

  test('makes a new one only when the word is typed, or with --yes', async () => {
    expect(await sarrafHere(['ledger', 'new', ...PLACE()], 'y\n')).toEqual(failed(2, 'nothing was done'));
    expect(readdirSync(folder)).toEqual([]);
    expect(typed('new\n')).toMatchObject({
      status: 0,
      stdout: `made ${path}: it counts no request as sent\n`,
    });
    const { code, out } = await sarrafHere(['ledger', 'new', '--yes', '--json', ...PLACE()]);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { ledger: path, kind: 'made', keptAs: join(folder, asides()[0]!) },
    ]);
  });

  test('fails, and says what to do, while a bot has it', async () => {
    openStore(machineAt(0));
    const { code, out, error } = await sarrafHere(['ledger', 'new', '--yes', ...PLACE()]);
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain('one has it open: stop every bot that sends to this exchange first');
  });

  test.each([
    ['neither place', [], 'expected the exchange as --address <url> or --config <file>, one of them'],
    [
      'an address with a path',
      ['--address', `${ADDRESS}/v2`],
      'expected an address of scheme and host alone',
    ],
    [
      'a bot with an exchange of its own',
      ['--config', 'config/bot.yaml'],
      'the exchange is in the bot itself',
    ],
  ])('refuses %s in one line', async (_, args, message) => {
    const { code, out, error } = await sarrafHere(['ledger', 'path', ...args]);
    expect([code, out, error.trim().split('\n').length]).toEqual([2, '', 1]);
    expect(error).toContain(message);
  });
});
