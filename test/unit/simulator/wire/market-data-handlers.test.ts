import { beforeEach, describe, expect, test } from 'vitest';
import type { ExchangeConfigInput } from '../../../../src/simulator-server/exchange-config.ts';
import type { Simulation } from '../../../../src/simulator-server/simulation.ts';
import { ask, BUY, createVenue, place, START_MS } from './fixture.ts';

const SECOND = START_MS / 1000;
const SELL = { ...BUY, type: 'sell' };

function tradedVenue(config: ExchangeConfigInput = {}): Simulation {
  const venue = createVenue(config);
  place(venue, { ...SELL, price: '50000000010', amount: '0.5' });
  place(venue, { ...SELL, price: '50000000030', amount: '0.25' });
  place(venue, { ...BUY, price: '49999999990', amount: '0.75' });
  place(venue, { ...BUY, price: '50000000010', amount: '0.1' }, { token: 'sara-token' });
  return venue;
}

let venue: Simulation;
beforeEach(() => {
  venue = tradedVenue();
});
const read = (path: string, timeMs = START_MS) => ask(venue, path, { token: null, timeMs });
const updatedAt = (timeMs: number): unknown => read('/v2/orderbook/BTCIRT', timeMs).body['lastUpdate'];

test('the order book has sells as bids, rising, and buys as asks', () => {
  expect(read('/v2/orderbook/BTCIRT').raw).toBe(
    `{"status":"ok","lastUpdate":${SECOND},"bids":[["50000000010","0.4"],["50000000030","0.25"]],"asks":[["49999999990","0.75"]]}`,
  );
});

test('books are remade only once a second', () => {
  read('/v2/orderbook/BTCIRT');
  place(venue, { ...BUY, price: '49999999980' }, { timeMs: START_MS + 10 });
  expect(read('/v2/orderbook/BTCIRT', START_MS + 999).body['asks']).toHaveLength(1);
  expect(read('/v2/orderbook/all', START_MS + 1000).body).toMatchObject({
    status: 'ok',
    BTCIRT: {
      lastUpdate: SECOND,
      asks: [
        ['49999999990', '0.75'],
        ['49999999980', '0.001'],
      ],
    },
    SHIBUSDT: { bids: [], asks: [] },
  });
});

test('depth gathers levels by their right names, with the last price and a time in text', () => {
  expect(read('/v2/depth/BTCIRT').body).toEqual({
    status: 'ok',
    lastUpdate: String(SECOND),
    bids: [['49990000000', '0.75']],
    asks: [['50010000000', '0.65']],
    lastTradePrice: '50000000010',
  });
});

test('public trades are newest first and carry no id', () => {
  place(
    venue,
    { ...SELL, price: '49999999990', amount: '0.2' },
    { token: 'sara-token', timeMs: START_MS + 2000 },
  );
  expect(read('/v2/trades/BTCIRT').body).toEqual({
    status: 'ok',
    trades: [
      { time: SECOND + 2, price: '49999999990', volume: '0.2', type: 'sell' },
      { time: SECOND, price: '50000000010', volume: '0.1', type: 'buy' },
    ],
  });
});

