import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DURABLE, LATER, MirrorFolder, orderRecord } from './mirror-fixture.ts';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

const order = (key: string) => ({ kind: 'order', order: orderRecord({ key }) }) as const;
const GONE = /found its file gone or replaced: put it back, or end the bot.*cancels go on$/;

test('a mirror whose file was moved away takes no durable change, and goes on once it is back', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open({ durability: 'full' });
  store.apply([order('bot-a-e001-1')], DURABLE);
  renameSync(mirror.path, `${mirror.path}.away`);
  expect(() => store.apply([order('bot-a-e001-2')], DURABLE)).toThrow(GONE);
  store.apply([order('bot-a-e001-3')], LATER);
  store.flush();
  expect([store.isWritable(), store.writeFault()]).toEqual([false, 'its file gone or replaced']);
  renameSync(`${mirror.path}.away`, mirror.path);
  store.flush();
  expect([store.isWritable(), store.writeFault()]).toEqual([true, null]);
  expect(store.load().orders.map(({ key }) => key)).toEqual(['bot-a-e001-1', 'bot-a-e001-3']);
});

test.each([
  ['deleted', (path: string) => rmSync(path)],
  [
    'replaced by a copy',
    (path: string) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
])('a mirror whose file was %s says so to the end', (_, harm) => {
  using mirror = new MirrorFolder();
  const store = mirror.open({ durability: 'full' });
  harm(mirror.path);
  expect(() => store.apply([order('bot-a-e001-1')], DURABLE)).toThrow(GONE);
  store.apply([order('bot-a-e001-2')], LATER);
  expect(() => store.close()).toThrow(GONE);
});

const PROCESS = fileURLToPath(new URL('./out-of-files-process.ts', import.meta.url));

test('a lock and a mirror name the limit of open files, and blame no folder', () => {
  const folder = folderOfThisTest();
  // The program raises its soft limit up to the hard one, so the hard one is set.
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
