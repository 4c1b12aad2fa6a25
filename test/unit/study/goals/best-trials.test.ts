import { describe, expect, test } from 'vitest';
import { bestTrial, bestTrials } from '../../../../src/study/study-rows.ts';
import type { TrialOutcome } from '../../../../src/search/trial-record.ts';

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
