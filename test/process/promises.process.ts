import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { afterEach, expect, test } from 'vitest';
import { runUntil } from '../../src/daemon/run/run-loop.ts';
import { VirtualTime } from '../../src/virtual/virtual-time.ts';
import { deepRuns } from '../support/deep-runs.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';
import { createIdleShell } from '../support/idle-shell.ts';

const START_MS = Date.UTC(2026, 0, 5, 12);
const MINUTE_MS = 60_000;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Counts the promises that this process still holds, after a garbage collection. */
const heldPromises = (): number => Number(queryObjects(Promise));

test('the run loop holds no more promises after five thousand turns than after a hundred', async () => {
  const time = new VirtualTime(START_MS);
  const shell = createIdleShell(time);
  shell.start();
  const turn = async (times: number): Promise<number> => {
    await runUntil(
      { shell },
      { venue: { time }, deadlineMs: time.now() + times * 1_000, isOver: () => false },
    );
    return heldPromises();
  };
  const before = await turn(100);
  expect((await turn(5_000)) - before).toBeLessThan(50);
});

test('a bot that trades holds no more promises after some minutes than after one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-promises-'));
  folders.push(folder);
  const world = createEmbeddedWorld({ seed: 5 });
  const life = await BotLife.prepare(world, join(folder, 'mirror.sqlite'));
  life.bot.shell.start();
  await life.run(MINUTE_MS);
  const before = heldPromises();
  await life.run(deepRuns(8) * MINUTE_MS);
  expect(heldPromises() - before).toBeLessThan(50);
  await life.drain();
});
