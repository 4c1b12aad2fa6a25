import { describe, expect, test } from 'vitest';
import type { MarketSymbol } from '../../../src/domain/market-symbol.ts';
import { BUY, CAROL_TOKEN, FULL_KEY, OCO, READ_KEY } from '../world.ts';
import { RawVenue, signedBy, type RawReply } from './raw-venue.ts';

const add = (venue: RawVenue, body: unknown): RawReply => venue.send('POST /market/orders/add', { body });

/** Expects that nothing has changed: no order, no hold. */
function expectUntouched(venue: RawVenue): void {
  expect(venue.send('GET /market/orders/list?status=all').json).toEqual({
    status: 'ok',
    orders: [],
    hasNext: false,
  });
  expect(venue.send('GET /v2/wallets?currencies=rls').json).toMatchObject({
    wallets: { RLS: { blocked: '0' } },
  });
}

describe('a refused order', () => {
  test.each([
    ['InvalidOrderPrice', 'without a price', { ...BUY, price: undefined }],
    ['InvalidOrderPrice', 'with a price of nothing', { ...BUY, price: '0' }],
    ['InvalidOrderPrice', 'with a negative price', { ...BUY, price: '-5' }],
    ['InvalidOrderPrice', 'stop-limit without a stop price', { ...BUY, execution: 'stop_limit' }],
    [
      'InvalidOrderPrice',
      'stop-market without a stop price',
      { ...BUY, execution: 'stop_market', price: undefined },
    ],
    ['InvalidOrderPrice', 'OCO without a stop-limit price', { ...OCO, stopLimitPrice: undefined }],
    ['BadPrice', 'more than 30 % above the market', { ...BUY, price: '16380000010' }],
    ['BadPrice', 'more than 30 % below the market', { ...BUY, price: '8819999990' }],
    [
      'BadPrice',
      'better than its stop price',
      { ...BUY, execution: 'stop_limit', stopPrice: '12700000000', price: '12690000000' },
    ],
    ['PriceConditionFailed', 'OCO with its price above the last', { ...OCO, price: '12600000010' }],
    ['PriceConditionFailed', 'OCO with its stop below the last', { ...OCO, stopPrice: '12599999990' }],
    [
      'PriceConditionFailed',
      'OCO with its stop-limit below its stop',
      { ...OCO, stopLimitPrice: '12690000000' },
    ],
    ['OverValueOrder', 'buy of more than the wallet has', { ...BUY, amount: '80.000001' }],
    ['OverValueOrder', 'sell of more than the wallet has', { ...BUY, type: 'sell', amount: '10.000001' }],
    ['SmallOrder', 'worth exactly the minimum', { ...BUY, amount: '0.00024' }],
    ['SmallOrder', 'of less than one amount step', { ...BUY, amount: '0.0000009' }],
    ['InvalidMarketPair', 'of an unknown coin', { ...BUY, srcCurrency: 'nope' }],
    ['InvalidMarketPair', 'of an unknown coin and no amount', { ...BUY, srcCurrency: 'nope', amount: '0' }],
    ['InvalidMarketPair', 'in an unknown quote', { ...BUY, dstCurrency: 'eth' }],
  ])('%s: %s', (code, _, body) => {
    const venue = new RawVenue();
    const { status, json } = add(venue, { ...body, clientOrderId: 'echo-1' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'failed',
      code,
      clientOrderId: 'echo-1',
      message: expect.any(String) as string,
    });
    expectUntouched(venue);
  });

  test.each([
    ['without a type', { ...BUY, type: undefined }],
    ['of an unknown type', { ...BUY, type: 'hold' }],
    ['of an unknown execution', { ...BUY, execution: 'iceberg' }],
    ['without an amount', { ...BUY, amount: undefined }],
    ['with an amount that is no number', { ...BUY, amount: 'much' }],
    ['with a negative amount', { ...BUY, amount: '-0.001' }],
    ['with a client id that is too long', { ...BUY, clientOrderId: 'a'.repeat(33) }],
    ['with a client id of other characters', { ...BUY, clientOrderId: 'no_underscore' }],
    ['that is no JSON', '{"type": "buy", '],
    ['that is a list', [BUY]],
  ])('ParseError: %s', (_, body) => {
    const venue = new RawVenue();
    const { status, json } = add(venue, body);
    expect([200, 400]).toContain(status);
    expect(json).toMatchObject({ status: 'failed', code: 'ParseError' });
    expectUntouched(venue);
  });

  test('DuplicateOrder within ten seconds, unless pro', () => {
    const venue = new RawVenue();
    expect(add(venue, BUY).json).toMatchObject({ status: 'ok' });
    venue.nowMs += 9_999;
    expect(add(venue, BUY).json).toMatchObject({ status: 'failed', code: 'DuplicateOrder' });
    expect(add(venue, { ...BUY, pro: true }).json).toMatchObject({ status: 'ok' });
    expect(add(venue, { ...BUY, pro: 'yes' }).json).toMatchObject({ status: 'ok' });
    venue.nowMs += 10_000;
    expect(add(venue, BUY).json).toMatchObject({ status: 'ok' });
  });

  test.each([
    ['rests', '12599999990'],
    ['is done', '12600000010'],
  ])('DuplicateOrder where the first one used up the balance and %s', (_, price) => {
    const venue = new RawVenue();
    venue.bobPlaces({ type: 'sell', price: '12600000010', amount: '1' });
    const all = { ...BUY, price, amount: '0.0079' };
    const place = (): unknown =>
      venue.send('POST /market/orders/add', { token: CAROL_TOKEN, body: all }).json;
    expect(place()).toMatchObject({ status: 'ok' });
    expect(place()).toMatchObject({ status: 'failed', code: 'DuplicateOrder' });
    venue.nowMs += 10_000;
    expect(place()).toMatchObject({ status: 'failed', code: 'OverValueOrder' });
  });

  test('DuplicateOrder also when the market has moved away from the price meanwhile', () => {
    const venue = new RawVenue();
    expect(add(venue, { ...BUY, price: '8820000000' }).json).toMatchObject({ status: 'ok' });
    const market = venue.exchange.markets.get('BTCIRT' as MarketSymbol)!;
    market.lastPrice *= 2;
    expect(add(venue, { ...BUY, price: '8820000000' }).json).toMatchObject({ code: 'DuplicateOrder' });
    expect(add(venue, { ...BUY, price: '8820000010' }).json).toMatchObject({ code: 'BadPrice' });
  });

  test('DuplicateClientOrderId while the other is open', () => {
    const venue = new RawVenue();
    const { json } = add(venue, { ...BUY, clientOrderId: 'mine-1' });
    const other = { ...BUY, price: '12500000010', clientOrderId: 'mine-1' };
    expect(add(venue, other).json).toMatchObject({ status: 'failed', code: 'DuplicateClientOrderId' });
    const { id } = (json as { readonly order: { readonly id: number } }).order;
    venue.send('POST /market/orders/update-status', { body: { order: id, status: 'canceled' } });
    expect(add(venue, other).json).toMatchObject({ status: 'ok' });
  });

  test('MarketClosed and TradingUnavailable', () => {
    const venue = new RawVenue();
    const market = venue.exchange.markets.get('BTCIRT' as MarketSymbol)!;
    market.isClosed = true;
    expect(add(venue, BUY).json).toMatchObject({ status: 'failed', code: 'MarketClosed' });
    market.isClosed = false;
    venue.exchange.trading.trader(1).mayTrade = false;
    expect(add(venue, BUY).json).toMatchObject({ status: 'failed', code: 'TradingUnavailable' });
    expectUntouched(venue);
  });

  test.each([
    ['rial_trade', BUY, { ...BUY, dstCurrency: 'usdt', price: '69000' }],
    ['crypto_trade', { ...BUY, dstCurrency: 'usdt', price: '69000' }, BUY],
  ] as const)(
    'TradingUnavailable without the feature %s, which the other markets do not need',
    (feature, shut, open) => {
      const venue = new RawVenue();
      venue.exchange.services.users.get(1).features[feature] = false;
      expect(venue.send('GET /users/limitations').json).toMatchObject({
        limitations: { features: { [feature]: false } },
      });
      expect(add(venue, shut).json).toMatchObject({ status: 'failed', code: 'TradingUnavailable' });
      expectUntouched(venue);
      expect(add(venue, open).json).toMatchObject({ status: 'ok' });
    },
  );

  test('TradingUnavailable while the identity is not verified', () => {
    const venue = new RawVenue();
    const user = venue.exchange.services.users.get(1);
    user.verifications.identity = false;
    expect(venue.send('GET /users/profile').json).toMatchObject({
      profile: { verifications: { identity: false } },
    });
    for (const body of [BUY, { ...BUY, dstCurrency: 'usdt', price: '69000' }])
      expect(add(venue, body).json).toMatchObject({ status: 'failed', code: 'TradingUnavailable' });
    expectUntouched(venue);
    user.verifications.identity = true;
    expect(add(venue, BUY).json).toMatchObject({ status: 'ok' });
  });
});

