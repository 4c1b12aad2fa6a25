import { appendFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, describe } from 'vitest';
import { readBars, readFileBars, type BarQuestion } from '../../../../src/backtest/setup/read-bars.ts';
import type { CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { CandleCache } from '../../../../src/recording/candle-cache.ts';
import { ALL_TIME } from '../../../../src/recording/read-rows.ts';
import { BTCIRT, candles, temporaryCatalogue } from '../../recording/temporary-catalogue.ts';
import { folderOfThisTest } from '../../../support/temporary-folder.ts';
import type { Timeframe } from '../../../../src/domain/candle.ts';
import { z } from 'zod';
import { recordedBars, runPollBacktest, type PollRequest } from '../../../../src/backtest/poll-backtest.ts';
import {
  catalogueCandles,
  catalogueRecordings,
  packedRecordings,
} from '../../../../src/backtest/recordings.ts';
import type { StrategyInstanceSettings } from '../../../../src/engine/engine-settings.ts';
import { createRiskLimits } from '../../../../src/engine/risk-limits.ts';
import { defineStrategy } from '../../../../src/strategy/definition.ts';
import type { Catalogue } from '../../../../src/recording/catalogue.ts';
import { runnerOn } from '../../../support/runner-on.ts';
import { accountOverrides, strategiesOverride } from '../../../../src/backtest/run-setup.ts';
import { openCatalogue } from '../../../../src/daemon/open-catalogue.ts';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';
import { present } from '../../../../src/domain/errors.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { packMarket } from '../../../../src/recording/pack-market.ts';

const market = parseMarket('BTCUSDT').symbol;
const catalogue = openCatalogue('data/example');
const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2026, 0, 5, 12);

function configOf(strategy: string): PollRequest['config'] {
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder: process.cwd(),
    isOffline: true,
    overrides: [
      strategiesOverride({ strategy, markets: [market], timeframe: '1m' }),
      ...accountOverrides({ balances: { usdt: '10000' } }),
    ],
  });
  if (!reading.ok) throw new TypeError(reading.problems.join());
  return reading.config;
}

test.each([
  ['market-maker', NOON_MS, NOON_MS + 300_000],
  ['ma-cross', NOON_MS + 600_000, NOON_MS + 1_200_000],
])('%s does the same on packed recordings as on the catalogue', async (strategy, fromMs, toMs) => {
  const packed = present(await packMarket(catalogue, { market, toMs: NOON_MS + 1_800_000 }), 'recordings');
  const [one, other] = await Promise.all(
    [catalogueRecordings(catalogue), packedRecordings([packed])].map(async (recordings) => {
      const request = {
        config: configOf(strategy),
        recordings,
        fromMs,
        toMs,
        steps: {},
        currency: null,
        rules: {},
      };
      const { run } = await runPollBacktest(request);
      const { timing: _timing, ...rest } = run;
      return rest;
    }),
  );
  expect(other).toEqual(one);
  expect(one?.requests).toBeGreaterThan(100);
});

const RANGE = { fromMs: NOON_MS, toMs: NOON_MS + HOUR_MS };

/** Makes a strategy that wants a history of three bars of a timeframe. */
function instanceOf(timeframe: Timeframe): StrategyInstanceSettings {
  const definition = defineStrategy({
    name: 'looker',
    params: z.strictObject({}),
    data: ({ market }) => ({ bars: market.candles(timeframe, { history: 3 }) }),
    on: {},
  });
  const runner = runnerOn(definition, BTCIRT, timeframe);
  return { runner, onError: 'stop', pauseMs: 60_000, limits: createRiskLimits(), capital: {} };
}

/** Makes a catalogue with bars from the day before the range until two hours after it begins. */
async function catalogueWith(
  ...timeframes: readonly (readonly [Timeframe, stepMs: number])[]
): Promise<Catalogue> {
  const catalogue = temporaryCatalogue();
  for (const [timeframe, stepMs] of timeframes) {
    const bars = candles(NOON_MS - 24 * HOUR_MS, (26 * HOUR_MS) / stepMs, stepMs);
    await catalogue.appendCandles({ market: BTCIRT, timeframe, source: 'test', candles: [bars] });
  }
  return catalogue;
}

