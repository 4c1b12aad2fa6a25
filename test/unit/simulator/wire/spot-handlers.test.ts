import { beforeEach, describe, expect, test } from 'vitest';
import type { Simulation } from '../../../../src/simulator-server/simulation.ts';
import { ALI, ask, BUY, createVenue, place, START_MS, type OrderBody } from './fixture.ts';

const NOT_FOUND = { error: 'NotFound', message: 'No Order matches the given query.' };
let venue: Simulation;
beforeEach(() => {
  venue = createVenue();
});

const status = (body: unknown, options = {}) => ask(venue, '/market/orders/status', { body, ...options });

const cancel = (body: unknown) => ask(venue, '/market/orders/update-status', { body });

const list = (query = '') => ask(venue, `/market/orders/list?details=2&${query}`);
const orderIds = (query = ''): number[] => (list(query).body['orders'] as OrderBody[]).map(({ id }) => id);

const open = (): number[] =>
  venue.exchange.trading
    .trader(ALI)
    .open.values()
    .map((order) => order.id);
const cancelOld = (body?: unknown, timeMs = START_MS + 7_200_000) =>
  ask(venue, '/market/orders/cancel-old', {
    method: 'POST',
    ...(body === undefined ? {} : { body }),
    timeMs,
  });

const trades = (query = '', token = 'ali-token') =>
  ask(venue, `/market/trades/list?${query}`, { token, timeMs: START_MS + 10_000 });
const tradeIds = (query = '') => (trades(query).body['trades'] as { id: number }[]).map(({ id }) => id);

describe('order status', () => {
  test('finds by id, also by text, and the id wins over the client id', () => {
    const first = place(venue, { ...BUY, clientOrderId: 'one' });
    place(venue, { ...BUY, clientOrderId: 'two', amount: '0.002' });
    expect(status({ id: String(first.id), clientOrderId: 'two' }).body).toMatchObject({
      status: 'ok',
      order: { id: first.id },
    });
  });

  test('finds by client id only what is open', () => {
    const { id } = place(venue, { ...BUY, clientOrderId: 'one' });
    expect(status({ clientOrderId: 'one' }).body).toMatchObject({ order: { id } });
    ask(venue, '/market/orders/update-status', { body: { order: id, status: 'canceled' } });
    expect(status({ clientOrderId: 'one' })).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(status({ id }).body).toMatchObject({ order: { status: 'Canceled' } });
  });

  test('hides orders of other users', () => {
    const { id } = place(venue, BUY);
    expect(status({ id }, { token: 'sara-token' }).body).toEqual(NOT_FOUND);
  });

  test('without any id is NullIdAndClientOrderId, with an unreadable one ParseError', () => {
    expect(status({})).toMatchObject({
      status: 200,
      body: { status: 'failed', code: 'NullIdAndClientOrderId' },
    });
    expect(status({ id: 'x' })).toMatchObject({ status: 400, body: { code: 'ParseError' } });
    expect(status({ id: 0 }).body['code']).toBe('ParseError');
  });

  test('is FeatureUnavailable by client id for a user who lacks the feature', () => {
    const { id } = place(venue, { ...BUY, clientOrderId: 'one' });
    venue.exchange.trading.trader(ALI).lacksClientIdLookup = true;
    expect(status({ clientOrderId: 'one' }).body['code']).toBe('FeatureUnavailable');
    expect(status({ id, clientOrderId: 'one' }).body['status']).toBe('ok');
  });
});

