import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ALL_BODIES } from './bodies/all-bodies.ts';
import { GATEWAY_SECRET } from './bodies/gateway.ts';
import { call, clientOver } from './client-over.ts';
import { LIMITS } from './limits-table.ts';
import { OneReply } from './one-reply.ts';
import { BUY } from './world.ts';

const paid = (hash: string): string =>
  `{"status": "success", "amount": 250000, "cryptoAmount": 0.00002, "txHash": "${hash}", "factorNumber": "F-1"}`;

describe('the client', () => {
  test.each(
    ALL_BODIES.map((body, index) => [`${index + 1}: ${body.endpoint} reads ${body.form}`, body] as const),
  )('%s', async (_, { endpoint, request, body, value, refused }) => {
    const decoded = await call(clientOver(new OneReply({ body })), endpoint, request);
    if (refused === undefined) expect(decoded).toEqual({ ok: true, value });
    else expect(decoded).toMatchObject({ ok: false, ...refused });
  });

  test('has bodies for every endpoint of the interface', () => {
    const typed = new Set(ALL_BODIES.map(({ endpoint }) => endpoint));
    expect([...typed].toSorted()).toEqual(LIMITS.flatMap(({ endpoints }) => endpoints).toSorted());
  });
});

describe('a payment', () => {
  const merchant = { api: 'merchant-1', apiSecret: GATEWAY_SECRET };

  test('is believed when its hash is the md5 of token, amount and secret', async () => {
    const hash = createHash('md5').update(`tok-4711250000${GATEWAY_SECRET}`).digest('hex');
    const gateway = clientOver(new OneReply({ body: paid(hash) })).gateway(merchant);
    expect(await gateway.verify('tok-4711')).toMatchObject({
      ok: true,
      value: { amount: '250000', cryptoAmount: '0.00002' },
    });
  });

  test('is not believed with another hash', async () => {
    const hash = createHash('md5').update('tok-4711250000another-secret').digest('hex');
    const gateway = clientOver(new OneReply({ body: paid(hash) })).gateway(merchant);
    expect(await gateway.verify('tok-4711')).toMatchObject({ ok: false, code: 'HashMismatch' });
  });
});

describe('a request', () => {
  const okOrder =
    '{"status": "ok", "order": {"id": 1, "type": "buy", "price": "1", "amount": "1", "matchedAmount": "0"}}';

  test('carries the token, a bot user agent and JSON', async () => {
    const venue = new OneReply({ body: okOrder });
    await call(clientOver(venue, 'abc'), 'addOrder', BUY);
    const [sent] = venue.requests;
    expect(sent).toMatchObject({
      method: 'POST',
      path: '/market/orders/add',
      headers: { authorization: 'Token abc', 'content-type': 'application/json' },
    });
    expect(sent?.headers['user-agent']).toMatch(/^TraderBot\/sarraf-\d+\.\d+\.\d+/);
    expect(JSON.parse(sent?.body ?? '')).toEqual(BUY);
  });

  test('of public data carries no token', async () => {
    const venue = new OneReply({ body: '{"status": "ok", "lastUpdate": 1, "bids": [], "asks": []}' });
    await call(clientOver(venue), 'orderBook', { symbol: 'btcirt' });
    expect(venue.requests[0]).toMatchObject({ method: 'GET', path: '/v2/orderbook/BTCIRT', body: null });
    expect(venue.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('of a list has its filters in the query', async () => {
    const venue = new OneReply({ body: '{"status": "ok", "orders": [], "hasNext": false}' });
    await call(clientOver(venue), 'ordersList', { status: 'all', details: 2, fromId: 17, pageSize: 1000 });
    expect(venue.requests[0]?.path).toBe('/market/orders/list?status=all&details=2&fromId=17&pageSize=1000');
    expect(venue.requests[0]?.body).toBeNull();
  });

  test('may say pro in words, and is sent a boolean', async () => {
    const venue = new OneReply({ body: okOrder });
    await call(clientOver(venue), 'addOrder', { ...BUY, pro: 'yes' });
    expect(JSON.parse(venue.requests[0]?.body ?? '')).toMatchObject({ pro: true });
  });

  test.each([
    ['a negative amount', 'addOrder', { ...BUY, amount: '-1' }, 'addOrder.amount'],
    ['a limit order without a price', 'addOrder', { ...BUY, price: undefined }, 'addOrder.price'],
    [
      'an OCO without its stop-limit price',
      'addOrder',
      { ...BUY, mode: 'oco', stopPrice: '1' },
      'addOrder.stopLimitPrice',
    ],
    [
      'a client order id of 33 characters',
      'addOrder',
      { ...BUY, clientOrderId: 'a'.repeat(33) },
      'addOrder.clientOrderId',
    ],
    ['an unknown field', 'addOrder', { ...BUY, leverage: 2 }, 'addOrder.leverage'],
    ['a look-up without an id', 'orderStatus', {}, 'orderStatus.id'],
    ['an old status of the list', 'ordersList', { status: 'active' }, 'ordersList.status'],
    ['a page beside fromId', 'ordersList', { fromId: 1, page: 1 }, 'ordersList.page'],
    ['a page of 1001 orders', 'ordersList', { pageSize: 1001 }, 'ordersList.pageSize'],
    ['a page of 501 trades', 'tradesList', { pageSize: 501 }, 'tradesList.pageSize'],
    ['the 101st page of trades', 'tradesList', { page: 101 }, 'tradesList.page'],
    ['one currency of two', 'tradesList', { srcCurrency: 'btc' }, 'tradesList.dstCurrency'],
    [
      'an update to another status',
      'updateOrderStatus',
      { order: 1, status: 'active' },
      'updateOrderStatus.status',
    ],
    ['an unknown resolution', 'history', { symbol: 'BTCIRT', resolution: '7', to: 1 }, 'history.resolution'],
    [
      'an invoice of 9999 rial',
      'gatewaySend',
      { api: 'm', amount: 9999, callbackURL: 'https://x.test' },
      'gatewaySend.amount',
    ],
    [
      'a callback without a scheme',
      'gatewaySend',
      { api: 'm', amount: 10000, callbackURL: 'x.test' },
      'gatewaySend.callbackURL',
    ],
    ['a withdrawal id without its prefix', 'withdrawal', { id: '430542' }, 'withdrawal.id'],
  ] as const)('with %s is not sent, and the message names the field', async (_, endpoint, request, path) => {
    const venue = new OneReply({ body: okOrder });
    const failure = await call(clientOver(venue), endpoint, request).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'INVALID_REQUEST', outcome: 'none' });
    expect(String(failure)).toContain(path);
    expect(venue.requests).toEqual([]);
  });

  test('never writes a price with an exponent', async () => {
    const venue = new OneReply({ body: okOrder });
    const tiny = { ...BUY, dstCurrency: 'usdt', srcCurrency: 'shib', price: 1e-8 };
    await call(clientOver(venue), 'addOrder', tiny);
    expect(JSON.parse(venue.requests[0]?.body ?? '')).toMatchObject({ price: '0.00000001' });
  });
});
