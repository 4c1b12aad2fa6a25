import { expect, test } from 'vitest';
import { valuedFills } from '../../../../src/backtest/valued-fills.ts';
import { runBacktest } from '../../../../src/backtest/run-backtest.ts';
import { backtestOf } from '../three-markets.ts';

test('without candles of tether its last price says what trades for it are worth', () => {
  const run = runBacktest(backtestOf());
  const markets = run.markets.map((one) =>
    one.market.symbol === 'USDTIRT' ? { ...one, candles: { ...one.candles, length: 0 } } : one,
  );
  const { traded } = valuedFills({ ...run, markets });
  expect(traded.length).toBeGreaterThan(0);
  expect(traded.filter(({ total, price }) => total === 0n || price === 0n)).toEqual([]);
});