describe('update-status', () => {
  test('cancels an open order, and says what it is', () => {
    const { id } = place(venue, { ...BUY, clientOrderId: 'one' });
    expect(cancel({ clientOrderId: 'one', status: 'canceled' }).body).toMatchObject({
      status: 'ok',
      updatedStatus: 'Canceled',
      order: { id, status: 'Canceled' },
    });
    expect(venue.exchange.accounts.find(ALI, 'rls')?.held).toBe(0n);
  });

  test('of what is no longer open is failed at 200, with the order unchanged', () => {
    const { id } = place(venue, BUY);
    cancel({ order: id, status: 'canceled' });
    expect(cancel({ order: id, status: 'canceled' })).toMatchObject({
      status: 200,
      body: { status: 'failed', updatedStatus: 'Canceled', order: { id } },
    });
  });

  test('cancels both of an OCO', () => {
    const { id } = place(venue, {
      ...BUY,
      mode: 'oco',
      stopPrice: '51000000000',
      stopLimitPrice: '51500000000',
    });
    cancel({ order: id + 1, status: 'canceled' });
    const { body } = ask(venue, '/market/orders/list?status=all&details=2');
    expect((body['orders'] as OrderBody[]).map((order) => order.status)).toEqual(['Canceled', 'Canceled']);
  });

  test('takes only canceled, and one of the ids', () => {
    const { id } = place(venue, BUY);
    expect(cancel({ order: id, status: 'active' }).body['code']).toBe('ParseError');
    expect(cancel({ status: 'canceled' }).body['code']).toBe('NullIdAndClientOrderId');
    expect(cancel({ order: 999, status: 'canceled' })).toMatchObject({ status: 404, body: NOT_FOUND });
  });
});

describe('the orders list', () => {
  beforeEach(() => {
    // 1 and 2 rest, 3 has filled, 4 is a stop, 5 was canceled without a fill, 6 is in tether.
    place(venue, BUY);
    place(venue, { ...BUY, price: '46000000000' }, { timeMs: START_MS + 1000 });
    place(
      venue,
      { ...BUY, type: 'sell', price: '46000000000', amount: '0.0005' },
      { timeMs: START_MS + 2000 },
    );
    place(venue, {
      ...BUY,
      type: 'sell',
      execution: 'stop_limit',
      price: '44000000000',
      stopPrice: '44500000000',
    });
    const { id } = place(venue, { ...BUY, price: '44000000000' });
    ask(venue, '/market/orders/update-status', { body: { order: id, status: 'canceled' } });
    place(venue, { ...BUY, dstCurrency: 'usdt', price: '59000' }, { timeMs: START_MS + 3000 });
  });

  test.each([
    ['', [6, 2, 5, 4, 1].filter((id) => id !== 5)],
    ['status=open', [6, 2, 4, 1]],
    ['status=all', [6, 3, 2, 5, 4, 1]],
    ['status=done', [3, 2]],
    ['status=close', [3, 5]],
    ['type=sell&status=all', [4, 3]],
    ['type=buy&dstCurrency=rls', [2, 1]],
    ['execution=stop_limit', [4]],
    ['tradeType=spot', [6, 2, 4, 1]],
    ['tradeType=margin', []],
    ['dstCurrency=usdt', [6]],
    ['srcCurrency=btc&dstCurrency=rls&status=open', [2, 4, 1]],
    ['status=all&order=id', [1, 2, 3, 4, 5, 6]],
    ['status=all&order=-id', [6, 5, 4, 3, 2, 1]],
    ['status=all&order=created_at', [1, 4, 5, 2, 3, 6]],
    ['dstCurrency=rls&type=buy&order=price', [1, 2]],
    ['status=all&fromId=4', [6, 5, 4]],
    ['status=all&fromId=4&order=id', [4, 5, 6]],
    ['status=all&order=id&page=2&pageSize=4', [5, 6]],
  ])('with %j shows %j', (query, expected) => {
    expect(orderIds(query)).toEqual(expected);
  });

  test('says whether there is more', () => {
    expect(list('status=all&pageSize=5').body['hasNext']).toBe(true);
    expect(list('status=all&pageSize=6').body['hasNext']).toBe(false);
    expect(list('status=all&fromId=1&pageSize=2&order=id').body).toMatchObject({
      hasNext: true,
      orders: [{ id: 1 }, { id: 2 }],
    });
  });

  test('leaves five fields out with details 1', () => {
    const [order] = ask(venue, '/market/orders/list').body['orders'] as OrderBody[];
    expect(Object.keys(order ?? {})).toEqual([
      'type',
      'execution',
      'tradeType',
      'market',
      'srcCurrency',
      'dstCurrency',
      'price',
      'amount',
      'totalPrice',
      'totalOrderPrice',
      'matchedAmount',
      'unmatchedAmount',
      'partial',
      'clientOrderId',
      'pairId',
    ]);
  });

  test.each([
    'status=active',
    'status=undone',
    'type=both',
    'execution=iceberg',
    'order=amount',
    'page=0',
    'page=1&fromId=2',
    'pageSize=0',
    'pageSize=1001',
    'fromId=0',
    'details=3',
  ])('refuses %s', (query) => {
    expect(ask(venue, `/market/orders/list?${query}`)).toMatchObject({
      status: 400,
      body: { status: 'failed', code: 'ParseError' },
    });
  });
});

