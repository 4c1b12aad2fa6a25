import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFileHint } from '../../../src/plugins/own-files.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

test('a name of no bundled strategy is held against the files of the folder that one works in', () => {
  const folder = folderOfThisTest();
  expect(ownFileHint('dip', folder)).toBe('');
  mkdirSync(join(folder, 'strategies'));
  writeFileSync(join(folder, 'strategies', 'dip.ts'), '');
  expect(ownFileHint('dip', folder)).toBe(
    '; there is strategies/dip.ts: name it by its path, ./strategies/dip.ts',
  );
});
