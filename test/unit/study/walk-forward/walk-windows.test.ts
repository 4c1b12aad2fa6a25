import { describe, expect, test } from 'vitest';
import { timesOfCandles } from '../../../../src/study/data-set.ts';
import { readWrittenStudy, type WalkForwardPlan } from '../../../../src/study/study-settings.ts';
import { walkWindows } from '../../../../src/study/walk-plan.ts';
import { generatedCandles } from '../generated-candles.ts';
import { readSpace, type Point } from '../../../../src/search/space-declaration.ts';
import type { StoredTrial } from '../../../../src/study/study-rows.ts';
import { chooseTrial } from '../../../../src/study/run-walk-forward.ts';
import { parameterDrift } from '../../../../src/study/walk-forward-result.ts';

const HOUR_MS = 3_600_000;
const markets = [timesOfCandles(generatedCandles({ count: 1_000 }))];
const firstMs = markets[0]?.timeMs[0] ?? 0;

function planOf(walkForward: object): WalkForwardPlan {
  const least = { strategy: 'ma-cross', markets: 'BTCUSDT', balances: { usdt: 1 } };
  const { validation } = readWrittenStudy({ ...least, validation: { walkForward } }).settings;
  if (validation.walkForward === undefined) throw new Error('expected a plan');
  return validation.walkForward;
}

const windowsOf = (plan: object, hours = 1_000) =>
  walkWindows(planOf(plan), {
    range: { fromMs: firstMs, toMs: firstMs + hours * HOUR_MS },
    timeframe: '1h',
    markets,
  });

/** Returns train and test windows as hours from the beginning. */
const hoursOf = (plan: object, hours?: number) =>
  windowsOf(plan, hours).map(({ train, test: tested }) =>
    [train.fromMs, train.toMs, tested.fromMs, tested.toMs].map((atMs) => (atMs - firstMs) / HOUR_MS),
  );

describe('windows of a walk-forward', () => {
  test('roll by the length of a test, and the tests follow one another', () => {
    expect(hoursOf({ train: '400h', test: '200h' })).toEqual([
      [0, 400, 400, 600],
      [200, 600, 600, 800],
      [400, 800, 800, 1_000],
    ]);
  });

  test('keep their beginning where they are anchored', () => {
    expect(hoursOf({ kind: 'anchored', train: '400h', test: '250h' }, 999)).toEqual([
      [0, 400, 400, 650],
      [0, 650, 650, 900],
    ]);
  });

  test('lose the purge at the end of train, and wait the embargo before the test', () => {
    const plan = { train: '400h', test: '200h', step: '250h', purge: '24h', embargo: '12h' };
    expect(hoursOf(plan)).toEqual([
      [0, 376, 412, 612],
      [250, 626, 662, 862],
    ]);
  });

  test.each([
    [
      { train: '800h', test: '150h' },
      /^validation\.walkForward: expected a range of 1100h or more for 2 windows \(train 800h \+ test 150h \+ step 150h\), found 41 .* from 2024-01-20 to 2024-03-01 16:00, room for 1: give a longer range or shorter windows$/,
    ],
    [{ train: '1000h', test: '150h', embargo: '1h' }, /train 1000h \+ embargo 1h \+ test .*, room for 0/],
    [{ train: '90m', test: '1h' }, /train: expected whole candles of 1h, found 90m$/],
    [
      { train: '50h', test: '100h' },
      /expected at least 100 candles of BTCUSDT in the train window 1, found 50 /,
    ],
  ])('are refused where %j do not fit', (plan, message) => {
    expect(() => windowsOf(plan)).toThrow(message);
  });

  test.each([
    [{ train: '10d', test: '2d', purge: '10d' }, /purge: expected a purge shorter than train/],
    [{ train: '10d', test: '2d', step: '1d' }, /step: expected a step of test or more/],
    [{ train: '10d' }, /test: /],
    [{ train: '10d', test: '2d', choose: 'luck' }, /choose: /],
  ])('are refused in the file: %j', (plan, message) => {
    expect(() => planOf(plan)).toThrow(message);
  });
});

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

/** Trials with a lonely peak at fast 10 among bad ones, and a plateau around 70. */
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
    // An integer stands for half a step to both sides, so the range is 101 long.
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
