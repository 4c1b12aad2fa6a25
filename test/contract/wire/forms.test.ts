import { describe, expect, test } from 'vitest';
import type { WireForms } from '../../../src/simulator-server/wire/handler.ts';
import { BANK_ACCOUNT_ID, BUY, FULL_KEY, MERCHANT } from '../world.ts';
import { RawVenue, signedBy } from './raw-venue.ts';
import { ORDER } from './record-shapes.ts';
import { shapeOf, type Shape } from './shape-of.ts';

const venueIn = (forms: Partial<WireForms>): RawVenue => new RawVenue({ forms });

describe('decimals', () => {
  test('padded have ten places everywhere', () => {
    const venue = venueIn({ decimals: 'padded' });
    const { json } = venue.send('POST /market/orders/add', { body: BUY });
    const padded = Object.fromEntries(
      Object.entries(ORDER).map(([field, kind]): [string, Shape] => [
        field,
        kind === 'decimal' ? 'padded' : kind,
      ]),
    );
    expect(shapeOf(json)).toEqual({ status: 'text', order: padded });
    expect(json).toMatchObject({ order: { price: '12500000000.0000000000', matchedAmount: '0.0000000000' } });
    venue.fillBook();
    expect(shapeOf(venue.send('GET /v2/orderbook/BTCIRT').json)).toMatchObject({
      bids: [['padded']],
      asks: [['padded']],
    });
    expect(venue.send('GET /v2/wallets?currencies=btc').json).toMatchObject({
      wallets: { BTC: { balance: '10.0000000000' } },
    });
  });

  test('as bare numbers keep every digit', () => {
    const venue = venueIn({ decimals: 'number' });
    const body = { ...BUY, srcCurrency: 'usdt', price: '179990', amount: '123456.78' };
    const { text } = venue.send('POST /market/orders/add', { body });
    expect(text).toMatch(/"price":\s*179990[,}]/);
    expect(text).toMatch(/"amount":\s*123456\.78[,}]/);
    expect(text).toMatch(/"totalOrderPrice":\s*22220985832\.2[,}]/);
    expect(text).not.toMatch(/"(?:price|amount|fee|totalPrice|matchedAmount)":\s*"/);
    expect(venue.send('POST /users/wallets/balance', { body: { currency: 'shib' } }).text).toMatch(
      /"balance":\s*1000000000[,}]/,
    );
  });
});

test('lastUpdate in milliseconds', () => {
  const venue = venueIn({ lastUpdate: 'milliseconds' });
  expect(venue.send('GET /v2/orderbook/BTCIRT').json).toMatchObject({ lastUpdate: 1710148955000 });
  expect(venue.send('GET /v2/orderbook/all').json).toMatchObject({ BTCIRT: { lastUpdate: 1710148955000 } });
});

test('options nested under the name of the service', () => {
  const { json } = venueIn({ options: 'nested', serviceName: 'elsewhere' }).send('GET /v2/options');
  expect(json).toMatchObject({
    status: 'ok',
    elsewhere: {
      minOrders: { rls: '3000000', usdt: '11' },
      amountPrecisions: { BTCIRT: '0.000001' },
      pricePrecisions: { BTCIRT: '10' },
      activeCurrencies: ['rls', 'usdt', 'btc', 'shib'],
    },
  });
  expect(Object.keys(json as object).some((key) => key.includes('.'))).toBe(false);
});

test('global stats by provider are bare numbers', () => {
  const { json } = venueIn({ globalStats: 'by-provider' }).send('POST /market/global-stats');
  const { markets } = json as { readonly markets: Readonly<Record<string, object>> };
  expect(Object.keys(json as object).toSorted()).toEqual(['markets', 'status']);
  expect(Object.keys(markets)).not.toHaveLength(0);
  for (const prices of Object.values(markets)) {
    expect(prices).toHaveProperty('btc');
    for (const price of Object.values(prices)) expect(typeof price).toBe('number');
  }
});

test.each([
  ['number', -7],
  ['trailing-minus', '7-'],
  ['text', '-7'],
] as const)('gateway codes as %s', (gatewayCode, code) => {
  const body = { api: MERCHANT.api, amount: 9999, callbackURL: 'https://shop.example.test/back' };
  expect(venueIn({ gatewayCode }).send('POST /pg/send/', { body }).json).toMatchObject({
    status: 'failed',
    code,
  });
});

test('failures that name their code error', () => {
  const venue = venueIn({ failureField: 'error' });
  const { json } = venue.send('POST /market/orders/add', { body: { ...BUY, amount: '0.000001' } });
  expect(json).toMatchObject({ status: 'failed', error: 'SmallOrder' });
  expect(json).not.toHaveProperty('code');
  const transfer = { currency: 'rls', amount: '1', src: 'spot', dst: 'spot' };
  expect(venue.send('POST /wallets/transfer', { body: transfer }).json).toMatchObject({
    error: 'SameDestination',
  });
});

