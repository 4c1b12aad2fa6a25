import { describe, expect, test } from 'vitest';
import { checkedSubscriptions } from '../../../src/strategy/check-subscriptions.ts';
import { book, candles, stats, timer, trades } from '../../../src/strategy/sdk.ts';

describe('subscriptions', () => {
  test('are taken of every kind', () => {
    const wanted = [
      book('BTCIRT'),
      book('ETHIRT', { everyMs: 500, maxAgeMs: 2_000 }),
      trades('BTCIRT', { maxAgeMs: 300_000 }),
      stats('BTCIRT'),
      candles('BTCIRT', '1h'),
      candles('BTCIRT', '5m', { warmUp: 100 }),
      timer('daily', '0 9 * * *'),
    ];
    expect(checkedSubscriptions(wanted, new Set(['BTCIRT', 'ETHIRT']))).toEqual(wanted);
  });

  test('have the ages of their kind where nothing is said', () => {
    expect(checkedSubscriptions([{ kind: 'book', market: 'BTCIRT' }])).toEqual([book('BTCIRT')]);
    expect(book('BTCIRT')).toEqual({ kind: 'book', market: 'BTCIRT', everyMs: 2_000, maxAgeMs: 30_000 });
    expect(checkedSubscriptions([{ kind: 'candles', market: 'BTCIRT', timeframe: '1h' }])).toEqual([
      candles('BTCIRT', '1h'),
    ]);
  });

  test.each([
    ['a number', 5, 'subscribe: '],
    ['nothing', undefined, 'subscribe: '],
    ['an unknown kind', [book('BTCIRT'), { kind: 'tape' }], 'subscribe.1.kind: '],
    [
      'an unknown timeframe',
      [{ kind: 'candles', market: 'BTCIRT', timeframe: '7m' }],
      'subscribe.0.timeframe: expected one of 1m, 5m',
    ],
    ['an unknown field', [{ ...book('BTCIRT'), depth: 5 }], 'subscribe.0: '],
    ['an age of nothing', [book('BTCIRT', { everyMs: 0 })], 'subscribe.0.everyMs: '],
    [
      'ages the wrong way round',
      [book('BTCIRT', { everyMs: 9_000, maxAgeMs: 8_000 })],
      'subscribe.0.maxAgeMs: expected at',
    ],
    ['more history than there is', [candles('BTCIRT', '1h', { warmUp: 500 })], 'subscribe.0.warmUp: '],
    [
      'a book twice',
      [book('BTCIRT'), book('ETHIRT'), book('BTCIRT')],
      'subscribe.2: expected each once, was book BTCIRT',
    ],
    ['a timer twice', [timer('a', '@daily'), timer('a', '@hourly')], 'subscribe.1: expected each once, was timer a'],
    ['a timer without a name', [timer('', '@daily')], 'subscribe.0.name: expected at most 32 lower-case'],
    ['a timer that is none', [timer('a', 'daily')], 'expected a cron pattern of five or six fields'],
    ['too many', Array.from({ length: 201 }, () => book('BTCIRT')), 'subscribe: '],
    [
      'an unknown market',
      [book('FOOIRT')],
      'subscribe.0.market: expected one of the markets BTCIRT, ETHIRT, was "FOOIRT"',
    ],
  ])('are refused with the place: %s', (_, wanted, message) => {
    expect(() => checkedSubscriptions(wanted, new Set(['BTCIRT', 'ETHIRT']))).toThrow(message);
  });
});
