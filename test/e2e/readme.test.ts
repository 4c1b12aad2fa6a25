import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startNode, startSarraf } from '../support/sarraf-process.ts';

const readme = readFileSync('README.md', 'utf8');

/** The code block that holds a text. */
function blockWith(text: string): string {
  const block = readme
    .split('```')
    .filter((_, index) => index % 2 === 1)
    .find((code) => code.includes(text));
  if (block === undefined) throw new Error(`expected a code block with ${text} in README.md, was none`);
  return block.slice(block.indexOf('\n') + 1);
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-readme-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the README', () => {
  test('shows a first strategy that trades', async () => {
    writeFileSync(join(folder, 'dip-buyer.ts'), blockWith("name: 'dip-buyer'"));
    const { finished } = startSarraf([
      'run',
      `--strategies=${folder}`,
      `--data=${join(folder, 'data')}`,
      '--speed=max',
      '--for=3s',
      '--json',
    ]);
    const { code, out, error } = await finished;
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; strategies?: { strategy: string; fills: number }[] });
    const summary = events.find(({ event }) => event === 'summary');
    expect(summary?.strategies?.map(({ strategy }) => strategy)).toEqual(['dip-buyer']);
    expect(summary?.strategies?.[0]?.fills).toBeGreaterThan(0);
  });

  test('shows the client reading a book and placing an order', async () => {
    const exchange = startSarraf(['exchange', '--port', '0', '--json']);
    try {
      const listening = JSON.parse(await exchange.line((line) => line.includes('listening'))) as { address: string };
      const file = join(folder, 'client.ts');
      const code = blockWith("import { ExchangeClient } from 'sarraf'")
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

  test('names commands, options and files that are there', async () => {
    const [program, run, exchange] = await Promise.all(
      [['--help'], ['run', '--help'], ['exchange', '--help']].map(
        async (args) => (await startSarraf(args).finished).out,
      ),
    );
    for (const command of ['run', 'exchange']) expect(program).toContain(command);
    for (const option of ['--for', '--speed', '--replay', '--strategies', '--market']) expect(run).toContain(option);
    for (const option of ['--port', '--config']) expect(exchange).toContain(option);
    const linked = [...readme.matchAll(/\]\(([^):]+)\)/g)].map((match) => match[1] ?? '');
    expect(linked.length).toBeGreaterThan(5);
    expect(linked.filter((path) => !existsSync(path))).toEqual([]);
  });
});
