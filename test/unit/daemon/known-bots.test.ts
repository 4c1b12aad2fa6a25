import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { knownBots, noteBot } from '../../../src/daemon/known-bots.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const folder = folderOfEachTest();

function note(name: string, atMs: number): string {
  const dataFolder = join(folder, name);
  mkdirSync(dataFolder, { recursive: true });
  noteBot(join(folder, 'ledgers'), { dataFolder, dashboard: null, atMs });
  return dataFolder;
}

const known = (): readonly string[] => knownBots(join(folder, 'ledgers')).map(({ dataFolder }) => dataFolder);

test('bots beside one ledger know each other, the newest first, each once', () => {
  const one = note('one', 1);
  const two = note('two', 2);
  note('one', 3);
  expect(known()).toEqual([one, two]);
  const [file = ''] = readdirSync(join(folder, 'ledgers', 'bots'));
  expect(statSync(join(folder, 'ledgers', 'bots', file)).mode & 0o777).toBe(0o600);
});

test('a bot whose folder is gone is forgotten, and a damaged note is passed over', () => {
  rmSync(note('one', 1), { recursive: true });
  const two = note('two', 2);
  writeFileSync(join(folder, 'ledgers', 'bots', '0123456789abcdef.json'), '{');
  expect(known()).toEqual([two]);
  expect(readdirSync(join(folder, 'ledgers', 'bots'))).toHaveLength(2);
});

test('without a ledger nobody is known', () => {
  expect(known()).toEqual([]);
});
