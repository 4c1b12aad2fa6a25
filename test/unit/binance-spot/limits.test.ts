import { describe, expect, test } from 'vitest';
import { OPENING_MS, QUIET, SpotCaller, type Reply } from './spot-caller.ts';

const used = ({ headers }: Reply): string | undefined => headers['x-mbx-used-weight-1m'];
const count = ({ headers }: Reply): string | undefined => headers['x-mbx-order-count-10s'];
const UNDELAYED = { creditDelayMs: 0 };

describe('the weight', () => {
  test('is counted for every request, also a failed one, but not for a successful order', () => {
    const caller = new SpotCaller();
    expect(used(caller.open('ping'))).toBe('1');
    expect(used(caller.open('depth', { symbol: 'NONE' }))).toBe('6');
    const order = caller.order('BUY LIMIT 1 @ 90');
    expect([order.status, used(order)]).toEqual([200, '6']);
    expect(used(caller.order('BUY LIMIT 1 @ 90 newClientOrderId=a.b'))).toBe('7');
    expect(used(caller.signed('DELETE', 'order', { symbol: 'BTCUSDT', orderId: order.body.orderId }))).toBe(
      '7',
    );
    expect(used(caller.signed('DELETE', 'order', { symbol: 'BTCUSDT', orderId: order.body.orderId }))).toBe(
      '8',
    );
    expect(used(caller.order('BUY LIMIT 1 @ 90', { key: 'nine' }))).toBe('9');
  });

  test.each([
    ['depth', { symbol: 'BTCUSDT' }, 5],
    ['depth', { symbol: 'BTCUSDT', limit: 100 }, 5],
    ['depth', { symbol: 'BTCUSDT', limit: 101 }, 25],
    ['depth', { symbol: 'BTCUSDT', limit: 1_000 }, 50],
    ['depth', { symbol: 'BTCUSDT', limit: 9_999 }, 250],
    ['ticker/24hr', {}, 80],
    ['ticker/24hr', { symbol: 'BTCUSDT' }, 2],
    ['ticker/24hr', { symbols: JSON.stringify(Array.from({ length: 21 }, (_, index) => `S${index}`)) }, 40],
    ['ticker/price', {}, 4],
    ['ticker/price', { symbol: 'BTCUSDT' }, 2],
    ['ticker', { symbols: '["BTCUSDT","BNBUSDT"]' }, 8],
    ['exchangeInfo', {}, 20],
    ['klines', { symbol: 'BTCUSDT', interval: '1m' }, 2],
    ['historicalTrades', { symbol: 'BTCUSDT' }, 25],
  ])('of %s with %j is %d', (path, params, weight) => {
    expect(used(new SpotCaller().open(path, params))).toBe(String(weight));
  });

  test.each([
    ['openOrders', {}, 80],
    ['openOrders', { symbol: 'BTCUSDT' }, 6],
    ['myTrades', { symbol: 'BTCUSDT' }, 20],
    ['myTrades', { symbol: 'BTCUSDT', orderId: 1 }, 5],
    ['account', {}, 20],
    ['allOrders', { symbol: 'BTCUSDT' }, 20],
    ['rateLimit/order', {}, 40],
  ])('of the own %s with %j is %d', (path, params, weight) => {
    expect(used(new SpotCaller().signed('GET', path, params))).toBe(String(weight));
  });

  test('belongs to an address, whatever the account', () => {
    const caller = new SpotCaller();
    caller.signed('GET', 'account', {}, { key: 'one' });
    expect(used(caller.signed('GET', 'account', {}, { key: 'two' }))).toBe('40');
    expect(used(caller.signed('GET', 'account', {}, { key: 'two', ip: '10.0.0.2' }))).toBe('20');
  });

  test('begins again with the minute, or slides over the last one', () => {
    for (const [windows, atMinute] of [
      ['fixed', '1'],
      ['sliding', '21'],
    ] as const) {
      const caller = new SpotCaller({ ...QUIET, limits: { windows } });
      caller.nowMs = Math.ceil(OPENING_MS / 60_000) * 60_000 - 1;
      caller.open('exchangeInfo');
      caller.nowMs += 1;
      expect(used(caller.open('ping'))).toBe(atMinute);
      caller.nowMs += 59_998;
      expect(used(caller.open('ping'))).toBe(windows === 'fixed' ? '2' : '22');
      caller.nowMs += 1;
      expect(used(caller.open('ping'))).toBe('3');
    }
  });

  test('over its limit is 429, and going on is a ban that grows', () => {
    const caller = new SpotCaller({ ...QUIET, limits: { weight: { limit: 20 }, refusalsBeforeBan: 2 } });
    caller.nowMs = Math.ceil(OPENING_MS / 60_000) * 60_000 + 43_000;
    caller.open('exchangeInfo');
    const over = caller.open('ping');
    expect([over.status, over.body.code, over.headers['retry-after'], used(over)]).toEqual([
      429,
      -1003,
      '17',
      '21',
    ]);
    expect(over.body.msg).toContain('20 request weight per 1 MINUTE');
    expect(caller.open('ping', {}, { ip: '10.0.0.2' }).status).toBe(200);
    caller.open('ping');
    const banned = caller.open('ping');
    expect([banned.status, banned.headers['retry-after'], used(banned)]).toEqual([418, '120', undefined]);
    expect(banned.body.msg).toContain(`banned until ${caller.nowMs + 120_000}.`);
    caller.nowMs += 119_999;
    expect(caller.signed('GET', 'account').status).toBe(418);
    caller.nowMs += 1;
    expect(caller.open('exchangeInfo').status).toBe(200);
    expect(
      [caller.open('ping'), caller.open('ping'), caller.open('ping')].map(
        (reply) => reply.headers['retry-after'],
      ),
    ).toEqual(['17', '17', '240']);
  });

  test('raw requests have a limit of their own', () => {
    const caller = new SpotCaller({ ...QUIET, limits: { raw: { limit: 2 } } });
    expect(
      [caller.open('ping'), caller.open('ping'), caller.open('ping')].map(({ status }) => status),
    ).toEqual([200, 200, 429]);
  });
});

