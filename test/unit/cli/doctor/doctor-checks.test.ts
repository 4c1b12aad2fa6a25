import { neededBudgets } from '../../../../src/budget/trading-begins.ts';
import { INTERFACE_PROFILE } from '../../../../src/venues/interface-profile.ts';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ledgerPath, stateFile } from '../../../../src/budget/ledger-file.ts';
import { monotonicMs, thisMachine } from '../../../../src/budget/process-owner.ts';
import {
  checkRoom,
  checkWritable,
  type Room,
  checkMachine,
  machineFacts,
  openFilesOf,
  checkBackup,
  checkWatchdog,
} from '../../../../src/cli/doctor/check-machine.ts';
import type { BotConfig } from '../../../../src/daemon/create-bot-config.ts';
import { checkRunning, checkMirrorFile } from '../../../../src/cli/doctor/check-mirror-file.ts';
import { checkLedger } from '../../../../src/cli/doctor/check-ledger.ts';
import { checkLogIn, checkModes, checkPackage } from '../../../../src/cli/doctor/run-doctor.ts';
import type { CheckFinding } from '../../../../src/cli/doctor/check-finding.ts';
import {
  isDataFolderInUse,
  claimDataFolder,
  acquireProcessLock,
} from '../../../../src/daemon/process-locks.ts';
import type { MirrorChange } from '../../../../src/engine/mirror-change.ts';
import { writeUnstarted } from '../../../../src/engine/strategy-instance-record.ts';
import { MARKET_NAMES } from '../../../../src/exchange/market-names.ts';
import { sentence } from '../../../../src/language/sentence.ts';
import { budgetTable } from '../../../../src/exchange/client-options.ts';
import { DEFAULT_RETENTION } from '../../../../src/mirror/pruner.ts';
import { storeToken } from '../../../../src/venues/client-credentials.ts';
import { configOf, writeConfig } from './doctor-world.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';
import { openMirror } from '../../../support/open-mirror.ts';
import { noteBackup } from '../../../../src/daemon/make-backup.ts';
import { watchdogProcessLockPath } from '../../../../src/daemon/watchdog.ts';
import { openLedger } from '../../../support/ledger-worlds.ts';

const DAY_MS = 86_400_000;
const folder = folderOfEachTest();
const retention = DEFAULT_RETENTION;
const data = () => ({ folder, retention });

const lookForWatchdog = (mode: 'live' | 'paper', cancelEntriesAfterMs: number | null = null) => {
  const watchdog = { silentAfterMs: 60_000, cancelEntriesAfterMs };
  return checkWatchdog({ data: data(), watchdog }, { mode, configFile: 'bot.yaml' });
};

test('a live bot without a watchdog beside it is a warning, others may do without', () => {
  expect(lookForWatchdog('live')).toMatchObject({
    verdict: 'warning',
    remedy: expect.stringContaining('run "sarraf watchdog --config bot.yaml"') as string,
  });
  expect(lookForWatchdog('paper')).toMatchObject({ verdict: 'ok' });
  expect(lookForWatchdog('paper', 300_000)).toMatchObject({ verdict: 'warning' });
  const lock = acquireProcessLock({
    path: watchdogProcessLockPath(folder),
    what: 'a watchdog',
    otherwise: 'wait',
  });
  expect(lookForWatchdog('live')).toMatchObject({
    verdict: 'ok',
    text: expect.stringContaining(`pid ${process.pid} on `) as string,
  });
  lock[Symbol.dispose]();
  expect(lookForWatchdog('live')).toMatchObject({ verdict: 'warning' });
  rmSync(watchdogProcessLockPath(folder));
  writeFileSync(watchdogProcessLockPath(folder), 'no lock');
  expect(lookForWatchdog('live')).toMatchObject({ verdict: 'not checked' });
});

const lookForBackup = (nowMs: number) => checkBackup({ data: data() }, { mode: 'live', nowMs });

test('a live bot is to have a backup of the last week', () => {
  expect(lookForBackup(0)).toEqual([]);
  writeFileSync(join(folder, 'mirror.sqlite'), '');
  const none = { verdict: 'warning', text: `none was ever made of ${folder}` };
  expect(lookForBackup(0)).toMatchObject([none]);
  noteBackup(folder, { folder: '/backups/one', madeAtMs: DAY_MS });
  expect(lookForBackup(8 * DAY_MS)).toMatchObject([
    { verdict: 'ok', text: expect.stringContaining('/backups/one') as string },
  ]);
  expect(lookForBackup(8 * DAY_MS + 1)).toMatchObject([{ verdict: 'warning' }]);
  expect(checkBackup({ data: data() }, { mode: 'paper', nowMs: 0 })).toEqual([]);
  writeFileSync(join(folder, 'last-backup.json'), '{');
  expect(lookForBackup(0)).toMatchObject([none]);
});

