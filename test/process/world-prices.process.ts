import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();

test('the commands of the page on prices from elsewhere run as they are', async () => {
  const page = readFileSync('docs/world-prices.md', 'utf8');
  const [served = '', ...blocks] = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, text = '']) => text,
  );
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = `#!/bin/sh\nexec ${process.execPath} ${resolve('bin/sarraf.js')} "$@"\n`;
  writeFileSync(join(bin, 'sarraf'), program, { mode: 0o755 });
  mkdirSync(join(folder, 'config'));
  cpSync('config/world.yaml', join(folder, 'config', 'world.yaml'));
  const port = 30_000 + (process.pid % 20_000);
  const script = [
    "trap 'kill $(jobs -p); wait' EXIT",
    'set -e',
    ...served
      .trim()
      .split('\n')
      .map((line) => `${line} >> exchanges.log &`),
    // Both exchanges say when they listen.
    'until [ "$(grep -c listens exchanges.log)" = 2 ]; do sleep 0.1; done',
    ...blocks,
  ].join('\n');
  const shell = spawn(
    'bash',
    ['-c', script.replaceAll('7070', `${port}`).replaceAll('7071', `${port + 1}`)],
    {
      cwd: folder,
      env: { ...process.env, PATH: `${bin}:${process.env['PATH']}`, XDG_STATE_HOME: join(folder, 'state') },
    },
  );
  let text = '';
  shell.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  shell.stderr.setEncoding('utf8').on('data', (part: string) => (text += part));
  const [code] = (await once(shell, 'close')) as [number];
  expect(code, text).toBe(0);
  const [, shown = ''] = /^```console\n([\s\S]*?)^```$/m.exec(page) ?? [];
  for (const line of shown.trim().split('\n')) expect(text).toContain(line.trim());
  expect(text).toContain('world:orderBook');
  expect(text).toMatch(/"strategy":"market-maker","market":"BTCIRT","orders":[1-9]/);
});
