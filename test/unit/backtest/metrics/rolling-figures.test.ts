import { expect, test } from 'vitest';
import { rollingFigures } from '../../../../src/backtest/report/sections/return-sections.ts';

const daily = (returns: readonly number[]) => ({ firstDay: 100, returns: new Float64Array(returns) });

test('figures of the last days are those of these days alone', () => {
  const { firstDay, sharpe, volatility } = rollingFigures(daily([0.5, 0.01, 0.03, -0.01]), 3);
  expect(firstDay).toBe(102);
  expect(sharpe).toHaveLength(2);
  // Of 0.01, 0.03 and -0.01: mean 0.01, deviation 0.02.
  expect(volatility[1]).toBeCloseTo(0.02 * Math.sqrt(365), 12);
  expect(sharpe[1]).toBeCloseTo(0.5 * Math.sqrt(365), 12);
});

test('days that all returned the same have no Sharpe ratio', () => {
  expect(rollingFigures(daily([0, 0, 0]), 3)).toMatchObject({ sharpe: [null], volatility: [0] });
});

test('fewer days than a window have no figures', () => {
  expect(rollingFigures(daily([0.1, 0.2]), 3)).toMatchObject({ sharpe: [], volatility: [] });
});
