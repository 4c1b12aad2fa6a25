import { expect, test } from 'vitest';
import { MOST_VALUES, PlotRecorder } from '../../../src/backtest/backtest-run.ts';
import type { PlotSeries } from '../../../src/strategy/plots.ts';

const SERIES: PlotSeries = { market: 'BTCUSDT', name: 'fast', pane: null, style: 'line', color: null };

function recorded(values: number): ReturnType<PlotRecorder['series']>[number] {
  const recorder = new PlotRecorder();
  for (let index = 1; index <= values; index += 1) recorder.add(SERIES, index, index / 2);
  const [series] = recorder.series('cross');
  if (series === undefined) throw new Error('expected a series');
  return series;
}

test('a series keeps all its values while they are few', () => {
  const { length, atMs, value, every, strategy } = recorded(3_000);
  expect({ length, every, strategy }).toEqual({ length: 3_000, every: 1, strategy: 'cross' });
  expect([atMs[0], value[0], atMs[2_999], value[2_999]]).toEqual([1, 0.5, 3_000, 1_500]);
});

test('a series with more keeps every second value, then every fourth, evenly over all of it', () => {
  for (const [factor, every] of [
    [1, 1],
    [1.5, 2],
    [2.5, 4],
  ] as const) {
    const values = MOST_VALUES * factor;
    const series = recorded(values);
    expect(series.every).toBe(every);
    expect(series.length).toBeLessThanOrEqual(MOST_VALUES);
    const steps = series.atMs.slice(1).map((atMs, index) => atMs - (series.atMs[index] ?? 0));
    expect(new Set(steps)).toEqual(new Set([every]));
    expect(series.atMs[0]).toBe(every);
    expect(series.atMs.at(-1)).toBeGreaterThan(values - every);
    expect(series.value.at(-1)).toBe((series.atMs.at(-1) ?? 0) / 2);
  }
});

test('series of one name in two markets are two', () => {
  const recorder = new PlotRecorder();
  recorder.add(SERIES, 1, 1);
  recorder.add({ ...SERIES, market: 'ETHUSDT' }, 1, 2);
  recorder.add({ ...SERIES }, 2, 3);
  expect(recorder.series('x').map(({ market, value }) => [market, ...value])).toEqual([
    ['BTCUSDT', 1, 3],
    ['ETHUSDT', 2],
  ]);
});
