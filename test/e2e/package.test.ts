import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The package as npm would install it: what `files` names, beside its dependencies, in a folder of its own. */
let folder: string;
let installed: string;
const node = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8', cwd: folder });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-package-'));
  installed = join(folder, 'node_modules', 'sarraf');
  mkdirSync(installed, { recursive: true });
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', join(installed, 'dist')]);
  symlinkSync(join(process.cwd(), 'package.json'), join(installed, 'package.json'));
  symlinkSync(join(process.cwd(), 'node_modules'), join(installed, 'node_modules'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the installed package', () => {
  test('gives the client and the SDK to those who import it', () => {
    writeFileSync(
      join(folder, 'use.mjs'),
      `import { ExchangeClient } from 'sarraf'; import { defineStrategy } from 'sarraf/sdk';
       console.log(typeof ExchangeClient, typeof defineStrategy);`,
    );
    expect(node('--preserve-symlinks', 'use.mjs').trim()).toBe('function function');
  });

  test('runs its command, with its own strategies and without a build', () => {
    const main = join(installed, 'dist/src/cli/main.js');
    expect(node(main, '--help')).toContain('sarraf');
    const out = node(main, 'run', '--for=2s', '--speed=max', '--json', `--data=${join(folder, 'data')}`);
    expect(out).toContain('"strategy":"market-maker"');
    expect(out).toContain('"openOrders":0');
  });
});
