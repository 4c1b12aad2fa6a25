import { describe, expect, test } from 'vitest';
import { readSpace, type Point } from '../../../../src/search/space-declaration.ts';
import type { StoredTrial } from '../../../../src/study/study-rows.ts';
import { chooseTrial } from '../../../../src/study/run-walk-forward.ts';
import { parameterDrift } from '../../../../src/study/walk-forward-result.ts';

const space = readSpace({
  fast: { kind: 'integer', min: 0, max: 100 },
  exit: { kind: 'choice', values: ['stop', 'time'] },
});

function trial(number: number, point: Point, value: number | null, violation = 0): StoredTrial {
  return {
    number,
    point,
    params: point,
    outcome:
      value === null ? { kind: 'failed', reason: 'none' } : { kind: 'complete', values: [value], violation },
    failure: value === null ? 'no value' : null,
    metrics: null,
    daily: null,
  };
}

/** A lonely peak at fast 10 among bad ones, and a plateau around 70. */
const trials = [5, 8, 10, 12, 15, 60, 65, 70, 75, 80].map((fast, number) =>
  trial(number, { fast, exit: 'stop' }, fast === 10 ? 9 : fast < 50 ? 0 : 5 - Math.abs(fast - 70) / 10),
);

const chosen = (choose: 'best' | 'plateau', of: readonly StoredTrial[] = trials) =>
  chooseTrial(of, { choose, space, objectives: [{ metric: 'sharpe', direction: 'maximize' }] });

describe('what a window trades', () => {
  test('is the best trial, be it alone or not, or the centre of the best plateau', () => {
    expect(chosen('best')?.point['fast']).toBe(10);
    expect(chosen('plateau')?.point['fast']).toBe(70);
  });

  test('is none where no trial has values', () => {
    const failed = trials.map(({ number, point }) => trial(number, point, null));
    expect([chosen('best', failed), chosen('plateau', failed), chosen('plateau', [])]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('is on no plateau whose neighbours fail or break constraints', () => {
    const around = trials.map((one) =>
      [60, 65, 75, 80].includes(Number(one.point['fast'])) ? trial(one.number, one.point, null) : one,
    );
    expect(chosen('plateau', around)?.point['fast']).toBe(10);
    const broken = trials.map((one) =>
      Number(one.point['fast']) > 50 ? trial(one.number, one.point, 5, 0.1) : one,
    );
    expect(chosen('plateau', broken)?.point['fast']).toBe(10);
  });
});

describe('the drift of params', () => {
  test('is the mean change as a share of the range, and 1 for another choice', () => {
    const points = [
      { fast: 10, exit: 'stop' },
      { fast: 30, exit: 'stop' },
      { fast: 30, exit: 'time' },
    ];
    const [fast, exit] = parameterDrift(space, points);
    expect(fast).toMatchObject({ parameter: 'fast', values: [10, 30, 30], changes: 1 });
    // An integer stands for the stretch half a step to both sides: the range is 101 long.
    expect(fast?.meanChange).toBeCloseTo(10 / 101, 12);
    expect(exit).toEqual({
      parameter: 'exit',
      values: ['stop', 'stop', 'time'],
      changes: 1,
      meanChange: 0.5,
    });
  });

  test('has no mean in one window, and counts a param that comes or goes as a whole change', () => {
    expect(parameterDrift(space, [{ fast: 1, exit: 'stop' }])[0]?.meanChange).toBe(null);
    expect(parameterDrift(space, [{ fast: 1 }, { fast: 1, exit: 'stop' }])[1]?.meanChange).toBe(1);
  });
});
