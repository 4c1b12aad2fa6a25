import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BacktestSummary } from '../../../src/backtest/result-schema.ts';
import { readWrittenStudy } from '../../../src/study/study-settings.ts';
import { prepareStudy, type PreparedStudy } from '../../../src/study/prepare-study.ts';
import { differenceOf } from '../../../src/study/study-identity.ts';
import { readTrialFiles, writeTrialFiles } from '../../../src/study/file-cache.ts';
import { trialSetupOf } from '../../../src/study/study-session.ts';
import { TrialBench } from '../../../src/study/trials/trial-bench.ts';
import { trialMetrics, type TrialReport } from '../../../src/study/objectives.ts';
import { withData } from '../../../src/study/trials/trial-setup.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { writeAlerts, writeFollower, type Alert } from './follower.ts';
import { writeCandles } from './generated-candles.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 0, 20);
const at = (hour: number): number => START_MS + hour * HOUR_MS;

/** Hour at which the trials end and the hold-out begins. */
const SPLIT_HOUR = 320;
const everyTenHours = Array.from({ length: 40 }, (_, index): Alert => [
  at(index * 10),
  index % 3 === 2 ? 'sell' : 'buy',
]);

const folder = folderOfAllTests();
let strategy: string;
let csv: string;
let alerts: string;
beforeAll(() => {
  strategy = writeFollower(folder);
  csv = writeCandles(join(folder, 'hours.csv'), { count: 400 });
  alerts = writeAlerts(join(folder, 'alerts.jsonl'), everyTenHours);
});

const prepared = async (more: object = {}): Promise<PreparedStudy> =>
  prepareStudy(
    readWrittenStudy({
      strategy,
      markets: 'BTCUSDT',
      csv,
      signals: alerts,
      holdout: '20%',
      balances: { usdt: 10_000 },
      fee: '0.1%',
      ...more,
    }),
  );

const ran = (report: TrialReport): Extract<TrialReport, { kind: 'ran' }> => {
  if (report.kind === 'failed') throw new Error(report.reason);
  return report;
};

/** Sets yearly figures to null, which results of less than 30 days do not show but searches compare. */
const withoutYear = (metrics: ReturnType<typeof trialMetrics>): ReturnType<typeof trialMetrics> => ({
  ...metrics,
  cagr: null,
  volatility: null,
  sharpe: null,
  sortino: null,
  calmar: null,
});

const trialOf = async (study: PreparedStudy, params: object): Promise<TrialReport> =>
  new TrialBench(trialSetupOf(study)).run({ ...params });

/** Returns the figures of `sarraf backtest`. */
async function backtested(...more: readonly string[]) {
  const market = `--market BTCUSDT --cash 10000 --fee 0.1% --no-save --json`.split(' ');
  const { code, out, error } = await sarrafHere(['backtest', strategy, ...market, ...more]);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return withoutYear(trialMetrics((JSON.parse(out) as { readonly summary: BacktestSummary }).summary));
}

describe('a trial with signals', () => {
  test('is the backtest of its params with the same signals, digit for digit', async () => {
    const { metrics } = ran(await trialOf(await prepared(), { value: 1_500 }));
    const to = new Date(at(SPLIT_HOUR)).toISOString();
    const alone = await backtested('--csv', csv, '--signals', alerts, '--param', 'value=1500', '--to', to);
    expect(alone['fills']).toBeGreaterThan(20);
    expect(withoutYear(metrics)).toEqual(alone);
  });

  test('is so on recorded books, too', async () => {
    const noonMs = Date.UTC(2026, 0, 5, 12);
    const path = join(folder, 'noon.jsonl');
    const minutes = [1, 2, 3, 4, 5, 6, 7, 9];
    writeAlerts(
      path,
      minutes.map((minute, index) => [noonMs + minute * 60_000, index % 2 ? 'sell' : 'buy']),
    );
    const more = { catalogue: 'data/example', fidelity: 'poll', csv: undefined, signals: path };
    const study = await prepared({ ...more, to: noonMs + 600_000 });
    const { metrics } = ran(await trialOf(study, { value: 500 }));
    const alone = await backtested(
      ...'--catalogue data/example --fidelity poll --to 2026-01-05T12:08Z --param value=500'.split(' '),
      '--signals',
      path,
    );
    expect(alone['orders']).toBe(7);
    expect(withoutYear(metrics)).toEqual(alone);
  });

  test('knows nothing of what is told in the hold-out, from its first moment on', async () => {
    const study = await prepared();
    const { data } = study;
    expect(data.range.splitMs).toBe(at(SPLIT_HOUR));
    const heard = trialSetupOf(study).signals.map(({ atMs }) => atMs);
    expect(heard).toEqual(everyTenHours.flatMap(([atMs]) => (atMs < at(SPLIT_HOUR) ? [atMs] : [])));
    expect(heard.at(-1)).toBe(at(SPLIT_HOUR - 10));
    // Signals after the split change no trial, and change the hold-out.
    const others = everyTenHours.map(([atMs, side]): Alert => [atMs, atMs < at(SPLIT_HOUR) ? side : 'sell']);
    const other = await prepared({ signals: writeAlerts(join(folder, 'others.jsonl'), others) });
    expect(await trialOf(other, { value: 500 })).toEqual(await trialOf(study, { value: 500 }));
    const opened = async ({ setup, data: { all } }: PreparedStudy) =>
      ran(await new TrialBench(withData(setup, all, at(SPLIT_HOUR))).run({ value: 500 })).metrics;
    expect((await opened(study))['fills']).toBe(7);
    expect((await opened(other))['fills']).toBe(0);
    expect(other.identity.id).not.toBe(study.identity.id);
  });

  test('is told those of its own stretch alone, and an account each of them once', async () => {
    const bench = new TrialBench(trialSetupOf(await prepared({ holdout: undefined })));
    const stretch = { fromMs: at(5), toMs: at(30) };
    expect(ran(await bench.run({ value: 500 }, stretch)).metrics).toMatchObject({ fills: 2, openTrades: 0 });
    const legs = [
      { fromMs: at(5), params: { value: 500 } },
      { fromMs: at(30), params: { value: 2_000 } },
    ] as const;
    const report = await bench.account({ legs, toMs: at(51), stretches: [] });
    if (report.kind === 'failed') throw new Error(report.reason);
    // A signal at the start of the second leg goes to that leg, which trades for 8000; the first for 1000.
    expect(report.metrics['fills']).toBe(5);
    expect(Math.round(report.metrics['fees'] ?? 0)).toBe(9);
  });

  test('is run elsewhere from files that say the same', async () => {
    const study = await prepared();
    const { setup, data, settings } = study;
    const files = writeTrialFiles(data.trials);
    expect(String(files.signals)).not.toContain(String(at(SPLIT_HOUR)));
    const there = new TrialBench(withData(setup, readTrialFiles(files, settings), null));
    expect(await there.run({ value: 500 })).toEqual(await trialOf(study, { value: 500 }));
    expect(() => readTrialFiles({ ...files, signals: Buffer.from('[[1]]') }, settings)).toThrow(
      'expected signals from the coordinator of a study, found something else',
    );
  });
});

