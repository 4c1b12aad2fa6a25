import type { Timeframe } from '../../../../src/domain/candle.ts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { recordedBars } from '../../../../src/backtest/poll-backtest.ts';
import { catalogueCandles } from '../../../../src/backtest/recordings.ts';
import type { StrategyInstanceSettings } from '../../../../src/engine/engine-settings.ts';
import { createRiskLimits } from '../../../../src/engine/risk-limits.ts';
import { defineStrategy } from '../../../../src/strategy/definition.ts';
import type { Catalogue } from '../../../../src/recording/catalogue.ts';
import { BTCIRT, candles, temporaryCatalogue } from '../../recording/temporary-catalogue.ts';
import { runnerOn } from '../../../support/runner-on.ts';

const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2026, 0, 5, 12);
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
