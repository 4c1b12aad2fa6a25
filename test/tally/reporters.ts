import type { InlineConfig } from 'vitest/node';

/** Folder of the results of each vitest run in CI. `npm ci` begins without this folder. */
export const RESULTS_FOLDER = 'node_modules/.cache/tests';

/** Runs of vitest in CI, by the names of their results. */
export const RUNS = ['suite', 'deep', 'process', 'browser'] as const;

type Reporters = Exclude<NonNullable<InlineConfig['reporters']>, string>;

/** Reporters of a run: for a reader, and in CI also a file that `npm run test:tally` counts. */
export function reporters(run: (typeof RUNS)[number], shown: 'default' | 'verbose' = 'default'): Reporters {
  if (!process.env['CI']) return [shown];
  return [shown, ['json', { outputFile: `${RESULTS_FOLDER}/${run}.json` }]];
}
