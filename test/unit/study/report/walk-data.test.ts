import { describe, expect, test } from 'vitest';
import { walkData } from '../../../../src/study/report/walk-data.ts';
import { demoWalk } from './demo-study.ts';

describe('the data of a walk-forward', () => {
  test('have its windows, and what each brought in and out of sample', () => {
    const result = demoWalk();
    const { windows, figures, day, equity, initialEquity } = walkData(result, 'usdt');
    expect(initialEquity).toBe(10_000);
    expect(windows.map(({ number, fromMs, toMs }) => [number, fromMs, toMs])).toEqual(
      result.windows.map(({ number, test: stretch }) => [number, stretch.fromMs, stretch.toMs]),
    );
    expect(day).toEqual(result.account.equity.map((one) => one.day));
    expect(equity[30]).toBeCloseTo(result.account.equity[30]?.equity ?? 0, 2);
    expect(figures.map(({ name }) => name)).toEqual(['sharpe', 'maxDrawdown', 'growth a day']);
    expect(figures[0]?.inSample).toEqual([2, 2.5, 3, 3.5]);
    expect(figures[0]?.outOfSample).toEqual([1.5, 0.5, -0.5, -1.5]);
    // 10 % in 60 days, and 3 % in 20.
    expect(figures[2]?.inSample[0]).toBeCloseTo(Math.log(1.1) / 60, 8);
    expect(figures[2]?.outOfSample[0]).toBeCloseTo(Math.log(1.03) / 20, 8);
  });

  test('keep the extremes of an account of many years', () => {
    const demo = demoWalk();
    const equity = Array.from({ length: 9_000 }, (_, day) => ({
      day: 10_000 + day,
      equity: 10_000 + (day === 4_321 ? 5_000 : 0) - (day === 7_777 ? 5_000 : 0) + (day % 7),
    }));
    const thin = walkData({ ...demo, account: { ...demo.account, equity } }, 'usdt');
    expect(thin.day.length).toBeLessThanOrEqual(1_501);
    expect(thin.day).toEqual([...new Set(thin.day)].toSorted((left, right) => left - right));
    expect(thin.day.at(-1)).toBe(18_999);
    expect([Math.max(...thin.equity), Math.min(...thin.equity)]).toEqual([15_002, 5_000]);
  });
});
