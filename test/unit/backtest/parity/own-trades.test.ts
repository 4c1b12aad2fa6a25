import { expect, test } from 'vitest';
import { OwnTrades } from '../../../../src/backtest/parity/run-again.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import type { FillRecord } from '../../../../src/records/fill.ts';
import type { RecordedTrade } from '../../../../src/recording/records.ts';

const FILL = { side: 'buy', atMs: 5_000, price: parseUnits('100'), amount: parseUnits('0.5') } as FillRecord;

function trade(of: Partial<RecordedTrade> = {}): RecordedTrade {
  const [price, amount] = [decimalText('100'), decimalText('0.50')];
  return { timeMs: 5_000, seenMs: 9_000, id: null, price, amount, side: 'buy', ...of };
}

test('what the session took is not there, be it timed a little apart', () => {
  expect(new OwnTrades([FILL]).without([trade()])).toEqual([]);
  expect(new OwnTrades([FILL]).without([trade({ timeMs: 5_900 })])).toEqual([]);
});

test.each([
  ['in which others took from it', trade({ side: 'sell' })],
  ['of another time', trade({ timeMs: 6_100 })],
  ['of another price', trade({ price: decimalText('101') })],
  ['of another amount', trade({ amount: decimalText('0.4') })],
] as const)('a trade %s stays', (_, other) => {
  expect(new OwnTrades([FILL]).without([other])).toEqual([other]);
});

test('each fill takes one trade out, over all parts of a tape', () => {
  const own = new OwnTrades([FILL, { ...FILL, atMs: 5_500 }]);
  expect(own.without([trade(), trade({ side: 'sell' })])).toHaveLength(1);
  expect(own.without([trade(), trade(), trade()])).toHaveLength(2);
});