test('stress keeps signals with the bars that they came in, and random entries hear none', async () => {
  const bench = new TrialBench(trialSetupOf(await prepared()));
  const params = { value: 500 };
  const [again, bars, costs] = [
    await bench.stress({ what: 'again', params }),
    await bench.stress({ what: 'bars', params, meanBlock: 20, seed: 3 }),
    await bench.stress({ what: 'costs', params, doubled: ['fees'] }),
  ];
  if (again.kind === 'failed' || bars.kind === 'failed' || costs.kind === 'failed')
    throw new Error('expected runs');
  expect(costs.metrics['fees']).toBeCloseTo((again.metrics['fees'] ?? 0) * 2, 0);
  expect([again.metrics['fills'], costs.metrics['fills']]).toEqual([31, 31]);
  expect(bars.metrics['fills']).toBeGreaterThan(20);
  const entries = await bench.stress({ what: 'entries', held: again.trades?.held ?? [], seed: 3 });
  expect(entries).toMatchObject({ kind: 'ran', metrics: { refused: 0 } });
});

describe('a study with signals', () => {
  test('is known by what they say, and not by their file', async () => {
    const study = await prepared();
    expect(study.identity.signals).toMatchObject({ count: 40, firstMs: at(0), lastMs: at(390) });
    const packed = join(folder, 'packed.jsonl.gz');
    const lines = everyTenHours.map(([time, payload], index) =>
      JSON.stringify({ payload, time: new Date(time).toISOString(), name: 'alert', id: `line-${index + 1}` }),
    );
    // Signals after the end belong to no run.
    lines.push(JSON.stringify({ payload: 'buy', time: '2030-01-01T00:00:00.000Z', name: 'alert' }));
    writeFileSync(packed, gzipSync(lines.toReversed().join('\n')));
    const to = at(400);
    const [plain, moved] = [await prepared({ to }), await prepared({ to, signals: packed })];
    expect(moved.identity.id).toBe(plain.identity.id);
    expect(moved.problems).toEqual(['warning: 1 of 41 signals are outside of the run']);
    const none = await prepared({ signals: undefined });
    expect(differenceOf(study.identity, none.identity)).toMatch(
      /^signals: 40 with SHA-256 \w{12}…, now none$/,
    );
    expect(none.problems).toEqual([
      'warning: follower declares signals, and was given none: --signals names a file of them',
    ]);
  });

  test.each([
    ['{"time":"soon","name":"alert","payload":"buy"}', /told\.jsonl:2: expected a time in /],
    [
      '{"time":"2024-01-21","name":"other","payload":"buy"}',
      /^.*told\.jsonl:2: expected one of the declared /,
    ],
    ['no JSON', /told\.jsonl:2: expected a line as JSON, found "no JSON"/],
  ])('is refused for a line such as %s, before anything is run', async (line, message) => {
    const path = join(folder, 'told.jsonl');
    writeFileSync(path, `{"time":"2024-01-20","name":"alert","payload":"buy"}\n${line}\n`);
    await expect(prepared({ signals: path })).rejects.toThrow(message);
  });
});
