import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { NONSENSE, type Verdict } from './verdict.ts';

const REPORT_FILE = 'suite-report.json';

/** What vitest reports as JSON. */
const REPORT = z.object({
  numTotalTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(
        z.object({ title: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullable() }),
      ),
    }),
  ),
});

/** Runs one test file of a checkout, and reads from its report what became of the planted bug. */
export async function runSuite({
  folder,
  file,
}: {
  readonly folder: string;
  readonly file: string;
}): Promise<Verdict> {
  const child = spawn(
    'node_modules/.bin/vitest',
    ['run', file, '--reporter=json', `--outputFile=${REPORT_FILE}`],
    {
      cwd: folder,
      stdio: 'ignore',
    },
  );
  const end = (): void => void child.kill('SIGTERM');
  process.once('exit', end);
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  process.off('exit', end);
  const report = join(folder, REPORT_FILE);
  return verdictOnReport(existsSync(report) ? readFileSync(report, 'utf8') : '');
}

/** A test that ran and failed has found the bug; one that could not run shows nothing. */
export function verdictOnReport(text: string): Verdict {
  const report = REPORT.safeParse(jsonOf(text)).data;
  if (report === undefined) return { kind: 'broken', reason: 'expected a report of vitest' };
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed');
  const [first] = failed.map(({ failureMessages }) => failureMessages?.[0] ?? '');
  if (first === undefined) {
    const isWhole = report.numTotalTests > report.numPendingTests;
    return isWhole
      ? { kind: 'survived' }
      : { kind: 'broken', reason: report.testResults[0]?.message ?? 'no test ran' };
  }
  if (NONSENSE.test(first)) return { kind: 'broken', reason: first.split('\n', 1)[0] ?? '' };
  return { kind: 'found', seed: null, checks: failed.map(({ title }) => title).slice(0, 1), message: first };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
