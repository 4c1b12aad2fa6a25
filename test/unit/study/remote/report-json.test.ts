import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readReport, writeReport } from '../../../../src/study/remote/batch.ts';
import type { StressReport } from '../../../../src/study/stress/stress-task.ts';
import type { AccountReport } from '../../../../src/study/trial-runner.ts';
import type { TrialReport } from '../../../../src/study/objectives.ts';

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