describe('look-up and cancel', () => {
  const NOT_FOUND = { error: 'NotFound', message: 'No Order matches the given query.' };

  test('without any id get NullIdAndClientOrderId', () => {
    const venue = new RawVenue();
    for (const [path, body] of [
      ['status', {}],
      ['update-status', { status: 'canceled' }],
    ] as const) {
      expect(venue.send(`POST /market/orders/${path}`, { body }).json).toMatchObject({
        status: 'failed',
        code: 'NullIdAndClientOrderId',
      });
    }
  });

  test('of an unknown order, or of somebody else, get 404 without a status', () => {
    const venue = new RawVenue();
    const bobs = venue.bobPlaces({ type: 'buy', price: '12500000000', amount: '0.001' });
    for (const id of [1, bobs]) {
      for (const [path, body] of [
        ['status', { id }],
        ['update-status', { order: id, status: 'canceled' }],
      ] as const) {
        const { status, json } = venue.send(`POST /market/orders/${path}`, { body });
        expect(status).toBe(404);
        expect(json).toEqual(NOT_FOUND);
      }
    }
  });

  test('to another status than canceled are refused', () => {
    const venue = new RawVenue();
    const { json } = add(venue, BUY);
    const { id } = (json as { readonly order: { readonly id: number } }).order;
    const reply = venue.send('POST /market/orders/update-status', { body: { order: id, status: 'active' } });
    expect(reply.json).toMatchObject({ status: 'failed' });
    expect(venue.send('POST /market/orders/status', { body: { id } }).json).toMatchObject({
      order: { status: 'Active' },
    });
  });

  test('by client id get FeatureUnavailable where it is not offered', () => {
    const venue = new RawVenue();
    add(venue, { ...BUY, clientOrderId: 'mine-1' });
    venue.exchange.trading.trader(1).lacksClientIdLookup = true;
    const { json } = venue.send('POST /market/orders/status', { body: { clientOrderId: 'mine-1' } });
    expect(json).toMatchObject({ status: 'failed', code: 'FeatureUnavailable' });
  });
});

