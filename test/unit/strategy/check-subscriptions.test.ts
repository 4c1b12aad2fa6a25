import { expect, test } from 'vitest';
import { checkedSubscriptions } from '../../../src/strategy/check-subscriptions.ts';
import { book, candles } from '../../../src/strategy/sdk.ts';

test('takes books and candles', () => {
  const wanted = [book('BTCIRT'), candles('BTCIRT', '1h')];
  expect(checkedSubscriptions(wanted)).toEqual(wanted);
});

test.each([
  [5, 'subscribe: '],
  [undefined, 'subscribe: '],
  [[book('BTCIRT'), { kind: 'tape' }], 'subscribe.1.kind: '],
  [[{ kind: 'candles', market: 'BTCIRT', span: '7m' }], 'subscribe.0.span: expected one of 1m, 5m'],
  [Array.from({ length: 21 }, () => book('BTCIRT')), 'subscribe: '],
])('says what is wrong with the subscriptions %j', (wanted, message) => {
  expect(() => checkedSubscriptions(wanted)).toThrow(message);
});
