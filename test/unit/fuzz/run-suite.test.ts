import { expect, test } from 'vitest';
import { runSuite } from '../../../src/fuzz/run-suite.ts';

test('a suite of seeds ends at once on an abort', async () => {
  const stopped = new AbortController();
  stopped.abort();
  const suite = await runSuite({
    firstSeed: 3,
    seeds: 1_000,
    hours: 0.05,
    jobs: 2,
    failFast: false,
    twice: false,
    onSeed: () => {},
    signal: stopped.signal,
  });
  expect(suite.outcomes).toEqual([]);
});
