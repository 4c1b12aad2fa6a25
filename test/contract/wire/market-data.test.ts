import { expect, test } from 'vitest';
import { RawVenue } from './raw-venue.ts';
import { shapeOf } from './shape-of.ts';

/** Creates a venue with a book and one trade: alice bought 0.001 at 12600000010, a second after the start. */
function tradedVenue(options: ConstructorParameters<typeof RawVenue>[0] = {}): RawVenue {
  const venue = new RawVenue(options);
  venue.fillBook();
  venue.nowMs += 1000;
  venue.send('POST /market/orders/add', {
    body: { type: 'buy', execution: 'market', srcCurrency: 'btc', dstCurrency: 'rls', amount: '0.001' },
  });
  venue.nowMs += 2000;
  return venue;
}

const BOOK = {
  lastUpdate: 1710148955,
  bids: [
    ['12600000010', '0.5'],
    ['12600000020', '1.25'],
  ],
  asks: [
    ['12599999990', '0.75'],
    ['12599999980', '2'],
  ],
};

test('the order book has sells as bids, rising, and buys as asks, falling', () => {
  const venue = new RawVenue();
  venue.fillBook();
  const { status, headers, json } = venue.send('GET /v2/orderbook/BTCIRT', { token: null });
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(json).toEqual({ status: 'ok', ...BOOK });
});

test('all order books are one object a market symbol', () => {
  const venue = new RawVenue();
  venue.fillBook();
  const { json } = venue.send('GET /v2/orderbook/all', { token: null });
  expect(json).toEqual({
    status: 'ok',
    BTCIRT: BOOK,
    BTCUSDT: { lastUpdate: 1710148955, bids: [], asks: [] },
    USDTIRT: { lastUpdate: 1710148955, bids: [], asks: [] },
    SHIBUSDT: { lastUpdate: 1710148955, bids: [], asks: [] },
  });
});

test('a book shows at most 24 levels a side', () => {
  const venue = new RawVenue();
  for (let level = 0; level < 30; level += 1)
    venue.bobPlaces({ type: 'sell', price: String(12_600_000_010 + level * 10), amount: '0.001' });
  const { json } = venue.send('GET /v2/orderbook/BTCIRT', { token: null });
  expect((json as { bids: unknown[] }).bids).toHaveLength(24);
});

test('book and depth are the same for less than a second', () => {
  const venue = new RawVenue();
  venue.fillBook();
  const book = venue.send('GET /v2/orderbook/BTCIRT').text;
  const depth = venue.send('GET /v2/depth/BTCIRT').text;
  venue.nowMs += 999;
  venue.bobPlaces({ type: 'buy', price: '12600000000', amount: '0.001' });
  expect(venue.send('GET /v2/orderbook/BTCIRT').text).toBe(book);
  expect(venue.send('GET /v2/depth/BTCIRT').text).toBe(depth);
  venue.nowMs += 1;
  expect(venue.send('GET /v2/orderbook/BTCIRT').json).toMatchObject({
    asks: [['12600000000', '0.001'], ...BOOK.asks],
  });
});

test('depth has buys as bids, sells as asks, a time in text and the last price', () => {
  const { json } = tradedVenue().send('GET /v2/depth/BTCIRT', { token: null });
  expect(json).toMatchObject({ status: 'ok', lastUpdate: '1710148956', lastTradePrice: '12600000010' });
  const { bids, asks } = json as { readonly bids: [string, string][]; readonly asks: [string, string][] };
  expect(bids.every(([price]) => Number(price) <= 12_599_999_990)).toBe(true);
  expect(asks.every(([price]) => Number(price) >= 12_600_000_010)).toBe(true);
  expect(shapeOf({ bids, asks })).toEqual({ bids: [['decimal']], asks: [['decimal']] });
});

test('public trades have time, price, volume and the side of the taker', () => {
  const { json } = tradedVenue().send('GET /v2/trades/BTCIRT', { token: null });
  expect(json).toEqual({
    status: 'ok',
    trades: [{ time: 1710148956, price: '12600000010', volume: '0.001', type: 'buy' }],
  });
});

test('statistics without currencies are those of all markets', () => {
  const { json } = new RawVenue().send('GET /market/stats', { token: null });
  expect(Object.keys((json as { readonly stats: object }).stats).toSorted()).toEqual([
    'btc-rls',
    'btc-usdt',
    'shib-usdt',
    'usdt-rls',
  ]);
});

