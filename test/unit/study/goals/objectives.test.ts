import { describe, expect, test } from 'vitest';
import { judgeTrial, usualDirection } from '../../../../src/study/objectives.ts';

const sharpe = [{ metric: 'sharpe', direction: 'maximize' }] as const;

describe('a trial', () => {
  test('has the values of its objectives, in their order', () => {
    const objectives = [...sharpe, { metric: 'maxDrawdown', direction: 'minimize' }] as const;
    const metrics = { maxDrawdown: 0.2, sharpe: 1.5, trades: 9 };
    expect(judgeTrial(metrics, { objectives, constraints: [] })).toEqual({
      kind: 'complete',
      values: [1.5, 0.2],
      violation: 0,
    });
  });

  test('fails where an objective has no value, and says how many trades there were', () => {
    expect(judgeTrial({ sharpe: null, trades: 0 }, { objectives: sharpe, constraints: [] })).toEqual({
      kind: 'failed',
      reason: 'expected a value of sharpe, found none: 0 trades were closed',
    });
  });

  test.each([
    ['holds bounds that it is on', { trades: 30, maxDrawdown: 0.3 }, 0],
    ['breaks a least by its distance, relative to it', { trades: 15, maxDrawdown: 0.1 }, 0.5],
    ['breaks a most by its distance, relative to it', { trades: 99, maxDrawdown: 0.45 }, 0.5],
    ['adds up what it breaks', { trades: 15, maxDrawdown: 0.45 }, 1],
    ['breaks what has no value by 1', { trades: 99, maxDrawdown: null }, 1],
  ])('%s', (_, metrics, violation) => {
    const constraints = [
      { metric: 'trades', least: 30 },
      { metric: 'maxDrawdown', most: 0.3 },
    ];
    const outcome = judgeTrial({ sharpe: 1, ...metrics }, { objectives: sharpe, constraints });
    expect(outcome).toMatchObject({ kind: 'complete', violation: expect.closeTo(violation, 12) as number });
  });

  test('breaks a bound of 0 by the distance itself', () => {
    const goals = { objectives: sharpe, constraints: [{ metric: 'profit', least: 0 }] };
    expect(judgeTrial({ sharpe: 1, profit: -7 }, goals)).toMatchObject({ violation: 7 });
  });
});

test('less is better of drawdowns, volatility and fees, and more of all else', () => {
  expect(['sharpe', 'trades', 'maxDrawdown', 'volatility', 'fees'].map(usualDirection)).toEqual([
    'maximize',
    'maximize',
    'minimize',
    'minimize',
    'minimize',
  ]);
});