describe('statistics', () => {
  test('sum a market up', () => {
    expect(read('/market/stats?srcCurrency=btc&dstCurrency=rls').body).toEqual({
      status: 'ok',
      stats: {
        'btc-rls': {
          isClosed: false,
          bestSell: '50000000010',
          bestBuy: '49999999990',
          volumeSrc: '0.1',
          volumeDst: '5000000001',
          latest: '50000000010',
          mark: '50000000010',
          dayLow: '50000000010',
          dayHigh: '50000000010',
          dayOpen: '50000000010',
          dayClose: '50000000010',
          dayChange: '0',
        },
      },
    });
  });

  test('answer for lists of currencies with the markets that exist', () => {
    const { body } = read('/market/stats?srcCurrency=btc,shib&dstCurrency=rls,usdt');
    expect(Object.keys(body['stats'] as object)).toEqual(['btc-rls', 'btc-usdt', 'shib-usdt']);
  });

  test('refuse unknown markets, and take one currency for all of its markets', () => {
    expect(read('/market/stats?srcCurrency=nope&dstCurrency=rls').body['code']).toBe('InvalidMarketPair');
    expect(Object.keys(Object(read('/market/stats?srcCurrency=btc').body['stats']))).toContain('btc-rls');
  });

  test('say that a market is closed, and nothing else in the short form', () => {
    const query = '/market/stats?srcCurrency=btc&dstCurrency=rls';
    for (const config of [{}, { forms: { omitOptionalFields: true } }]) {
      venue = tradedVenue(config);
      const market = venue.exchange.marketOf('btc', 'rls');
      Object.assign(market ?? {}, { isClosed: true, closedReason: 'maintenance' });
      const stats = (read(query).body['stats'] as Record<string, unknown>)['btc-rls'];
      const closed = { isClosed: true, isClosedReason: 'maintenance' };
      if ('forms' in config) expect(stats).toEqual(closed);
      else expect(stats).toMatchObject({ ...closed, latest: '50000000010' });
    }
  });
});

const history = (query: string) => read(`/market/udf/history?symbol=BTCIRT&${query}`);
const minute = (index: number) => SECOND + index * 60;
/** Makes an exchange that has not traded yet, with bars of the 600 minutes before. */
const fill = (): void => {
  venue = createVenue();
  const market = venue.exchange.marketOf('btc', 'rls');
  const bars = Array.from({ length: 600 }, (_, index) => ({
    openTimeMs: START_MS + (index + 1) * 60_000,
    open: 5_000_000_000 + index,
    high: 5_000_000_005 + index,
    low: 4_999_999_999 + index,
    close: 5_000_000_001 + index,
    volume: 1_500_000,
    value: 1n,
  }));
  market?.candles.seed('1m', bars);
};

const timesOf = (body: Record<string, unknown> | undefined): number[] => (body?.['t'] ?? []) as number[];

describe('history', () => {
  test('is columns of bare numbers', () => {
    fill();
    expect(history(`resolution=1&from=${minute(1)}&to=${minute(2)}`).raw).toBe(
      `{"s":"ok","t":[${minute(1)},${minute(2)}],"o":[50000000000,50000000010],"h":[50000000050,50000000060],` +
        '"l":[49999999990,50000000000],"c":[50000000010,50000000020],"v":[1.5,1.5]}',
    );
  });

  test('has at most 500 candles a page, the newest on the first', () => {
    fill();
    const [first, second, third] = [1, 2, 3].map(
      (page) => history(`resolution=1&from=${minute(1)}&to=${minute(600)}&page=${page}`).body,
    );
    expect(timesOf(first).length).toBe(500);
    expect(timesOf(first).at(-1)).toBe(minute(600));
    expect(timesOf(second).length).toBe(100);
    expect(timesOf(second)[0]).toBe(minute(1));
    expect(third).toEqual({ s: 'no_data' });
  });

  test('lets countback go before from', () => {
    fill();
    expect(history(`resolution=1&from=${minute(1)}&to=${minute(300)}&countback=2`).body['t']).toEqual([
      minute(299),
      minute(300),
    ]);
  });

  test('gathers days, by either word, from midnight in Tehran on', () => {
    fill();
    // 2025-04-09T20:30Z, and a day later.
    for (const word of ['D', '1D'])
      expect(history(`resolution=${word}&to=${minute(600)}`).body['t']).toEqual([
        1_744_230_600, 1_744_317_000,
      ]);
  });

  test('says no_data for an empty range and error for what it does not know', () => {
    fill();
    expect(history('resolution=60&from=1000&to=2000').body).toEqual({ s: 'no_data' });
    expect(history('resolution=7&to=1').body).toEqual({ s: 'error', errmsg: 'Invalid resolution!' });
    expect(history('resolution=60').body['s']).toBe('error');
    expect(read('/market/udf/history?symbol=NOPE&resolution=60&to=1').body['s']).toBe('error');
  });
});

