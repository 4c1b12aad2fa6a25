import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startNode } from '../../support/sarraf-process.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** What in a folder others than its user may read or write. */
function openToOthers(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(folder, name)).mode & 0o077) !== 0,
  );
}

/** Starts a command in a process that would let everyone read its files. */
const startOpen = (args: readonly string[]) =>
  startNode(['--import', 'data:text/javascript,process.umask(0)', 'bin/sarraf.js', ...args]);

test('a run keeps its mirror, control, recording, events and log from others, while it runs and after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-private-'));
  folders.push(folder);
  const log = join(folder, 'logs', 'bot.log');
  const data = join(folder, 'data');
  const run = startOpen(['run', '--speed=100', `--data=${data}`, '--record', '--set', `log.file=${log}`]);
  await run.line((line) => line.includes('FILL'));
  expect(readdirSync(data).length).toBeGreaterThan(2);
  expect(openToOthers(folder)).toEqual([]);
  run.child.kill('SIGTERM');
  const { code, error } = await run.finished;
  expect([code, error]).toEqual([0, '']);
  expect(openToOthers(folder)).toEqual([]);
});

test('a ledger is for its user alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-private-'));
  folders.push(folder);
  const where = ['--address=https://exchange.example', `--ledger-folder=${join(folder, 'state', 'ledgers')}`];
  const { code } = await startOpen(['ledger', 'new', ...where, '--yes']).finished;
  expect(code).toBe(0);
  expect(openToOthers(folder)).toEqual([]);
});
