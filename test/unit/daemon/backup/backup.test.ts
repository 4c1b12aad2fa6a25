import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { readBackupManifest } from '../../../../src/daemon/backup/backup-manifest.ts';
import { type BackupOptions, type MadeBackup } from '../../../../src/daemon/make-backup.ts';
import { ControlInbox } from '../../../../src/daemon/control/control-inbox.ts';
import { ControlClient } from '../../../../src/daemon/control-client.ts';
import type { MirrorStore } from '../../../../src/mirror/mirror-store.ts';
import {
  DURABLE,
  journalLine,
  LATER,
  backUp as backUpOf,
  NOW_MS,
  intentChange,
  mirrorOfEachTest,
} from '../../mirror/mirror-fixture.ts';

const place = mirrorOfEachTest();
const out = join(place.folder, 'backups');
let store: MirrorStore;
beforeEach(() => {
  store = place.open();
  store.apply([journalLine('one'), intentChange()], DURABLE);
});

let made = 0;

const backUp = async (options: Partial<BackupOptions> = {}): Promise<MadeBackup> =>
  backUpOf(place.folder, { out, nowMs: NOW_MS + (made += 1) * 1_000, ...options });

const names = (): string[] => readdirSync(out).filter((name) => !name.startsWith('backup.lock'));

/** Changes fields of a manifest, as if another version of sarraf had written it. */
function rewrite({ folder }: MadeBackup, change: object): void {
  const path = join(folder, 'manifest.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
}

describe('a backup', () => {
  test('has what is committed while the bot has the mirror open, in one file', async () => {
    store.apply([journalLine('later')], LATER);
    const { folder, manifest } = await backUp();
    expect(readBackupManifest(folder)).toEqual(manifest);
    expect(manifest).toMatchObject({ lastAtMs: NOW_MS, epochs: ['e001'], rows: { journal: 1, intents: 1 } });
    expect(readdirSync(folder).toSorted()).toEqual(['manifest.json', 'mirror.sqlite']);
    store.apply([journalLine('after')], DURABLE);
    const copy = new Database(join(folder, 'mirror.sqlite'), { readonly: true });
    expect(copy.prepare('SELECT subject FROM journal').pluck().all()).toEqual(['one']);
    expect(copy.pragma('journal_mode', { simple: true })).toBe('delete');
    copy.close();
  });

  test('hinders no write of the bot, also between two steps of the copy', async () => {
    const subjects = Array.from({ length: 4_000 }, (_, index) =>
      journalLine(`${index}`, JSON.stringify({ text: 'x'.repeat(900) })),
    );
    store.apply(subjects, DURABLE);
    let writes = 0;
    const { manifest } = await backUp({
      onProgress({ phase }) {
        if (phase !== 'copying') return;
        store.apply([journalLine('amid')], DURABLE);
        writes += 1;
      },
    });
    expect(writes).toBeGreaterThan(1);
    expect(manifest.rows['journal']).toBe(4_001);
  });

  test('has the halt and the locks that wait, and no acceptance of books or close', async () => {
    new ControlInbox(place.folder).close();
    const client = new ControlClient(place.folder);
    client.post({ kind: 'halt', reason: 'night', wholeAccount: false });
    client.post({ kind: 'accept-balances' });
    client.post({ kind: 'close', key: 'k', strategy: 'grid', market: null });
    client.close();
    const { folder } = await backUp();
    const inbox = new ControlInbox(folder);
    expect(inbox.isHalted()).toMatchObject({ reason: 'night' });
    expect(inbox.poll().map(({ command }) => command.kind)).toEqual(['halt']);
    inbox.close();
  });

  test('is left away whole where it is given up, and what a killed one left goes with the next', async () => {
    const controller = new AbortController();
    const end = backUp({ onProgress: () => controller.abort(), signal: controller.signal });
    await expect(end).rejects.toThrow(/aborted/);
    expect(names()).toEqual([]);
    mkdirSync(join(out, '.unfinished-sarraf-backup-x'));
    const { folder } = await backUp();
    expect(names().map((name) => join(out, name))).toEqual([folder]);
  });

  test('is refused beside another one, of a damaged mirror, and of a bot that begins anew', async () => {
    await backUp({
      onProgress: () =>
        expect(() => new Database(join(out, 'backup.lock'), { timeout: 0 }).exec('BEGIN EXCLUSIVE')).toThrow(
          /locked/,
        ),
    });
    const damage = new Database(place.path);
    damage.exec("UPDATE intents SET json = '{'");
    damage.close();
    await expect(backUp()).rejects.toThrow(/expected a mirror of sarraf at .*table intents/);
    const embedded = join(place.folder, 'embedded');
    mkdirSync(embedded);
    writeFileSync(join(embedded, 'embedded.sqlite'), '');
    await expect(backUp({ dataFolder: embedded })).rejects.toThrow(/begins anew with every run/);
    expect(names()).toHaveLength(1);
  });
});

test('retention deletes the oldest of this mirror, and neither others, damaged ones nor what is no backup', async () => {
  const others = [await backUp(), await backUp(), await backUp()] as const;
  rewrite(others[0], { epochs: ['zzzz'] });
  rewrite(others[1], { version: 4 });
  writeFileSync(join(others[2].folder, 'mirror.sqlite'), 'x');
  mkdirSync(join(out, 'holiday'));
  const oldest = await backUp();
  const older = await backUp();
  // The mirror was restored in between, so its epoch is a new one that knows the former.
  rewrite(older, { epochs: ['e002', 'e001'] });
  const { folder, retention } = await backUp({ keep: 2 });
  expect(retention.deleted).toEqual([oldest.folder]);
  expect(retention.leftAlone.join('\n')).toMatch(/of another mirror/);
  expect(retention.leftAlone.join('\n')).toMatch(/version 4, where this sarraf reads up to 3/);
  expect(retention.leftAlone.join('\n')).toMatch(/a mirror.sqlite that is not the one that was written/);
  expect(retention.leftAlone).toHaveLength(3);
  expect(existsSync(oldest.folder)).toBe(false);
  for (const kept of [...others, older, { folder }]) expect(existsSync(kept.folder)).toBe(true);
  expect(existsSync(join(out, 'holiday'))).toBe(true);
});
