import { describe, expect, test } from 'vitest';
import { readBatch, writeBatch, readReport, writeReport } from '../../../../src/study/remote/batch.ts';
import { taskKey } from '../../../../src/study/remote/offered-study.ts';
import type { BenchTask, AccountReport } from '../../../../src/study/trial-runner.ts';
import { batchSize, trialsAtOnce } from '../../../../src/study/remote/redis-runner.ts';
import fc from 'fast-check';
import type { StressReport } from '../../../../src/study/stress/stress-task.ts';
import type { TrialReport } from '../../../../src/study/objectives.ts';

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

describe('a job', () => {
  test.each`
    trialMs | ready   | threads | size
    ${null} | ${100}  | ${4}    | ${1}
    ${100}  | ${100}  | ${4}    | ${20}
    ${100}  | ${40}   | ${4}    | ${10}
    ${900}  | ${100}  | ${4}    | ${2}
    ${6000} | ${100}  | ${4}    | ${1}
    ${0}    | ${9999} | ${1}    | ${200}
    ${0.1}  | ${9999} | ${0}    | ${200}
    ${100}  | ${0}    | ${4}    | ${1}
  `('has $size of $ready trials of $trialMs ms for $threads threads', ({ size, ...of }) => {
    expect(batchSize(of as Parameters<typeof batchSize>[0])).toBe(size);
  });
});

describe('trials at once', () => {
  test.each`
    trialMs | threads | trials
    ${null} | ${0}    | ${16}
    ${100}  | ${0}    | ${16}
    ${null} | ${4}    | ${8}
    ${100}  | ${4}    | ${160}
    ${1}    | ${64}   | ${2000}
  `('are $trials of $trialMs ms for $threads threads', ({ trials, ...of }) => {
    expect(trialsAtOnce(of as Parameters<typeof trialsAtOnce>[0])).toBe(trials);
  });
});

const figures = fc.dictionary(
  fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
  fc.oneof(fc.double(), fc.constantFrom(-0, NaN, Infinity, -Infinity), fc.constant(null)),
);

const signs = (all: ArrayLike<number | null>) => Array.from(all, (value) => Object.is(value, -0));

test('reads every report as it was, to the last bit', () => {
  fc.assert(
    fc.property(figures, fc.array(fc.double()), fc.integer(), (metrics, returns, firstDay) => {
      const report: TrialReport = {
        kind: 'ran',
        metrics,
        daily: { firstDay, returns: Float64Array.from(returns) },
      };
      const read = readReport('trial', writeReport('trial', { report, tookMs: 12.4 }));
      expect(read).toEqual({ report, tookMs: 12 });
      if (read?.report.kind !== 'ran') throw new TypeError('expected a report that ran');
      expect(Object.keys(read.report.metrics)).toEqual(Object.keys(metrics));
      expect(signs(read.report.daily.returns)).toEqual(signs(returns));
      expect(signs(Object.values(read.report.metrics))).toEqual(signs(Object.values(metrics)));
    }),
  );
});

test('reads the account of a walk-forward and a run under stress to the last bit', () => {
  const metrics = { totalReturn: -0, sharpe: null, profitFactor: Number.POSITIVE_INFINITY };
  const account: AccountReport = {
    kind: 'ran',
    initialEquity: '10000',
    finalEquity: '9999.0000000001',
    metrics,
    stretches: [{ metrics, beganExposed: true }],
    daily: { firstDay: 19_000, returns: Float64Array.of(0.1, -0) },
    failures: ['it stopped'],
  };
  expect(readReport('account', writeReport('account', { report: account, tookMs: 1 }))?.report).toEqual(
    account,
  );
  const held = [{ market: 'BTCUSDT', positions: [{ heldBars: 2, share: 0.1 }] }];
  for (const trades of [null, { changes: [0.25, -0], held }, { changes: [], held: null }]) {
    const stress: StressReport = { kind: 'ran', metrics, trades };
    const text = writeReport('stress', { report: stress, tookMs: 1 });
    expect(readReport('stress', text)?.report).toEqual(stress);
    expect(readReport('trial', text)).toBeNull();
  }
});

test('reads a failed one', () => {
  const report = { kind: 'failed', failure: 'threw', reason: 'no' } as const;
  expect(readReport('trial', writeReport('trial', { report, tookMs: 3 }))).toEqual({ report, tookMs: 3 });
});

test.each([
  '',
  'null',
  '{"tookMs":1}',
  '{"tookMs":1,"report":{"kind":"ran","metrics":{"sharpe":"one"},"firstDay":1,"returns":""}}',
  '{"tookMs":1,"report":{"kind":"ran","metrics":{},"firstDay":1,"returns":"AAAA"}}',
  '{"tookMs":1,"report":{"kind":"failed","failure":"other","reason":""}}',
])('takes %j for no report', (text) => {
  expect(readReport('trial', text)).toBeNull();
});