test.each([
  '/market/orders/list?status=active',
  '/market/orders/list?status=undone',
  '/market/orders/list?fromId=1&page=1',
  '/market/orders/list?pageSize=1001',
  '/market/orders/list?pageSize=0',
  '/market/orders/list?order=amount',
  '/market/orders/list?details=3',
  '/market/trades/list?srcCurrency=btc',
  '/market/trades/list?page=101',
  '/market/trades/list?pageSize=501',
  '/market/trades/list?tradeOrder=up',
])('GET %s is refused', (path) => {
  const { status, json } = new RawVenue().send(`GET ${path}`);
  expect([200, 400]).toContain(status);
  expect(json).toMatchObject({ status: 'failed' });
});

describe('credentials', () => {
  test('that are missing or bad get 401 with a detail', () => {
    const venue = new RawVenue();
    for (const token of [null, 'nobodys-token']) {
      const { status, json } = venue.send('GET /market/orders/list', { token });
      expect(status).toBe(401);
      expect(json).toEqual({ detail: expect.any(String) as string });
    }
    expect(
      venue.send('GET /market/orders/list', { token: null, headers: { authorization: 'Bearer x' } }).status,
    ).toBe(401);
  });

  test('of a key sign time, method, path with query and body, within 30 seconds', () => {
    const venue = new RawVenue();
    const asked = '/market/orders/list?status=all';
    const listed = ({ offsetS = 0, path = asked } = {}) => {
      const timestamp = String(1710148955 + offsetS);
      const headers = signedBy(READ_KEY, { timestamp, method: 'GET', path, body: null });
      return venue.send(`GET ${asked}`, { token: null, headers }).status;
    };
    expect(listed()).toBe(200);
    expect(listed({ offsetS: 30 })).toBe(200);
    expect(listed({ offsetS: -30 })).toBe(200);
    expect(listed({ offsetS: 31 })).toBe(401);
    expect(listed({ offsetS: -31 })).toBe(401);
    expect(listed({ path: '/market/orders/list' })).toBe(401);
  });

  test('of a key without the permission get a 403 that speaks of the permission', () => {
    const venue = new RawVenue();
    const timestamp = '1710148955';
    const body = JSON.stringify(BUY);
    const send = (key: typeof READ_KEY) => {
      const path = '/market/orders/add';
      const headers = signedBy(key, { timestamp, method: 'POST', path, body });
      return venue.send(`POST ${path}`, { token: null, body, headers });
    };
    expect(send(FULL_KEY).status).toBe(200);
    const refused = send(READ_KEY);
    expect(refused.status).toBe(403);
    expect(refused.text).toMatch(/permission/i);
    expect(refused.headers).not.toHaveProperty('retry-after');
  });
});

test('an unknown path is 404, and a method that a path does not take is no success', () => {
  const venue = new RawVenue();
  expect(venue.send('GET /nowhere').status).toBe(404);
  expect([404, 405]).toContain(venue.send('GET /market/orders/add').status);
  expect([404, 405]).toContain(venue.send('DELETE /market/orders/list').status);
});