const checked = (content: string) => {
  writeFileSync(join(folder, 'package.json'), content);
  return checkPackage(folder, { 'a-native-part': '5.0.0', other: '1.0.0' });
};

test('the folder of a bot that an older init made lacks overrides, and gets the remedy', () => {
  const bot = { dependencies: { sarraf: '0.1.0' }, overrides: { other: '2.0.0' } };
  expect(checked(JSON.stringify(bot))).toEqual([
    {
      check: 'package',
      verdict: 'warning',
      text: `${folder}/package.json has no overrides of a-native-part: "npm ci" refuses its lock file, so no image is built`,
      remedy: `add "overrides":{"a-native-part":"5.0.0"} to ${folder}/package.json, remove package-lock.json and node_modules, and run "npm install"`,
    },
  ]);
  const mended = { ...bot, overrides: { other: '2.0.0', 'a-native-part': '5.0.0' } };
  expect(checked(JSON.stringify(mended))).toMatchObject([{ verdict: 'ok' }]);
});

test('what is no package of a bot is left alone', () => {
  expect(checkPackage(folder)).toEqual([]);
  expect(checked('{ "name": "sarraf" }')).toEqual([]);
  expect(checked('{ "dependencies": [')).toMatchObject([{ verdict: 'not checked' }]);
});

const MEGABYTE = 1_048_576;
const DISK = 0xef53;
const ledgerFile = (): string => ledgerPath('https://exchange.example', folder);
const mirrorFile = (): string => join(folder, 'mirror.sqlite');
const room = (): Room => ({ freeBytes: 0, freeFiles: null, type: DISK });
const lookAtMirror = () =>
  checkMirrorFile(folder, { mode: 'live', strategies: ['maker'], nowMs: Date.now(), retention });

const inShort = (findings: readonly CheckFinding[]): readonly string[] =>
  findings.map(({ check, verdict }) => `${check}: ${verdict}`);

describe('the machine', () => {
  const facts = { ...machineFacts(), freeMemoryBytes: 1_000 * MEGABYTE, openFiles: 1_024 };

  test('is fine with memory, open files and time zones', () => {
    const fine = ['Node: ok', 'memory: ok', 'open files: ok', 'time zone data: ok'];
    expect(inShort(checkMachine(facts))).toEqual(fine);
  });

  test('is warned of with little memory and few open files, and refused without time zones', () => {
    const poor = { freeMemoryBytes: 100 * MEGABYTE, openFiles: 64, write: () => '19/03/2024, 21:00' };
    const findings = checkMachine({ ...facts, ...poor });
    const told = ['Node: ok', 'memory: warning', 'open files: warning', 'time zone data: problem'];
    expect(inShort(findings)).toEqual(told);
    expect(findings.slice(1).map(({ remedy }) => remedy === null)).toEqual([false, false, false]);
  });

  test('says its limit of open files in words of Linux alone', () => {
    const line = 'Max open files            1024                 524288               files';
    expect(openFilesOf(line)).toBe(1_024);
    expect(openFilesOf(line.replace('1024     ', 'unlimited'))).toBe(Number.POSITIVE_INFINITY);
    expect(openFilesOf('')).toBeNull();
    expect(inShort(checkMachine({ ...facts, openFiles: null }))).toContain('open files: not checked');
  });
});

describe('folders', () => {
  test('that are there, can be made, or are a file', () => {
    expect(checkWritable('data folder', folder)).toMatchObject({ verdict: 'ok' });
    const below = join(folder, 'a', 'b');
    expect(checkWritable('data folder', below)).toMatchObject({
      verdict: 'ok',
      text: `${below} can be made`,
    });
    writeFileSync(join(folder, 'a'), '');
    expect(checkWritable('data folder', below)).toMatchObject({
      verdict: 'problem',
      text: `expected a folder at ${join(folder, 'a')}, found a file`,
    });
  });

  test.each([
    [5_000, 100_000, ['disk: ok', 'inodes: ok']],
    [500, 500, ['disk: warning', 'inodes: warning']],
    [50, 3, ['disk: problem', 'inodes: problem']],
    [5_000, null, ['disk: ok']],
  ])('with %d MB and %d files left', (megabytes, freeFiles, expected) => {
    const left = () => ({ freeBytes: megabytes * MEGABYTE, freeFiles, type: DISK });
    expect(inShort(checkRoom(folder, left))).toEqual(expected);
  });

  test('on the disk of this machine', () => {
    expect(inShort(checkRoom(join(folder, 'not-yet')))[0]).toMatch(/^disk: /);
  });
});

