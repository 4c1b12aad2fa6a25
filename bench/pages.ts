import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { runBot } from '../src/daemon/run-bot.ts';
import { readBotConfig } from '../src/daemon/read-bot-config.ts';
import { DashboardSidecar } from '../src/dashboard/dashboard-sidecar.ts';
import { ownStrategies } from '../src/plugins/own-files.ts';
import { median, type BenchResult } from './result.ts';

const PAGES = 50;
const ROUNDS = 5;
const PHASE_MS = 6_000;
/** Pause in ms in which pages open or close; neither phase measures it. */
const SETTLE_MS = 1_500;
const MOST_MORE_MS = 1;
const NANOSECONDS = 1e6;

/** The 99th percentile of the lag of this process's loop, in ms, during a phase. */
async function lagOf(phaseMs: number): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await setTimeout(phaseMs);
  delay.disable();
  return delay.percentile(99) / NANOSECONDS;
}

/**
 * Measures the lag of the loop of a bot in real time, with and without open pages, in turn within one run.
 */
export async function benchPages(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-pages-'));
  const readers = fork(join(import.meta.dirname, 'page-readers.js'));
  const end = new AbortController();
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder: folder,
    overrides: [
      ['data.folder', JSON.stringify(folder)],
      ['dashboard.port', '0'],
    ],
  });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  const address = Promise.withResolvers<string>();
  const run = runBot({
    config: reading.config,
    bundledStrategies: ownStrategies(),
    forMs: null,
    json: true,
    write(line) {
      const { event, address: at } = JSON.parse(line) as {
        readonly event?: string;
        readonly address?: string;
      };
      if (event === 'dashboard' && at !== undefined) address.resolve(at);
    },
    signal: end.signal,
    sidecars: [(config, screen) => new DashboardSidecar({ config, screen, writeToPerson: null })],
  });
  try {
    const at = await Promise.race([address.promise, run.then(() => '')]);
    const token = readFileSync(join(folder, 'dashboard-token'), 'utf8').trim();
    const alone: number[] = [];
    const watched: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [count, lags] of [
        [0, alone],
        [PAGES, watched],
      ] as const) {
        readers.send({ at, token, count });
        await setTimeout(SETTLE_MS);
        lags.push(await lagOf(PHASE_MS));
      }
    }
    const [value, reference] = [median(watched), median(alone)];
    return [
      {
        name: `pages: lag of the bot's loop with ${PAGES} open, 99 of 100, against none open`,
        value,
        unit: 'ms',
        reference,
        ratio: value / reference,
        target: reference + MOST_MORE_MS,
        holds: value - reference < MOST_MORE_MS,
      },
    ];
  } finally {
    readers.kill();
    end.abort();
    await run;
    rmSync(folder, { recursive: true, force: true });
  }
}
