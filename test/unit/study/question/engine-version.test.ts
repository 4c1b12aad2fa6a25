import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { VERSION } from '../../../../src/exchange/version.ts';
import { engineVersion, versionOfSources } from '../../../../src/study/code-bundle.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const checkout = folderOfEachTest();
beforeEach(() => {
  write('package.json', '{ "dependencies": { "decimal.js": "10.6.0" }, "devDependencies": { "a": "1" } }');
  write('src/engine/engine.ts', 'one');
  write('src/cli/main.ts', 'one');
});

function write(path: string, text: string): void {
  mkdirSync(join(checkout, path, '..'), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

test('is the version of the package and the code of this checkout', () => {
  expect(engineVersion()).toBe(versionOfSources(process.cwd()));
  expect(engineVersion()).toMatch(new RegExp(String.raw`^${VERSION}\+[0-9a-f]{12}$`));
});

test.each([
  ['a line of the engine', 'src/engine/engine.ts', 'two', true],
  ['a new file', 'src/engine/other.ts', '', true],
  ['the version of a dependency', 'package.json', '{ "dependencies": { "decimal.js": "10.6.1" } }', true],
  ['a command', 'src/cli/main.ts', 'two', false],
  ['a page of a report', 'src/page/study/page.tsx', '', false],
  ['a script', 'package.json', '{ "scripts": {}, "dependencies": { "decimal.js": "10.6.0" } }', false],
])('%s makes another version or not: %#', (_, path, text, isAnother) => {
  const before = versionOfSources(checkout);
  write(path, text);
  expect(versionOfSources(checkout) !== before).toBe(isAnother);
});

test('is the same wherever the checkout is', () => {
  const other = join(checkout, 'moved');
  cpSync(join(checkout, 'src'), join(other, 'src'), { recursive: true });
  cpSync(join(checkout, 'package.json'), join(other, 'package.json'));
  expect(versionOfSources(other)).toBe(versionOfSources(checkout));
});
