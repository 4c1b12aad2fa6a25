import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { lastBackup } from '../../../src/daemon/make-backup.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { journalLine, orderChange, mirrorOfEachTest } from '../mirror/mirror-fixture.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const place = mirrorOfEachTest();
const backups = folderOfEachTest();

beforeEach(() => {
  const key = 'bot-ma-cross-e001-1';
  place.write([orderChange({ key, clientOrderId: key }), journalLine('one')]);
});

/** Runs a command of the docs, with the folders of this test in place of those in the docs. */
const sarraf = async (command: string, typed = '') => {
  const [, ...args] = command
    .replace(/ *#.*/, '')
    .replaceAll('/data', place.folder)
    .replaceAll('/backups', backups)
    .replaceAll(/sarraf-backup-2026\S*/g, newest())
    .split(' ');
  return sarrafHere(args, typed);
};

const newest = (): string =>
  readdirSync(backups).findLast((name) => name.startsWith('sarraf-backup-')) ?? 'none';

function configOf(instance: string): string {
  const path = join(place.folder, 'bot.yaml');
  const strategies = 'strategies: [{ plugin: ma-cross, market: BTCUSDT }]';
  const exchange = 'exchange: { baseUrl: "https://exchange.example" }';
  writeFileSync(path, ['mode: live', `instance: ${instance}`, exchange, strategies, ''].join('\n'));
  return path;
}

test('every command of docs/backup.md about backups does what it says', async () => {
  const section =
    readFileSync('docs/backup.md', 'utf8').split('\n## Backup and restore\n')[1]?.split('\n## ')[0] ?? '';
  const commands = section.match(/^sarraf (?:backup|restore) .*$/gm) ?? [];
  expect(commands.length).toBeGreaterThan(2);
  for (const command of commands) {
    const { code, error } = await sarraf(command, 'restore\n');
    expect({ command, code, error: error.endsWith('Type "restore" to go on: ') ? '' : error }).toEqual({
      command,
      code: 0,
      error: '',
    });
  }
});

describe('sarraf backup', () => {
  test('says where the backup is and what is in it', async () => {
    const { code, out, error } = await sarraf('sarraf backup --data /data --out /backups');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(
      /^\/.*sarraf-backup-\d{4}-\S+Z\n1 MB, \d+ rows up to 2023-11-14 22:13:20 UTC, verified\n$/,
    );
    const asJson = await sarraf('sarraf backup --data /data --json');
    expect(JSON.parse(asJson.out)).toMatchObject({
      backup: join(place.folder, 'backups', readdirSync(join(place.folder, 'backups')).at(-1) ?? ''),
      instances: ['bot'],
      rows: { orders: 1 },
      deleted: [],
    });
    expect(lastBackup(place.folder)?.folder).toBe(JSON.parse(asJson.out).backup);
  });

  test('ends with one line and makes no folder where there is no mirror', async () => {
    const empty = join(backups, 'empty');
    expect(await sarraf(`sarraf backup --data ${empty}`)).toEqual(
      failed(
        1,
        /^DATA_UNUSABLE: expected a mirror of sarraf at .*, found nothing: name the data folder.*\n$/,
      ),
    );
    expect(existsSync(empty)).toBe(false);
    expect(await sarraf('sarraf backup --data /data --keep 0')).toMatchObject({ code: 2 });
  });
});

describe('sarraf restore', () => {
  beforeEach(async () => {
    await sarraf('sarraf backup --data /data --out /backups');
  });

  test('asks first, and says what it did and what it kept', async () => {
    const no = await sarraf('sarraf restore /backups/sarraf-backup-2026 --data /data');
    expect([no.code, no.error]).toEqual([
      2,
      expect.stringMatching(/it is moved aside and kept[\s\S]*nothing was changed/),
    ]);
    expect(existsSync(place.path)).toBe(true);
    const yes = await sarraf('sarraf restore /backups/sarraf-backup-2026 --data /data', 'restore\n');
    expect([yes.code, yes.out]).toEqual([
      0,
      expect.stringMatching(
        /^restored mirror\.sqlite in .*up to 2023-.* UTC\nwhat was there before is kept in .*replaced-.*\n/,
      ),
    ]);
    expect(place.open().epoch).toBe('e002');
  });

  test('refuses a folder that a bot has, and the backup of another bot', async () => {
    const lock = claimDataFolder(place.folder);
    const running = await sarraf('sarraf restore /backups/sarraf-backup-2026 --data /data --yes');
    lock[Symbol.dispose]();
    expect([running.code, running.error]).toEqual([
      1,
      expect.stringMatching(/^expected no bot to run with .*, found pid \d+ on .*: stop it first.*\n$/),
    ]);
    const other = await sarraf(
      `sarraf restore /backups/sarraf-backup-2026 --data /data --config ${configOf('other')} --yes`,
    );
    expect([other.code, other.error]).toEqual([
      2,
      expect.stringMatching(/^expected a backup of the bot of .*has other\. Nothing was changed.*\n$/),
    ]);
    expect(place.open().epoch).toBe('e001');
  });
});
