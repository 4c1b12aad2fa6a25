import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkBackup, checkWatchdog } from '../../../../src/cli/doctor/check-machine.ts';
import { noteBackup } from '../../../../src/daemon/make-backup.ts';
import { acquireProcessLock } from '../../../../src/daemon/process-locks.ts';
import { watchdogProcessLockPath } from '../../../../src/daemon/watchdog.ts';
import { DEFAULT_RETENTION } from '../../../../src/mirror/pruner.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const DAY_MS = 86_400_000;

const folder = folderOfEachTest();

const data = () => ({ folder, retention: DEFAULT_RETENTION });

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
  lock.release();
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
