import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../../src/exchange/endpoints.ts';
import type { Endpoint } from '../../../../src/exchange/request-types.ts';
import { ALI, ask, BUY, createVenue, START_MS, stateOf } from './fixture.ts';
import { readMultipart } from '../../../../src/simulator-server/wire/request-fields.ts';

const DECLARED = Object.values(ENDPOINTS) as readonly Endpoint[];

describe('routes', () => {
  test.each(DECLARED.map((endpoint) => [endpoint.name, endpoint] as const))('answer %s', (_, endpoint) => {
    const venue = createVenue();
    const path = endpoint.path.replace('{symbol}', 'BTCIRT').replace('{id}', 'CW1');
    const { status, raw } = ask(venue, path, {
      method: endpoint.method,
      ...(endpoint.sends === 'json' ? { body: {} } : {}),
    });
    expect([200, 400, 404]).toContain(status);
    expect(raw).not.toContain('No address');
    expect(venue.adapter.log.values()).toMatchObject([
      { endpoint: endpoint.name, budget: endpoint.budget.name, status },
    ]);
  });

  test('that do not exist are 404 with JSON, and are logged', () => {
    const venue = createVenue();
    expect(ask(venue, '/nowhere')).toMatchObject({ status: 404, body: { error: 'NotFound' } });
    expect(venue.adapter.log.values()).toMatchObject([{ endpoint: null, path: '/nowhere', status: 404 }]);
  });

  test('refuse another method with what they allow', () => {
    const { status, headers } = ask(createVenue(), '/market/orders/add', { method: 'PUT' });
    expect(status).toBe(405);
    expect(headers['allow']).toBe('POST');
  });

  test('do not take a book of an unknown market for the book of all', () => {
    expect(ask(createVenue(), '/v2/orderbook/NOPEIRT').status).toBe(404);
    expect(ask(createVenue(), '/v2/orderbook/all').body).toHaveProperty('BTCIRT');
  });

  test('with a part that is no UTF-8 are 404', () => {
    expect(ask(createVenue(), '/v2/orderbook/%ff').status).toBe(404);
  });
});

