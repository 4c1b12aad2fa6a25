import { describe, expect, test } from 'vitest';
import { dailyReturns } from '../../../../src/backtest/statistics.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function curveOf(points: readonly (readonly [timeMs: number, equity: number])[]) {
  return {
    length: points.length,
    // The columns of a run may be longer than the run.
    timeMs: Float64Array.from([...points.map(([timeMs]) => timeMs), 0]),
    equity: Float64Array.from([...points.map(([, equity]) => equity), 0]),
  };
}

describe('daily returns', () => {
  test('go from the end of a day to the end of the next, the first from the initial equity', () => {
    const curve = curveOf([
      [10 * DAY_MS + HOUR_MS, 105],
      [10 * DAY_MS + 2 * HOUR_MS, 110],
      [11 * DAY_MS + HOUR_MS, 121],
      [11 * DAY_MS + 2 * HOUR_MS, 99],
    ]);
    const { firstDay, returns } = dailyReturns(curve, 100);
    expect(firstDay).toBe(10);
    expect([...returns]).toEqual([110 / 100 - 1, 99 / 110 - 1]);
  });

  test('count the bar that closes at midnight to the day that ends', () => {
    const { firstDay, returns } = dailyReturns(curveOf([[11 * DAY_MS, 110]]), 100);
    expect([firstDay, returns.length]).toEqual([10, 1]);
  });

  test('are 0 on a day without bars', () => {
    const curve = curveOf([
      [DAY_MS + 1, 110],
      [3 * DAY_MS + 1, 121],
    ]);
    expect([...dailyReturns(curve, 110).returns]).toEqual([0, 0, 121 / 110 - 1]);
  });

  test('are 0 after a total loss', () => {
    const curve = curveOf([
      [DAY_MS + 1, 0],
      [2 * DAY_MS + 1, 5],
    ]);
    expect([...dailyReturns(curve, 100).returns]).toEqual([-1, 0]);
  });

  test('are none of a run without bars', () => {
    expect(dailyReturns(curveOf([]), 100).returns).toHaveLength(0);
  });
});
