import { accountIdentity } from '../../../../src/venues/client-credentials.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import {
  dataFolderOwner,
  processLockPath,
  isDataFolderInUse,
  claimAccount,
  claimDataFolder,
  acquireProcessLocks,
} from '../../../../src/daemon/process-locks.ts';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';
import { SarrafError } from '../../../../src/domain/errors.ts';
import { startNode } from '../../../support/sarraf-process.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const LOCK_PROCESS = fileURLToPath(new URL('./lock-process.ts', import.meta.url));

const folder = folderOfEachTest();

function refusal(work: () => unknown): SarrafError {
  try {
    work();
  } catch (error) {
    if (error instanceof SarrafError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('the lock of a data folder', () => {
  test('belongs to one process at a time, even without a reference to it, and the error names the owner and what to do', async () => {
    const other = startNode(['--expose-gc', LOCK_PROCESS, folder]);
    await other.line((line) => line === 'has it');
    const { code, message } = refusal(() => claimDataFolder(folder));
    expect(code).toBe('DATA_UNUSABLE');
    expect(message).toMatch(
      new RegExp(
        `^expected ${folder} for this run alone; pid ${other.child.pid} on \\S+ since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC has it: ` +
          'end that one, or name another folder with --data$',
      ),
    );
    expect(isDataFolderInUse(folder)).toBe(true);
    other.child.kill('SIGKILL');
    await other.finished;
  });

  test('is free at once when its process is killed, although its note stays', async () => {
    const other = startNode(['--expose-gc', LOCK_PROCESS, folder]);
    await other.line((line) => line === 'has it');
    other.child.kill('SIGKILL');
    await other.finished;
    expect(existsSync(`${processLockPath(folder)}.owner.json`)).toBe(true);
    expect(isDataFolderInUse(folder)).toBe(false);
    const lock = claimDataFolder(folder);
    expect(lock.owner.pid).toBe(process.pid);
    lock[Symbol.dispose]();
  });

  test('does not trust a process id that lives again: a note alone holds nothing', () => {
    claimDataFolder(folder)[Symbol.dispose]();
    const note = JSON.stringify({
      pid: process.pid,
      host: 'here',
      sinceMs: 0,
      health: null,
      owner: 'boot space 1 -',
    });
    writeFileSync(`${processLockPath(folder)}.owner.json`, note);
    expect(isDataFolderInUse(folder)).toBe(false);
    claimDataFolder(folder)[Symbol.dispose]();
  });

  test('does not name a process that is dead as the one that has it', () => {
    const lock = claimDataFolder(folder);
    const notePath = `${processLockPath(folder)}.owner.json`;
    writeFileSync(notePath, readFileSync(notePath, 'utf8').replace(/"owner":"\S+/, '"owner":"another-boot'));
    expect(refusal(() => claimDataFolder(folder)).message).toContain(
      '; another process has it: end that one',
    );
    lock[Symbol.dispose]();
  });

  test('carries a note of where its owner says how it is, which the next owner does not take over', () => {
    const first = claimDataFolder(folder);
    expect(dataFolderOwner(folder)?.health).toBeNull();
    first.noteHealth('http://127.0.0.1:9464');
    expect(dataFolderOwner(folder)).toEqual({ ...first.owner, health: 'http://127.0.0.1:9464' });
    first[Symbol.dispose]();
    first.noteHealth('http://127.0.0.1:9464');
    const second = claimDataFolder(folder);
    expect(dataFolderOwner(folder)?.health).toBeNull();
    second[Symbol.dispose]();
  });

  test('is given back once, and not taken from its next owner by a second call', () => {
    const first = claimDataFolder(folder);
    first[Symbol.dispose]();
    const second = claimDataFolder(folder);
    first[Symbol.dispose]();
    expect(isDataFolderInUse(folder)).toBe(true);
    expect(refusal(() => claimDataFolder(folder)).message).toContain(`pid ${process.pid} `);
    second[Symbol.dispose]();
    expect(isDataFolderInUse(folder)).toBe(false);
  });

  test('can be looked at where there is no folder, and makes none', () => {
    const missing = join(folder, 'missing');
    expect(isDataFolderInUse(missing)).toBe(false);
    expect(existsSync(missing)).toBe(false);
  });

  test('says what to do where the folder can not be made or written to', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { code, message } = refusal(() => claimDataFolder(join(file, 'data')));
    expect(code).toBe('DATA_UNUSABLE');
    expect(message).toMatch(/expected to be able to write .*run\.lock.*make the folder writable.*--data/);
  });

  test.each(['another database', 'no database'])('leaves a file that is %s as it is', (kind) => {
    const path = processLockPath(folder);
    if (kind === 'no database') writeFileSync(path, 'my notes '.repeat(500));
    else new Database(path).exec('CREATE TABLE notes (id)').close();
    const before = readFileSync(path);
    expect(refusal(() => claimDataFolder(folder)).code).toBe('DATA_UNUSABLE');
    expect(readFileSync(path)).toEqual(before);
  });
});

/** Returns the locks of a live run whose token is its own. */
const runOf = (name: string, token: string, instance = 'one') => {
  const reading = readBotConfig(null, {
    environment: { LIVE_TOKEN: token },
    workingFolder: folder,
    overrides: [
      ['mode', 'live'],
      ['instance', instance],
      ['strategies', '[{ plugin: grid, market: BTCUSDT }]'],
      ['exchange.baseUrl', 'https://exchange.example'],
      ['exchange.credentials.token', "'${LIVE_TOKEN}'"],
      ['exchange.ledgerFolder', JSON.stringify(folder)],
      ['data.folder', JSON.stringify(join(folder, name))],
    ],
  });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return acquireProcessLocks(reading.config, accountIdentity(reading.config.exchange.credentials));
};

describe('the lock of an account', () => {
  test('is one an instance name, so that instances of different names share an account', () => {
    const first = claimAccount({ credential: 'secret', instance: 'a', folder });
    const second = claimAccount({ credential: 'secret', instance: 'b', folder });
    const other = claimAccount({ credential: 'another', instance: 'a', folder });
    const { message } = refusal(() => claimAccount({ credential: 'secret', instance: 'a', folder }));
    expect(message).toContain('under the instance name "a" for this run alone; pid');
    expect(message).toContain('another instance name');
    for (const lock of [first, second, other]) lock[Symbol.dispose]();
  });

  test('shows nothing of the credential', () => {
    const lock = claimAccount({ credential: 'secret', instance: 'a', folder });
    const { message } = refusal(() => claimAccount({ credential: 'secret', instance: 'a', folder }));
    expect(`${lock.path}${message}`).not.toContain('secret');
    lock[Symbol.dispose]();
  });

  test('is one a user too, whatever credential opens the account', () => {
    const first = runOf('a', 'token-of-the-panel');
    first.claimUser('Trader@mail.example');
    first.claimUser('Trader@mail.example');
    const second = runOf('b', 'token-of-a-log-in');
    const { code, message, details } = refusal(() => second.claimUser('trader@mail.example'));
    expect([code, details['endsRun']]).toEqual(['DATA_UNUSABLE', true]);
    expect(message).toMatch(
      /under the instance name "one" for this run alone; pid \d+ .* another instance name$/,
    );
    expect(message).not.toContain('mail.example');
    const sibling = runOf('c', 'token-of-a-log-in', 'two');
    sibling.claimUser('trader@mail.example');
    first[Symbol.dispose]();
    second.claimUser('trader@mail.example');
    for (const locks of [second, sibling]) locks[Symbol.dispose]();
  });

  test('refuses a name that would lead out of its folder or out of an id', () => {
    for (const instance of ['../a', 'A', '', 'a b']) {
      expect(refusal(() => claimAccount({ credential: 'secret', instance, folder })).code).toBe(
        'INVALID_OPTIONS',
      );
    }
  });
});
