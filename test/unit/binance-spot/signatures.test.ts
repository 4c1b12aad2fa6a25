import { sign, createPrivateKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifySpotSignature } from '../../../src/binance-spot/simulated-exchange.ts';
import { OPENING_MS, QUIET, SpotCaller } from './spot-caller.ts';

const HMAC_KEY = {
  key: 'hmac',
  secret: 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j',
  publicKey: undefined,
  mayTrade: true,
  ips: [],
};
const ED_KEY = {
  ...HMAC_KEY,
  secret: undefined,
  publicKey: 'MCowBQYDK2VwAyEAebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ=',
};
const REST = 'quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559';
const HEAD = 'side=BUY&type=LIMIT&timeInForce=GTC';
const WIDE = '%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96';
const ED_HEAD = 'symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=GTC';
const ED_REST = 'quantity=1&price=0.2&timestamp=1668481559918&recvWindow=5000';

test.each([
  [
    HMAC_KEY,
    `symbol=LTCBTC&${HEAD}&${REST}`,
    'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71',
  ],
  [
    HMAC_KEY,
    `symbol=${WIDE}&${HEAD}&${REST}`,
    'e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3',
  ],
  [
    HMAC_KEY,
    `symbol=LTCBTC&${HEAD}${REST}`,
    '0fd168b8ddb4876a0358a8d14d0c9f3da0e9b20c5d52b2a00fcf7d1c602f9a77',
  ],
  [
    ED_KEY,
    `${ED_HEAD}&${ED_REST}`,
    'PuNDxW+xDpUvU+LBiEyYC2ysuBnXT4JlnETcMjA7ZgQMQDXD/U7YW2PNBR76Fvot3l6Et3PTlTZ4KWQJ+Di2Bg==',
  ],
  [
    ED_KEY,
    `${ED_HEAD}${ED_REST}`,
    'G3jkK3VVx1VOVNwpnEInRbw8SghE8yIkXWLE2Xr+u0WgnzeHnu+9gmmJV/FHxATmFmE5ERyrjIIpalct7UoBCg==',
  ],
])('a published signature holds for its payload alone', (key, payload, signature) => {
  expect(verifySpotSignature(key, payload, signature)).toBe(true);
  expect(verifySpotSignature(key, `${payload}0`, signature)).toBe(false);
  expect(verifySpotSignature(key, payload, signature.slice(1))).toBe(false);
});

test.each(['', 'zz', '0'.repeat(64), 'é'.repeat(64), 'A'.repeat(86) + '=='])(
  '%j is no signature',
  (signature) => {
    for (const key of [HMAC_KEY, ED_KEY, { ...ED_KEY, publicKey: 'AAAA' }])
      expect(verifySpotSignature(key, 'a=1', signature)).toBe(false);
  },
);

describe('a signed request', () => {
  const key = { key: 'seed', publicKey: ED_KEY.publicKey };
  const caller = new SpotCaller({
    ...QUIET,
    users: [{ ...QUIET.users?.[0], keys: [key, ...(QUIET.users?.[0]?.keys ?? [])] }],
  });
  // PKCS#8 of the seed 01 02 … 20 (RFC 8410).
  const seed = Buffer.from(Array.from({ length: 32 }, (_, index) => index + 1));
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const signatureOf = (payload: string): string =>
    encodeURIComponent(sign(null, Buffer.from(payload), privateKey).toString('base64'));
  const status = (raw: string, body = '', apiKey = 'seed') =>
    caller.send('POST', 'order/test', { raw, body, key: apiKey }).body;
  const order = 'symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC';
  const rest = `quantity=1&price=90&timestamp=${OPENING_MS}`;

  test('is signed over its query, its body, or both without a sign between', () => {
    expect(status(`${order}&${rest}&signature=${signatureOf(`${order}&${rest}`)}`)).toEqual({});
    expect(status('', `${order}&${rest}&signature=${signatureOf(`${order}&${rest}`)}`)).toEqual({});
    expect(status(order, `${rest}&signature=${signatureOf(`${order}${rest}`)}`)).toEqual({});
    expect(status(order, `${rest}&signature=${signatureOf(`${order}&${rest}`)}`).code).toBe(-1022);
  });

  test('may have letters of its HMAC in any case', () => {
    const params = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: 1 };
    caller.outside('sell 5 @ 100');
    const upper = caller.signed('POST', 'order/test', params);
    expect(upper.body).toEqual({});
    const query = `timestamp=${OPENING_MS}`;
    expect(
      caller.send('GET', 'account', { raw: `${query}&signature=${'AB'.repeat(32)}`, key: 'one' }).body.code,
    ).toBe(-1022);
  });

  test('is signed over what is encoded: signing the plain text is refused', () => {
    const plain = `symbol=１&timestamp=${OPENING_MS}`;
    const sent = `symbol=${encodeURIComponent('１')}&timestamp=${OPENING_MS}`;
    const ask = (payload: string) =>
      caller.send('GET', 'openOrders', { raw: `${sent}&signature=${signatureOf(payload)}`, key: 'seed' }).body
        .code;
    expect([ask(plain), ask(sent)]).toEqual([-1022, -1121]);
  });

  test.each([
    [OPENING_MS, undefined, 'ok'],
    [OPENING_MS - 5_000, undefined, 'ok'],
    [OPENING_MS - 5_001, undefined, -1021],
    [OPENING_MS + 999, undefined, 'ok'],
    [OPENING_MS + 1_000, undefined, -1021],
    [OPENING_MS * 1_000 + 999_999, undefined, 'ok'],
    [(OPENING_MS - 60_000) * 1_000, '60000', 'ok'],
    [OPENING_MS - 7, '6.346', -1021],
    [OPENING_MS - 6, '6.346', 'ok'],
    [OPENING_MS, '60000.001', -1102],
    [OPENING_MS, '5.0001', -1100],
    [1_400_000_000_000, '60000', -1021],
  ])('at timestamp %d with the window %s is answered %s', (timestamp, recvWindow, expected) => {
    const query = `timestamp=${timestamp}${recvWindow === undefined ? '' : `&recvWindow=${recvWindow}`}`;
    const { body } = caller.send('GET', 'openOrders', {
      raw: `${query}&signature=${signatureOf(query)}`,
      key: 'seed',
    });
    expect(Array.isArray(body) ? 'ok' : body.code).toBe(expected);
  });
});

test('a key reads, trades and comes from where it may', () => {
  const [user] = QUIET.users ?? [];
  const caller = new SpotCaller({
    ...QUIET,
    users: [
      {
        ...user,
        keys: [
          { key: 'reader', secret: 'r', mayTrade: false },
          { key: 'home', secret: 'h', ips: ['10.0.0.7'] },
        ],
      },
    ],
  });
  const codes = ['GET openOrders', 'DELETE openOrders'].flatMap((text) => {
    const [method = '', path = ''] = text.split(' ');
    return ['reader', 'home'].map((key) => {
      const { body, status } = caller.signed(method, path, { symbol: 'BTCUSDT' }, { key });
      return [status, body.code ?? 'read'];
    });
  });
  expect(codes).toEqual([
    [200, 'read'],
    [401, -2015],
    [401, -2015],
    [401, -2015],
  ]);
  expect(caller.signed('GET', 'openOrders', {}, { key: 'home', ip: '10.0.0.7' }).status).toBe(200);
  expect(caller.open('account').body).toEqual({ code: -2014, msg: 'API-key format invalid.' });
});