describe('lenience', () => {
  const lenient: readonly (readonly [string, string, Parameters<typeof ask>[2]])[] = [
    ['a read by POST', '/market/orders/list', { body: { status: 'all' } }],
    ['a slash at the end', '/users/profile/', {}],
    ['a path that lacks its slash', '/auth/login', { body: {} }],
    ['a slash after a symbol', '/v2/orderbook/BTCIRT/', {}],
    [
      'a form body',
      '/market/orders/add',
      {
        body: new URLSearchParams({ ...BUY, pro: 'yes' }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      },
    ],
  ];

  test.each(lenient)('takes %s by default', (_, path, options) => {
    expect([path, ask(createVenue(), path, options).status]).toEqual([
      path,
      path.startsWith('/auth') ? 400 : 200,
    ]);
  });

  test.each(lenient)('refuses %s where it is off', (_, path, options) => {
    const { status } = ask(createVenue({ lenience: false }), path, options);
    expect([400, 404, 405]).toContain(status);
  });
});

describe('bodies', () => {
  test.each([
    ['no JSON', '{"type": "buy"'],
    ['a list', '[]'],
    ['a number', '7'],
    ['nothing but null', 'null'],
  ])('with %s are a ParseError and change nothing', (_, body) => {
    const venue = createVenue();
    const before = stateOf(venue);
    expect(ask(venue, '/market/orders/add', { body })).toMatchObject({
      status: 400,
      body: { status: 'failed', code: 'ParseError' },
    });
    expect(stateOf(venue)).toBe(before);
  });

  test('may carry bare numbers, which keep every digit', () => {
    const body =
      '{"type":"sell","srcCurrency":"btc","dstCurrency":"rls","amount":0.0010009999999999999,"price":50000000019.9}';
    expect(ask(createVenue(), '/market/orders/add', { body }).body).toMatchObject({
      order: { amount: '0.001', price: '50000000020' },
    });
  });

  test('with keys of the object prototype do no harm', () => {
    const { body } = ask(createVenue(), '/market/orders/add', {
      body: '{"__proto__": {"type": "buy"}, "constructor": 1}',
    });
    expect(body['code']).toBe('ParseError');
  });
});

describe('the gate', () => {
  test('answers 401 without and with a bad token', () => {
    const venue = createVenue();
    expect(ask(venue, '/users/profile', { token: null })).toMatchObject({
      status: 401,
      body: { detail: expect.any(String) as unknown },
    });
    expect(ask(venue, '/users/profile', { token: 'nope' }).status).toBe(401);
  });

  test('counts a budget and locks out, with the caller in the log', () => {
    const venue = createVenue({ limits: { overrides: { 'v2/wallets': { limit: 2 } } } });
    const statuses = [1, 2, 3].map(() => ask(venue, '/v2/wallets').status);
    expect(statuses).toEqual([200, 200, 403]);
    expect(ask(venue, '/v2/wallets', { token: 'sara-token' }).status).toBe(200);
    expect(venue.adapter.log.values().map(({ status, credentialId }) => [status, credentialId])).toEqual([
      [200, 'panel:ali:1'],
      [200, 'panel:ali:1'],
      [403, 'panel:ali:1'],
      [200, 'panel:sara:1'],
    ]);
  });

  test('lets a counted but refused placement change nothing', () => {
    const venue = createVenue({
      limits: { overrides: { 'orders/add': { limit: 0 } }, exceeded: 'back-off' },
    });
    const before = stateOf(venue);
    expect(ask(venue, '/market/orders/add', { body: BUY })).toMatchObject({
      status: 429,
      body: { code: 'TooManyRequests' },
    });
    expect(stateOf(venue)).toBe(before);
  });
});

test('the request log forgets the oldest beyond its bound and goes on counting', () => {
  const venue = createVenue();
  for (let second = 0; second < 5; second += 1)
    ask(venue, '/v2/options', { timeMs: START_MS + second * 1000 });
  expect(venue.adapter.log.count).toBe(5);
  expect(venue.adapter.log.values().map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
});

test('a fault inside the exchange is a 500 that is reported, or is thrown without a listener', () => {
  const venue = createVenue();
  venue.exchange.trading.place = () => {
    throw new Error('broken');
  };
  expect(() => ask(venue, '/market/orders/add', { body: BUY })).toThrow('broken');
});

test('the pay page stands beside the interface', () => {
  const merchant = { api: 'shop-1', apiSecret: 's', callbackOrigin: 'https://shop.example', username: 'ali' };
  const venue = createVenue({ gateway: { merchants: [merchant] } });
  const sent = ask(venue, '/pg/send/', {
    body: { api: 'shop-1', amount: 50_000, callbackURL: 'https://shop.example/back' },
    token: null,
  });
  const page = `/app/paygate/${String(sent.body['token'])}`;
  expect(ask(venue, page, { token: null })).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
  const paid = ask(venue, page, {
    body: 'action=pay&currency=btc',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    token: null,
  });
  expect(paid.status).toBe(302);
  expect(paid.headers['location']).toBe(
    `https://shop.example/back?status=1&token=${String(sent.body['token'])}`,
  );
  const verified = ask(venue, '/pg/verify/', {
    body: { api: 'shop-1', token: sent.body['token'] },
    token: null,
  });
  expect(verified.body).toMatchObject({ status: 'success', amount: 50_000 });
  expect(venue.exchange.accounts.find(ALI, 'rls')?.total).toBe(1_000_000_500_000_000_000_000n);
});

const TYPE = 'multipart/form-data; boundary=abc';
const part = (name: string, value: string): string =>
  `--abc\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test('reads the fields in their order, whatever their values hold', () => {
  const values = ['buy', '', 'two\r\nlines', 'x--abc', ' --abc--', 'سفارش'];
  const body = `${values.map((value, index) => part(`f${index}`, value)).join('')}--abc--\r\n`;
  expect(readMultipart(body, TYPE)).toEqual(values.map((value, index) => [`f${index}`, value]));
});

test.each([
  ['no field', '--abc--\r\n', []],
  ['a preamble and an epilogue', `before\r\n${part('a', '1')}--abc--\r\nafter`, [['a', '1']]],
  [
    'a file as its text',
    '--abc\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; name=a; filename="x.txt"\r\n\r\n1\r\n--abc--',
    [['a', '1']],
  ],
])('reads %s', (_, body, fields) => {
  expect(readMultipart(body, TYPE)).toEqual(fields);
});

test('a quoted boundary is one', () => {
  expect(
    readMultipart(`${part('a', '1')}--abc--`, 'multipart/form-data; charset=utf-8; Boundary="abc"'),
  ).toEqual([['a', '1']]);
});

test.each([
  ['without a boundary', `${part('a', '1')}--abc--`, 'multipart/form-data'],
  ['with another boundary', `${part('a', '1')}--abc--`, 'multipart/form-data; boundary=other'],
  ['that does not end', part('a', '1'), TYPE],
  ['with a part without a name', '--abc\r\nContent-Type: text/plain\r\n\r\n1\r\n--abc--', TYPE],
  ['with a part without a value', '--abc\r\nContent-Disposition: form-data; name="a"\r\n--abc--', TYPE],
])('a body %s is none', (_, body, type) => {
  expect(readMultipart(body, type)).toBeNull();
});
