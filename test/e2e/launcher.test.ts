import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folderOfEachTest } from '../support/temporary-folder.ts';

/** A package of two programs that only print their names; the launcher is the real one. */
const folder = folderOfEachTest();
const SOURCES = 'src/cli/main.ts';
const BUNDLE = 'dist/src/cli/main.js';
const OLD = new Date('2026-01-01T00:00:00Z');
const NEW = new Date('2026-01-02T00:00:00Z');

function write(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Sets the file times of everything that a bundle is made of. */
function age(time: Date, ...others: readonly string[]): void {
  for (const path of ['package.json', 'src', 'src/cli', SOURCES, ...others])
    utimesSync(join(folder, path), time, time);
}

const run = (): string =>
  execFileSync(process.execPath, [join(folder, 'bin/sarraf.js')], {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'cache') },
  }).trim();

beforeEach(() => {
  cpSync('bin', join(folder, 'bin'), { recursive: true });
  write('package.json', '{ "type": "module" }');
  write(SOURCES, "console.log('sources');");
  write(BUNDLE, "console.log('bundle');");
  utimesSync(join(folder, BUNDLE), NEW, NEW);
  age(OLD);
});

test('a checkout runs the bundle while nothing that it is made of has changed since', () => {
  expect(run()).toBe('bundle');
});

test.each([
  ['a source', SOURCES],
  ['a folder, which has lost a file', 'src/cli'],
  ['the list of dependencies', 'package.json'],
])('a checkout runs its sources once %s is newer than the bundle', (_, changed) => {
  const later = new Date(NEW.getTime() + 1_000);
  utimesSync(join(folder, changed), later, later);
  expect(run()).toBe('sources');
});

test('a checkout without a bundle runs its sources, and a package without sources its bundle', () => {
  rmSync(join(folder, 'dist'), { recursive: true });
  expect(run()).toBe('sources');
  write(BUNDLE, "console.log('bundle');");
  rmSync(join(folder, 'src'), { recursive: true });
  expect(run()).toBe('bundle');
});
