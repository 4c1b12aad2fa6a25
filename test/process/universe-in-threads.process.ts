import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { StrategyThreads } from '../../src/daemon/strategy-threads.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const ROAMING = join(process.cwd(), 'test/support/plugins/roaming.ts');
const LIMITS = { handlerMs: 30_000, loadMs: 120_000, memoryMb: 128, restartsAnHour: 5 };
const MINUTE_MS = 60_000;
/** Time at which a world begins. */
const START_MS = Date.UTC(2026, 0, 5, 12);
/** Time from the beginning until the thread ends, and how long the run goes on after its pause, in ms. */
const EXIT_MS = 6 * MINUTE_MS;
const AFTER_MS = 4 * MINUTE_MS;
/** Maximum number of pauses while a thread starts: the machine may be slow. */
const MOST_PAUSES = 600;

const folder = folderOfEachTest();

interface Line {
  readonly atMs: number;
  readonly text: string;
  readonly json: string;
}

/** Log lines of a run, and its duration. */
interface Run {
  readonly lines: readonly Line[];
  readonly ranForMs: number;
}

async function run(of: { readonly exits: boolean; readonly forMs: number | null }): Promise<Run> {
  const path = join(folder, `${of.exits}.sqlite`);
  const params = { exitsAtMs: of.exits ? START_MS + EXIT_MS : null };
  const strategies = [{ plugin: ROAMING, market: 'USDTIRT', params, onError: 'pause', pause: '1m' }];
  const world = createEmbeddedWorld({ seed: 3, config: { strategies } });
  expect(world.time.now()).toBe(START_MS);
  const threads = new StrategyThreads({ limits: LIMITS, onPrint: () => undefined });
  try {
    const life = await BotLife.prepare(world, path, of.exits ? threads : undefined);
    life.bot.shell.start();
    let ranForMs = EXIT_MS + MINUTE_MS / 2;
    await life.run(ranForMs);
    const isPaused = (): boolean => life.bot.engine.instances.some(({ status }) => status === 'paused');
    expect(isPaused()).toBe(of.exits);
    for (let pauses = 0; isPaused() && pauses < MOST_PAUSES; pauses += 1) {
      await sleep(50);
      await life.run(MINUTE_MS);
      ranForMs += MINUTE_MS;
    }
    const restMs = of.forMs === null ? AFTER_MS : of.forMs - ranForMs;
    await life.run(restMs);
    expect(life.bot.engine.instances.map(({ status }) => status)).toEqual(['running']);
    life.bot.shell.close();
    life.mirror.close();
    return { lines: linesOf(path), ranForMs: ranForMs + restMs };
  } finally {
    await threads.dispose();
  }
}

function linesOf(path: string): readonly Line[] {
  const reader = new MirrorReader(path);
  try {
    return reader.lines('log', { strategy: null, last: 10_000 }).map(({ atMs, json }) => ({
      atMs,
      json,
      text: (JSON.parse(json) as { readonly text: string }).text,
    }));
  } finally {
    reader.close();
  }
}

test('a thread that ends and begins anew has the members, indicators and history of one that went on', async () => {
  const ended = await run({ exits: true, forMs: null });
  const went = await run({ exits: false, forMs: ended.ranForMs });
  const endedAtMs = START_MS + EXIT_MS;
  const wentOnAtMs = ended.lines.find(({ atMs }) => atMs > endedAtMs)?.atMs ?? Infinity;
  const outOfPause = went.lines.filter(({ atMs }) => atMs < endedAtMs || atMs >= wentOnAtMs);
  expect(ended.lines).toEqual(outOfPause);
  const told = went.lines.filter(({ text }) => text === 'members').map(({ json }) => json);
  // A member has left and another entered before the end, and bars come after it.
  expect(told.length).toBeGreaterThan(2);
  expect(outOfPause.filter(({ atMs }) => atMs >= wentOnAtMs).length).toBeGreaterThan(4);
});
