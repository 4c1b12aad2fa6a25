import { expect, test } from 'vitest';
import { runUntil } from '../../../src/daemon/run/run-loop.ts';
import { VirtualTime } from '../../../src/virtual/virtual-time.ts';
import { createIdleShell } from '../../support/idle-shell.ts';

const START_MS = Date.UTC(2026, 0, 5, 12);

test('the run loop throws what the shell failed with', async () => {
  const time = new VirtualTime(START_MS);
  const shell = createIdleShell(time, START_MS + 5_000);
  shell.start();
  const running = runUntil(
    { shell },
    { venue: { time }, deadlineMs: START_MS + 60_000, isOver: () => false },
  );
  await expect(running).rejects.toThrow('a broken invariant');
  expect(time.now()).toBe(START_MS + 5_000);
});
