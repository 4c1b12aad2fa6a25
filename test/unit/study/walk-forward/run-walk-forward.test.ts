import { writeFileSync } from 'node:fs';
import { closing } from '../../../../src/domain/closing.ts';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readWrittenStudy, type WalkForwardPlan } from '../../../../src/study/study-settings.ts';
import { prepareStudy, type PreparedStudy } from '../../../../src/study/prepare-study.ts';
import { StudyFolder, TrialRegister } from '../../../../src/study/study-place.ts';
import { StudyStore } from '../../../../src/study/study-store.ts';
import { runWalkForward, chooseTrial } from '../../../../src/study/run-walk-forward.ts';
import {
  walkForwardResult,
  type WalkForwardResult,
  parameterDrift,
} from '../../../../src/study/walk-forward-result.ts';
import { generatedCandles } from '../generated-candles.ts';
import { oneByOne } from '../one-by-one.ts';
import { inEnglish } from '../in-english.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';
import { timesOfCandles } from '../../../../src/study/data-set.ts';
import { walkWindows } from '../../../../src/study/walk-plan.ts';
import { readSpace, type Point } from '../../../../src/search/space-declaration.ts';
import type { StoredTrial } from '../../../../src/study/study-rows.ts';

const markets = [timesOfCandles(generatedCandles({ count: 1_000 }))];
const rangeFromMs = markets[0]?.timeMs[0] ?? 0;

function planOf(walkForward: object): WalkForwardPlan {
  const least = { strategy: 'ma-cross', markets: 'BTCUSDT', balances: { usdt: 1 } };
  const { validation } = readWrittenStudy({ ...least, validation: { walkForward } }).settings;
  if (validation.walkForward === undefined) throw new Error('expected a plan');
  return validation.walkForward;
}

const windowsOf = (plan: object, hours = 1_000) =>
  walkWindows(planOf(plan), {
    range: { fromMs: rangeFromMs, toMs: rangeFromMs + hours * HOUR_MS },
    timeframe: '1h',
    markets,
  });