test('files that others can read or change are named with the command that mends it', () => {
  const [secret, open, config] = ['token', '.env', 'bot.yaml'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [secret, open, config]) writeFileSync(path, 'x', { mode: 0o600 });
  const guarded = { secret: [secret, open, join(folder, 'missing')], trusted: [config] };
  expect(inShort(checkModes(guarded))).toEqual(['file modes: ok']);
  chmodSync(open, 0o644);
  chmodSync(config, 0o666);
  expect(checkModes(guarded)).toEqual([
    expect.objectContaining({ verdict: 'warning', remedy: `run chmod 600 ${open}` }),
    expect.objectContaining({ verdict: 'warning', remedy: `run chmod o-w ${config}` }),
  ]);
});

describe('a ledger', () => {
  const subjects = { ip: 'this-address', token: 'somebody' };
  const owner = {
    subjects: new Set(Object.values(subjects)),
    budgets: [...budgetTable().values()],
    needed: neededBudgets(INTERFACE_PROFILE),
    isPaper: false,
  };
  const open = (of = {}) => openLedger(ledgerFile(), { subjects, whenMissing: 'empty', ...of });

  test('that is not there, or new', async () => {
    expect(await checkLedger(ledgerFile(), owner, room)).toMatchObject({
      silence: null,
      findings: [
        {
          verdict: 'warning',
          text: expect.stringMatching(
            /^there is none.*, so that once the bot runs, trading can begin 600 s after the exchange's first answer, in 720 s/,
          ) as string,
        },
      ],
    });
    open().close();
    const fine = { silence: null, findings: [{ verdict: 'ok' }] };
    expect(await checkLedger(ledgerFile(), owner, room)).toMatchObject(fine);
  });

  test('that knows nothing of what was sent, or is of before the last start of this machine', async () => {
    const path = ledgerFile();
    open({ whenMissing: 'full' }).close();
    const begins = /trading can begin 600 s after the exchange's first answer, in 7[12]\d s at the latest/;
    const textOf = async () => (await checkLedger(path, owner, room)).findings[0]?.text;
    expect(await textOf()).toMatch(begins);
    rmSync(path);
    const machine = { ...thisMachine(), bootId: 'before', monotonicMs: () => monotonicMs() + 9_000_000 };
    open({ machine }).close();
    expect(await textOf()).toMatch(
      / is of before the last start of this machine, so that once the bot runs, /,
    );
    expect(await textOf()).toMatch(begins);
  });

  test('with a lockout keeps doctor silent, whoever it is of', async () => {
    const store = open();
    const { permit: pass } = store.acquire({ budget: 'users/profile', credential: 'with' }, monotonicMs());
    store.report(pass!, { kind: 'limited', waitMs: 3_600_000, limit: null, isOwn: true }, monotonicMs());
    store.close();
    const { findings, silence } = await checkLedger(ledgerFile(), owner, room);
    expect(silence).toBe('the exchange has locked users/profile out');
    expect(inShort(findings)).toEqual(['lockout: problem']);
  });

  test('that is damaged, or on a network', async () => {
    writeFileSync(ledgerFile(), 'no database');
    expect(inShort((await checkLedger(ledgerFile(), owner, room)).findings)).toEqual(['ledger: problem']);
    rmSync(ledgerFile());
    open().close();
    const onNetwork = () => ({ ...room(), type: 0x6969 });
    const { findings } = await checkLedger(ledgerFile(), owner, onNetwork);
    expect(inShort(findings)).toEqual(['ledger: ok', 'ledger: warning']);
  });
});

describe('a mirror', () => {
  test('is looked at while a bot writes to it', () => {
    expect(lookAtMirror()).toMatchObject({ account: null, findings: [{ verdict: 'ok' }] });
    const mirror = openMirror(mirrorFile(), 1_000, 'aaaa');
    mirror.persistAccount('{"salt":"00","hashes":{}}');
    expect(lookAtMirror()).toMatchObject({ account: '{"salt":"00","hashes":{}}' });
    expect(lookAtMirror().findings[0]?.text).toMatch(/is whole: \d+\.\d MB, 0 of 100000 fills, 0 orders, /);
    mirror.close();
  });

  test('names coins of strategies that left the configuration, with the line to write', () => {
    const mirror = openMirror(mirrorFile(), 1_000, 'aaaa');
    const line = "inventory: { btc: '0.5' }";
    const reason = sentence('strategy-left-coins', { coins: '0.5 BTC', line });
    const json = writeUnstarted(MARKET_NAMES, 'usdt');
    const rows = ['grid', 'maker'].map((name): MirrorChange => ({
      kind: 'strategy',
      strategy: { name, status: 'stopped', reason, json, atMs: 1 },
    }));
    mirror.apply(rows, { atMs: 1, isDurable: true });
    expect(lookAtMirror().findings.slice(1)).toEqual([
      {
        check: 'coins without a strategy',
        verdict: 'warning',
        text: 'grid: it is not in the configuration any more, and its books have 0.5 BTC, which no strategy sells',
        remedy: `put it back, or write under another one: ${line}`,
      },
    ]);
    mirror.close();
  });

  test('of another program, or damaged, comes with what to do', () => {
    writeFileSync(mirrorFile(), 'no mirror');
    expect(lookAtMirror().findings).toMatchObject([
      { verdict: 'problem', remedy: 'move it, or name another folder with --data' },
    ]);
  });
});

