import { describe, expect, test } from 'vitest';
import { judgeTrial, usualDirection } from '../../../../src/study/objectives.ts';
import { bestTrial, bestTrials } from '../../../../src/study/study-rows.ts';
import type { TrialOutcome } from '../../../../src/search/trial-record.ts';

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

  test('says of a trial without a fill that nothing was traded', () => {
    const metrics = { sharpe: null, trades: 0, fills: 0 };
    expect(judgeTrial(metrics, { objectives: sharpe, constraints: [] })).toMatchObject({
      reason: 'expected a value of sharpe, found none: nothing was traded',
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
  for (const metric of ['sharpe', 'trades']) expect(usualDirection(metric), metric).toBe('maximize');
  for (const metric of ['maxDrawdown', 'volatility', 'fees'])
    expect(usualDirection(metric), metric).toBe('minimize');
});

const complete = (values: readonly number[], violation = 0): TrialOutcome => ({
  kind: 'complete',
  values,
  violation,
});
const failed: TrialOutcome = { kind: 'failed', reason: 'threw' };
const trialsOf = (...outcomes: readonly TrialOutcome[]) =>
  outcomes.map((outcome, number) => ({ number, outcome }));

const most = { metric: 'sharpe', direction: 'maximize' } as const;
const least = { metric: 'maxDrawdown', direction: 'minimize' } as const;

describe('of one objective', () => {
  test('the best is the largest or the smallest value, and the earliest of equal ones', () => {
    const trials = trialsOf(failed, complete([1]), complete([3]), complete([2]), complete([3]));
    expect(bestTrial(trials, [most])?.number).toBe(2);
    expect(bestTrial(trials, [least])?.number).toBe(1);
  });

  test('a trial that holds every constraint is better than any that does not', () => {
    const trials = trialsOf(complete([9], 0.1), complete([1]), complete([99], 2));
    expect(bestTrial(trials, [most])?.number).toBe(1);
  });

  test('where none holds them, the best breaks them the least', () => {
    expect(bestTrial(trialsOf(complete([9], 2), complete([1], 0.5)), [most])?.number).toBe(1);
  });

  test('there is none where all failed', () => {
    expect(bestTrial(trialsOf(failed, failed), [most])).toBeNull();
  });
});

test('of several objectives the best are those that no other is better than', () => {
  const trials = trialsOf(
    complete([1, 0.1]),
    complete([2, 0.3]),
    complete([1.5, 0.4]),
    complete([3, 0.5]),
    complete([0.5, 0.05]),
  );
  expect(bestTrials(trials, [most, least]).map(({ number }) => number)).toEqual([0, 1, 3, 4]);
  expect(bestTrial(trials, [most, least])?.number).toBe(3);
});
