import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encoded, orderParams, QUIET, SpotCaller } from './spot-caller.ts';

const caller = new SpotCaller();
caller.outside('sell 5 @ 101');
caller.outside('buy 5 @ 99');
caller.outside('buy 1');
const PLACE = 'BUY LIMIT 1 @ 90';

test.each([
  ['ping', 'x=1', -1104],
  ['nothing', '', -1099],
  ['depth', '', -1102],
  ['depth', 'symbol=', -1105],
  ['depth', 'symbol=XXX', -1121],
  ['depth', 'symbol=btcusdt', -1121],
  ['depth', 'symbol=BTC/USDT', -1100],
  ['depth', 'symbol=BTCUSDT&limit=0', -1130],
  ['depth', 'symbol=BTCUSDT&limit=1e3', -1100],
  ['depth', 'symbol=BTCUSDT&limit=99999999999999999999', -1108],
  ['depth', 'symbol=BTCUSDT&symbol=BTCUSDT', -1101],
  ['depth', 'symbol=BTCUSDT&symbolStatus=HALT', -1220],
  ['depth', 'symbol=BTCUSDT&symbolStatus=OPEN', -1122],
  ['depth', 'symbol=%E0%A4%A', -1100],
  ['exchangeInfo', 'symbol=BTCUSDT&symbols=%5B%22BTCUSDT%22%5D', -1128],
  ['exchangeInfo', 'symbols=BTCUSDT', -1135],
  ['exchangeInfo', 'symbols=%5B%22BTCUSDT%22,%22BTCUSDT%22%5D', -1151],
  ['exchangeInfo', 'symbols=%5B%22BTCUSDT%22,%22NONE%22%5D', -1121],
  ['klines', 'symbol=BTCUSDT&interval=7m', -1120],
  ['klines', 'symbol=BTCUSDT&interval=1m&timeZone=15', -1130],
  ['ticker', '', -1102],
  ['ticker', 'symbol=BTCUSDT&windowSize=60m', -1130],
  ['ticker/24hr', 'type=HALF', -1139],
  ['aggTrades', 'symbol=BTCUSDT&fromId=1&startTime=1', -1128],
  ['referencePrice', 'symbol=BTCUSDT', -2043],
] as const)('GET %s?%s is refused with %d', (path, raw, code) => {
  const { body } = caller.open(path, {}, { raw });
  expect(body).toEqual({ code, msg: expect.any(String) as unknown });
});

test.each([
  ['symbol=BTCUSD', -1121],
  ['side=LONG', -1117],
  ['type=PEGGED', -1116],
  ['timeInForce=DAY', -1115],
  ['quantity=1.5e0', -1100],
  ['quantity=-1', -1100],
  ['quantity=0', -1013],
  ['quantity=1.123456789', -1111],
  ['quantity=99999999999999999999', -1108],
  ['price=', -1105],
  ['newClientOrderId=a.b', -1100],
  [`newClientOrderId=${'a'.repeat(37)}`, -1100],
  ['stopPrice=80', -1106],
  ['quoteOrderQty=80', -1106],
  ['trailingDelta=80', -1106],
  ['icebergQty=0.1 timeInForce=IOC', -1014],
  ['icebergQty=2', -2010],
  ['strategyType=5', -1134],
  ['newOrderRespType=ALL', -1130],
  ['selfTradePreventionMode=TRANSFER', -1013],
  ['selfTradePreventionMode=SOME', -1130],
  ['pegPriceType=PRIMARY_PEG', -2010],
  ['unknown=1', -1104],
])('an order with %s is refused with %d', (change, code) => {
  const before = caller.money();
  expect(caller.order(`${PLACE} ${change}`).body.code).toBe(code);
  expect(caller.money()).toEqual(before);
});

