import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSmallFile, withoutSecrets } from '../../../src/configuration/secret-file.ts';
import { readBotConfig } from '../../../src/daemon/read-bot-config.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

const TOKEN = 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0';

test('a pipe that nobody writes to is refused at once, and a file is read', () => {
  const folder = folderOfThisTest();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  expect(() => readSmallFile(join(folder, 'pipe'), 100)).toThrow('expected a file, found a pipe');
  writeFileSync(join(folder, 'file'), 'secret', { mode: 0o600 });
  expect(readSmallFile(join(folder, 'file'), 100)).toEqual({ text: 'secret', isOpenToAll: false });
});

test.each([
  [`expected a name, was "${TOKEN}"`, 'expected a name, was "…"'],
  [`${TOKEN}: expected a file, found none`, `${TOKEN}: expected a file, found none`],
  [
    'data/2026-01-05-and-a-long-name/file.yaml: expected',
    'data/2026-01-05-and-a-long-name/file.yaml: expected',
  ],
])('what may be a secret is left out of %s', (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
});

test('a token that was set as the name of the instance is in no problem', () => {
  const overrides = [['instance', TOKEN]] as const;
  const reading = readBotConfig(null, { environment: {}, workingFolder: '/nowhere', overrides });
  expect(JSON.stringify(reading)).not.toContain(TOKEN);
});
