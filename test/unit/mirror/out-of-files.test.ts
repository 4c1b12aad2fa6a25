import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

const PROCESS = fileURLToPath(new URL('./out-of-files-process.ts', import.meta.url));

test('a lock and a mirror name the limit of open files, and blame no folder', () => {
  const folder = folderOfThisTest();
  // The program itself raises a soft limit as far as the hard one.
  const script = 'ulimit -n 60; exec "$@"';
  const { stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', process.execPath, PROCESS, folder], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const messages = JSON.parse(stdout) as readonly string[];
  expect(messages).toEqual([
    expect.stringMatching(/a\.lock.*may open no more files \(EMFILE\): raise its limit/),
    expect.stringMatching(/mirror\.sqlite.*may open no more files \(EMFILE\): raise its limit/),
  ]);
});