test.each(['GET /market/stats?srcCurrency=btc&dstCurrency=rls', 'POST /market/stats'])(
  '%s has the day',
  (request) => {
    const body = request.startsWith('POST') ? { srcCurrency: 'btc', dstCurrency: 'rls' } : undefined;
    const { status, json } = tradedVenue().send(request, { token: null, body });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'ok',
      stats: {
        'btc-rls': {
          isClosed: false,
          bestSell: '12600000010',
          bestBuy: '12599999990',
          volumeSrc: '0.001',
          volumeDst: '12600000.01',
          latest: '12600000010',
          dayLow: '12600000010',
          dayHigh: '12600000010',
          dayOpen: '12600000010',
          dayClose: '12600000010',
          dayChange: '0',
        },
      },
    });
    expect(shapeOf(json)).toMatchObject({ stats: { 'btc-rls': { mark: 'decimal' } } });
  },
);

test('a closed market has its flag in the stats', () => {
  const venue = tradedVenue();
  for (const market of venue.exchange.markets.values()) market.isClosed = true;
  const { json } = venue.send('GET /market/stats?srcCurrency=btc&dstCurrency=rls', { token: null });
  expect(json).toMatchObject({ status: 'ok', stats: { 'btc-rls': { isClosed: true } } });
});

test('history has columns of whole seconds and bare numbers', () => {
  const query = 'symbol=BTCIRT&resolution=60&from=1710140000&to=1710150000';
  const { json, text } = tradedVenue().send(`GET /market/udf/history?${query}`, { token: null });
  expect(json).toEqual({
    s: 'ok',
    t: [1710147600],
    o: [12600000010],
    h: [12600000010],
    l: [12600000010],
    c: [12600000010],
    v: [0.001],
  });
  expect(text).not.toMatch(/[eE][+-]?\d/);
});

test('history without a candle is no_data, and an unknown resolution an error', () => {
  const venue = tradedVenue();
  const range = 'from=1600000000&to=1600003600';
  const history = (resolution: string) =>
    venue.send(`GET /market/udf/history?symbol=BTCIRT&resolution=${resolution}&${range}`).json;
  expect(history('60')).toEqual({ s: 'no_data' });
  expect(shapeOf(history('7'))).toEqual({ s: 'text', errmsg: 'text' });
  expect(history('7')).toMatchObject({ s: 'error' });
});

test('global stats are by currency, then provider', () => {
  const { status, json } = new RawVenue().send('POST /market/global-stats', { token: null });
  expect(status).toBe(200);
  const { status: word, ...byCurrency } = json as Readonly<Record<string, unknown>>;
  expect(word).toBe('ok');
  expect(Object.keys(byCurrency)).toContain('btc');
  for (const providers of Object.values(byCurrency)) {
    for (const [provider, entry] of Object.entries(providers as object)) {
      expect(provider).toMatch(/^[a-z]/);
      expect(shapeOf(entry)).toEqual({ price: 'decimal' });
    }
  }
});

test('options carry least values and steps under the service name', () => {
  const { json } = new RawVenue().send('GET /v2/options', { token: null });
  const body = json as Readonly<Record<string, unknown>>;
  expect(body).toMatchObject({ status: 'ok' });
  expect(
    body['service.minOrders'] ?? (body['service'] as Record<string, unknown>)['minOrders'],
  ).toMatchObject({
    rls: '3000000',
    usdt: '11',
  });
  const nested = body['service'] as Readonly<Record<string, unknown>> | undefined;
  expect(body['service.pricePrecisions'] ?? nested?.['pricePrecisions']).toEqual({
    BTCIRT: '10',
    BTCUSDT: '0.01',
    USDTIRT: '10',
    SHIBUSDT: '0.00000001',
  });
  expect(body['service.amountPrecisions'] ?? nested?.['amountPrecisions']).toEqual({
    BTCIRT: '0.000001',
    BTCUSDT: '0.000001',
    USDTIRT: '0.01',
    SHIBUSDT: '1',
  });
  expect(body).toHaveProperty('features');
  expect(Array.isArray(body['coins'])).toBe(true);
});

test.each(['orderbook', 'depth', 'trades'])('%s of an unknown market is refused', (path) => {
  const { status, json } = new RawVenue().send(`GET /v2/${path}/NOPEIRT`, { token: null });
  expect([200, 400, 404]).toContain(status);
  expect(json).not.toMatchObject({ status: 'ok' });
});
