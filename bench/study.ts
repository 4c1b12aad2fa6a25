import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MARKET } from './bar-walk.ts';
import { childUsage, SARRAF, type ChildUsage } from './child-usage.ts';
import type { BenchResult } from './result.ts';

/** Number of hours in about seven years. */
const BARS = 58_419;
const TRIALS = 60;
const TWO_WORKERS = 2;
const FOUR_WORKERS = 4;

const LEAST_GAIN = 1.9;
const MOST_MB_A_WORKER = 40;

/**
 * Measures a whole study with the default sampler, with one worker and with two, each in its own process: the
 * gain of a second core, and the cost of another worker.
 */
export function benchStudy(): BenchResult[] {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-study-bench-'));
  try {
    const csv = join(folder, 'bars.csv');
    execFileSync(process.execPath, [join(import.meta.dirname, 'write-bars.ts'), csv, String(BARS)]);
    const run = (workers: number, trials: number): ChildUsage => {
      const data = join(folder, `${workers}-${trials}`);
      const options = [
        '--market',
        MARKET.symbol,
        '--timeframe',
        '1m',
        '--cash',
        '1000000000',
        '--fee',
        '0.1%',
      ];
      const study = ['--trials', String(trials), '--workers', String(workers), '--data', data, '--json'];
      const command = [SARRAF, 'study', 'run', 'ma-cross', '--csv', csv, ...options, ...study];
      return childUsage({ command, folder, environment: { XDG_CACHE_HOME: join(folder, 'cache') } });
    };
    // Compiled code and columns are cached from an earlier run, as for a second study.
    run(1, 1);
    const one = run(1, TRIALS);
    const two = run(TWO_WORKERS, TRIALS);
    const four = run(FOUR_WORKERS, TRIALS);
    const mbAWorker = (four.rssMb - one.rssMb) / (FOUR_WORKERS - 1);
    return [
      {
        name: `study: ${TRIALS} trials of ${BARS} bars, time of one worker against two`,
        value: one.wallMs / 1_000,
        unit: 's',
        reference: two.wallMs / 1_000,
        ratio: one.wallMs / two.wallMs,
        target: LEAST_GAIN,
        holds: one.wallMs / two.wallMs >= LEAST_GAIN,
      },
      {
        name: 'study: memory of each worker after the first',
        value: mbAWorker,
        unit: 'MB',
        reference: one.rssMb,
        ratio: null,
        target: MOST_MB_A_WORKER,
        holds: mbAWorker <= MOST_MB_A_WORKER,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
