import { cpSync } from 'node:fs';
import { closing } from '../../../../src/domain/closing.ts';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { present } from '../../../../src/domain/errors.ts';
import { prepareStudy, type PreparedStudy } from '../../../../src/study/prepare-study.ts';
import { barRulesOf } from '../../../../src/backtest/run-setup.ts';
import { readWrittenStudy } from '../../../../src/study/study-settings.ts';
import { StudyFolder } from '../../../../src/study/study-place.ts';
import { StudyStore } from '../../../../src/study/study-store.ts';
import { runSession } from '../../../../src/study/study-session.ts';
import { studyResult } from '../../../../src/study/study-result.ts';
import { runStress, type StressEnd } from '../../../../src/study/run-stress.ts';
import type { StressFindings } from '../../../../src/study/stress-findings.ts';
import { validatedStudy } from '../../../../src/study/validated-study.ts';
import { valueOf } from '../../../../src/study/validation/luck-statistics.ts';
import { writeCandles } from '../generated-candles.ts';
import { oneByOne } from '../one-by-one.ts';
import { inEnglish } from '../in-english.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const folder = folderOfAllTests();
beforeAll(() => {
  writeCandles(join(folder, 'hours.csv'), { count: 1_000 });
});

const NAME = 'crosses';

const prepared = async (more: object = {}): Promise<PreparedStudy> =>
  prepareStudy(
    readWrittenStudy({
      strategy: 'ma-cross',
      markets: 'BTCUSDT',
      csv: join(folder, 'hours.csv'),
      holdout: '10%',
      balances: { usdt: 10_000 },
      fee: '0.1%',
      rules: { spreadBps: 2 },
      params: { share: 0.5 },
      space: { fast: { kind: 'integer', min: 2, max: 5 }, slow: { kind: 'integer', min: 8, max: 16 } },
      objectives: 'totalReturn',
      budget: { trials: 3 },
      sampler: { kind: 'random', seed: 2 },
      ...more,
    }),
  );

/** Runs the trials of a study in a data folder. */
async function search(data: string, study: PreparedStudy): Promise<void> {
  await runSession(study, {
    folder: new StudyFolder(join(folder, data)),
    name: NAME,
    workers: 0,
    openRunner: oneByOne,
    signal: new AbortController().signal,
    onTrial: () => undefined,
  });
}

/** Copies the study whose trials have been run into another data folder. */
const take = (data: string): void =>
  cpSync(join(folder, 'searched'), join(folder, data), { recursive: true });

async function stressed(
  data: string,
  study: PreparedStudy,
  of: { readonly stopAfter?: number; readonly draws?: number } = {},
): Promise<StressEnd> {
  const { stopAfter = Infinity, draws = 20 } = of;
  const stop = new AbortController();
  let ran = 0;
  return runStress(study, {
    folder: new StudyFolder(join(folder, data)),
    name: NAME,
    workers: 0,
    draws,
    openRunner: oneByOne,
    signal: stop.signal,
    onRun() {
      ran += 1;
      if (ran >= stopAfter) stop.abort();
    },
  });
}

function look<Value>(data: string, read: (store: StudyStore) => Value): Value {
  using store = closing(StudyStore.openToRead(new StudyFolder(join(folder, data)).pathOf(NAME)));
  return read(store);
}

/** Returns all that is stored about the runs of a trial, as text. */
const contentOf = (data: string, trial: number): string =>
  look(data, ({ stress }) => JSON.stringify([stress.basis(trial), [...stress.reports(trial)]]));

const onData = () => ({ trials: 3, studies: 1, opened: 0, inHoldout: 0 });

const validationIn = (data: string) =>
  look(data, (store) => {
    const result = studyResult(store, { name: NAME, onData });
    return present(validatedStudy(store, result, () => undefined).validation, 'figures');
  });

const findingsIn = (data: string): StressFindings => present(validationIn(data).stress, 'runs');