async function barsFor(
  catalogue: Catalogue,
  ...timeframes: readonly Timeframe[]
): Promise<readonly (readonly unknown[])[]> {
  const bars = await recordedBars(catalogueCandles(catalogue), {
    market: BTCIRT,
    instances: timeframes.map(instanceOf),
    range: RANGE,
  });
  return bars.map(({ columns }) => [
    columns.timeframe,
    ((columns.openTimeMs[0] ?? 0) - NOON_MS) / 60_000,
    ((columns.openTimeMs[columns.length - 1] ?? 0) - NOON_MS) / 60_000,
  ]);
}

describe('the recorded bars of a backtest on recorded books', () => {
  test('are those that its strategies look at, with twice the past that they need, and none beyond its end', async () => {
    const catalogue = await catalogueWith(['1m', 60_000], ['1h', HOUR_MS]);
    expect(await barsFor(catalogue, '1m', '1h')).toEqual([
      ['1m', -8, 59],
      ['1h', -480, 0],
    ]);
  });

  test('are the coarsest that make those which were not recorded', async () => {
    const catalogue = await catalogueWith(['1m', 60_000], ['5m', 300_000], ['1h', HOUR_MS]);
    expect(await barsFor(catalogue, '15m')).toEqual([['5m', -120, 55]]);
    expect(await barsFor(catalogue, '5m')).toEqual([['5m', -40, 55]]);
  });

  test('are finer ones where those of the very length are of another time', async () => {
    const catalogue = await catalogueWith(['1m', 60_000]);
    const long = candles(NOON_MS - 9_000 * HOUR_MS, 10, HOUR_MS);
    await catalogue.appendCandles({ market: BTCIRT, timeframe: '1h', source: 'test', candles: [long] });
    expect(await barsFor(catalogue, '1h')).toEqual([['1m', -480, 59]]);
  });

  test('are none where none were recorded that could make them, or none of that time', async () => {
    expect(await barsFor(await catalogueWith(['1h', HOUR_MS]), '5m')).toEqual([]);
    const instances = [instanceOf('1m')];
    const range = { fromMs: NOON_MS + 1_000 * HOUR_MS, toMs: NOON_MS + 1_001 * HOUR_MS };
    const catalogue = await catalogueWith(['1m', 60_000]);
    expect(await recordedBars(catalogueCandles(catalogue), { market: BTCIRT, instances, range })).toEqual([]);
  });
});

const START = Date.UTC(2024, 0, 31, 20);
const QUESTION: BarQuestion = { market: BTCIRT, timeframe: '1h', range: ALL_TIME, warmUpMs: 0 };

const line = (hour: number, close = '60000.5'): string =>
  `${START + hour * HOUR_MS},60000.5,60001,59999.25,${close},0.5\n`;

const newCache = (): CandleCache => new CandleCache(folderOfThisTest(), { leastBars: 1 });

const closes = ({ close, length }: CandleColumns): readonly number[] => [...close.subarray(0, length)];

test('a file is read once, until one of its bytes changes or other bars are asked for', async () => {
  const cache = newCache();
  const path = join(folderOfThisTest(), 'bars.csv');
  writeFileSync(path, `time,open,high,low,close,volume\n${[0, 1, 2, 3].map((hour) => line(hour)).join('')}`);
  const first = await readFileBars(path, QUESTION, cache);
  const second = await readFileBars(path, QUESTION, cache);
  expect([first.fromCache, second.fromCache]).toEqual([false, true]);
  expect({ ...second.columns, close: closes(second.columns) }).toMatchObject({
    market: BTCIRT,
    timeframe: '1h',
    priceDecimals: 2,
    close: closes(first.columns),
  });
  appendFileSync(path, line(4, '60000.75'));
  const changed = await readFileBars(path, QUESTION, cache);
  expect(changed.fromCache).toBe(false);
  expect(closes(changed.columns).at(-1)).toBe(6_000_075);
  const coarser = await readFileBars(path, { ...QUESTION, timeframe: '4h' }, cache);
  expect([coarser.fromCache, coarser.columns.length]).toEqual([false, 1]);
});

