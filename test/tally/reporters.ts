import type { InlineConfig } from 'vitest/node';

/** Where each run of vitest in CI leaves its results. `npm ci` begins without this folder. */
export const RESULTS_FOLDER = 'node_modules/.cache/tests';

/** The runs of vitest that CI has, by the names of their results. */
export const RUNS = ['suite', 'deep', 'process', 'browser'] as const;

type Reporters = Exclude<NonNullable<InlineConfig['reporters']>, string>;

/** What tells how a run went: for a reader, and in CI also as a file that `npm run test:tally` counts. */
export function reporters(run: (typeof RUNS)[number], shown: 'default' | 'verbose' = 'default'): Reporters {
  if (!process.env['CI']) return [shown];
  return [shown, ['json', { outputFile: `${RESULTS_FOLDER}/${run}.json` }]];
}