describe('the best trial under stress', () => {
  let study: PreparedStudy;
  let ended: StressEnd;
  beforeAll(async () => {
    study = await prepared();
    await search('searched', study);
    take('one');
    expect(validationIn('one').stress).toBeNull();
    expect(inEnglish(validationIn('one').verdict)).toMatchObject({
      stress: { kind: 'not tested', reasons: [] },
      notTested: expect.arrayContaining([
        'doubled costs ("sarraf study stress" runs it)',
        'order of trades ("sarraf study stress" runs it)',
        'redrawn candles ("sarraf study stress" runs it)',
        'random entries ("sarraf study stress" runs it)',
      ]) as unknown,
    });
    ended = await stressed('one', study);
  });

  test('pays twice as much, all together and each cost alone', async () => {
    const { costs, trial } = findingsIn('one');
    expect([ended.end, ended.trial]).toEqual(['complete', trial]);
    expect(inEnglish(costs.paid)).toEqual([
      { cost: 'fees', from: '0.1 %', to: '0.2 %' },
      { cost: 'spread', from: '2 bps', to: '4 bps' },
    ]);
    const params = present(
      look('one', (store) => store.trial(trial)),
      'the trial',
    ).params;
    // Each result is that of a study with these costs.
    const withCosts = async (more: object) => {
      const runner = await oneByOne(await prepared(more));
      return runner.run(params);
    };
    const twice = { fee: '0.2%', rules: { spreadBps: 4 } };
    const [fees, spread] = costs.each;
    expect(await withCosts(twice)).toMatchObject({ kind: 'ran', metrics: valueOf(costs.all) });
    expect(await withCosts({ fee: '0.2%' })).toMatchObject({ metrics: valueOf(present(fees, 'one').result) });
    expect(await withCosts({ rules: twice.rules })).toMatchObject({
      metrics: valueOf(present(spread, 'one').result),
    });
    const [own, all] = [look('one', (store) => store.trial(trial))?.metrics, valueOf(costs.all)];
    expect(all?.['totalReturn']).toBeLessThan(own?.['totalReturn'] ?? -Infinity);
  });

  test('has its closed trades put in other orders', () => {
    const { tradeOrder, trial } = findingsIn('one');
    const trades = look('one', (store) => store.trial(trial))?.metrics?.['trades'] ?? 0;
    expect(trades).toBeGreaterThan(10);
    const [reorder, resample] = [valueOf(tradeOrder.reorder), valueOf(tradeOrder.resample)];
    expect(reorder?.finalEquity.p05).toBeCloseTo(reorder?.finalEquity.p95 ?? 0, 12);
    expect(resample?.finalEquity.p05).toBeLessThan(resample?.finalEquity.p95 ?? 0);
    expect(reorder?.runs).toBe(1_000);
  });

  test('runs on redrawn candles, and beside random entries', () => {
    const { redrawn, entries, trial, draws } = findingsIn('one');
    const metrics = look('one', (store) => store.trial(trial))?.metrics;
    expect([draws, valueOf(redrawn)?.histories, valueOf(entries)?.controls]).toEqual([20, 20, 20]);
    const { totalReturn, holding, meanBlock } = present(valueOf(redrawn), 'histories');
    expect(totalReturn.p05).toBeLessThan(totalReturn.p95);
    expect(holding.p05).toBeLessThan(holding.p95);
    expect(meanBlock).toBeGreaterThan(1);
    const { metric, found, asGood, pValue } = present(valueOf(entries), 'controls');
    expect([metric, found]).toEqual(['totalReturn', metrics?.['totalReturn']]);
    expect(pValue).toBeCloseTo((1 + 20 * asGood) / 21, 12);
    // The strategy holds one position at a time, so each trade has a position of its own.
    const again = look('one', ({ stress }) => stress.reports(trial).get('again'));
    expect(again).toMatchObject({ trades: { held: [{ market: 'BTCUSDT' }] } });
    const basis = look('one', ({ stress }) => stress.basis(trial));
    expect(basis).toMatchObject({ positions: (metrics?.['trades'] ?? 0) + (metrics?.['openTrades'] ?? 0) });
  });

  test('has the draws of before among more of them, and never fewer', async () => {
    take('more');
    await stressed('more', study, { draws: 5 });
    expect(inEnglish(findingsIn('more').entries)).toEqual({
      kind: 'not tested',
      message: 'expected at least 19 controls with a value, was 5',
    });
    const more = await stressed('more', study, { draws: 20 });
    expect(more.ranNow).toBe(30);
    expect(contentOf('more', ended.trial)).toBe(contentOf('one', ended.trial));
    expect(await stressed('more', study, { draws: 3 })).toEqual({ ...ended, ranNow: 0 });
  });

  test('is in the verdict, which no longer calls it untested', () => {
    const { stress, notTested } = inEnglish(validationIn('one').verdict);
    expect(['breaks', 'holds']).toContain(stress.kind);
    expect(stress.reasons.join(' ')).toMatch(/With doubled costs it .*Its trades drawn anew lose in /);
    expect(notTested.join(' ')).not.toMatch(/costs|trades|redrawn|random/);
  });

  // A test with two workers is in test/process/study-threads.process.ts.
  test('is the same to the byte when it is stopped and goes on', async () => {
    take('stopped');
    const some = await stressed('stopped', study, { stopAfter: 2 });
    expect([some.end, some.ranNow]).toEqual(['stopped', 2]);
    expect(validationIn('stopped').stress).toBeNull();
    const rest = await stressed('stopped', study);
    expect([rest.end, rest.ranNow]).toEqual(['complete', ended.ranNow - 2]);
    expect(contentOf('stopped', ended.trial)).toBe(contentOf('one', ended.trial));
    expect(findingsIn('stopped')).toEqual(findingsIn('one'));
    expect(await stressed('stopped', study)).toEqual({ ...ended, ranNow: 0 });
  });

  test('says what can not be tested: no costs, and too few trades', async () => {
    const short = { space: { fast: { kind: 'integer', min: 40, max: 50 } }, params: { slow: 100 } };
    const free = await prepared({ ...short, fee: '0%', rules: {}, to: '2024-02-01', budget: { trials: 1 } });
    await search('free', free);
    await stressed('free', free);
    const { costs } = findingsIn('free');
    const found = 'expected fees, a spread or slippage to double, found none';
    expect(inEnglish(costs.all)).toEqual({ kind: 'not tested', message: found });
    const { stress, notTested } = inEnglish(validationIn('free').verdict);
    expect(stress.reasons.join(' ')).not.toMatch(/costs|trades|random/);
    expect(notTested).toContain(`doubled costs (${found})`);
    expect(notTested.join('\n')).toMatch(/^order of trades \(expected at least 10 trades, was \d\)$/m);
    expect(notTested.join('\n')).toMatch(/^random entries \(expected at least 10 positions, was \d\)$/m);
  });

  test('is refused without a trial that has values', async () => {
    const idle = await prepared({
      objectives: 'profitFactor',
      params: { share: 0.000_001 },
      budget: { trials: 1 },
    });
    await search('idle', idle);
    await expect(stressed('idle', idle)).rejects.toThrow(
      /^expected a trial with values in .*crosses\.sqlite, found none in 1: "sarraf study resume --trials" runs more$/,
    );
  });

  test('is refused where the trial does not do the same again', async () => {
    take('other');
    const setup = { ...study.setup, fidelity: 'candles' as const, rules: barRulesOf({ spreadBps: 9 }) };
    const other = { ...study, setup };
    await expect(stressed('other', other)).rejects.toThrow(
      /^expected trial \d to do the same again, found \w+ \S+ in place of \S+: a strategy may use neither /,
    );
  });
});
