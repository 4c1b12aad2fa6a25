import { expect, test } from 'vitest';
import type { RoundTrip } from '../../../../src/backtest/round-trips.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { tradeChanges } from '../../../../src/study/stress/stress-run.ts';

const NONE = parseUnits('0');

/** A trade that ended at an hour with a profit. */
const trip = (number: number, closedAtMs: number | null, profit: string): RoundTrip => ({
  number,
  market: 'BTCUSDT',
  strategy: 'told',
  entryOrder: null,
  exitOrder: null,
  openedAtMs: 0,
  closedAtMs,
  amount: NONE,
  entryPrice: NONE,
  exitPrice: NONE,
  cost: NONE,
  proceeds: NONE,
  fees: NONE,
  profit: parseUnits(profit),
  isOpen: closedAtMs === null,
  isOfMoney: false,
});

const changesOf = (trips: readonly RoundTrip[], equity = '1000'): readonly number[] =>
  tradeChanges(trips, parseUnits(equity));

test('trades change the equity that those that ended before them left, whatever their number is', () => {
  // 100 of 1,000; then -220 of 1,100; then 88 of 880. The one that is open is none.
  const trips = [trip(1, 30, '88'), trip(2, 10, '100'), trip(3, 20, '-220'), trip(4, null, '500')];
  expect(changesOf(trips)).toEqual([0.1, -0.2, 0.1]);
  expect(changesOf([])).toEqual([]);
});

test('compounded they are the initial equity with all profits', () => {
  const profits = ['12.3456789', '-45.6', '78.901', '-0.0000000001', '3'];
  const changes = changesOf(profits.map((profit, index) => trip(index + 1, 10, profit)));
  const end = changes.reduce((equity, change) => equity * (1 + change), 1_000);
  const whole = profits.reduce((sum, profit) => sum + parseUnits(profit), parseUnits('1000') as bigint);
  expect(end).toBeCloseTo(Number(whole) / 1e10, 9);
});

test('nothing can not change', () => {
  expect(changesOf([trip(1, 10, '-1000'), trip(2, 20, '5')])).toEqual([-1, 0]);
});
