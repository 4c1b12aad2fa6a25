import { beforeAll, describe, expect, test } from 'vitest';
import { runSummary } from '../../../src/backtest/finish-run.ts';
import { runPollBacktest } from '../../../src/backtest/poll-backtest.ts';
import { catalogueRecordings } from '../../../src/backtest/recordings.ts';
import { openCatalogue } from '../../../src/daemon/open-catalogue.ts';
import { writePackedMarket } from '../../../src/recording/column-file.ts';
import { readWrittenStudy } from '../../../src/study/study-settings.ts';
import { prepareStudy, type PreparedStudy } from '../../../src/study/prepare-study.ts';
import { trialSetupOf } from '../../../src/study/study-session.ts';
import { TrialBench } from '../../../src/study/trials/trial-bench.ts';
import { trialMetrics } from '../../../src/study/objectives.ts';
import { botConfigOf } from '../../../src/backtest/run-setup.ts';
import { withData, withParams } from '../../../src/study/trials/trial-setup.ts';

const NOON_MS = Date.UTC(2026, 0, 5, 12);
const MINUTE_MS = 60_000;

const POLL_STUDY = {
  strategy: 'market-maker',
  markets: 'BTCUSDT',
  catalogue: 'data/example',
  fidelity: 'poll',
  to: NOON_MS + 10 * MINUTE_MS,
  holdout: '20%',
  balances: { usdt: 10_000 },
  fee: '0.02%',
  rules: { latency: '40ms' },
  space: { spreadBps: { kind: 'decimal', min: 1, max: 12, step: 0.5 } },
  objectives: ['requestsPerFill'],
  constraints: [{ metric: 'requestsPerFill', most: 20 }],
} as const;

const prepared = async (more: object = {}): Promise<PreparedStudy> =>
  prepareStudy(readWrittenStudy({ ...POLL_STUDY, ...more }));

describe('a study on recorded books', () => {
  let study: PreparedStudy;
  beforeAll(async () => {
    study = await prepared();
  });

  test('is known by its books, trades, statistics and candles', () => {
    const { data } = study.identity;
    expect(data.map(({ kind, timeframe }) => timeframe ?? kind).toSorted()).toEqual(
      ['1h', '1m', '5m', 'books', 'statistics', 'trades'].toSorted(),
    );
    expect(new Set(data.map(({ sha256 }) => sha256)).size).toBe(data.length);
  });

  test('keeps the end of the range from the trials: nothing of it is in their memory', () => {
    const { data } = study;
    expect((data.range.splitMs - NOON_MS) / MINUTE_MS).toBe(8);
    if (data.trials.fidelity !== 'poll' || data.all.fidelity !== 'poll')
      throw new TypeError('expected books');
    const [[seen], [all]] = [data.trials.markets, data.all.markets];
    if (seen === undefined || all === undefined) throw new TypeError('expected a market');
    expect(Math.max(...seen.books.seenMs)).toBeLessThan(data.range.splitMs);
    expect(seen.books.seenMs.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(seen.books.seenMs.buffer.byteLength).toBe(writePackedMarket(seen).length);
    expect(seen.books.seenMs.buffer.byteLength).toBeLessThan(writePackedMarket(all).length);
    expect(all.books.length).toBeGreaterThan(seen.books.length);
    for (const { columns } of seen.candles)
      expect(Math.max(...columns.openTimeMs)).toBeLessThan(data.range.splitMs);
    expect(seen.candles.find(({ columns }) => columns.timeframe === '5m')?.columns.openTimeMs.at(-1)).toBe(
      NOON_MS,
    );
  });

  test('runs a trial as sarraf backtest runs its params to the end of the trials', async () => {
    const setup = trialSetupOf(study);
    const params = { spreadBps: 2.5 };
    const report = await new TrialBench(setup).run(params);
    const { run } = await runPollBacktest({
      config: withParams(botConfigOf(setup.overrides), params),
      recordings: catalogueRecordings(openCatalogue('data/example')),
      rules: { latency: { kind: 'constant', outMs: 40, backMs: 40 } },
      currency: null,
      steps: {},
      fromMs: null,
      toMs: study.data.range.splitMs,
    });
    expect(run.fills.length).toBeGreaterThan(10);
    expect(report).toMatchObject({ kind: 'ran', metrics: trialMetrics(runSummary(run)) });
  });

  test('opens the hold-out behind what the trials saw', async () => {
    const { setup, data } = study;
    const report = await new TrialBench(withData(setup, data.all, data.range.splitMs)).run({
      spreadBps: 2.5,
    });
    if (report.kind === 'failed') throw new Error(report.reason);
    expect(report.metrics['requests']).toBeGreaterThan(50);
    expect(report.daily.firstDay).toBe(Math.floor(NOON_MS / 86_400_000));
  });

  test('is another study with other books', async () => {
    const other = await prepared({ to: NOON_MS + 9 * MINUTE_MS });
    expect(other.identity.id).not.toBe(study.identity.id);
    const moved = await prepared({ catalogue: `${process.cwd()}/data/example` });
    expect(moved.identity.id).toBe(study.identity.id);
  });

  test.each([
    [{ to: NOON_MS + MINUTE_MS }, 'expected at least 100 books of BTCUSDT for the trials, found'],
    [{ markets: 'ETHUSDT' }, /^expected recorded books of ETHUSDT in .*, found none: record some/],
    [
      { csv: 'hours.csv', catalogue: undefined },
      'csv: expected recorded books of the catalogue for fidelity: poll',
    ],
    [{ rules: { spreadBps: 2 } }, 'rules.spreadBps: expected it with fidelity: candles, found poll'],
    [{ fidelity: 'candles' }, 'rules.latency: expected it with fidelity: poll, found candles'],
    [{ rules: { latency: '2m' } }, 'rules.latency: '],
    [
      { fidelity: 'candles', rules: {} },
      'constraints: expected fidelity: poll with requestsPerFill, found candles, where nothing is asked for',
    ],
  ])('is refused where %j does not fit', async (more, message) => {
    await expect(prepared(more)).rejects.toThrow(message);
  });
});
