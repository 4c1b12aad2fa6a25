import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { START_NAMES } from '../../src/cli/init/bot-request.ts';
import { startNode } from '../support/sarraf-process.ts';
import { installPackage, type InstalledPackage } from './installed-package.ts';
import { SmallDisk } from './small-disk.ts';

/** The installed package, with the other packages that the folder of a new bot installs. */
let project: InstalledPackage;
let bot: string;
let modules: string;
const sarraf = (): string => join(modules, 'sarraf/bin/sarraf.js');
const node = (args: readonly string[], cwd = project.folder): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8', cwd });

/** Runs a line of the bot's README as a shell would, on the Node of this test. */
function shell(line: string): string {
  const PATH = [dirname(process.execPath), join(modules, '.bin'), process.env['PATH']];
  const env = { ...process.env, PATH: PATH.join(delimiter), NO_COLOR: '1', NODE_OPTIONS: '' };
  return execFileSync('sh', ['-c', line], {
    encoding: 'utf8',
    cwd: bot,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Commands of the bot's README, in its order. */
function commands(): readonly string[] {
  const blocks = [...readFileSync(join(bot, 'README.md'), 'utf8').matchAll(/```sh\n([^]*?)```/g)];
  return blocks.flatMap(([, code = '']) => code.trim().split('\n'));
}

beforeAll(async () => {
  const programs = join(process.cwd(), 'node_modules/.bin');
  project = installPackage(['vitest', 'zod', 'typescript'], {
    sarraf: '../sarraf/bin/sarraf.js',
    vitest: join(programs, 'vitest'),
    tsc: join(programs, 'tsc'),
  });
  bot = join(project.folder, 'ربات من');
  modules = join(project.folder, 'node_modules');
});
afterAll(() => project.remove());

describe('sarraf init', () => {
  test('makes a folder, and says what comes next', () => {
    const made = JSON.parse(node([sarraf(), 'init', 'ربات من', '--json'])) as Record<string, unknown>;
    expect(made).toMatchObject({
      folder: bot,
      mode: 'embedded',
      market: 'BTCIRT',
      name: 'ma-cross',
      next: ["cd 'ربات من'", 'npm install', 'npm start'],
    });
    // The folder as "npm install" leaves it.
    renameSync(modules, join(bot, 'node_modules'));
    modules = join(bot, 'node_modules');
  });

  test('whose bot trades at once on the embedded exchange', async () => {
    const { scripts } = JSON.parse(readFileSync(join(bot, 'package.json'), 'utf8')) as {
      readonly scripts: { readonly start: string };
    };
    const [program, ...args] = scripts.start.split(' ');
    expect(program).toBe('sarraf');
    const run = startNode([sarraf(), ...args, '--speed=100', '--json'], bot);
    await run.line((line) => line.includes('"event":"fill"'));
    run.child.kill('SIGINT');
    const { code, out, error } = await run.finished;
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain('"strategy":"ma-cross"');
  });

  test('whose README has commands that all work, its test and a backtest among them', () => {
    const outputs = new Map(
      commands()
        .filter((line) => line !== 'npm install' && line !== 'npm start')
        .map((line) => [line, shell(line)]),
    );
    expect([...outputs.keys()]).toHaveLength(10);
    expect(outputs.get('npm test')).toMatch(/Tests +3 passed/);
    expect(outputs.get('npx sarraf report show last')).toMatch(/Trades +[1-9]/);
    expect(outputs.get('npx sarraf trades')).toContain('ma-cross');
    // Another program of this machine may use the port of the page.
    expect(outputs.get('npx sarraf doctor --config bot.yaml')).not.toMatch(
      /^(?:problem|warning) +(?!page:)\w/m,
    );
  });

  test('lets somebody begin with each strategy, whose test passes and whose types are right', () => {
    for (const start of START_NAMES) {
      node([sarraf(), 'init', join('each', start), '--yes', '--strategy', start]);
      for (const part of ['strategies', 'test'])
        cpSync(join(project.folder, 'each', start, part), join(bot, part), { recursive: true });
    }
    expect(shell('npm test')).toMatch(new RegExp(`Tests +${3 * START_NAMES.length} passed`));
    shell('npm run types');
  });

  test('leaves nothing behind on a full disk', async (context) => {
    const disk = SmallDisk.mount(join(project.folder, 'disk'), 1);
    if (typeof disk === 'string') {
      context.skip(disk);
      return;
    }
    try {
      disk.fill();
      const { code, error } = await startNode([sarraf(), 'init', join(disk.path, 'a/bot'), '--yes']).finished;
      expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('make room on the disk') });
      expect(readdirSync(disk.path)).toEqual(['filler']);
    } finally {
      disk.unmount();
    }
  });
});
