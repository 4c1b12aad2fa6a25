import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { present } from '../src/domain/errors.ts';
import { RedisServer } from '../test/process/redis-server.ts';
import { SARRAF } from './child-usage.ts';
import { median, type BenchResult } from './result.ts';

const TRIAL_MS = 1_000;
const WORKERS = 2;
/** Number of trials; the time is measured from the end of each worker's first trial. */
const TRIALS = 40 + WORKERS;
const RUNS = 3;
const MOST_OVERHEAD = 1.05;

const BARS = 200;
const FIRST_MS = Date.UTC(2024, 0, 1);
const HOUR_MS = 3_600_000;

/**
 * Source of a strategy that sleeps for a second and then holds. Such a trial takes as long on a busy machine
 * as on an idle one, so that all time beyond it is spent on Redis.
 */
const SLEEPER = `
import { z } from 'zod';
import { defineStrategy, search } from '#sdk';
const cell = new Int32Array(new SharedArrayBuffer(4));
export default defineStrategy({
  name: 'sleeper',
  params: z.strictObject({ seed: search(z.int().default(1), { min: 1, max: 1000000 }) }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  state: z.object({ hasSlept: z.boolean().default(false) }),
  on: {
    bars(ctx) {
      if (ctx.state.hasSlept) return;
      Atomics.wait(cell, 0, 0, ${TRIAL_MS});
      ctx.setState({ hasSlept: true });
    },
  },
});
`;

/**
 * Runs the same study with trials of exactly a second in threads of one process, and through Redis by two
 * workers of one thread each: the difference is the cost of Redis. It needs redis-server.
 */
export async function benchDistributedStudy(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-distributed-'));
  const redis = await RedisServer.start({ folder });
  try {
    mkdirSync(join(folder, 'strategies'));
    writeFileSync(join(folder, 'strategies', 'sleeper.ts'), SLEEPER);
    writeFileSync(join(folder, 'hours.csv'), bars());
    const results: BenchResult[] = [];
    for (const sampler of ['random', 'tpe']) {
      const [locals, remotes]: [number[], number[]] = [[], []];
      for (let run = 0; run < RUNS; run += 1) {
        // Each study has another seed, as Redis remembers studies that have ended.
        const study = { folder, sampler, seed: run + 1 };
        locals.push(await spanMs(study, null));
        remotes.push(await spanMs(study, redis.url));
      }
      const [local, remote] = [median(locals), median(remotes)];
      const each = remotes.map((ms) => (ms / 1_000).toFixed(2)).join(', ');
      results.push({
        name: `distributed study (${sampler}): ${TRIALS - WORKERS} trials of 1 s by two workers, through Redis (${each} s) against threads`,
        value: remote / 1_000,
        unit: 's',
        reference: local / 1_000,
        ratio: remote / local,
        target: MOST_OVERHEAD,
        holds: remote / local <= MOST_OVERHEAD,
      });
    }
    return results;
  } finally {
    await redis.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Time from the end of the first trials to that of the last one, by the study's file; without starts. */
async function spanMs(
  { folder, sampler, seed }: { readonly folder: string; readonly sampler: string; readonly seed: number },
  redis: string | null,
): Promise<number> {
  const data = join(folder, `${sampler}-${seed}-${redis === null ? 'local' : 'redis'}`);
  const csv = join(folder, 'hours.csv');
  const strategies = join(folder, 'strategies');
  const asked = `--market BTCUSDT --cash 10000 --trials ${TRIALS} --sampler ${sampler} --seed ${seed}`;
  const place = ['--csv', csv, '--data', data, '--name', 'sleeper', '--workers', String(WORKERS)];
  const study = ['study', 'run', join(strategies, 'sleeper.ts'), ...asked.split(' '), ...place, '--json'];
  const workers =
    redis === null
      ? []
      : Array.from({ length: WORKERS }, (_, index) => {
          const own = ['--threads', '1', '--strategies', strategies, '--data', join(data, String(index))];
          return start(['worker', '--redis', redis, ...own]);
        });
  try {
    // No trial has values, as none trades.
    await once(start([...study, ...(redis === null ? [] : ['--redis', redis])]), 'exit');
  } finally {
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(workers.map(async (worker) => once(worker, 'exit')));
  }
  const database = new Database(join(data, 'studies', 'sleeper.sqlite'), { readonly: true });
  try {
    const rows = database.prepare('SELECT ended_at_ms FROM timings ORDER BY ended_at_ms').pluck().all();
    const ends = z.array(z.number()).length(TRIALS).parse(rows);
    return present(ends.at(-1), 'the last trial') - present(ends[WORKERS - 1], 'the first trials');
  } finally {
    database.close();
  }
}

const start = (args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [SARRAF, ...args], { stdio: 'ignore' });

function bars(): string {
  const rows = Array.from({ length: BARS }, (_, hour) => `${FIRST_MS + hour * HOUR_MS},100,101,99,100,10`);
  return ['time_ms,open,high,low,close,volume', ...rows, ''].join('\n');
}