describe('cancel-old', () => {
  beforeEach(() => {
    place(venue, BUY);
    place(venue, { ...BUY, amount: '0.002' }, { timeMs: START_MS + 3_600_000 });
    place(venue, { ...BUY, execution: 'stop_limit', price: '51000000000', stopPrice: '50500000000' });
    place(venue, { ...BUY, dstCurrency: 'usdt', price: '59000' });
  });

  test('without a body cancels all that is active, and leaves a stop that waits', () => {
    expect(cancelOld().body).toEqual({ status: 'ok' });
    expect(open()).toEqual([3]);
  });

  test('cancels what is older than a part of an hour', () => {
    cancelOld({ hours: 1.5 });
    expect(open()).toEqual([2, 3]);
  });

  test('cancels one market only', () => {
    cancelOld({ srcCurrency: 'btc', dstCurrency: 'usdt' });
    expect(open()).toEqual([1, 2, 3]);
  });

  test('cancels no margin orders and refuses what it can not read', () => {
    cancelOld({ tradeType: 'margin' });
    expect(cancelOld({ hours: 'many' })).toMatchObject({ status: 400, body: { code: 'ParseError' } });
    expect(open()).toEqual([1, 2, 3, 4]);
  });
});

describe('the trades list', () => {
  beforeEach(() => {
    place(venue, { ...BUY, type: 'sell', price: '50000000000', amount: '0.003' }, { token: 'sara-token' });
    for (const [index, amount] of ['0.001', '0.0005', '0.0015'].entries())
      place(venue, { ...BUY, amount, price: '50000000000' }, { timeMs: START_MS + index * 1000 });
  });

  test('shows a trade from both its sides, each with its own fee', () => {
    const [mine] = trades('tradeOrder=asc').body['trades'] as unknown[];
    const [hers] = trades('tradeOrder=asc', 'sara-token').body['trades'] as unknown[];
    expect(mine).toEqual({
      id: 1,
      orderId: 2,
      srcCurrency: 'Bitcoin',
      dstCurrency: '﷼',
      market: 'BTC-RLS',
      timestamp: '2025-04-10T12:00:00.000+00:00',
      type: 'buy',
      price: '50000000000',
      amount: '0.001',
      total: '50000000',
      fee: '0.0000025',
    });
    expect(hers).toMatchObject({ id: 1, orderId: 1, type: 'sell', total: '50000000', fee: '100000' });
  });

  test.each([
    ['', [3, 2, 1]],
    ['tradeOrder=asc', [1, 2, 3]],
    ['fromId=2', [3, 2]],
    ['srcCurrency=btc&dstCurrency=rls', [3, 2, 1]],
    ['srcCurrency=btc&dstCurrency=usdt', []],
    ['tradeType=sell', []],
    ['pageSize=2&page=2', [1]],
  ])('with %j shows %j', (query, expected) => {
    expect(tradeIds(query)).toEqual(expected);
  });

  test.each(['srcCurrency=btc', 'page=101', 'pageSize=501', 'tradeType=spot', 'tradeOrder=up', 'fromId=-1'])(
    'refuses %s',
    (query) => {
      expect(trades(query)).toMatchObject({ status: 400, body: { code: 'ParseError' } });
    },
  );

  test('says whether there is more', () => {
    expect(trades('pageSize=2').body['hasNext']).toBe(true);
    expect(trades('pageSize=3').body['hasNext']).toBe(false);
  });
});
