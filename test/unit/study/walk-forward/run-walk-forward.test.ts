import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readWrittenStudy } from '../../../../src/study/study-settings.ts';
import { prepareStudy, type PreparedStudy } from '../../../../src/study/prepare-study.ts';
import { StudyFolder, TrialRegister } from '../../../../src/study/study-place.ts';
import { StudyStore } from '../../../../src/study/study-store.ts';
import { runWalkForward } from '../../../../src/study/run-walk-forward.ts';
import { walkForwardResult, type WalkForwardResult } from '../../../../src/study/walk-forward-result.ts';
import { generatedCandles } from '../generated-candles.ts';
import { oneByOne } from '../one-by-one.ts';
import { inEnglish } from '../in-english.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

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
  const store = StudyStore.openToRead(new StudyFolder(join(folder, data)).pathOf('walk'));
  try {
    return store.head()?.written;
  } finally {
    store.close();
  }
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
