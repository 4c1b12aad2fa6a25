import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { runSuite, type SeedOutcome, type SuiteOptions } from '../../../src/fuzz/run-suite.ts';

/** A few minutes, and the quiet after them, which is longer. */
const HOURS = 0.05;

const optionsWith = (changed: Partial<SuiteOptions>): SuiteOptions => ({
  firstSeed: 3,
  seeds: 1,
  hours: HOURS,
  jobs: 2,
  failFast: false,
  twice: false,
  onSeed: () => {},
  signal: new AbortController().signal,
  ...changed,
});

const foldersOfSuites = (): string[] =>
  readdirSync(existsSync('/dev/shm') ? '/dev/shm' : tmpdir()).filter((name) =>
    name.startsWith(`sarraf-fuzz-${process.pid}-`),
  );

describe('a suite of seeds', () => {
  test('holds the promises, gives a seed the same journal on another thread, and leaves nothing behind', async () => {
    const outcomes: SeedOutcome[] = [];
    const suite = await runSuite(optionsWith({ twice: true, onSeed: (outcome) => outcomes.push(outcome) }));
    expect(suite.failedSeeds).toEqual([]);
    expect(outcomes.filter(({ isRepeat }) => isRepeat)).toHaveLength(1);
    expect(outcomes).toHaveLength(2);
    expect(new Set(outcomes.map(({ journalHash }) => journalHash)).size).toBe(1);
    expect(outcomes[0]?.requests).toBeGreaterThan(100);
    expect(suite.counts['answer value']).toBe(outcomes[0]?.counts['answer value']);
    expect(suite.missing).toContain('breaks');
    expect(foldersOfSuites()).toEqual([]);
  });

  test('ends at once on an abort', async () => {
    const stopped = new AbortController();
    stopped.abort();
    const suite = await runSuite(optionsWith({ seeds: 1_000, signal: stopped.signal }));
    expect(suite.outcomes).toEqual([]);
  });
});
