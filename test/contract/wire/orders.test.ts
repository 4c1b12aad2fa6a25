import { describe, expect, test } from 'vitest';
import { BOB_TOKEN, BUY } from '../world.ts';
import { RawVenue } from './raw-venue.ts';
import { ORDER, ORDER_DETAILS, TRADE } from './record-shapes.ts';
import { shapeOf } from './shape-of.ts';

interface OrderBody {
  readonly status: string;
  readonly order: Readonly<Record<string, unknown>>;
}

const add = (venue: RawVenue, body: unknown, token?: string): OrderBody =>
  venue.send('POST /market/orders/add', { body, ...(token === undefined ? {} : { token }) })
    .json as OrderBody;

describe('a placed order', () => {
  test('comes back as the whole record', () => {
    const { status, json } = new RawVenue().send('POST /market/orders/add', { body: BUY });
    expect(status).toBe(200);
    expect(json).toEqual({
      status: 'ok',
      order: {
        id: 5684123001,
        type: 'buy',
        execution: 'Limit',
        tradeType: 'Spot',
        market: 'BTC-RLS',
        srcCurrency: 'Bitcoin',
        dstCurrency: '﷼',
        price: '12500000000',
        amount: '0.001',
        totalPrice: '0',
        totalOrderPrice: '12500000',
        matchedAmount: '0',
        unmatchedAmount: '0.001',
        status: 'Active',
        partial: false,
        fee: '0',
        created_at: '2024-03-11T09:22:35.000+00:00',
        averagePrice: '0',
        clientOrderId: null,
        pairId: null,
      },
    });
  });

  test('shows a part that was filled at once, with its fee in the currency received', () => {
    const venue = new RawVenue();
    venue.bobPlaces({ type: 'sell', price: '12500000000', amount: '0.0004' });
    expect(add(venue, BUY).order).toMatchObject({
      status: 'Active',
      partial: true,
      matchedAmount: '0.0004',
      unmatchedAmount: '0.0006',
      totalPrice: '5000000',
      averagePrice: '12500000000',
      fee: '0.000001',
    });
  });

  test('has the word market for a price, and is Done when filled', () => {
    const venue = new RawVenue();
    venue.bobPlaces({ type: 'buy', price: '12599999990', amount: '0.01' });
    const { order } = add(venue, { ...BUY, type: 'sell', execution: 'market', price: undefined });
    expect(order).toMatchObject({
      execution: 'Market',
      price: 'market',
      status: 'Done',
      partial: false,
      totalPrice: '12599999.99',
      averagePrice: '12599999990',
      fee: '31499.999975',
    });
  });

  test('has its stop price in param1 and waits as Inactive', () => {
    const stops = [
      [
        { ...BUY, execution: 'stop_limit', stopPrice: '12700000000', price: '12710000000' },
        'StopLimit',
        '12710000000',
      ],
      [
        { ...BUY, execution: 'stop_market', stopPrice: '12700000000', price: undefined },
        'StopMarket',
        'market',
      ],
    ] as const;
    for (const [body, execution, price] of stops) {
      expect(add(new RawVenue(), body).order).toMatchObject({
        execution,
        price,
        param1: '12700000000',
        status: 'Inactive',
      });
    }
  });

  test('of an OCO is two orders that name each other, the limit order first', () => {
    const { status, json } = new RawVenue().send('POST /market/orders/add', {
      body: {
        ...BUY,
        mode: 'oco',
        stopPrice: '12700000000',
        stopLimitPrice: '12750000000',
        clientOrderId: 'oco-1',
      },
    });
    expect(status).toBe(200);
    expect(json).not.toHaveProperty('order');
    const { orders } = json as { readonly orders: readonly Record<string, unknown>[] };
    expect(orders).toHaveLength(2);
    expect(orders[0]).toMatchObject({
      execution: 'Limit',
      status: 'Active',
      price: '12500000000',
      clientOrderId: 'oco-1',
      pairId: orders[1]?.['id'],
    });
    expect(orders[1]).toMatchObject({
      execution: 'StopLimit',
      status: 'Inactive',
      price: '12750000000',
      param1: '12700000000',
      clientOrderId: null,
      pairId: orders[0]?.['id'],
    });
  });

  test('has extra digits rounded: the amount down, the price to the nearest step and ties to even', () => {
    const venue = new RawVenue();
    const placed = (fields: object) => add(venue, { ...BUY, ...fields }).order;
    expect(placed({ amount: '0.0010009', price: '12500000014' })).toMatchObject({
      amount: '0.001',
      price: '12500000010',
    });
    expect(placed({ price: '12500000025' })).toMatchObject({ price: '12500000020' });
    expect(placed({ price: '12500000035' })).toMatchObject({ price: '12500000040' });
    expect(placed({ price: 12500000065, amount: 0.0010000001 })).toMatchObject({
      price: '12500000060',
      amount: '0.001',
    });
  });

  test('is found by id and by client id, and cancelled with its status after', () => {
    const venue = new RawVenue();
    const { order } = add(venue, { ...BUY, clientOrderId: 'mine-1' });
    for (const body of [
      { id: order['id'] },
      { clientOrderId: 'mine-1' },
      { id: order['id'], clientOrderId: 'other' },
    ]) {
      expect(venue.send('POST /market/orders/status', { body }).json).toEqual({ status: 'ok', order });
    }
    const cancel = { order: order['id'], status: 'canceled' };
    expect(venue.send('POST /market/orders/update-status', { body: cancel }).json).toEqual({
      status: 'ok',
      updatedStatus: 'Canceled',
      order: { ...order, status: 'Canceled' },
    });
    const again = venue.send('POST /market/orders/update-status', { body: cancel });
    expect(again.status).toBe(200);
    expect(again.json).toMatchObject({
      status: 'failed',
      updatedStatus: 'Canceled',
      order: { id: order['id'] },
    });
  });
});