/** Returns train and test windows as hours from the beginning. */
const hoursOf = (plan: object, hours?: number) =>
  windowsOf(plan, hours).map(({ train, test: tested }) =>
    [train.fromMs, train.toMs, tested.fromMs, tested.toMs].map((atMs) => (atMs - rangeFromMs) / HOUR_MS),
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

const HOUR_MS = 3_600_000;
const TRIALS = 5;
const bars = generatedCandles({ count: 500 });
const firstMs = bars.openTimeMs[0] ?? 0;

const folder = folderOfAllTests();
let csv: string;
beforeAll(() => {
  csv = candlesWhere('hours.csv', () => false);
});

/** Writes the candles to a file, with prices halved at the hours that `isHalved` selects. */
function candlesWhere(name: string, isHalved: (hour: number) => boolean): string {
  const path = join(folder, name);
  const rows = Array.from({ length: bars.length }, (_, hour) => {
    const scale = 10 ** bars.priceDecimals * (isHalved(hour) ? 2 : 1);
    const prices = [bars.open, bars.high, bars.low, bars.close].map((cells) => (cells[hour] ?? 0) / scale);
    return [firstMs + hour * HOUR_MS, ...prices.map((price) => price.toFixed(2)), 1_000].join(',');
  });
  writeFileSync(path, ['time,open,high,low,close,volume', ...rows, ''].join('\n'));
  return path;
}

/** The tests begin at hours 150, 250 and 350; the hold-out begins at 450. */
const PLAN = { train: '150h', test: '100h' };

const prepared = async (file: string, walkForward: object = PLAN): Promise<PreparedStudy> =>
  prepareStudy(
    readWrittenStudy({
      strategy: 'ma-cross',
      markets: 'BTCUSDT',
      csv: file,
      holdout: '10%',
      balances: { usdt: 10_000 },
      fee: '0.1%',
      space: { fast: { kind: 'integer', min: 2, max: 20 }, slow: { kind: 'integer', min: 21, max: 60 } },
      objectives: 'totalReturn',
      sampler: { kind: 'tpe', seed: 3, generation: 3 },
      budget: { trials: TRIALS },
      validation: { walkForward },
    }),
  );

async function walked(
  data: string,
  study: PreparedStudy,
  of: { readonly stopAfter?: number } = {},
): Promise<{ readonly end: string; readonly ranNow: number }> {
  const { stopAfter = Number.POSITIVE_INFINITY } = of;
  const stop = new AbortController();
  let ranNow = 0;
  const end = await runWalkForward(study, {
    folder: new StudyFolder(join(folder, data)),
    name: 'walk',
    workers: 0,
    openRunner: oneByOne,
    signal: stop.signal,
    onWindow: () => undefined,
    onTrial(_window, _trial, isNew) {
      if (isNew) ranNow += 1;
      if (ranNow >= stopAfter) stop.abort();
    },
  });
  return { end, ranNow };
}

function resultIn(data: string, study: PreparedStudy): WalkForwardResult & { readonly rows: string } {
  const places = new StudyFolder(join(folder, data));
  const store = StudyStore.openToRead(places.pathOf('walk'));
  const register = new TrialRegister(places.registerPath);
  try {
    const onData: typeof register.onData = (months, holdout) => register.onData(months, holdout);
    return {
      ...walkForwardResult(study, { store, name: 'walk', onData }),
      rows: JSON.stringify([store.walkForward.rows(), store.walkForward.head()]),
    };
  } finally {
    register.close();
    store.close();
  }
}

/** Returns the settings of the study as its file has them. */
function writtenIn(data: string): unknown {
  using store = closing(StudyStore.openToRead(new StudyFolder(join(folder, data)).pathOf('walk')));
  return store.head()?.written;
}

const hour = (atMs: number): number => (atMs - firstMs) / HOUR_MS;

/** Returns the parameters that were chosen for a window. */
function ofWindow({ windows }: WalkForwardResult, index: number) {
  const { trial, params, inSample } = windows[index] ?? {};
  return { trial, params, inSample };
}

describe('a walk-forward', () => {
  let study: PreparedStudy;
  let whole: ReturnType<typeof resultIn>;
  beforeAll(async () => {
    study = await prepared(csv);
    expect(await walked('one', study)).toEqual({ end: 'complete', ranNow: 3 * TRIALS });
    whole = resultIn('one', study);
  });

  test('has a row for each window, figures of one account, drift and efficiency', () => {
    const { windows, account, drift, trialsOnData, notes } = whole;
    expect(windows.map(({ train, test: tested }) => [hour(train.toMs), hour(tested.toMs)])).toEqual([
      [150, 250],
      [250, 350],
      [350, 450],
    ]);
    expect(windows.every(({ trials, inSample }) => trials === TRIALS && inSample !== null)).toBe(true);
    // The returns of the windows, one after another, make the return of the account.
    const product = windows.reduce(
      (all, { outOfSample }) => all * (1 + (outOfSample['totalReturn'] ?? 0)),
      1,
    );
    expect(product).toBeCloseTo(1 + (account.metrics['totalReturn'] ?? 0), 9);
    expect(Number(account.finalEquity)).toBeCloseTo(10_000 * product, 4);
    expect(account.equity.at(-1)?.equity).toBeCloseTo(Number(account.finalEquity), 4);
    expect(drift.map(({ parameter, values }) => [parameter, values.length])).toEqual([
      ['fast', 3],
      ['slow', 3],
    ]);
    // All trials of the windows are in the register.
    expect(trialsOnData).toEqual({ trials: 3 * TRIALS, studies: 1, opened: 0, inHoldout: 0 });
    expect(inEnglish(notes)).toContain('The hold-out is in no window.');
  });

  // A test with two workers is in test/process/study-threads.process.ts.
  test('is the same to the byte when it is stopped and goes on', async () => {
    const some = await walked('stopped', study, { stopAfter: TRIALS + 2 });
    expect(some.end).toBe('stopped');
    expect(() => resultIn('stopped', study)).toThrow(/expected a walk-forward that has ended/);
    const rest = await walked('stopped', study);
    expect([rest.end, some.ranNow + rest.ranNow]).toEqual(['complete', 3 * TRIALS]);
    const other = resultIn('stopped', study);
    expect(other.rows).toBe(whole.rows);
    expect(other.hash).toBe(whole.hash);
    expect(other.trialsOnData).toEqual(whole.trialsOnData);
    expect(await walked('stopped', study)).toEqual({ end: 'complete', ranNow: 0 });
  });

  test('chooses by nothing that comes after the end of a train window, and never by the hold-out', async () => {
    // Prices are halved after the second train window.
    const later = await prepared(candlesWhere('later.csv', (hour) => hour >= 250));
    await walked('later', later);
    const changed = resultIn('later', later);
    for (const index of [0, 1]) expect(ofWindow(changed, index)).toEqual(ofWindow(whole, index));
    expect(changed.windows[0]).toEqual(whole.windows[0]);
    expect(ofWindow(changed, 2)).not.toEqual(ofWindow(whole, 2));
    const held = await prepared(candlesWhere('held.csv', (hour) => hour >= 450));
    await walked('held', held);
    const { windows, account } = resultIn('held', held);
    expect({ windows, account }).toEqual({ windows: whole.windows, account: whole.account });
  });

  test('sees neither the purge nor the embargo in its train windows', async () => {
    const plan = { train: '150h', test: '75h', purge: '20h', embargo: '10h' };
    const one = await prepared(csv, plan);
    // Hours 130 to 160 are the purge and the embargo of the first window.
    const other = await prepared(
      candlesWhere('purged.csv', (hour) => hour >= 130 && hour < 160),
      plan,
    );
    await walked('purge', one);
    await walked('purged', other);
    const [first, second] = [resultIn('purge', one), resultIn('purged', other)];
    expect(second.windows[0]?.inSample).toEqual(first.windows[0]?.inSample);
    expect(second.windows[0]?.params).toEqual(first.windows[0]?.params);
    expect(second.windows[1]?.inSample).not.toEqual(first.windows[1]?.inSample);
  });

  test('of another plan is refused in the same file, which stays as it is', async () => {
    const other = await prepared(csv, { ...PLAN, kind: 'anchored' });
    await expect(walked('one', other)).rejects.toThrow(
      /^expected the walk-forward that .*walk\.sqlite was begun with \(kind rolling, train 150h, .*\), found another one \(kind anchored, .*\): run it under another name with --name$/,
    );
    expect(resultIn('one', study)).toEqual(whole);
    expect(writtenIn('one')).toMatchObject({ validation: { walkForward: PLAN } });
  });

  test('has trials of its own, and leaves the budget of the study', async () => {
    const fewer = await prepared(csv, { ...PLAN, trials: 2 });
    const { settings } = fewer;
    const hasty = { ...fewer, settings: { ...settings, budget: { trials: 99, time: 600_000 } } };
    expect(await walked('fewer', fewer)).toEqual({ end: 'complete', ranNow: 6 });
    expect(await walked('fewer', hasty)).toEqual({ end: 'complete', ranNow: 0 });
    expect(resultIn('fewer', fewer)).toMatchObject({ trialsAWindow: 2, plan: whole.plan });
    expect(writtenIn('fewer')).toMatchObject({
      budget: { trials: TRIALS },
      validation: { walkForward: { trials: 2 } },
    });
  });

  test('is read by the plan that it was begun with, also where the study says another one or none', () => {
    const { settings } = study;
    const asked = [{}, { walkForward: { ...whole.plan, testMs: 50 * HOUR_MS, stepMs: 50 * HOUR_MS } }];
    for (const validation of asked)
      expect(resultIn('one', { ...study, settings: { ...settings, validation } })).toEqual(whole);
  });

  test('needs a plan', async () => {
    const { validation: _validation, ...settings } = study.settings;
    const without = { ...study, settings: { ...settings, validation: {} } };
    await expect(walked('none', without)).rejects.toThrow(
      /^expected a plan such as --train 180d --test 30d, or validation: .* in the study, found none$/,
    );
  });
});
