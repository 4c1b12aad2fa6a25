import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const folder = folderOfAllTests();

test('a run ends in order when nobody reads what it prints any more', async () => {
  const data = join(folder, 'unread');
  const args = ['bin/sarraf.js', 'run', '--speed=max', '--for=20s', '--json', `--data=${data}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let error = '';
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = (await once(child, 'exit')) as [number | null];
  expect({ code, error }).toEqual({ code: 0, error: '' });
});
