import { describe, expect, test } from 'vitest';
import type { Stretch } from '../../../../src/study/objectives.ts';
import { readWrittenStudy } from '../../../../src/study/read-study.ts';
import {
  batchKey,
  settingsOfTrials,
  sourceKey,
  taskKey,
  writtenOfTrials,
} from '../../../../src/study/remote/offered-study.ts';
import type { Params } from '../../../../src/search/params-of-point.ts';

const WRITTEN = {
  strategy: 'strategies/ma-cross.ts',
  markets: ['BTCUSDT'],
  balances: { usdt: '10000' },
  fee: '0.1%',
};
const keyOf = (more: object, endMs: number | null = null): string =>
  sourceKey({
    engine: '1',
    code: 'c',
    data: ['d'],
    settings: settingsOfTrials(readWrittenStudy({ ...WRITTEN, ...more }).settings, endMs),
  });

describe('the key of what trials have in common', () => {
  test.each([
    [{ budget: { trials: 7 } }],
    [{ sampler: { kind: 'random', seed: 9 } }],
    [{ objectives: ['calmar'], constraints: [{ metric: 'trades', least: 3 }] }],
    [{ csv: 'elsewhere.csv' }],
    [{ params: { fast: 3 } }],
    [{ strategy: '/another/place/ma-cross.ts' }],
    [{ rules: { limitFill: 'through' } }],
  ])('is the same with %j', (more) => {
    expect(keyOf(more)).toBe(keyOf({}));
  });

  test.each([
    [{ fee: '0.2%' }],
    [{ balances: { usdt: '9' } }],
    [{ rules: { slippageBps: 2 } }],
    [{ steps: { price: '0.5' } }],
    [{ timeframe: '5m' }],
    [{ markets: ['BTCUSDT', 'ETHUSDT'] }],
    [{ from: '2024-01-01' }],
    [{ currency: 'rls' }],
    [{ strategy: 'breakout' }],
    [{ fidelity: 'poll' }],
  ])('is another with %j', (more) => {
    expect(keyOf(more)).not.toBe(keyOf({}));
  });

  test('of recordings has the end of the trials and how orders fill among them', () => {
    const poll = { fidelity: 'poll' };
    expect(keyOf({ ...poll, holdout: '20%', to: '2024-02-01' }, 5)).toBe(keyOf({ ...poll, to: 5 }, 5));
    const others = [
      keyOf(poll, 6),
      keyOf({ ...poll, rules: { latency: '80ms' } }, 5),
      keyOf({ ...poll, rules: { queue: 'front' } }, 5),
    ];
    expect(new Set([keyOf(poll, 5), ...others]).size).toBe(4);
    expect(keyOf({ ...poll, rules: { latency: '50ms' } }, 5)).toBe(keyOf(poll, 5));
    expect(keyOf({}, 5)).toBe(keyOf({}, null));
  });

  test('is found again from what is written for workers, whose strategy is elsewhere', () => {
    const { written, settings } = readWrittenStudy({ ...WRITTEN, from: '2024-01-01', budget: { trials: 3 } });
    const sent = JSON.parse(JSON.stringify(writtenOfTrials(written, { ...settings, endMs: null }))) as object;
    const read = readWrittenStudy({ ...sent, strategy: '/worker/ma-cross.ts' });
    expect(settingsOfTrials(read.settings, null)).toEqual(settingsOfTrials(settings, null));
  });
});

const trialKey = (source: string, params: Params, stretch: Stretch | null): string =>
  taskKey(source, { kind: 'trial', params, stretch });

describe('the key of a trial', () => {
  const key = trialKey('s', { fast: 1, slow: 2 }, null);

  test('does not depend on the order of params', () => {
    expect(trialKey('s', { slow: 2, fast: 1 }, null)).toBe(key);
  });

  test('differs by source, params and stretch', () => {
    const others = [
      trialKey('t', { fast: 1, slow: 2 }, null),
      trialKey('s', { fast: 1, slow: 3 }, null),
      trialKey('s', { fast: 1, slow: 2 }, { fromMs: 1, toMs: 2 }),
    ];
    expect(new Set([key, ...others]).size).toBe(4);
  });

  test('makes the id of a job with those beside it', () => {
    expect(batchKey([key])).toBe(batchKey([key]));
    expect(batchKey([key, 'a'])).not.toBe(batchKey([key]));
  });
});
