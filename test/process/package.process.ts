import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineVersion } from '../../src/study/question/engine-version.ts';
import { startNode } from '../support/sarraf-process.ts';
import { installPackage } from './installed-package.ts';

/**
 * The package as npm would install it: the files that it packs, beside its dependencies, in a project of its
 * own.
 */
let folder: string;
let installed: string;
let packed: readonly string[];
const node = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8', cwd: folder });

let remove: () => void;
beforeAll(async () => {
  ({ folder, installed, packed, remove } = await installPackage());
  // As "npm init" writes it.
  writeFileSync(join(folder, 'package.json'), '{ "name": "own", "type": "commonjs" }');
});
afterAll(() => remove());

const STRATEGY = `
import { defineStrategy } from 'sarraf/sdk';
import { z } from 'zod';
import { amount } from './amount.ts';

export default defineStrategy({
  name: 'own',
  params: z.strictObject({}),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: { bars: ({ buy }) => buy({ amount }) },
});
`;

/** Runs it until it has printed something, and answers with everything that it printed. */
async function runUntil(text: string, ...args: readonly string[]): Promise<string> {
  const bot = startNode([join(installed, 'bin/sarraf.js'), 'run', '--speed=100', '--json', ...args], folder);
  await bot.line((line) => line.includes(text));
  bot.child.kill('SIGTERM');
  const { code, out, error } = await bot.finished;
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return out;
}

describe('the installed package', () => {
  test('has the licence, the docs and the examples, and no sources or tests', () => {
    for (const path of [
      'README.md',
      'LICENSE',
      'CONTRIBUTING.md',
      'docs/library.md',
      'docs/operate.md',
      'docs/strategies.md',
      'config/live.yaml',
      'data/example/BTCUSDT/books/manifest.json',
    ]) {
      expect(packed).toContain(path);
    }
    expect(existsSync(join(installed, 'dist/src/dashboard/page/index.html'))).toBe(true);
    expect(packed.filter((path) => /^(?:src|test|bench|data(?!\/example))\//.test(path))).toEqual([]);
  });

  test('gives the client and the SDK to those who import it', () => {
    writeFileSync(
      join(folder, 'use.mjs'),
      `import { ExchangeClient } from 'sarraf'; import { defineStrategy } from 'sarraf/sdk';
       console.log(typeof ExchangeClient, typeof defineStrategy);`,
    );
    expect(node('--preserve-symlinks', 'use.mjs').trim()).toBe('function function');
  });

  test('knows the version of the sources that it was made of', () => {
    expect(readFileSync(join(installed, 'dist/engine-version'), 'utf8').trim()).toBe(engineVersion());
  });

  test('has types for the client and the SDK', () => {
    writeFileSync(
      join(folder, 'typed.mts'),
      `import { ExchangeClient } from 'sarraf';
       import type { StrategyContext } from 'sarraf/sdk';
       const client = new ExchangeClient({ baseUrl: 'http://127.0.0.1:1', credentials: { kind: 'token', token: 'x' } });
       const book = await client.orderBook({ symbol: 'BTCIRT' });
       if (book.ok) book.value.bids satisfies readonly unknown[];
       // @ts-expect-error there is no such call
       client.nothing();
       export const equityOf = (ctx: StrategyContext): number | null => ctx.equity;
       import { runStrategy } from 'sarraf/testing';
       export const run: typeof runStrategy = runStrategy;`,
    );
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--ignoreConfig',
    ];
    const tsc = join(process.cwd(), 'node_modules/.bin/tsc');
    const types = ['--typeRoots', join(process.cwd(), 'node_modules/@types'), '--types', 'node'];
    expect(execFileSync(tsc, [...options, ...types, 'typed.mts'], { encoding: 'utf8', cwd: folder })).toBe(
      '',
    );
  });

  test('has no types that nobody can import, which cost "sarraf init" a gigabyte', () => {
    const types = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.d.ts'),
    );
    expect(types).toContain(join('src', 'strategy', 'sdk.d.ts'));
    expect(types.filter((path) => /^(strategies|src.(cli|fuzz|alerts|dashboard))/.test(path))).toEqual([]);
  });

  test('runs its command, with its own strategies and without a build', async () => {
    expect(node(join(installed, 'bin/sarraf.js'), '--help')).toContain('sarraf');
    const out = await runUntil('"event":"order"', `--data=${join(folder, 'data')}`);
    expect(out).toContain('"strategy":"market-maker"');
    expect(out).toContain('"openOrders":0');
  });

  test('runs a strategy of a project whose type is commonjs', async () => {
    writeFileSync(join(folder, 'own.ts'), STRATEGY);
    writeFileSync(join(folder, 'amount.ts'), "export const amount: string = '0.001';");
    const out = await runUntil('"event":"order"', '--strategies=own.ts', `--data=${join(folder, 'own')}`);
    expect(out).toMatch(/"strategy":"own","market":"BTCIRT","orders":[1-9]/);
  });
});
