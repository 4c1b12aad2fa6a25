import { describe, test } from 'vitest';
import {
  checkDataAge,
  checkOpenOrders,
  checkOrderRate,
  checkOrderSize,
  checkOrderValue,
} from '../../../../src/engine/risk/order-checks.ts';
import { runTable } from './risk-table.ts';

describe('the size of an order', () => {
  test('is held to the limit of its source currency', () =>
    runTable(
      checkOrderSize,
      `
      maxOrderAmount btc=1 | buy 1 at 100 => passes
      maxOrderAmount btc=1 | buy 1.0000000001 at 100 => refuses: the order of 1.0000000001 BTC is above the limit of 1 BTC for one order
      maxOrderAmount btc=1 | sell 2 => refuses: the order of 2 BTC
      maxOrderAmount eth=1 | buy 2 at 100 => passes
      maxOrderAmount btc=0 | buy 0.000001 at 100 => refuses
      | buy 1000000 at 100 => passes
      `,
    ));

  test('is held to it on the way out too', () =>
    runTable(checkOrderSize, 'maxOrderAmount btc=1 | holds 5, sell 2 at 100 => refuses'));
});

describe('the value of an order', () => {
  test('is held to the limit of its quote currency', () =>
    runTable(
      checkOrderValue,
      `
      maxOrderValue usdt=100 | buy 1 at 100 => passes
      maxOrderValue usdt=100 | buy 1 at 100.0000000001 => refuses: the order of 1 BTC at 100.0000000001 USDT has a value of 100.0000000001 USDT, above the limit of 100 USDT for one order
      maxOrderValue usdt=100 | buy 1.000001 at 100 => refuses
      maxOrderValue rls=100 | buy 1000 at 100 => passes
      maxOrderValue usdt=100 rls=5000 | buy 50 at 100.01 in BTCIRT => refuses: above the limit of 5000 RLS
      | buy 1000000 at 100 => passes
      `,
    ));

  test('is rounded up', () =>
    runTable(
      checkOrderValue,
      'maxOrderValue usdt=100 | buy 0.9999999999 at 100.0000000101 => refuses: of 100.0000000001 USDT',
    ));

  test('is worked out with the highest price that the order may trade at', () =>
    runTable(
      checkOrderValue,
      `
      maxOrderValue usdt=101 | buy 1 => passes
      maxOrderValue usdt=100 | buy 1 => refuses: at 101 USDT
      maxOrderValue usdt=99 | sell 1 => passes
      maxOrderValue usdt=98 | sell 1 => refuses: at 99 USDT
      maxOrderValue usdt=98 | sell 1 at 1 => refuses: at 99 USDT
      maxOrderValue usdt=98 | sell 1 at 120 => refuses: at 120 USDT
      maxOrderValue usdt=109 | buy 1 stop 110 => refuses: at 110 USDT
      maxOrderValue usdt=111 | buy 1 at 112 stop 110 => refuses: at 112 USDT
      maxOrderValue usdt=112 | buy 1 at 112 stop 110 => passes
      `,
    ));

  test('is refused where there is no price', () =>
    runTable(
      checkOrderValue,
      `
      maxOrderValue usdt=1000 | no book, buy 1 => refuses: has no price, and the book has none
      maxOrderValue usdt=1000 | book 99 -, buy 1 => refuses
      maxOrderValue usdt=1000 | book - 101, sell 1 => refuses
      maxOrderValue usdt=1000 | no book, buy 1 at 100 => passes
      `,
    ));
});

