import { describe, expect, test } from 'vitest';
import { closing } from '../../../src/domain/closing.ts';
import { barRulesOf, botConfigOf } from '../../../src/backtest/run-setup.ts';
import { runConfigured } from '../../../src/backtest/run-configured.ts';
import { runSummary } from '../../../src/backtest/finish-run.ts';
import { readWrittenStudy } from '../../../src/study/study-settings.ts';
import { prepareStudy, type PreparedStudy } from '../../../src/study/prepare-study.ts';
import { differenceOf } from '../../../src/study/study-identity.ts';
import { readTrialFiles, writeTrialFiles } from '../../../src/study/file-cache.ts';
import { settingsOfTrials } from '../../../src/study/remote/offered-study.ts';
import { StudyFolder } from '../../../src/study/study-place.ts';
import { StudyStore } from '../../../src/study/study-store.ts';
import { runStress } from '../../../src/study/run-stress.ts';
import { readStress } from '../../../src/study/stress/stress-runs.ts';
import { runSession, trialSetupOf } from '../../../src/study/study-session.ts';
import { TrialBench } from '../../../src/study/trials/trial-bench.ts';
import { trialMetrics } from '../../../src/study/objectives.ts';
import { withData, withParams, type TrialSetup } from '../../../src/study/trials/trial-setup.ts';
import { runWalkForward } from '../../../src/study/run-walk-forward.ts';
import { barsBetween, firstBarFrom } from '../../../src/domain/candle-columns.ts';
import { cutCandles } from '../../../src/study/data/study-data.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import type { Params } from '../../../src/search/params-of-point.ts';
import { generatedCandles } from './generated-candles.ts';
import { oneByOne } from './one-by-one.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const WRITTEN = {
  strategy: 'mean-reversion',
  markets: 'BTCUSDT',
  timeframe: '5m',
  detail: '1m',
  catalogue: 'data/example',
  holdout: '20%',
  balances: { usdt: 10_000 },
  fee: '0.1%',
  params: { ranges: 10, share: 0.5 },
  space: {
    length: { kind: 'integer', min: 10, max: 14 },
    deviations: { kind: 'decimal', min: 1, max: 2, step: 0.5 },
  },
  objectives: 'totalReturn',
  budget: { trials: 3 },
  sampler: { kind: 'random', seed: 2 },
} as const;

const prepare = async (more: object): Promise<PreparedStudy> =>
  prepareStudy(readWrittenStudy({ ...WRITTEN, ...more }));
let usual: Promise<PreparedStudy> | null = null;
const prepared = async (more?: object) => (more === undefined ? (usual ??= prepare({})) : prepare(more));

const PARAMS = { length: 12, deviations: 1.5, ranges: 10, share: 0.5 };

/** Runs these params over the stretch of the trials as `sarraf backtest` does. */
const backtested = async (study: PreparedStudy, params: Params, detail: object = {}) => {
  const { run } = await runConfigured({
    fidelity: 'candles',
    config: withParams(botConfigOf(trialSetupOf(study).overrides), params),
    timeframe: '5m',
    ...detail,
    csv: [],
    catalogue: 'data/example',
    currency: null,
    steps: {},
    rules: barRulesOf({}),
    fromMs: null,
    toMs: study.data.range.splitMs,
  });
  return run;
};

const metricsOf = async (setup: TrialSetup) => {
  const report = await new TrialBench(setup).run(PARAMS);
  if (report.kind === 'failed') throw new Error(report.reason);
  return report.metrics;
};

const folder = folderOfAllTests();

describe('a trial with detail', () => {
  test('is the backtest of its params with the same detail, digit for digit', async () => {
    const study = await prepared();
    const of = async (detail: object) => trialMetrics(runSummary(await backtested(study, PARAMS, detail)));
    const metrics = await metricsOf(trialSetupOf(study));
    expect(metrics['fills']).toBeGreaterThan(10);
    expect(metrics).toEqual(await of({ detail: { timeframe: '1m' } }));
    expect(metrics).not.toEqual(await of({}));
  });

  test('sees no finer candle of the hold-out', async () => {
    const { data } = await prepared();
    if (data.trials.fidelity !== 'candles' || data.all.fidelity !== 'candles') throw new TypeError('books');
    const ends = [data.trials, data.all].map(({ detail }) => detail[0]?.openTimeMs.at(-1) ?? 0);
    expect(ends[0]).toBe(data.range.splitMs - 60_000);
    expect(ends[1]).toBe(data.range.toMs - 60_000);
  });

  test('has finer candles from the one before the range on', async () => {
    const [, finer] = (await prepared()).identity.data;
    const fromMs = (finer?.firstMs ?? 0) + 3_600_000;
    const { identity, problems } = await prepared({ from: fromMs });
    expect(identity.data.map(({ timeframe, firstMs }) => [timeframe, firstMs - fromMs])).toEqual([
      ['5m', -3_600_000 - 576 * 300_000],
      ['1m', -300_000],
    ]);
    expect(problems).toEqual([]);
  });

  test('is run elsewhere from files that say the same', async () => {
    const { setup, data, settings } = await prepared();
    const there = withData(setup, readTrialFiles(writeTrialFiles(data.trials), settings), null);
    expect(await metricsOf(there)).toEqual(await metricsOf(trialSetupOf(await prepared())));
    expect(settingsOfTrials(settings, null)).toMatchObject({ detail: '1m' });
  });
});

const session = (name: string) => ({
  folder: new StudyFolder(folder),
  name,
  workers: 0,
  signal: new AbortController().signal,
  openRunner: oneByOne,
  onTrial: () => undefined,
});
const look = <Value>(name: string, read: (store: StudyStore) => Value): Value => {
  using store = closing(StudyStore.openToRead(new StudyFolder(folder).pathOf(name)));
  return read(store);
};

