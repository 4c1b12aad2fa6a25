import { describe, expect, test } from 'vitest';
import { reasonText } from '../../../src/cli/order-lines.ts';
import { withReadableNumbers } from '../../../src/language/readable-numbers.ts';
import { sentence } from '../../../src/language/sentence.ts';

describe('numbers in a sentence of the bot', () => {
  test.each([
    ['a value of 12345678.1234567891 RLS, above', 'a value of 12,345,678 RLS, above'],
    ['at 59430000000 RLS', 'at 59,430,000,000 RLS'],
    ['of 0.0012500000 BTC', 'of 0.00125 BTC'],
    ['of -1234.5678901234 USDT', 'of -1,234.5679 USDT'],
    // A coin of little worth keeps a price, and two prices stay apart.
    ['at 0.0000123450 USDT', 'at 0.000012345 USDT'],
    ['1.2345 USDT above 1.2340 USDT', '1.2345 USDT above 1.234 USDT'],
    ['was 7654321.0987654321: the account', 'was 7,654,321.09876543: the account'],
    // What is no sum.
    ['order 123456789 of grid-1000', 'order 123456789 of grid-1000'],
    ['until 00:00 UTC and 2026-04-01T20:30:00.123Z', 'until 00:00 UTC and 2026-04-01T20:30:00.123Z'],
    ['sarraf 0.1.0 at 127.0.0.1', 'sarraf 0.1.0 at 127.0.0.1'],
    ['more than 150 bps, 5000 ms', 'more than 150 bps, 5000 ms'],
  ])('%s', (text, expected) => {
    expect(withReadableNumbers(text)).toBe(expected);
  });

  test('words of somebody else stay as they are', () => {
    expect(reasonText('mine: 12345678.1234567891 RLS')).toBe('mine: 12345678.1234567891 RLS');
    expect(
      reasonText(sentence('risk-order-size', { amount: '12345678.1234567891 RLS', limit: '5000000 RLS' })),
    ).toBe('the order of 12,345,678 RLS is above the limit of 5,000,000 RLS for one order');
    expect(reasonText(null)).toBe('');
  });
});