describe('the age of the book', () => {
  test('is counted from when it was read', () =>
    runTable(
      checkDataAge,
      `
      maxBookAgeMs 5000 | read 5000 ago => passes
      maxBookAgeMs 5000 | read 5001 ago => refuses: the book of BTCUSDT was read 5001 ms ago, above the limit of 5000 ms
      maxBookAgeMs 5000 | read -100 ago => passes
      maxBookAgeMs 5000 | read 5001 ago, holds 1, sell 1 => refuses
      | read 999999 ago => passes
      `,
    ));

  test('is counted by the word of the exchange where it has one', () =>
    runTable(
      checkDataAge,
      `
      maxBookVenueAgeMs 5000 | venue 5000 ago => passes
      maxBookVenueAgeMs 5000 | venue 5001 ago => refuses: the exchange says that the book of BTCUSDT is 5001 ms old
      maxBookVenueAgeMs 5000 | read 9000 ago => passes
      maxBookAgeMs 5000 | venue 9000 ago => passes
      `,
    ));

  test('is counted from when the next bar was due, where bars come in place of books', () =>
    runTable(
      checkDataAge,
      `
      maxBookAgeMs 5000 | read 60000 ago, bar due 5000 ago => passes
      maxBookAgeMs 5000 | read 60000 ago, bar due -30000 ago => passes
      maxBookAgeMs 5000 | read 60000 ago, bar due 5001 ago => refuses: the bar of BTCUSDT that was due 5001 ms ago is missing, above the limit of 5000 ms
      maxBookVenueAgeMs 5000 | venue 60000 ago, bar due 5001 ago => refuses: the bar of BTCUSDT that was due 5001 ms ago
      maxBookVenueAgeMs 5000 | venue 60000 ago, bar due 100 ago => passes
      | bar due 999999 ago => passes
      `,
    ));

  test('is beyond any limit before the first book', () =>
    runTable(
      checkDataAge,
      `
      maxBookAgeMs 5000 | no book => refuses: no book of BTCUSDT was read yet
      maxBookVenueAgeMs 5000 | no book => refuses: no book of BTCUSDT was read yet
      | no book => passes
      `,
    ));
});

describe('open orders', () => {
  test('are counted per strategy and in all', () =>
    runTable(
      checkOpenOrders,
      `
      maxOpenOrdersPerStrategy 2 | live buy 1 at 90 => passes
      maxOpenOrdersPerStrategy 2 | live buy 1 at 90, live sell 1 at 110 in ETHUSDT => refuses: strategy mine has 2 open orders and one more would exceed the limit of 2
      maxOpenOrdersPerStrategy 2 | live buy 1 at 90, live sell 1 at 110 of other => passes
      maxOpenOrdersInAll 2 | live buy 1 at 90, live sell 1 at 110 of other => refuses: the bot has 2 open orders
      maxOpenOrdersInAll 3 | live buy 1 at 90, live sell 1 at 110 of other => passes
      maxOpenOrdersPerStrategy 0 | => refuses
      maxOpenOrdersInAll 0 | => refuses
      | live buy 1 at 90, live buy 1 at 90 => passes
      `,
    ));

  test('are those that are planned or may still trade', () =>
    runTable(
      checkOpenOrders,
      `
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 planned => refuses
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 sending => refuses
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 unknown => refuses
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 cancelling => refuses
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 settling => passes
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 filled => passes
      `,
    ));
});

describe('the rate of orders', () => {
  test('is counted within 60 seconds and 60 minutes', () =>
    runTable(
      checkOrderRate,
      `
      maxOrdersPerMinute 2 | planned 30000 ago => passes
      maxOrdersPerMinute 2 | planned 59999 10 ago => refuses: the limit is 2 orders within 60 seconds, and it is used up; the next may follow in 1 ms
      maxOrdersPerMinute 2 | planned 60000 10 ago => passes
      maxOrdersPerMinute 2 | planned 59000 20 10 ago => refuses: in 59980 ms
      maxOrdersPerHour 2 | planned 3599999 10 ago => refuses: within 60 minutes
      maxOrdersPerHour 2 | planned 3600000 10 ago => passes
      maxOrdersPerMinute 5, maxOrdersPerHour 2 | planned 70000 65000 ago => refuses: within 60 minutes
      maxOrdersPerMinute 0 | => refuses
      | planned 3 2 1 ago => passes
      `,
    ));
});
