import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  otherBotText,
  planRestore,
  restoreBackup,
  type RestoreResult,
} from '../../../../src/daemon/restore-backup.ts';
import { ControlClient } from '../../../../src/daemon/control-client.ts';
import { ControlInbox } from '../../../../src/daemon/control/control-inbox.ts';
import {
  openPaperAccountFile,
  PAPER_ACCOUNT,
  paperAccountBeganAtMs,
} from '../../../../src/daemon/paper-account-file.ts';
import { claimDataFolder } from '../../../../src/daemon/process-locks.ts';
import { judgeAccount } from '../../../../src/venues/account-reader.ts';
import {
  DURABLE,
  journalLine,
  MirrorFolder,
  NOW_MS,
  orderChange,
  backUp,
  mirrorOfEachTest,
} from '../../mirror/mirror-fixture.ts';
import { beginPaperAccount } from '../left-record.ts';

const place = mirrorOfEachTest();
let backup = '';

/** Makes a data folder that was used after its backup, and whose bot has ended. */
beforeEach(async () => {
  const store = place.open();
  const key = 'bot-ma-cross-e001-1';
  store.apply([orderChange({ key, clientOrderId: key }), journalLine('one')], DURABLE);
  ({ folder: backup } = await backUp(place.folder));
  store.apply([journalLine('two')], DURABLE);
  store.close();
});

const restore = async ({
  from = backup,
  into = place.folder,
  instance = null as string | null,
  nowMs = NOW_MS,
} = {}): Promise<RestoreResult> =>
  restoreBackup(await planRestore(from, { dataFolder: into, instance }), nowMs);

const allNames = (): string[] => readdirSync(place.folder).toSorted();

const mirrorNames = (): string[] =>
  readdirSync(place.folder).filter((name) => name.startsWith('mirror.sqlite') && !/lock|ballast/.test(name));

describe('a restore', () => {
  test('puts a bot on paper back with its account, and leaves an account that went on', async () => {
    using paper = new MirrorFolder();
    paper.open({ path: join(paper.folder, 'paper.sqlite') }).close();
    openPaperAccountFile(paper.folder).close();
    const { folder, manifest } = await backUp(paper.folder);
    expect(manifest.files.map(({ name }) => name)).toEqual(['paper.sqlite', PAPER_ACCOUNT]);
    using elsewhere = new MirrorFolder();
    const again = async (): Promise<RestoreResult> => restore({ from: folder, into: elsewhere.folder });
    expect((await again()).restored).toEqual([PAPER_ACCOUNT, 'paper.sqlite']);
    expect((await again()).restored).toEqual(['paper.sqlite']);
  });

  test('puts an account on paper back with its mirror where another one has begun since', async () => {
    using paper = new MirrorFolder();
    paper.open({ path: join(paper.folder, 'paper.sqlite') }).close();
    beginPaperAccount(paper.folder, 1);
    const { folder } = await backUp(paper.folder);
    const again = async (nowMs: number): Promise<RestoreResult> =>
      restore({ from: folder, into: paper.folder, nowMs });
    expect((await again(NOW_MS)).restored).toEqual(['paper.sqlite']);
    for (const ending of ['', '-wal', '-shm'])
      rmSync(join(paper.folder, PAPER_ACCOUNT + ending), { force: true });
    beginPaperAccount(paper.folder, 2);
    const { restored, keptAs } = await again(NOW_MS + 1);
    expect(restored).toEqual([PAPER_ACCOUNT, 'paper.sqlite']);
    expect(paperAccountBeganAtMs(join(paper.folder, PAPER_ACCOUNT))).toBe(1);
    expect(paperAccountBeganAtMs(join(keptAs ?? '', PAPER_ACCOUNT))).toBe(2);
  });

  test('puts the copy in place, keeps what was there, and gives the bot another epoch', async () => {
    const { keptAs, restored } = await restore({ instance: 'bot' });
    expect(restored).toEqual(['mirror.sqlite']);
    expect(mirrorNames()).toEqual(['mirror.sqlite']);
    using before = new MirrorFolder();
    renameSync(join(keptAs ?? '', 'mirror.sqlite'), before.path);
    expect(before.open().load().epoch).toBe('e001');
    const store = place.open();
    expect(store.epoch).toBe('e002');
    expect(store.load().orders).toHaveLength(1);
  });

  test('is noticed without the command too, where the copy is written over the same file', () => {
    const copy = readFileSync(join(backup, 'mirror.sqlite'));
    for (const ending of ['-wal', '-shm', '.mark']) rmSync(place.path + ending, { force: true });
    writeFileSync(place.path, copy);
    const store = place.open();
    expect(store.epoch).toBe('e002');
    store.close();
    expect(place.open().epoch).toBe('e002');
  });

  test('keeps the control database of the folder, whose halt is newer', async () => {
    const client = new ControlClient(place.folder);
    client.post({ kind: 'halt', reason: 'flood', wholeAccount: false });
    client.close();
    await restore();
    const inbox = new ControlInbox(place.folder);
    expect(inbox.isHalted()).toMatchObject({ reason: 'flood' });
    inbox.close();
  });

  test('takes a damaged mirror for none, and keeps it', async () => {
    writeFileSync(place.path, 'x'.repeat(5_000));
    const { keptAs } = await restore();
    expect(existsSync(join(keptAs ?? '', 'mirror.sqlite'))).toBe(true);
    expect(place.open().load().orders).toHaveLength(1);
  });

  test('that was killed between two steps lets no bot begin until it is given again', async () => {
    const { keptAs } = await restore();
    renameSync(place.path, `${place.path}.restoring`);
    expect(() => place.open()).toThrow(/"sarraf restore" had not yet put in its place.*give the same/);
    expect(existsSync(place.path)).toBe(false);
    const again = await restore({ nowMs: NOW_MS + 1 });
    expect([again.keptAs, existsSync(keptAs ?? '')]).toEqual([null, true]);
    expect(place.open().load().orders).toHaveLength(1);
  });
});

