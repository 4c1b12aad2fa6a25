import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { startSarraf } from '../support/sarraf-process.ts';
import { writeCandles } from '../unit/study/generated-candles.ts';
import { RedisServer } from './redis-server.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();

test('the commands of the page on many machines run as they are', async () => {
  const page = readFileSync('docs/distributed-studies.md', 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  expect(blocks).toHaveLength(2);
  const port = String(30_000 + (process.pid % 20_000));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = `#!/bin/sh\nexec ${process.execPath} ${resolve('bin/sarraf.js')} "$@"\n`;
  writeFileSync(join(bin, 'sarraf'), program, { mode: 0o755 });
  const script = ["trap 'kill $(jobs -p); wait' EXIT", 'set -e', ...blocks].join('\n');
  const shell = spawn('bash', ['-c', script.replaceAll('6379', port)], {
    cwd: folder,
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
  });
  let text = '';
  shell.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  shell.stderr.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(shell, 'close');
  expect(text.match(/^computes /gm)?.length, text).toBeGreaterThanOrEqual(1);
  expect(
    text.match(/^(?:likely luck|perhaps luck|unlikely luck|not tested)/gim)?.length,
    text,
  ).toBeGreaterThan(0);
});

const SERVICE = z.object({ command: z.array(z.string()) });

test('the commands of compose.study.yaml run a study', async () => {
  const file = z
    .object({ services: z.object({ coordinator: SERVICE, worker: SERVICE }) })
    .parse(parse(readFileSync('compose.study.yaml', 'utf8'), { merge: true }));
  const redis = await RedisServer.start({ folder });
  const study = join(folder, 'study');
  mkdirSync(study);
  writeCandles(join(study, 'hours.csv'), { count: 1_000 });
  writeFileSync(
    join(study, 'study.yaml'),
    'strategy: ma-cross\nmarkets: BTCUSDT\ncsv: hours.csv\nbalances: { usdt: 10000 }\nbudget: { trials: 4 }\n',
  );
  // In the container image SARRAF_DATA names the data folder.
  const here = ({ command }: z.output<typeof SERVICE>, data: string): string[] => [
    ...command.map((part) =>
      part
        .replace('redis://redis:6379', redis.url)
        .replace('--serve=coordinator:7300', '--serve=127.0.0.1:0')
        .replace('coordinator:7300', '127.0.0.1')
        .replace('/study', study),
    ),
    `--data=${join(folder, data)}`,
  ];
  const worker = startSarraf(here(file.services.worker, 'worker'));
  try {
    const { code, error } = await startSarraf(here(file.services.coordinator, 'studies')).finished;
    expect(code, error).toBe(0);
  } finally {
    worker.child.kill('SIGTERM');
    await worker.finished;
    await redis.kill();
  }
});
