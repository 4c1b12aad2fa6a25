import { expect, test } from 'vitest';
import { tally } from '../tally/tally.ts';

const SINCE_MS = 1_000_000;

function results(changed: object = {}): string {
  return JSON.stringify({
    startTime: SINCE_MS,
    success: true,
    numTotalTests: 12,
    numPassedTests: 12,
    numFailedTests: 0,
    testResults: [],
    ...changed,
  });
}

const lastLine = (...texts: (string | null)[]): string | undefined =>
  tally(new Map(texts.map((text, index) => [`run${index}`, text])), SINCE_MS).lines.at(-1);

test('the tests of all runs are added up in the last line', () => {
  const skipping = results({ numTotalTests: 5, numPassedTests: 3 });
  expect(lastLine(results(), results())).toBe('24 passed, 0 failed');
  expect(lastLine(results(), skipping)).toBe('15 passed, 0 failed, 2 skipped');
});

test('a failed test is counted, and the tally fails', () => {
  const failing = results({ success: false, numPassedTests: 10, numFailedTests: 2 });
  const { lines, failed } = tally(new Map([['suite', failing]]), SINCE_MS);
  expect(failed).toBe(2);
  expect(lines).toEqual(['suite: 12 tests, and it failed', '10 passed, 2 failed']);
});

test.for([
  ['has no results', null, 'deep: there are no results'],
  ['has results that were cut', results().slice(0, -9), 'deep: the results can not be read'],
  ['has the results of an earlier CI', results({ startTime: SINCE_MS - 1 }), 'deep: the results are of an'],
  ['found no test', results({ numTotalTests: 0, numPassedTests: 0 }), 'deep: no test ran'],
] as const)('a run that %s is a failure and named', ([, text, line]) => {
  const { lines, failed } = tally(
    new Map([
      ['suite', results()],
      ['deep', text],
    ]),
    SINCE_MS,
  );
  expect(failed).toBe(1);
  expect(lines[1]).toContain(line);
  expect(lines.at(-1)).toBe('12 passed, 1 failed');
});

test('a file that can not be loaded is a failure, though no test failed', () => {
  expect(lastLine(results({ success: false }))).toBe('12 passed, 1 failed');
});
