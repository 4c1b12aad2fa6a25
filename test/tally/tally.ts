import { z } from 'zod';

const RESULTS = z.object({
  startTime: z.number(),
  success: z.boolean(),
  numTotalTests: z.int(),
  numPassedTests: z.int(),
  numFailedTests: z.int(),
});

export interface Tally {
  /** Lines about each run; the last is `N passed, N failed`, with `, N skipped` if there are any. */
  readonly lines: readonly string[];
  readonly failed: number;
}

interface Share {
  readonly line: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Sums the results that vitest's JSON reporter wrote. A run counts as one failure if it has no results,
 * results from before `sinceMs`, no test at all, or failed beside its tests.
 *
 * @param texts - by the name of each run, the text of its results; null if there is none
 */
export function tally(texts: ReadonlyMap<string, string | null>, sinceMs: number): Tally {
  const shares = [...texts].map(([run, text]) => shareOf(run, text, sinceMs));
  const sum = (count: 'passed' | 'failed' | 'skipped'): number =>
    shares.reduce((total, share) => total + share[count], 0);
  const skipped = sum('skipped');
  const closing = `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  return { lines: [...shares.map(({ line }) => line), closing], failed: sum('failed') };
}

function shareOf(run: string, text: string | null, sinceMs: number): Share {
  const noShare = (why: string): Share => ({ line: `${run}: ${why}`, passed: 0, failed: 1, skipped: 0 });
  if (text === null) return noShare('there are no results. Did it run with CI set?');
  const read = RESULTS.safeParse(parsed(text));
  if (!read.success) return noShare(`the results can not be read: ${z.prettifyError(read.error)}`);
  const results = read.data;
  if (results.startTime < sinceMs) return noShare('the results are of an earlier run');
  if (results.numTotalTests === 0) return noShare('no test ran');
  const passed = results.numPassedTests;
  // A file that can not be loaded has no failed test, but counts as one failure.
  const failed = results.success ? results.numFailedTests : Math.max(1, results.numFailedTests);
  return {
    line: `${run}: ${results.numTotalTests} tests${results.success ? '' : ', and it failed'}`,
    passed,
    failed,
    skipped: results.numTotalTests - passed - results.numFailedTests,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