describe('a study with detail', () => {
  /** A small budget, since at the end each trial runs once more in a thread of its own. */
  const SMALL = { budget: { trials: 1 } };
  test('is known by it, and by what the finer candles say', async () => {
    const [study, without] = [await prepared(), await prepared({ detail: undefined })];
    expect(differenceOf(without.identity, study.identity)).toMatch(
      /^data of BTCUSDT: none, now \d+ candles with SHA-256 \w{12}…; detail: nothing, now "1m"$/,
    );
    expect(study.problems).toEqual([
      'warning: BTCUSDT: 576 of 876 bars were walked whole: no bars of 1m reach through them with the same open, high, low and close',
    ]);
  });

  test('goes on with it alone, and is put under every stress but redrawn candles', async () => {
    const study = await prepared(SMALL);
    await runSession(study, session('stressed'));
    const other = await prepared({ ...SMALL, detail: undefined });
    await expect(runSession(other, session('stressed'))).rejects.toThrow('detail: "1m", now nothing');
    const of = { ...session('stressed'), draws: 2, onRun: () => undefined };
    const { end, trial } = await runStress(study, of);
    expect(end).toBe('complete');
    const stress = look('stressed', (store) => readStress(store, trial));
    expect(stress?.basis.meanBlock).toEqual({ missing: { fact: 'lack.detail', figures: {} } });
    const redrawn = { what: 'bars', params: PARAMS, meanBlock: 9, seed: 1 } as const;
    expect(await new TrialBench(trialSetupOf(study)).stress(redrawn)).toMatchObject({
      kind: 'failed',
      reason: 'expected candles without a detail to redraw',
    });
  });

  test('walks forward with it', async () => {
    const fills: string[] = [];
    for (const detail of ['1m', undefined]) {
      const study = await prepared({ detail, validation: { walkForward: { train: '1d', test: '8h' } } });
      const name = `walked-${detail}`;
      expect(await runWalkForward(study, { ...session(name), onWindow: () => undefined })).toBe('complete');
      fills.push(JSON.stringify(look(name, (store) => store.walkForward.head()?.account)));
    }
    expect(fills[0]).toContain('"metrics"');
    expect(fills[0]).not.toBe(fills[1]);
  });

  test.each([
    [{ detail: '5m' }, 'detail: expected a timeframe finer than that of the candles, 5m, found 5m'],
    [{ detail: '1h' }, 'detail: expected a timeframe finer than that of the candles, 5m, found 1h'],
    [{ fidelity: 'poll' }, 'detail: expected it with fidelity: candles, found poll, which does not use it'],
  ])('is refused with %j', async (more, message) => {
    await expect(prepared(more)).rejects.toThrow(message);
  });
});

const OF_RULE = {
  strategy: 'ma-cross',
  universe: { quote: 'rls', rankBy: 'volume24h', take: 1 },
  timeframe: '5m',
  catalogue: 'data/example',
  holdout: '20%',
  balances: { rls: 1_000_000_000 },
  fee: '0.1%',
} as const;

const preparedOfRule = async (more: object = {}): Promise<PreparedStudy> =>
  prepareStudy(readWrittenStudy({ ...OF_RULE, ...more }));

describe('a study of a strategy that runs in markets of a rule', () => {
  test('gives its trials every market to choose from, and runs them as sarraf backtest does', async () => {
    const study = await preparedOfRule();
    expect(study.identity.data.map(({ market }) => market)).toEqual(['BTCIRT', 'USDTIRT']);
    const params = { fast: 3, slow: 9 };
    const run = await backtested(study, params);
    expect(run.members.records.length).toBeGreaterThan(0);
    expect(run.fills.length).toBeGreaterThan(10);
    const trial = await new TrialBench(trialSetupOf(study)).run(params);
    expect(trial).toMatchObject({ metrics: trialMetrics(runSummary(run)) });
  });

  test('is another study with another rule', async () => {
    const [one, other] = await Promise.all([
      preparedOfRule(),
      preparedOfRule({ universe: { ...OF_RULE.universe, rankBy: 'change' } }),
    ]);
    expect(other.identity.id).not.toBe(one.identity.id);
  });

  test('asks for enough of the markets that it needs, and not of mere candidates', () => {
    const long = generatedCandles({ count: 400 });
    const late = { ...generatedCandles({ count: 400 }), market: parseMarket('ETHUSDT').symbol };
    const young = barsBetween(late, firstBarFrom(late, (late.openTimeMs[0] ?? 0) + 380 * 3_600_000));
    const of = { fromMs: null, holdout: 0.2 };
    expect(() => cutCandles([long, young], of)).toThrow(
      'at least 100 candles of ETHUSDT for the trials, found 0',
    );
    const { trials, times, sets } = cutCandles([long, young], { ...of, isNeeded: () => false });
    expect(trials).toMatchObject({ candles: [{ market: 'BTCUSDT' }] });
    expect([times, sets].map(({ length }) => length)).toEqual([1, 2]);
  });

  test.each([
    [{ markets: 'BTCIRT' }, 'universe: expected markets or universe, found both'],
    [{ universe: undefined }, 'markets: expected markets: BTCUSDT, or universe: {'],
    [{ universe: { ...OF_RULE.universe, take: 0 } }, 'universe.take: '],
    [{ universe: { ...OF_RULE.universe, quote: 'eur' } }, 'universe'],
  ])('is refused with %j', async (more, message) => {
    await expect(preparedOfRule(more)).rejects.toThrow(message);
  });
});
