import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { runSuite, type SeedOutcome } from '../../src/fuzz/run-suite.ts';

const foldersOfSuites = (): string[] =>
  readdirSync(existsSync('/dev/shm') ? '/dev/shm' : tmpdir()).filter((name) =>
    name.startsWith(`sarraf-fuzz-${process.pid}-`),
  );

test('a suite of seeds holds the promises, gives a seed the same journal on another thread, and leaves nothing behind', async () => {
  const outcomes: SeedOutcome[] = [];
  const suite = await runSuite({
    firstSeed: 3,
    seeds: 1,
    // A few minutes, and the quiet time after them, which is longer.
    hours: 0.05,
    jobs: 2,
    failFast: false,
    twice: true,
    onSeed: (outcome) => outcomes.push(outcome),
    signal: new AbortController().signal,
  });
  expect(suite.failedSeeds).toEqual([]);
  expect(outcomes.filter(({ isRepeat }) => isRepeat)).toHaveLength(1);
  expect(outcomes).toHaveLength(2);
  expect(new Set(outcomes.map(({ journalHash }) => journalHash)).size).toBe(1);
  expect(outcomes[0]?.requests).toBeGreaterThan(100);
  expect(suite.counts['answer value']).toBe(outcomes[0]?.counts['answer value']);
  expect(suite.missing).toContain('breaks');
  expect(foldersOfSuites()).toEqual([]);
});
