import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineVersion } from '../../src/study/code-bundle.ts';
import { startNode } from '../support/sarraf-process.ts';
import { installPackage } from './installed-package.ts';

/** Folder of a project in which the package of "npm pack" is installed as npm would do it. */
let folder: string;
let installed: string;
let packed: readonly string[];
const node = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8', cwd: folder });

let remove: () => void;
beforeAll(() => {
  ({ folder, installed, packed, remove } = installPackage(['zod']));
  // As "npm init" writes the file.
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

/** Runs the program until it has printed a text, and returns everything that it printed. */
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
      'config/new-bot/bot.yaml.template',
      'data/example/BTCUSDT/books/manifest.json',
    ]) {
      expect(packed).toContain(path);
    }
    expect(packed.filter((path) => path.endsWith('/src/dashboard/page/index.html'))).toHaveLength(1);
    for (const file of ['run.js', 'study.js', 'palette.css', 'report.css', 'study.css'])
      expect(packed.filter((path) => path.endsWith(`/src/page/${file}`))).toHaveLength(1);
    expect(packed.filter((path) => /^(?:src|test|bench|data(?!\/example))\//.test(path))).toEqual([]);
  });

  test('has one build, whatever else was built in its checkout', () => {
    const builds = packed.flatMap((path) => /^dist\/([0-9a-f]{12})\//.exec(path)?.[1] ?? []);
    expect(new Set(builds).size).toBe(1);
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
    const file = packed.find((path) => path.endsWith('/src/engine-version')) ?? '';
    expect(readFileSync(join(installed, file), 'utf8').trim()).toBe(engineVersion());
  });

  test('has types for the client, the SDK and the rest, which strict projects take whole', () => {
    writeFileSync(
      join(folder, 'own-typed.ts'),
      STRATEGY.replace(/^import .*amount.ts.*$/m, 'const amount: number = 0.001;'),
    );
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
       import { backtest } from 'sarraf/research';
       export const runs: typeof backtest = backtest;
       import { runStrategy } from 'sarraf/testing';
       export const run: typeof runStrategy = runStrategy;`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--ignoreConfig'];
    const tsc = join(process.cwd(), 'node_modules/.bin/tsc');
    const types = ['--typeRoots', join(process.cwd(), 'node_modules/@types'), '--types', 'node'];
    expect(
      execFileSync(tsc, [...options, ...types, 'typed.mts', 'own-typed.ts'], {
        encoding: 'utf8',
        cwd: folder,
      }),
    ).toBe('');
  });

  test('runs its command, with its own strategies and without a build', async () => {
    expect(node(join(installed, 'bin/sarraf.js'), '--help')).toContain('sarraf');
    const out = await runUntil('"event":"order"', `--data=${join(folder, 'data')}`);
    expect(out).toContain('"strategy":"market-maker"');
    expect(out).toContain('"openOrders":0');
  });

  test('serves the page of a bot', async () => {
    const data = join(folder, 'data');
    const page = startNode(
      [join(installed, 'bin/sarraf.js'), 'dashboard', '--json', '--port=0', `--data=${data}`],
      folder,
    );
    const { address } = JSON.parse(await page.line((line) => line.includes('"address"'))) as {
      readonly address: string;
    };
    const answer = await fetch(address);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toMatch(/<script type="module"[^>]* src="\/assets\/index-/);
    page.child.kill('SIGTERM');
    await page.finished;
  });

  test('runs a strategy of a project whose type is commonjs', async () => {
    writeFileSync(join(folder, 'own.ts'), STRATEGY);
    writeFileSync(join(folder, 'amount.ts'), "export const amount: string = '0.001';");
    const out = await runUntil('"event":"order"', '--strategies=own.ts', `--data=${join(folder, 'own')}`);
    expect(out).toMatch(/"strategy":"own","market":"BTCIRT","orders":[1-9]/);
  });

  // .ci/run installs both; without them the tests run only on the Node of this process.
  test.skipIf(process.env['SARRAF_NODE_22'] === undefined)('runs on the oldest Node that it names', () => {
    const older = process.env['SARRAF_NODE_22'] ?? '';
    const text = execFileSync(older, ['--preserve-symlinks', 'use.mjs'], { encoding: 'utf8', cwd: folder });
    expect(text.trim()).toBe('function function');
    const run = [join(installed, 'bin/sarraf.js'), 'backtest', 'ma-cross', '--market=BTCUSDT', '--json'];
    const data = [
      '--timeframe=5m',
      `--catalogue=${join(installed, 'data/example')}`,
      '--cash=10000',
      '--no-save',
    ];
    expect(execFileSync(older, [...run, ...data], { encoding: 'utf8', cwd: folder })).toContain('"trades"');
  });

  test.skipIf(process.env['SARRAF_NODE_20'] === undefined)('says on an older Node which one it needs', () => {
    const older = process.env['SARRAF_NODE_20'] ?? '';
    for (const args of [['use.mjs'], [join(installed, 'bin/sarraf.js'), 'run']]) {
      const { status, stderr } = spawnSync(older, ['--preserve-symlinks', ...args], {
        encoding: 'utf8',
        cwd: folder,
      });
      expect(status).not.toBe(0);
      expect(stderr).toContain('sarraf needs Node 22.19 or newer, and this is Node 20');
      expect(stderr).not.toContain('SyntaxError');
    }
  });
});

test('a checkout keeps the build that a bot runs from while another is made', async () => {
  const checkout = join(folder, 'checkout');
  for (const path of [
    'bin',
    'src',
    'strategies',
    'config',
    'package.json',
    'bundle.mjs',
    'tsconfig.json',
    'tsconfig.build.json',
  ])
    cpSync(path, join(checkout, path), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(checkout, 'node_modules'));
  const build = (): void => void execFileSync(process.execPath, ['bundle.mjs'], { cwd: checkout });
  build();
  const bot = startNode(
    ['bin/sarraf.js', 'run', '--speed=100', '--json', `--data=${join(folder, 'survivor')}`],
    checkout,
  );
  await bot.line((line) => line.includes('"event":"order"'));
  // A source that is in the bundle, and one more that the bundle names by its content.
  const version = join(checkout, 'src/exchange/version.ts');
  writeFileSync(version, `${readFileSync(version, 'utf8')}\nglobalThis.process.title += '';\n`);
  build();
  expect(readdirSync(join(checkout, 'dist')).filter((name) => /^[0-9a-f]{12}$/.test(name))).toHaveLength(2);
  bot.child.kill('SIGTERM');
  const { code, out, error } = await bot.finished;
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out).toContain('"openOrders":0');
});