test('optional fields that are left out', () => {
  const venue = venueIn({ omitOptionalFields: true });
  const { json } = venue.send('POST /market/orders/add', { body: BUY });
  const { order } = json as { readonly order: object };
  for (const field of ['execution', 'market', 'averagePrice']) expect(order).not.toHaveProperty(field);
  expect(order).toMatchObject({ id: 5684123001, price: '12500000000' });
  expect(venue.send('GET /market/orders/list?details=2').json).not.toHaveProperty('hasNext');
  expect(venue.send('GET /market/trades/list').json).not.toHaveProperty('hasNext');
  expect(venue.send('GET /users/wallets/deposits/list').json).not.toHaveProperty('hasNext');
});

test('unknown fields come beside the known ones', () => {
  const plain = venueIn({}).send('POST /market/orders/add', { body: BUY }).json as { readonly order: object };
  const venue = venueIn({ unknownFields: true });
  const { order } = venue.send('POST /market/orders/add', { body: BUY }).json as { readonly order: object };
  expect(order).toMatchObject(plain.order);
  expect(Object.keys(order).length).toBeGreaterThan(Object.keys(plain.order).length);
});

test('another service name goes into headers and options', () => {
  const venue = venueIn({ serviceName: 'elsewhere' });
  const { text } = venue.send('GET /v2/options');
  expect(text).toContain('"elsewhere');
  expect(text).not.toContain('"service');
  const timestamp = '1710148955';
  const path = '/market/orders/list';
  const listed = (service: string) => {
    const headers = signedBy(FULL_KEY, { timestamp, method: 'GET', path, body: null }, service);
    return venue.send(`GET ${path}`, { token: null, headers }).status;
  };
  expect(listed('elsewhere')).toBe(200);
  expect(listed('service')).toBe(401);
});

describe('lenience', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  test('takes POST on private reads, forms and trailing slashes', () => {
    const venue = new RawVenue();
    const placed = venue.send('POST /market/orders/add', {
      body: 'type=buy&srcCurrency=btc&dstCurrency=rls&amount=0.001&price=12500000000',
      headers: form,
    });
    expect(placed.json).toMatchObject({ status: 'ok', order: { price: '12500000000', amount: '0.001' } });
    const list = { body: { details: 2 } };
    expect(venue.send('POST /market/orders/list', list).json).toMatchObject({ orders: [{ id: 5684123001 }] });
    for (const request of [
      'POST /users/wallets/list',
      'GET /users/profile/',
      'POST /auth/login',
      'GET /v2/options/',
    ]) {
      expect([200, 400]).toContain(venue.send(request).status);
    }
  });

  test.each([
    ['/users/profile', 'profile'],
    ['/users/login-attempts', 'attempts'],
    ['/users/get-referral-code', 'referralCode'],
    ['/users/limitations', 'limitations'],
    ['/users/wallets/list', 'wallets'],
    ['/v2/wallets', 'wallets'],
    ['/users/wallets/transactions/list?wallet=1', 'transactions'],
    ['/users/wallets/deposits/list', 'deposits'],
    ['/users/wallets/withdraws/list', 'withdraws'],
    ['/market/orders/list', 'orders'],
    ['/market/trades/list', 'trades'],
    ['/liquidity-pools/list', 'pools'],
    ['/margin/delegation-limit?currency=btc', 'limit'],
  ])('answers the private read %s to GET and POST alike', (path, field) => {
    const venue = new RawVenue();
    const got = venue.send(`GET ${path}`);
    expect(got.json).toMatchObject({ status: 'ok', [field]: expect.anything() as unknown });
    expect(venue.send(`POST ${path}`)).toMatchObject({ status: 200, text: got.text });
  });

  test('answers the read of a withdrawal to GET and POST alike', () => {
    const venue = new RawVenue();
    const body = { destinationBankAccountId: BANK_ACCOUNT_ID, amount: '5000000' };
    const made = venue.send('POST /cobank/withdraw', { body });
    const { id } = (made.json as { readonly result: { readonly id: string } }).result;
    for (const method of ['GET', 'POST'])
      expect(venue.send(`${method} /cobank/withdraw/${id}`)).toMatchObject({ status: 200, text: made.text });
  });

  test('can be switched off, but for the two reads that the interface itself shows by POST', () => {
    const venue = new RawVenue({ lenience: false });
    expect([404, 405]).toContain(venue.send('POST /market/orders/list', { body: {} }).status);
    expect([404, 405]).toContain(venue.send('GET /users/profile/').status);
    expect(venue.send('GET /users/profile').status).toBe(200);
    const stats = { srcCurrency: 'btc', dstCurrency: 'rls' };
    expect(venue.send('POST /market/stats', { body: stats }).json).toMatchObject({ status: 'ok' });
    expect(venue.send('POST /users/wallets/list', { body: {} }).json).toMatchObject({ status: 'ok' });
  });
});
