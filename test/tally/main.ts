import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESULTS_FOLDER, RUNS } from './reporters.ts';
import { tally } from './tally.ts';

const HELP = `Usage: npm run -s test:tally -- SINCE

Counts the tests of every run of vitest that CI has had since SINCE, in seconds since 1970. The last line is
"N passed, N failed", and ", N skipped" may follow.

Exit codes: 0 all passed, 1 a test failed or a run has no results, 2 SINCE is wrong.
`;

const [since = ''] = process.argv.slice(2);
if (/^\d+$/u.test(since)) {
  const texts = new Map(
    RUNS.map((run) => {
      const file = join(RESULTS_FOLDER, `${run}.json`);
      return [run, existsSync(file) ? readFileSync(file, 'utf8') : null] as const;
    }),
  );
  const { lines, failed } = tally(texts, Number(since) * 1000);
  console.log(lines.join('\n'));
  process.exitCode = failed > 0 ? 1 : 0;
} else {
  process.stderr.write(HELP);
  process.exitCode = 2;
}