test.each([
  ['BUY LIMIT 1', -1102],
  ['BUY MARKET', -1102],
  ['BUY MARKET 1 quoteOrderQty=5', -1128],
  ['BUY MARKET 1 timeInForce=GTC', -1106],
  ['BUY LIMIT_MAKER 1 @ 90 timeInForce=GTC', -1106],
  ['BUY STOP_LOSS 1', -1102],
  ['BUY STOP_LOSS 1 stopPrice=120 price=3', -1106],
  ['SELL TAKE_PROFIT_LIMIT 1 @ 120', -1102],
])('the order %s is refused with %d', (text, code) => {
  expect(caller.order(text).body.code).toBe(code);
});

test('a name in query and body has the value of the query', () => {
  const reply = caller.send('GET', 'depth', { raw: 'symbol=BTCUSDT' });
  expect(reply.status).toBe(200);
  const { body } = caller.send('POST', 'order', {
    raw: 'symbol=NONE',
    body: 'symbol=BTCUSDT&side=BUY',
    key: 'one',
  });
  expect(body.msg).toContain("'type'");
});

const timeOf = (timeUnit?: string) =>
  caller.open('time', {}, timeUnit === undefined ? {} : { timeUnit }).body;

test('times are microseconds where the request asks for them', () => {
  const { serverTime } = timeOf();
  expect(timeOf('MICROSECOND').serverTime).toBe(serverTime * 1_000);
  expect(timeOf('microsecond').serverTime).toBe(serverTime * 1_000);
  expect(timeOf('SECOND').code).toBe(-1194);
});

test('a symbol may have letters of any language', () => {
  const [market] = QUIET.markets ?? [];
  const wide = new SpotCaller({
    ...QUIET,
    markets: [{ ...market, symbol: '币安USDT', base: '币安' } as never],
  });
  expect(wide.open('ticker/price', { symbol: '币安USDT' }).body).toEqual({
    symbol: '币安USDT',
    price: '100.00000000',
  });
  expect(wide.signed('GET', 'openOrders', { symbol: '币安USDT' }).body).toEqual([]);
  // Bytes that were not encoded arrive as they are.
  const raw = `symbol=${Buffer.from('币安USDT').toString('latin1')}`;
  expect(wide.open('ticker/price', {}, { raw }).body.symbol).toBe('币安USDT');
});

test('words of SQL bring the page of a firewall', () => {
  const { status, body, headers } = caller.open('depth', { symbol: 'drop table users' });
  expect([status, headers['content-type']]).toEqual([403, 'text/html']);
  expect(body).toContain('<html>');
});

test('garbage is answered with a code, and changes nothing', () => {
  const paths = [
    'order',
    'order/test',
    'orderList/oco',
    'orderList/otoco',
    'order/cancelReplace',
    'klines',
    'allOrders',
    'ticker',
  ];
  const names = fc.constantFrom(
    ...Object.keys(orderParams(PLACE)),
    'stopPrice',
    'limit',
    'symbols',
    'aboveType',
    'startTime',
    'é',
  );
  const values = fc.oneof(
    fc.constantFrom(
      'BTCUSDT',
      'BUY',
      'LIMIT',
      'GTC',
      '1',
      '0',
      '90',
      '[]',
      '["BTCUSDT"]',
      'MARKET',
      '9'.repeat(400),
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const before = caller.money();
  fc.assert(
    fc.property(
      fc.constantFrom(...paths),
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
      fc.array(fc.tuple(names, values), { maxLength: 8 }),
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.boolean(),
      (path, method, pairs, noise, isSigned) => {
        caller.nowMs += 1_000;
        const params = Object.fromEntries(pairs.map(([name, value]) => [name, value.toWellFormed()]));
        const reply = isSigned
          ? caller.signed(method, path, params)
          : caller.send(method, path, { raw: `${encoded(params)}&${noise}`, body: noise, key: 'one' });
        if (reply.status === 403) return;
        if (reply.status !== 200) expect(reply.body).toMatchObject({ code: expect.any(Number) as unknown });
        else if (method === 'POST' && path !== 'order/test')
          caller.signed('DELETE', 'openOrders', { symbol: 'BTCUSDT' });
      },
    ),
    { numRuns: 2_000, seed: 7 },
  );
  expect(Object.keys(caller.money())).toEqual(Object.keys(before));
});