test('a file that may be read in two ways is kept for each', async () => {
  const cache = newCache();
  const path = join(folderOfThisTest(), 'bars.csv');
  writeFileSync(path, [0, 1].map((hour) => `${START + hour * HOUR_MS};1,234;1,234;1,234;1,234;1\n`).join(''));
  const firstClose = async (decimal: 'point' | 'comma'): Promise<unknown> => {
    const { columns, fromCache } = await readFileBars(path, { ...QUESTION, form: { decimal } }, cache);
    return [columns.close[0], columns.priceDecimals, fromCache];
  };
  expect(await firstClose('point')).toEqual([1_234, 0, false]);
  expect(await firstClose('comma')).toEqual([1_234, 3, false]);
  expect(await firstClose('point')).toEqual([1_234, 0, true]);
});

test('a file of the cache is cut to the stretch that is asked for', async () => {
  const cache = newCache();
  const path = join(folderOfThisTest(), 'bars.csv');
  writeFileSync(path, [0, 1, 2, 3].map((hour) => line(hour, String(60_000 + hour / 10))).join(''));
  await readFileBars(path, QUESTION, cache);
  const range = { fromMs: START + HOUR_MS, toMs: START + 3 * HOUR_MS };
  const { columns, fromCache } = await readFileBars(path, { ...QUESTION, range }, cache);
  expect([fromCache, columns.openTimeMs[0], columns.length]).toEqual([true, range.fromMs, 2]);
  await expect(
    readFileBars(
      path,
      { ...QUESTION, range: { fromMs: START + 9 * HOUR_MS, toMs: START + 10 * HOUR_MS } },
      cache,
    ),
  ).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
});

test('a file that can not be read is refused as without a cache', async () => {
  const cache = newCache();
  const path = join(folderOfThisTest(), 'bars.csv');
  await expect(readFileBars(path, QUESTION, cache)).rejects.toMatchObject({ code: 'INVALID_FILE' });
  writeFileSync(path, [0, 1].map((hour) => line(hour, '-1')).join(''));
  for (let time = 0; time < 2; time += 1)
    await expect(readFileBars(path, QUESTION, cache)).rejects.toThrow(/bars\.csv:1: .*close/);
});

test('partitions are read once, whatever stretch of them, until one is written anew', async () => {
  const cache = newCache();
  const catalogue = temporaryCatalogue();
  const hours = (from: number, count: number) => candles(START + from * HOUR_MS, count, HOUR_MS);
  const of = { market: BTCIRT, timeframe: '1h', source: 'test' } as const;
  await catalogue.appendCandles({ ...of, candles: [hours(0, 30)] });
  const first = await readBars(catalogue, QUESTION, cache);
  const range = { fromMs: START + 10 * HOUR_MS, toMs: START + 20 * HOUR_MS };
  const part = await readBars(catalogue, { ...QUESTION, range, warmUpMs: 7 * HOUR_MS }, cache);
  expect([first.fromCache, first.columns.length]).toEqual([false, 30]);
  expect([part.fromCache, part.columns.length, part.columns.openTimeMs[0]]).toEqual([
    true,
    17,
    START + 3 * HOUR_MS,
  ]);
  await catalogue.appendCandles({ ...of, candles: [hours(30, 2)] });
  const more = await readBars(catalogue, QUESTION, cache);
  expect([more.fromCache, more.columns.length]).toEqual([false, 32]);
  expect(closes(more.columns).slice(0, 30)).toEqual(closes(first.columns));
  const folder = join(catalogue.root, BTCIRT, 'candles-1h');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.parquet')))
    rmSync(join(folder, name));
  await expect(readBars(catalogue, QUESTION, cache)).rejects.toMatchObject({ code: 'DATA_UNUSABLE' });
});
