import { describe, expect, it } from 'vitest';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import { FakeTransport, json } from './fake-transport.ts';

const queryOf = (path: string): Record<string, string> =>
  Object.fromEntries(new URL(path, 'http://x').searchParams);

const wireOrder = (id: number) => ({ id, type: 'buy', amount: '1', matchedAmount: '0', status: 'Active' });

const wireTrade = (id: number) => ({
  id,
  orderId: null,
  market: 'BTC-RLS',
  timestamp: '2026-01-01T00:00:00Z',
  type: 'buy',
  price: '1',
  amount: '1',
  total: '1',
  fee: '0',
});

const deposit = (amount: string) => ({ txHash: amount, amount });

function setUp(answer: (query: Readonly<Record<string, string>>) => unknown) {
  const transport = new FakeTransport(({ path }) => json(answer(queryOf(path))));
  const client = new ExchangeClient({ transport, credentials: { kind: 'token', token: 'abc' } });
  return { client, queries: () => transport.sent.map((sent) => queryOf(sent.path)) };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Pages a list of orders from an id, as the exchange does. */
const ordersFrom =
  (ids: readonly number[], options: { readonly tellsNext: boolean }) =>
  ({ fromId = '1', pageSize = '100' }: Readonly<Record<string, string>>) => {
    const rest = ids.filter((id) => id >= Number(fromId));
    const orders = rest.slice(0, Number(pageSize)).map(wireOrder);
    return { status: 'ok', orders, ...(options.tellsNext ? { hasNext: rest.length > orders.length } : {}) };
  };

describe('iterateOrders', () => {
  it.each([true, false])('reads all orders by ascending id (with hasNext: %s)', async (tellsNext) => {
    const { client, queries } = setUp(ordersFrom([2, 5, 6, 9, 12], { tellsNext }));
    const orders = await collect(client.iterateOrders({ fromId: 3, pageSize: 2 }));
    expect(orders.map((order) => order.id)).toEqual([5, 6, 9, 12]);
    expect(queries()[0]).toEqual({ status: 'all', details: '2', order: 'id', fromId: '3', pageSize: '2' });
    expect(queries()[1]).toMatchObject({ fromId: '7' });
    expect(queries()).toHaveLength(tellsNext ? 2 : 3);
  });

  it('says so when there are more pages than its bound', async () => {
    const { client, queries } = setUp(ordersFrom([1, 2, 3, 4, 5], { tellsNext: true }));
    await expect(collect(client.iterateOrders({ pageSize: 1, maxPages: 2 }))).rejects.toMatchObject({
      code: 'TOO_MANY_PAGES',
    });
    expect(queries()).toHaveLength(2);
  });

  it('stops at ids that do not ascend, which would never end', async () => {
    const { client } = setUp(() => ({ orders: [wireOrder(4), wireOrder(3)], hasNext: true }));
    await expect(collect(client.iterateOrders())).rejects.toThrow('expected ascending ids above 4, was 3');
  });

  it('throws a refusal amid the list', async () => {
    const { client } = setUp(() => ({ status: 'failed', code: 'ParseError', message: 'm' }));
    await expect(collect(client.iterateOrders())).rejects.toMatchObject({
      code: 'REFUSED',
      details: { refusal: { code: 'ParseError' } },
    });
  });
});

it('iterateTrades keeps the first id and counts pages, and gives a trade once', async () => {
  const pages = [[5, 4], [4, 7], []];
  const { client, queries } = setUp(({ page }) => ({
    trades: (pages[Number(page) - 1] ?? []).map(wireTrade),
    hasNext: true,
  }));
  const trades = await collect(client.iterateTrades({ fromId: 4 }));
  expect(trades.map((trade) => trade.id)).toEqual([5, 4, 7]);
  expect(queries().map(({ fromId, page, tradeOrder }) => [fromId, page, tradeOrder])).toEqual([
    ['4', '1', 'asc'],
    ['4', '2', 'asc'],
    ['4', '3', 'asc'],
  ]);
});

describe('iteratePages', () => {
  it('ends where the list says that nothing follows', async () => {
    const { client, queries } = setUp(({ page }) => ({
      deposits: [deposit(page ?? '')],
      hasNext: page !== '3',
    }));
    const deposits = await collect(client.iteratePages('deposits', { wallet: 4 }));
    expect(deposits.map((item) => item.amount)).toEqual(['1', '2', '3']);
    expect(queries().map((query) => query['wallet'])).toEqual(['4', '4', '4']);
  });

  it('ends where a list that is not paged repeats itself', async () => {
    const { client, queries } = setUp(() => ({ deposits: [deposit('1'), deposit('2')] }));
    expect(await collect(client.iteratePages('deposits', {}))).toHaveLength(2);
    expect(queries()).toHaveLength(2);
  });

  it('says so when there are more pages than its bound', async () => {
    const { client } = setUp(({ page }) => ({ deposits: [deposit(page ?? '')], hasNext: true }));
    await expect(collect(client.iteratePages('deposits', {}, { maxPages: 3 }))).rejects.toMatchObject({
      code: 'TOO_MANY_PAGES',
    });
  });
});
