import { expect, test } from 'vitest';
import { openInProcess } from './venue/in-process.ts';
import { BUY, clientOf, valueOf } from './venue/venue.ts';

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
