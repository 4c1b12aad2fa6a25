import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sarrafHere } from '../support/sarraf-here.ts';
import { startNode, startSarraf } from '../support/sarraf-process.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const readme = readFileSync('README.md', 'utf8');
const library = readFileSync('docs/library.md', 'utf8');

/** Returns the code block of a page that contains a text. */
function blockWith(text: string, page = readme): string {
  const block = page
    .split('```')
    .filter((_, index) => index % 2 === 1)
    .find((code) => code.includes(text));
  if (block === undefined) throw new Error(`expected a code block with ${text}, was none`);
  return block.slice(block.indexOf('\n') + 1);
}

interface PrintedEvent {
  readonly event: string;
  readonly strategies?: readonly { readonly strategy: string; readonly fills: number }[];
}

const eventsIn = (out: string): readonly PrintedEvent[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PrintedEvent);

const folder = folderOfAllTests();

describe('the README', () => {
  test('shows a first strategy that trades, and how it is watched', async () => {
    mkdirSync(join(folder, 'my-strategies'));
    writeFileSync(join(folder, 'my-strategies', 'dip-buyer.ts'), blockWith("name: 'dip-buyer'"));
    const data = join(folder, 'data');
    const strategies = join(folder, 'my-strategies');
    const args = ['run', `--strategies=${strategies}`, `--data=${data}`, '--speed=100', '--json'];
    const bot = startSarraf(args);
    await bot.line((text) => text.includes('"event":"fill"'));
    bot.child.kill('SIGINT');
    const { code, out, error } = await bot.finished;
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).not.toContain("this machine's clock");
    const summary = eventsIn(out).find(({ event }) => event === 'summary');
    expect(summary?.strategies?.map(({ strategy }) => strategy)).toEqual(['dip-buyer']);
    expect(summary?.strategies?.[0]?.fills).toBeGreaterThan(0);
    const watched = [['status'], ['orders', '--state', 'all'], ['trades'], ['intents']];
    for (const args of watched) {
      const { code: exit, out: lines } = await sarrafHere([...args, '--data', data]);
      expect(exit).toBe(0);
      expect(lines).toContain('dip-buyer');
      expect(readme).toContain(`npx sarraf ${args.join(' ')}\n`);
    }
  });

  test('leads to rules, which say of a bot what they wait for', async () => {
    const data = join(folder, 'rules');
    const { code } = await startSarraf(['run', '--for=3s', '--speed=max', `--data=${data}`]).finished;
    expect(code).toBe(0);
    const why = await sarrafHere(['why', 'ma-cross', '--data', data, '--json']);
    expect(JSON.parse(why.out)).toMatchObject({
      strategy: 'ma-cross',
      enter: [{ text: 'fast is above slow', depth: 0 }],
      exit: [{ text: 'fast is below slow', depth: 0 }],
    });
    const early = await sarrafHere(['why', 'ma-cross', '--data', data, '--at', '2020-01-01']);
    expect(early).toMatchObject({ code: 2, error: expect.stringContaining('expected a closed bar') });
  });

  test('shows a configuration that can be planned and run', async () => {
    const config = join(folder, 'bot.yaml');
    writeFileSync(config, blockWith('plugin: ./my-strategies/dip-buyer.ts'));
    const plan = await sarrafHere(['plan', '--config', config]);
    expect(plan).toMatchObject({ code: 0, error: '' });
    const data = join(folder, 'configured');
    const args = ['run', '--config', config, `--data=${data}`, '--speed=max', '--for=300ms', '--json'];
    const { code, out, error } = await sarrafHere(args);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(eventsIn(out).map(({ event }) => event)).toContain('begin');
    expect(eventsIn(out).find(({ event }) => event === 'summary')?.strategies).toMatchObject([
      { strategy: 'dip-buyer', market: 'BTCIRT' },
    ]);
  });

  test('shows backtests that run on the recording that ships with it', async () => {
    const file = join(folder, 'dip-buyer.ts');
    writeFileSync(file, blockWith("name: 'dip-buyer'"));
    const commands = [...readme.matchAll(/^npx sarraf (backtest .*)$/gm)].map(([, line = '']) => line);
    expect(commands).toHaveLength(2);
    for (const line of commands) {
      const args = line.replace('my-strategies/dip-buyer.ts', file).replaceAll(/#.*/g, '').trim().split(' ');
      const { code, out, error } = await sarrafHere([...args, '--no-save', '--json']);
      expect({ code, error }).toEqual({ code: 0, error: '' });
      const { summary } = JSON.parse(out) as { readonly summary: { readonly fills: number } };
      expect(summary.fills).toBeGreaterThan(10);
    }
  });

  test('leads to a page where the client reads a book and places an order', async () => {
    const exchange = startSarraf(['exchange', '--port', '0', '--json']);
    try {
      const listening = JSON.parse(await exchange.line((line) => line.includes('listening'))) as {
        address: string;
      };
      const file = join(folder, 'client.ts');
      const code = blockWith("import { ExchangeClient } from 'sarraf'", library)
        .replace("'sarraf'", JSON.stringify(join(process.cwd(), 'src/index.ts')))
        .replace('http://127.0.0.1:8900', listening.address);
      writeFileSync(file, code);
      const { code: exit, out, error } = await startNode([file]).finished;
      expect({ exit, error }).toEqual({ exit: 0, error: '' });
      expect(out).toMatch(/best bid \[ '\d+', '[\d.]+' \] best ask \[ '\d+', '[\d.]+' \]\nActive\n/);
    } finally {
      exchange.child.kill('SIGTERM');
    }
    expect((await exchange.finished).code).toBe(0);
  });
});