const opened = () => {
  const caller = new SpotCaller({ ...QUIET, limits: UNDELAYED });
  caller.nowMs = Math.ceil(OPENING_MS / 10_000) * 10_000;
  return caller;
};
const counted = (caller: SpotCaller): readonly number[] =>
  caller.signed('GET', 'rateLimit/order').body.map((row: { count: number }) => row.count);

describe('the count of unfilled orders', () => {
  test('is lowered by the first fill of a taker, and by none of its later ones', () => {
    const caller = opened();
    expect(count(caller.order('BUY LIMIT 1 @ 90'))).toBe('1');
    caller.outside('sell 1 @ 100');
    expect(count(caller.order('BUY LIMIT 2 @ 100'))).toBe('1');
    expect(count(caller.order('BUY LIMIT 1 @ 91'))).toBe('2');
    caller.outside('sell 0.5');
    expect(counted(caller)).toEqual([2, 2]);
    caller.outside('sell 5 @ 105');
    const market = caller.order('BUY MARKET 1');
    expect([market.body.status, count(market)]).toEqual(['FILLED', '2']);
  });

  test('is lowered by five by the first fill of a maker, and never below zero', () => {
    const caller = opened();
    for (const price of [99, 98, 97, 96, 95]) caller.order(`BUY LIMIT 1 @ ${price}`);
    expect(counted(caller)).toEqual([5, 5]);
    caller.outside('sell 0.5');
    expect(counted(caller)).toEqual([0, 0]);
    caller.order('BUY LIMIT 1 @ 90');
    caller.order('BUY LIMIT 1 @ 91');
    caller.outside('sell 0.1');
    expect(counted(caller)).toEqual([2, 2]);
    caller.outside('sell 0.5');
    expect(counted(caller)).toEqual([0, 0]);
  });

  test('ends with its interval, and a refused order or a cancel does not change it', () => {
    const caller = opened();
    const { orderId } = caller.order('BUY LIMIT 1 @ 90').body;
    expect(count(caller.order('BUY LIMIT 900 @ 90'))).toBeUndefined();
    caller.signed('DELETE', 'order', { symbol: 'BTCUSDT', orderId });
    expect(counted(caller)).toEqual([1, 1]);
    caller.nowMs += 10_000;
    expect(counted(caller)).toEqual([0, 1]);
    caller.nowMs += 86_400_000;
    expect(counted(caller)).toEqual([0, 0]);
  });

  test('counts two orders of an OCO, and each account by itself', () => {
    const caller = opened();
    const params = {
      symbol: 'BTCUSDT',
      side: 'SELL',
      quantity: 1,
      aboveType: 'LIMIT_MAKER',
      abovePrice: 120,
      belowType: 'STOP_LOSS',
      belowStopPrice: 80,
    };
    expect(count(caller.signed('POST', 'orderList/oco', params))).toBe('2');
    expect(count(caller.signed('POST', 'orderList/oco', params, { key: 'two' }))).toBe('2');
  });

  test('over its limit is 429 with another code, which costs weight', () => {
    const caller = new SpotCaller({
      ...QUIET,
      limits: { orders: [{ limit: 1 }, { interval: 'DAY', intervalNum: 1 }] },
    });
    caller.nowMs = Math.ceil(OPENING_MS / 10_000) * 10_000 + 6_000;
    caller.order('BUY LIMIT 1 @ 90');
    const over = caller.order('BUY LIMIT 1 @ 91');
    expect([over.status, over.body.code, over.headers['retry-after'], used(over)]).toEqual([
      429,
      -1015,
      '4',
      '1',
    ]);
    expect(over.body.msg).toBe('Too many new orders; current limit is 1 orders per 10 SECOND.');
    caller.nowMs += 4_000;
    expect(caller.order('BUY LIMIT 1 @ 91').status).toBe(200);
  });

  test('is lowered a little after the fill', () => {
    const caller = new SpotCaller();
    caller.outside('sell 5 @ 100');
    expect(count(caller.order('BUY MARKET 1'))).toBe('1');
    caller.nowMs += 20;
    expect(counted(caller)).toEqual([0, 0]);
  });
});