test('options name minimum values and steps under the service name', () => {
  const { body } = read('/v2/options');
  expect(body).toMatchObject({
    status: 'ok',
    'service.minOrders': { rls: '3000000', usdt: '11', '2': '3000000', '13': '11' },
    'service.amountPrecisions': { BTCIRT: '0.000001', SHIBUSDT: '1' },
    'service.pricePrecisions': { BTCIRT: '10', SHIBUSDT: '0.00000001' },
    'service.activeCurrencies': ['rls', 'usdt', 'btc', 'shib'],
  });
  expect(JSON.stringify(body['coins'])).toContain('4_000.0');
  venue = tradedVenue({ exchange: { name: 'acme' } });
  expect(read('/v2/options').body).toHaveProperty(['acme.minOrders']);
});

test('global statistics come by currency or by provider', () => {
  expect(ask(venue, '/market/global-stats', { method: 'POST' }).body).toEqual({
    status: 'ok',
    btc: { reference: { price: '60000' } },
    shib: { reference: { price: '0.00002' } },
  });
  venue = tradedVenue({ forms: { globalStats: 'by-provider' } });
  expect(ask(venue, '/market/global-stats', { method: 'POST' }).raw).toBe(
    '{"status":"ok","markets":{"reference":{"btc":60000,"shib":0.00002}}}',
  );
});

describe('forms', () => {
  test.each([
    ['padded', '["50000000010.0000000000","0.4000000000"]'],
    ['number', '[50000000010,0.4]'],
  ] as const)('write decimals %s', (decimals, level) => {
    venue = tradedVenue({ forms: { decimals } });
    expect(read('/v2/orderbook/BTCIRT').raw).toContain(level);
  });

  test('write update times in milliseconds', () => {
    venue = tradedVenue({ forms: { lastUpdate: 'milliseconds' } });
    expect(read('/v2/orderbook/BTCIRT', START_MS + 5).body['lastUpdate']).toBe(START_MS);
    expect(read('/v2/depth/BTCIRT', START_MS + 6).body['lastUpdate']).toBe(String(START_MS));
  });

  test('write when the book changed last, whenever it is read: by an order, a trade or a cancel', () => {
    venue = tradedVenue({ forms: { lastUpdate: 'milliseconds' } });
    expect(updatedAt(START_MS + 60_000)).toBe(START_MS);
    place(venue, { ...BUY, price: '49999999980' }, { timeMs: START_MS + 61_007 });
    expect(updatedAt(START_MS + 90_000)).toBe(START_MS + 61_007);
    place(venue, { ...BUY, execution: 'market', price: '50000000010' }, { timeMs: START_MS + 95_003 });
    expect(updatedAt(START_MS + 120_000)).toBe(START_MS + 95_003);
    expect(updatedAt(START_MS + 240_000)).toBe(START_MS + 95_003);
  });

  test('write when the shown book was taken, where that is set', () => {
    venue = tradedVenue({ forms: { lastUpdate: 'milliseconds', lastUpdateOf: 'snapshot' } });
    expect(read('/v2/orderbook/BTCIRT', START_MS + 60_005).body['lastUpdate']).toBe(START_MS + 60_005);
    expect(read('/v2/depth/BTCIRT', START_MS + 60_006).body['lastUpdate']).toBe(String(START_MS + 60_005));
  });

  test('leave optional fields out', () => {
    venue = tradedVenue({ forms: { omitOptionalFields: true } });
    const { body } = ask(venue, '/market/orders/list?details=2&status=all');
    expect(body).not.toHaveProperty('hasNext');
    const [order] = body['orders'] as Record<string, unknown>[];
    for (const field of ['execution', 'market', 'averagePrice']) expect(order).not.toHaveProperty(field);
    expect(order).toHaveProperty('id');
  });

  test('add fields that nobody knows', () => {
    venue = tradedVenue({ forms: { unknownFields: true } });
    const { body } = ask(venue, '/market/orders/list?status=all');
    expect(body['servedBy']).toBe('node-7');
    expect(body['orders']).toMatchObject([{ isMyOrder: true }, {}, {}]);
  });
});
