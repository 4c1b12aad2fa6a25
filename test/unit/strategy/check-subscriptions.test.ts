import { describe, expect, test } from 'vitest';
import { checkedSubscriptions } from '../../../src/strategy/check-subscriptions.ts';
import { book, candles, stats, timer, trades } from '../../../src/strategy/subscriptions.ts';
import { scenarios } from '../../support/scenarios.ts';

const KNOWN = new Set(['BTCIRT', 'ETHIRT']);
const checked = (wanted: unknown) => checkedSubscriptions(wanted, { place: 'wanted', knownMarkets: KNOWN });

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
    expect(checked(wanted)).toEqual(wanted);
  });

  test('have the ages of their kind where nothing is said', () => {
    expect(checked([{ kind: 'book', market: 'BTCIRT' }])).toEqual([book('BTCIRT')]);
    expect(book('BTCIRT')).toEqual({ kind: 'book', market: 'BTCIRT', everyMs: 2_000, maxAgeMs: 30_000 });
    expect(checked([{ kind: 'candles', market: 'BTCIRT', timeframe: '1h' }])).toEqual([
      candles('BTCIRT', '1h'),
    ]);
  });

  scenarios<readonly unknown[]>((message, wanted) => {
    expect(() => checked(wanted)).toThrow(message);
  }, 'are refused with the place: %s')`
    an unknown kind ${[book('BTCIRT'), { kind: 'tape' }]}: wanted.1.kind: 
    an unknown timeframe ${[{ kind: 'candles', market: 'BTCIRT', timeframe: '7m' }]}
      wanted.0.timeframe: expected one of 1m, 5m
    an unknown field ${[{ ...book('BTCIRT'), depth: 5 }]}: wanted.0: 
    an age of nothing ${[book('BTCIRT', { everyMs: 0 })]}: wanted.0.everyMs: 
    ages the wrong way round ${[book('BTCIRT', { everyMs: 9_000, maxAgeMs: 8_000 })]}
      wanted.0.maxAgeMs: expected at
    more history than there is ${[candles('BTCIRT', '1h', { warmUp: 500 })]}: wanted.0.warmUp: 
    a book twice ${[book('BTCIRT'), book('ETHIRT'), book('BTCIRT')]}
      wanted.2: expected each once, was book BTCIRT
    a timer twice ${[timer('a', '@daily'), timer('a', '@hourly')]}: wanted.1: expected each once, was timer a
    a timer without a name ${[timer('', '@daily')]}: wanted.0.name: expected at most 32 letters
    a timer that is none ${[timer('a', 'daily')]}: expected a cron pattern of five or six fields
    too many ${Array.from({ length: 201 }, () => book('BTCIRT'))}: wanted: 
    an unknown market ${[book('FOOIRT')]}
      wanted.0.market: expected one of the markets BTCIRT, ETHIRT, was "FOOIRT"
  `;

  test.each([
    ['a number', 5, 'wanted: '],
    ['nothing', undefined, 'wanted: '],
  ])('are refused with the place: %s', (_, wanted, message) => {
    expect(() => checked(wanted)).toThrow(message);
  });
});
