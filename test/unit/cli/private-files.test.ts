import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LogFile } from '../../../src/daemon/run/create-logger.ts';
import { openToOthers, startOpen } from '../../support/open-to-others.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

function temporaryHome(): string {
  const home = folderOfThisTest();
  return home;
}

test('a ledger is for its user alone', async () => {
  const home = temporaryHome();
  const where = ['--address=https://exchange.example', `--ledger-folder=${join(home, 'state', 'ledgers')}`];
  const { code } = await startOpen(['ledger', 'new', ...where, '--yes']).finished;
  expect(code).toBe(0);
  expect(readdirSync(home, { recursive: true }).length).toBeGreaterThan(1);
  expect(openToOthers(home)).toEqual([]);
});

test('a log is for its user alone, and so is the one that follows a full one', () => {
  const home = temporaryHome();
  const log = new LogFile(join(home, 'logs', 'bot.log'), 10);
  for (const line of ['a first line\n', 'a second line\n']) log.write(line);
  log.close();
  expect(readdirSync(join(home, 'logs')).toSorted()).toEqual(['bot.log', 'bot.log.1']);
  expect(openToOthers(home)).toEqual([]);
});
