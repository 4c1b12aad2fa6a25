import { describe, expect, test } from 'vitest';
import { NOW_MS } from './client-over.ts';
import { venueSuite } from './venue-suite.ts';
import { openInProcess } from './venue/in-process.ts';
import { tradingSuite } from './venue/trading-suite.ts';
import { TypedTrading } from './venue/typed-trading.ts';
import { clientOf, TestClock, valueOf } from './venue/venue.ts';
import { BUY, createWorld } from './world.ts';

venueSuite('the simulator in this process', () => openInProcess());

venueSuite('a deployment that pads its decimals, counts in milliseconds and adds fields', () =>
  openInProcess({
    decimals: 'padded',
    lastUpdate: 'milliseconds',
    globalStats: 'by-provider',
    gatewayCode: 'number',
    failureField: 'error',
    unknownFields: true,
  }),
);

venueSuite('a deployment that sends bare numbers and has another name', () =>
  openInProcess({ decimals: 'number', gatewayCode: 'trailing-minus', serviceName: 'elsewhere' }),
);

describe('the typed adapter', () => {
  tradingSuite(async () => {
    const clock = new TestClock(NOW_MS);
    const exchange = createWorld();
    return {
      clock,
      alice: new TypedTrading(exchange, 1, clock),
      bob: new TypedTrading(exchange, 2, clock),
      close: async () => undefined,
    };
  });
});

test('a deployment that leaves optional fields out is read to the end all the same', async () => {
  const venue = await openInProcess({ omitOptionalFields: true });
  const alice = clientOf(venue, 'alice');
  await valueOf(clientOf(venue, 'bob').addOrder({ ...BUY, type: 'sell', amount: '0.007' }));
  const ids: (number | null)[] = [];
  for (let step = 0; step < 7; step += 1) {
    const { order } = await valueOf(alice.addOrder({ ...BUY, price: String(12_500_000_000 + step * 10) }));
    expect(order).toMatchObject({ execution: null, market: null, averagePrice: null, status: 'Done' });
    ids.push(order.id);
  }
  expect(await valueOf(alice.ordersList({}))).toEqual({ items: [], hasNext: null });
  for (const pageSize of [1, 3, 7, 1000]) {
    const orders: (number | null)[] = [];
    for await (const { id } of alice.iterateOrders({ pageSize })) orders.push(id);
    expect(orders).toEqual(ids);
    const trades: (number | null)[] = [];
    for await (const { orderId } of alice.iterateTrades({ pageSize: Math.min(pageSize, 500) }))
      trades.push(orderId);
    expect(trades).toEqual(ids);
  }
  await venue.close();
});
