import { expect, test } from 'vitest';
import { countText, groupedText, moneyText } from '../../../src/domain/money.ts';
import { decimalsOf } from '../../../src/exchange/market-names.ts';
import { tryDecimalText } from '../../../src/domain/decimal-text.ts';

test.each([
  ['1234567.89', 'rls', '1,234,568'],
  ['-0.5', 'rls', '0'],
  ['-1500000', 'rls', '-1,500,000'],
  ['-0.005', 'usdt', '0.00'],
  ['-0.015', 'usdt', '-0.02'],
  ['1.239', 'usdt', '1.24'],
  ['5', 'usdt', '5.00'],
  ['0.123456789', 'btc', '0.12345679'],
  ['1000.5', 'btc', '1,000.5'],
])('%s %s is %s for a person', (text, currency, read) => {
  expect(moneyText(text, decimalsOf(currency))).toBe(read);
});

test.each([
  ['59995662130', '59,995,662,130'],
  ['999', '999'],
  ['-1000', '-1,000'],
  ['1234.56789', '1,234.56789'],
])('the price %s is %s in full', (text, read) => {
  expect(groupedText(text)).toBe(read);
});

test('one is no plural', () => {
  expect([0, 1, 2, 1_000].map((count) => countText(count, 'fill'))).toEqual([
    '0 fills',
    '1 fill',
    '2 fills',
    '1,000 fills',
  ]);
  expect(countText(2, 'ORDER IS', 'ORDERS ARE')).toBe('2 ORDERS ARE');
});

test.each([
  ['1.50', '1.5'],
  ['1.00', '1'],
  ['100', '100'],
  ['+100', '100'],
  ['007', '7'],
  ['00.50', '0.5'],
  ['-00.050', '-0.05'],
  ['0', '0'],
  ['000', '0'],
  ['-0', '0'],
  ['-0.00', '0'],
  ['+0.0', '0'],
  ['0.0000000001', '0.0000000001'],
  ['126000000000000000000.10', '126000000000000000000.1'],
])('a decimal written as "%s" is the text "%s"', (written, text) => {
  expect(tryDecimalText(written)).toBe(text);
});
