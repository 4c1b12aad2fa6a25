import { expect, test } from 'vitest';
import { SideThread } from '../../../src/daemon/sidecar.ts';

const moduleOf = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

test('a thread that dies again and again is begun five times, and then left out', async () => {
  const said: string[] = [];
  const thread = new Promise<void>((resolve) => {
    const side = new SideThread({
      name: 'the page',
      module: moduleOf('throw new Error("it broke")'),
      data: null,
      heapMb: 64,
      firstWaitMs: 0,
      onMessage: () => undefined,
      onTrouble(level, text) {
        said.push(`${level}: ${text}`);
        if (level === 'error') resolve();
      },
    });
    side.begin();
  });
  await thread;
  expect(said).toHaveLength(6);
  expect(said[0]).toBe('warning: the page ended, and begins again in 0 s: it broke. The bot goes on');
  expect(said[5]).toContain('ended 6 times within an hour, and is left out from now on');
});

test('a thread that dies while it is being ended does not fail the end', async () => {
  const side = new SideThread({
    name: 'the page',
    module: moduleOf('throw new Error("it broke")'),
    data: null,
    heapMb: 64,
    onMessage: () => undefined,
    onTrouble: () => undefined,
  });
  side.begin();
  await expect(side.end()).resolves.toBeUndefined();
});

test('a thread hears what it is given, and is ended without a word', async () => {
  const said: string[] = [];
  const heard = await new Promise((resolve) => {
    const side = new SideThread({
      name: 'the page',
      module: moduleOf(
        'import { parentPort, workerData } from "node:worker_threads"; parentPort.postMessage(workerData); parentPort.once("message", () => process.exit())',
      ),
      data: { port: 1 },
      heapMb: 64,
      onMessage: (message) => void side.end().then(() => resolve(message)),
      onTrouble: (_level, text) => said.push(text),
    });
    side.begin();
  });
  expect(heard).toEqual({ port: 1 });
  expect(said).toEqual([]);
});
