import { expect, test } from 'vitest';
import { OwnLevels } from '../../../../src/backtest/parity/run-again.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import type { FillRecord } from '../../../../src/records/fill.ts';
import type { OrderRecord } from '../../../../src/records/order.ts';
import type { RecordedBook } from '../../../../src/recording/records.ts';

const level = (price: string, amount: string): RecordedBook['bids'][number] => [
  decimalText(price),
  decimalText(amount),
];

const bookAt = (seenMs: number): RecordedBook => ({
  venueTimeMs: null,
  seenMs,
  bids: [level('100', '5'), level('99', '2')],
  asks: [level('101', '5')],
});

const ORDER = {
  key: 'one',
  side: 'buy',
  execution: 'limit',
  price: parseUnits('99'),
  amount: parseUnits('2'),
  sentAtMs: 1_000,
  closedAtMs: 3_000,
} as OrderRecord;

const FILL = { orderKey: 'one', atMs: 2_000, amount: parseUnits('0.5') } as FillRecord;

const bidsAt = (seenMs: number, orders = [ORDER]): readonly (readonly string[])[] =>
  new OwnLevels(orders, [FILL]).without(bookAt(seenMs)).bids;

test.each([
  ['before it was sent', 999, ['5', '2']],
  ['from when it was sent', 1_000, ['5']],
  ['after a part was filled', 2_500, ['5', '0.5']],
  ['after it was closed', 3_001, ['5', '2']],
] as const)('an order of ours %s leaves what others have', (_, atMs, amounts) => {
  expect(bidsAt(atMs).map(([, amount]) => amount)).toEqual(amounts);
});

test('a stop rests in no book', () => {
  expect(bidsAt(1_500, [{ ...ORDER, execution: 'stop_limit' }])).toEqual(bookAt(0).bids);
});