describe('the orders list', () => {
  test('leaves five fields out without details=2', () => {
    const venue = new RawVenue();
    add(venue, BUY);
    const brief = venue.send('GET /market/orders/list').json;
    const fields = Object.fromEntries(
      Object.entries(ORDER).filter(([field]) => !ORDER_DETAILS.includes(field)),
    );
    expect(shapeOf(brief)).toEqual({ status: 'text', orders: [fields], hasNext: 'boolean' });
    const detailed = venue.send('GET /market/orders/list?details=2').json;
    expect(shapeOf(detailed)).toEqual({ status: 'text', orders: [ORDER], hasNext: 'boolean' });
  });

  test('says whether there is more', () => {
    const venue = new RawVenue();
    for (const price of ['12500000000', '12500000010', '12500000020']) add(venue, { ...BUY, price });
    const listed = (query: string) => {
      const { json } = venue.send(`GET /market/orders/list?${query}`);
      const { orders, hasNext } = json as {
        readonly orders: readonly { price: string }[];
        readonly hasNext: boolean;
      };
      return [orders.map(({ price }) => price.slice(-2)), hasNext];
    };
    expect(listed('order=id&pageSize=2')).toEqual([['00', '10'], true]);
    expect(listed('order=id&pageSize=2&page=2')).toEqual([['20'], false]);
    expect(listed('order=id&fromId=5684123002')).toEqual([['10', '20'], false]);
    expect(listed('fromId=5684123002')).toEqual([['20', '10'], false]);
    expect(listed('type=buy')).toEqual([['20', '10', '00'], false]);
    expect(listed('type=sell')).toEqual([[], false]);
  });
});

test('cancel-old answers with a status alone', () => {
  const venue = new RawVenue();
  add(venue, BUY);
  expect(venue.send('POST /market/orders/cancel-old', { body: {} }).json).toEqual({ status: 'ok' });
  expect(venue.send('GET /market/orders/list').json).toEqual({ status: 'ok', orders: [], hasNext: false });
});

test('own trades have every field, from both points of view', () => {
  const venue = new RawVenue();
  const makerId = venue.bobPlaces({ type: 'sell', price: '12500000000', amount: '0.001' });
  const { order } = add(venue, BUY);
  const mine = venue.send('GET /market/trades/list?srcCurrency=btc&dstCurrency=rls').json;
  expect(mine).toEqual({
    status: 'ok',
    trades: [
      {
        id: 90001,
        orderId: order['id'],
        srcCurrency: 'Bitcoin',
        dstCurrency: '﷼',
        market: 'BTC-RLS',
        timestamp: '2024-03-11T09:22:35.000+00:00',
        type: 'buy',
        price: '12500000000',
        amount: '0.001',
        total: '12500000',
        fee: '0.0000025',
      },
    ],
    hasNext: false,
  });
  const bobs = venue.send('GET /market/trades/list', { token: BOB_TOKEN }).json;
  expect(bobs).toMatchObject({
    trades: [{ orderId: makerId, type: 'sell', total: '12500000', fee: '25000' }],
  });
  expect(shapeOf(bobs)).toEqual({ status: 'text', trades: [TRADE], hasNext: 'boolean' });
});
