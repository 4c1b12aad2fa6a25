import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { BARS } from './bar-walk.ts';
import { median, type BenchResult } from './result.ts';

const RUNS = 200;
const BARS_A_RUN = 105_000;
const LONGEST_RUN_S = 0.06;

const reportSchema = z.strictObject({
  orders: z.int().positive(),
  cpu_s: z.array(z.number()).nonempty(),
  rss_mb: z.number(),
});

/** Makes the runs in their own process, so that its memory is that of the runs alone. */
function lived(runs: number, bars: number): z.infer<typeof reportSchema> {
  const script = join(import.meta.dirname, 'many-runs-process.ts');
  return reportSchema.parse(
    JSON.parse(execFileSync(process.execPath, [script, String(runs), String(bars)], { encoding: 'utf8' })),
  );
}

/**
 * Measures many backtests in one process: the cost of each after the first, and whether ten of a million bars
 * need more memory than one.
 */
export function benchManyRuns(): BenchResult[] {
  const many = lived(RUNS, BARS_A_RUN);
  const [first = Number.NaN, ...later] = many.cpu_s;
  const each = median(later);
  const one = lived(1, BARS).rss_mb;
  const ten = lived(10, BARS).rss_mb;
  return [
    {
      name: `many-runs: each of ${RUNS} runs of ${BARS_A_RUN} bars after the first, against the first`,
      value: each,
      unit: 's of CPU',
      reference: first,
      ratio: each / first,
      target: LONGEST_RUN_S,
      holds: each <= LONGEST_RUN_S,
    },
    {
      name: `many-runs: most memory of ten runs of ${BARS} bars, against one`,
      value: ten,
      unit: 'MB',
      reference: one,
      ratio: ten / one,
      target: 1,
      holds: ten <= one,
    },
  ];
}