const NO_PAGE = { host: '127.0.0.1', port: null, isPortWritten: true, insecure: false, hosts: [], tls: null };

test('a running bot is asked why it can not trade, and keeps its folder', async () => {
  const reasons = ['halted: by hand', 'the books differ'];
  const server = createHttpServer((_, reply) => reply.end(JSON.stringify({ ok: false, reasons, locks: [] })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lock = claimDataFolder(folder);
  lock.noteHealth(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const config = {
    data: data(),
    health: { host: '127.0.0.1', port: 1 },
    dashboard: NO_PAGE,
  };
  const findings = await checkRunning(config);
  expect(findings.map(({ verdict, text }) => [verdict, text.replace(/^.* now: /, '')])).toEqual([
    ['warning', 'halted: by hand'],
    ['warning', 'the books differ'],
  ]);
  expect(isDataFolderInUse(folder)).toBe(true);
  const open = { ...NO_PAGE, host: '0.0.0.0', port: 0, insecure: true };
  expect(inShort(await checkRunning({ ...config, dashboard: open })).at(-1)).toBe('page: warning');
  lock[Symbol.dispose]();
  await new Promise((resolve) => server.close(resolve));
});

const withPorts = (port: number | null, dashboard: BotConfig['dashboard']) => ({
  data: data(),
  health: { host: '127.0.0.1', port },
  dashboard,
});

describe('the ports of a bot', () => {
  test('that another program has are a problem, where the file names them', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const page = { ...NO_PAGE, port };
    const found = async (dashboard: BotConfig['dashboard']) =>
      inShort(await checkRunning(withPorts(port, dashboard)));
    const [none, health] = ['running bot: ok', 'health port: problem'];
    expect(await found(page)).toEqual([none, health, 'page: problem']);
    expect(await found({ ...page, isPortWritten: false })).toEqual([none, health, 'page: warning']);
    expect(await found(NO_PAGE)).toEqual([none, health, 'page: ok']);
    await new Promise((resolve) => server.close(resolve));
    expect(await found(page)).toEqual([none, 'health port: ok', 'page: ok']);
  });

  test('open a page to other machines only by TLS', async () => {
    const open = { ...NO_PAGE, host: '0.0.0.0', port: 0, insecure: true };
    const pages = [open, { ...open, tls: { certificate: 'a', key: 'b' } }, { ...open, host: '127.0.0.1' }];
    const found = await Promise.all(pages.map((page) => checkRunning(withPorts(null, page))));
    expect(found.map((findings) => inShort(findings).at(-1))).toEqual([
      'page: warning',
      'page: ok',
      'page: ok',
    ]);
  });
});

describe('a user who logs in', () => {
  const address = 'https://exchange.example';
  const config = () => {
    const account = { baseUrl: address, folder, ledgerFolder: join(folder, 'state') };
    return configOf(writeConfig(account, { credentials: '{ username: ali, password: secret-word }' }));
  };
  const check = () => checkLogIn(config(), { configFile: 'bot.yaml', nowMs: 2_000_000 });

  test('is not logged in by doctor: without a token of before nothing private is asked', () => {
    expect(inShort(check().findings)).toEqual(['device: warning', 'log-in: not checked']);
    expect(check().privateSilence).toBe('no token of an earlier log-in is kept');
  });

  test('has the token and device of an earlier log-in', () => {
    mkdirSync(join(folder, 'state'));
    const of = { folder: join(folder, 'state'), baseUrl: address, username: 'ali' };
    storeToken(stateFile({ ...of, kind: 'token' }), {
      key: 'kept',
      issuedAtMs: 1_000_000,
      expiresAtMs: 1_000_000 + 14_400_000,
    });
    writeFileSync(stateFile({ ...of, kind: 'device' }), 'device-1');
    expect(inShort(check().findings)).toEqual(['device: ok', 'log-in: ok']);
    expect(check().privateSilence).toBeNull();
  });
});
