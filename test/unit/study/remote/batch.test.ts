import { describe, expect, test } from 'vitest';
import { readBatch, writeBatch } from '../../../../src/study/remote/batch.ts';
import { taskKey } from '../../../../src/study/remote/offered-study.ts';
import type { BenchTask } from '../../../../src/study/trial-runner.ts';

const params = { fast: 3, share: 0.1, kind: 'sma', on: true };
const held = [{ market: 'BTCUSDT', positions: [{ heldBars: 4, share: 1 / 3 }] }];
const TASKS: readonly BenchTask[] = [
  { kind: 'trial', params, stretch: null },
  { kind: 'trial', params, stretch: { fromMs: 1, toMs: 2 } },
  {
    kind: 'account',
    legs: [
      { fromMs: 2, params },
      { fromMs: 3, params: {} },
    ],
    toMs: 4,
    stretches: [{ fromMs: 2, toMs: 3 }],
  },
  { kind: 'stress', task: { what: 'again', params } },
  { kind: 'stress', task: { what: 'costs', params, doubled: ['fees', 'spread'] } },
  { kind: 'stress', task: { what: 'bars', params, meanBlock: 7.25, seed: 11 } },
  { kind: 'stress', task: { what: 'entries', held, seed: 12 } },
  { kind: 'stress', task: { what: 'entries', held, seed: 13 } },
];

const sent = (tasks: readonly BenchTask[]): string => JSON.stringify(writeBatch(tasks));

describe('a job', () => {
  test('has tasks of every kind, which have the same keys at the worker', () => {
    const read = readBatch(JSON.parse(sent(TASKS)));
    expect(read).toEqual(TASKS);
    expect(read.map((task) => taskKey('s', task))).toEqual(TASKS.map((task) => taskKey('s', task)));
    expect(new Set(TASKS.map((task) => taskKey('s', task))).size).toBe(TASKS.length);
  });

  test('has the positions of random entries once', () => {
    expect(sent(TASKS).match(/heldBars/g)).toHaveLength(1);
  });

  test.each([
    { held: null, tasks: [] },
    { held: null, tasks: [{ kind: 'other' }] },
    { held: null, tasks: [{ kind: 'stress', task: { what: 'entries', seed: 1 } }] },
    { trials: [{ params: {}, stretch: null }] },
  ])('is refused as %j', (data) => {
    expect(() => readBatch(data)).toThrow();
  });
});