describe('a restore changes nothing', () => {
  test('while a bot has the folder, or the mirror alone', async () => {
    const plan = await planRestore(backup, { dataFolder: place.folder, instance: null });
    const lock = claimDataFolder(place.folder);
    await expect(restoreBackup(plan, NOW_MS)).rejects.toThrow(/for this run alone; pid \d+/);
    lock[Symbol.dispose]();
    const store = place.open();
    await expect(restoreBackup(plan, NOW_MS)).rejects.toThrow(/a bot that has it open/);
    store.close();
    expect(mirrorNames()).toContain('mirror.sqlite');
    expect(allNames().filter((name) => /replaced|restoring/.test(name))).toEqual([]);
  });

  test.each([
    ['damaged', () => writeFileSync(join(backup, 'mirror.sqlite'), 'x'), /not the one that was written/],
    ['without its mirror', () => rmSync(join(backup, 'mirror.sqlite')), /no mirror.sqlite/],
    ['without a manifest', () => rmSync(join(backup, 'manifest.json')), /no manifest.json/],
    [
      'with a damaged manifest',
      () => writeFileSync(join(backup, 'manifest.json'), '{'),
      /a damaged manifest/,
    ],
    [
      'of a newer sarraf',
      () => writeFileSync(join(backup, 'manifest.json'), '{"version":4}'),
      /version 4, where this sarraf reads up to 3: restore it with the sarraf that made it/,
    ],
  ])('for a backup %s', async (_, spoil, message) => {
    spoil();
    const names = allNames();
    await expect(restore()).rejects.toThrow(message);
    expect(allNames()).toEqual(names);
  });

  test('for a backup of another instance', async () => {
    await expect(restore({ instance: 'other' })).rejects.toThrow(
      /instance bot, where the configuration has other/,
    );
  });
});

const account = (username: string, salt = 'aa'): string =>
  JSON.stringify((judgeAccount(null, { username }, () => salt) as { account: unknown }).account);

test('a backup is of another bot by the names of its orders, or by its account', () => {
  const own = { instances: ['bot'], account: account('sara') };
  const against = (present: { instances: string[]; account: string | null }): string | null =>
    otherBotText(own, { present, instance: null });
  expect(against(own)).toBeNull();
  expect(against({ instances: [], account: null })).toBeNull();
  expect(against({ instances: ['bot', 'old'], account: 'no JSON' })).toBeNull();
  expect(against({ instances: ['bot'], account: account('reza', 'bb') })).toBeNull();
  expect(against({ instances: ['bot'], account: account('reza') })).toBe('of another account');
  expect(against({ instances: ['old'], account: null })).toMatch(
    /instance bot, where the folder has those of old/,
  );
});
