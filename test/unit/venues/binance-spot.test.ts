import { createPrivateKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { BINANCE_SPOT, binanceSignature } from '../../../src/venues/binance-spot.ts';
import { BINANCE_WIRE } from '../../../src/venues/binance-wire.ts';
import { Secret } from '../../../src/configuration/secret-file.ts';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import { venueOrderId } from '../../../src/domain/order.ts';
import type { HttpResponse } from '../../../src/exchange/transport.ts';
import type { VenueCall } from '../../../src/venues/port.ts';
import { venueProblems } from '../../../src/venues/venue-contract.ts';
import type { VenueEnd } from '../../../src/venues/venue-caller.ts';
import { FakeTransport, json } from '../exchange/fake-transport.ts';

const SECRET = {
  kind: 'secret',
  apiKey: 'our-key',
  // The public example of the exchange's documentation.
  apiSecret: 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j',
} as const;

/** Makes one call; returns its end and the path that was sent. */
async function made(call: VenueCall, reply: HttpResponse): Promise<VenueEnd & { readonly path: string }> {
  const transport = new FakeTransport(() => reply);
  const { caller } = BINANCE_SPOT.connect({
    transport,
    credentials: { kind: 'secret', apiKey: SECRET.apiKey, apiSecret: new Secret(SECRET.apiSecret) },
    settings: {
      name: 'service',
      orderBook: 'v2',
      limits: {},
      headroom: 0,
      ledgerFolder: null,
      baseUrl: 'http://binance',
    },
    wallMs: () => 1_499_827_319_559,
    limiterMs: () => 0,
    limiter: () => {
      throw new Error('it is not needed');
    },
    onSecret: () => undefined,
    onProblem: () => undefined,
  });
  const end = await new Promise<VenueEnd>((onEnd, onError) => {
    caller.send(call, new AbortController().signal, { onEnd, onError });
  });
  return { ...end, path: transport.sent[0]?.path ?? '' };
}

const PLACE: Extract<VenueCall, { kind: 'place' }> = {
  kind: 'place',
  order: {
    clientOrderId: 'bot-a-1',
    base: 'btc',
    quote: 'usdt',
    side: 'buy',
    execution: 'stop_limit',
    amount: parseUnits('0.25'),
    price: parseUnits('65000.01'),
    stopPrice: parseUnits('64999'),
    pro: false,
  },
};
const CANCEL: VenueCall = {
  kind: 'cancel',
  market: 'BTCUSDT',
  venueId: venueOrderId('BTCUSDT-77'),
  clientOrderId: null,
};
const ROW = {
  symbol: 'BTCUSDT',
  orderId: 77,
  orderListId: -1,
  clientOrderId: 'bot-a-1',
  transactTime: 1_499_827_319_600,
  price: '65000.01000000',
  origQty: '0.25000000',
  executedQty: '0.10000000',
  origQuoteOrderQty: '0.00000000',
  cummulativeQuoteQty: '6500.00100000',
  status: 'PARTIALLY_FILLED',
  timeInForce: 'GTC',
  type: 'LIMIT',
  side: 'BUY',
  workingTime: 1_499_827_319_600,
  selfTradePreventionMode: 'NONE',
  aFieldOfLaterYears: true,
};
const TRADE = {
  symbol: 'BTCUSDT',
  id: 5,
  orderId: 77,
  orderListId: -1,
  price: '65000.01000000',
  qty: '0.10000000',
  quoteQty: '6500.00100000',
  commission: '0.00010000',
  commissionAsset: 'BTC',
  time: 1_499_827_319_700,
  isBuyer: true,
  isMaker: false,
  isBestMatch: true,
};

const units = (text: string | null) => (text === null ? null : parseUnits(text));
const said = (code: number, msg: string) => ({ code, msg });

test('the venue keeps its contract', async () => {
  expect(await venueProblems(BINANCE_SPOT, BINANCE_WIRE)).toEqual([]);
});

test.each([
  ['limit', '65000', null, 'type=LIMIT&timeInForce=GTC&price=65000&quantity'],
  ['market', null, null, 'type=MARKET&quantity'],
  ['market', '65500', null, 'type=LIMIT&timeInForce=IOC&price=65500&quantity'],
  ['stop_market', null, '64000', 'type=STOP_LOSS&stopPrice=64000&quantity'],
] as const)('an order that is %s at %s and %s is sent as such', async (execution, price, stop, fields) => {
  const order = { ...PLACE.order, execution, price: units(price), stopPrice: units(stop) };
  expect((await made({ kind: 'place', order }, json(ROW))).path).toContain(fields);
});

describe('signatures', () => {
  test.each([
    [
      'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559',
      'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71',
    ],
    [
      'symbol=%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559',
      'e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3',
    ],
  ])('of HMAC are those of the documentation: %s', (query, signature) => {
    expect(binanceSignature(query, SECRET)).toBe(signature);
  });

  test('of Ed25519 are those of a key in PEM, percent-encoded', () => {
    const seed = Buffer.from(Array.from({ length: 32 }, (_, index) => index + 1));
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const apiSecret = key.export({ format: 'pem', type: 'pkcs8' }).toString();
    const query =
      'symbol=BTCUSDT&side=SELL&type=LIMIT&timeInForce=GTC&quantity=1&price=0.2&timestamp=1668481559918&recvWindow=5000';
    expect(decodeURIComponent(binanceSignature(query, { ...SECRET, apiSecret }))).toBe(
      'PuNDxW+xDpUvU+LBiEyYC2ysuBnXT4JlnETcMjA7ZgQMQDXD/U7YW2PNBR76Fvot3l6Et3PTlTZ4KWQJ+Di2Bg==',
    );
    expect(() => binanceSignature(query, { ...SECRET, apiSecret: 'PRIVATE KEY of nobody' })).toThrow(
      'expected an Ed25519 private key in PEM as apiSecret',
    );
  });

  test('stand last, behind the window and the time', async () => {
    const { path } = await made(PLACE, json(ROW));
    expect(path).toMatch(
      /^\/api\/v3\/order\?symbol=BTCUSDT&side=BUY&type=STOP_LOSS_LIMIT&timeInForce=GTC&price=65000\.01&stopPrice=64999&quantity=0\.25&newClientOrderId=bot-a-1&newOrderRespType=RESULT&recvWindow=5000&timestamp=1499827319559&signature=[0-9a-f]{64}$/,
    );
  });
});

test.each([
  [
    'a partly filled order',
    {},
    { matchedAmount: '0.1', total: '6500.001', price: '65000.01', status: 'PARTIALLY_FILLED' },
  ],
  [
    'a market order',
    { type: 'MARKET', price: '0.00000000', status: 'EXPIRED' },
    { execution: 'market', price: null, status: 'EXPIRED' },
  ],
  [
    'a stop that waits',
    { type: 'STOP_LOSS_LIMIT', stopPrice: '64999.00000000', status: 'NEW', workingTime: -1 },
    { execution: 'stop_limit', stopPrice: '64999', status: 'NEW_WAITING' },
  ],
  ['an old order whose value is not known', { cummulativeQuoteQty: '-1.00000000' }, { total: null }],
])('%s is read to the last digit', async (_, over, expected) => {
  const { answer } = await made(PLACE, json({ ...ROW, ...over }));
  expect(answer.outcome).toBe('value');
  const order = answer.outcome === 'value' ? Object(answer.value) : {};
  const texts = Object.entries(order).map(([name, field]) => [
    name,
    typeof field === 'bigint' ? formatUnits(field as never) : field,
  ]);
  expect(Object.fromEntries(texts)).toMatchObject({
    id: 'BTCUSDT-77',
    clientOrderId: 'bot-a-1',
    ...expected,
  });
});

test('a canceled order has its own id, not that of its cancel', async () => {
  const row = { ...ROW, clientOrderId: 'of-the-cancel', origClientOrderId: 'bot-a-1', status: 'CANCELED' };
  const { answer } = await made(CANCEL, json(row));
  expect(answer).toMatchObject({ value: { status: 'CANCELED', order: { clientOrderId: 'bot-a-1' } } });
});

test('a fee is in the coin that was received, or in a third one', async () => {
  const call: VenueCall = { kind: 'trades', market: 'BTCUSDT', from: 5 };
  const rows = [
    TRADE,
    { ...TRADE, id: 6, commission: '0.00300000', commissionAsset: 'BNB' },
    { ...TRADE, qty: 'many' },
  ];
  const { answer, path } = await made(call, json(rows));
  expect(path).toContain('/api/v3/myTrades?symbol=BTCUSDT&fromId=5&limit=1000&');
  expect(answer).toMatchObject({
    value: {
      items: [
        { id: 'BTCUSDT-5', orderId: 'BTCUSDT-77', side: 'buy', fee: parseUnits('0.0001'), feeCurrency: null },
        { id: 'BTCUSDT-6', fee: parseUnits('0.003'), feeCurrency: 'bnb' },
      ],
    },
    unread: [{ subject: 'trade of BTCUSDT-77', venueOrderId: 'BTCUSDT-77', market: 'BTCUSDT' }],
  });
});

const symbol = (over: object) => ({
  symbol: 'BTCUSDT',
  status: 'TRADING',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  baseAssetPrecision: 8,
  quoteAssetPrecision: 8,
  filters: [
    { filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000', tickSize: '0.01000000' },
    { filterType: 'LOT_SIZE', minQty: '0.00001', maxQty: '9000', stepSize: '0.00001000' },
    { filterType: 'NOTIONAL', minNotional: '5.00000000', applyMinToMarket: true },
    { filterType: 'A_LATER_FILTER', list: [] },
  ],
  ...over,
});

test('markets are those that trade in a currency of the bot, with their steps', async () => {
  const symbols = [
    symbol({}),
    symbol({ symbol: 'ETHUSDT', baseAsset: 'ETH', filters: [] }),
    symbol({ symbol: 'BNBUSDT', baseAsset: 'BNB', status: 'BREAK' }),
    symbol({ symbol: 'ETHBTC', baseAsset: 'ETH', quoteAsset: 'BTC' }),
    symbol({ symbol: 'ABUSDT', baseAsset: 'A', quoteAsset: 'BUSDT' }),
  ];
  expect((await made({ kind: 'options' }, json({ symbols }))).answer).toMatchObject({
    value: [
      { symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.00001', minOrderValue: '5' },
      { symbol: 'ETHUSDT', priceStep: '0.00000001', amountStep: '0.00000001', minOrderValue: '0' },
    ],
  });
});

describe('an order of which the reply says', () => {
  test.each([
    [400, said(-2010, 'Duplicate order sent.'), '-2010 duplicate'],
    [400, said(-2010, 'Account has insufficient balance for requested action.'), '-2010 balance'],
    [400, said(-2010, 'Order would trigger immediately.'), '-2010 price'],
    [400, said(-1013, 'Filter failure: LOT_SIZE'), '-1013 filter'],
    [400, said(-2010, 'Filter failure: MAX_NUM_ALGO_ORDERS'), '-2010 elsewhere'],
    [400, said(-1013, 'Filter failure: PERCENT_PRICE_BY_SIDE'), '-1013 band'],
    [
      400,
      said(-1021, 'Timestamp for this request is outside of the recvWindow.'),
      '-1021 Timestamp for this request is outside of the recvWindow.',
    ],
  ])('%i %j is refused: %s', async (status, body, code) => {
    expect((await made(PLACE, json(body, status))).answer).toMatchObject({
      outcome: 'refused',
      code,
      effect: 'none',
    });
  });

  test.each([
    [504, ''],
    [502, '<html>Bad gateway</html>'],
    [503, said(-1008, 'Server is currently overloaded.')],
    [400, said(-1007, 'Timeout waiting for response. Send status unknown; execution status unknown.')],
    [400, said(-1006, 'An unexpected response was received. Execution status unknown.')],
    [403, '<html>Request blocked</html>'],
    [200, { symbol: 'BTCUSDT', orderId: 77 }],
  ])('%i %j may have happened', async (status, body) => {
    expect((await made(PLACE, json(body, status))).answer).toMatchObject({
      outcome: 'failed',
      effect: 'unknown',
    });
  });

  test.each([
    [401, said(-2015, 'Invalid API-key, IP, or permissions for action.'), 'UNAUTHORIZED', undefined],
    [400, said(-1022, 'Signature for this request is not valid.'), 'UNAUTHORIZED', undefined],
    [429, said(-1003, 'Too much request weight used.'), 'RATE_LIMITED', 'weight'],
    [429, said(-1015, 'Too many new orders.'), 'RATE_LIMITED', 'orders'],
    [
      418,
      said(-1003, 'Way too much request weight used; IP banned until 1499827399559.'),
      'RATE_LIMITED',
      'weight',
    ],
    [418, '<html>banned</html>', 'RATE_LIMITED', 'weight'],
  ])('%i %j stops what it must', async (status, body, code, limited) => {
    const { error } = await made(PLACE, json(body, status, { 'retry-after': '80' }));
    expect(error).toMatchObject({ code });
    if (limited !== undefined) expect(error?.details).toMatchObject({ limited, backOffMs: 80_000 });
  });
});

test('the count of a reply is handed on, and an accepted order costs no weight', async () => {
  const headers = { 'x-mbx-used-weight-1m': '5823', 'x-mbx-order-count-10s': '4' };
  const accepted = await made(PLACE, json(ROW, 200, headers));
  expect(accepted.usage).toEqual([
    { budget: 'weight', used: 5823, isCounted: false },
    { budget: 'orders', used: 4, isCounted: true },
  ]);
  const refused = await made(PLACE, json({ code: -2010, msg: 'Market is closed.' }, 400, headers));
  expect(refused.usage?.[0]).toMatchObject({ budget: 'weight', isCounted: true });
});
