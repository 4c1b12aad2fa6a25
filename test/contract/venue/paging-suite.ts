import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExchangeClient } from '../../../src/exchange/client.ts';
import { BUY } from '../world.ts';
import { clientOf, refusalOf, valueOf, type Venue } from './venue.ts';

async function collect<Item, Kept>(
  items: AsyncIterable<Item>,
  keep: (item: Item) => Kept,
): Promise<readonly Kept[]> {
  const kept: Kept[] = [];
  for await (const item of items) kept.push(keep(item));
  return kept;
}

/** Tests how a venue pages its lists, and how it answers look-ups that find nothing. */
export function pagingSuite(open: () => Promise<Venue>): void {
  let venue: Venue;
  let alice: ExchangeClient;

  beforeEach(async () => {
    venue = await open();
    alice = clientOf(venue, 'alice');
  });

  afterEach(() => venue.close());

  describe('paging', () => {
    test('walks orders by id without a gap or a repetition', async () => {
      const ids: number[] = [];
      for (let step = 0; step < 7; step += 1) {
        const { order } = await valueOf(
          alice.addOrder({ ...BUY, price: String(12_500_000_000 + step * 10) }),
        );
        ids.push(order.id ?? 0);
      }
      expect(await collect(alice.iterateOrders({ pageSize: 3 }), ({ id }) => id)).toEqual(ids);
      expect(
        await collect(alice.iterateOrders({ pageSize: 3, fromId: ids[4] ?? 0 }), ({ id }) => id),
      ).toEqual(ids.slice(4));
    });

    test('walks trades by id without a gap or a repetition', async () => {
      await valueOf(clientOf(venue, 'bob').addOrder({ ...BUY, type: 'sell', amount: '0.01' }));
      for (let step = 0; step < 5; step += 1) {
        await valueOf(alice.addOrder({ ...BUY, price: String(12_500_000_000 + step * 10) }));
        venue.clock.nowMs += 1000;
      }
      const ids = await collect(alice.iterateTrades({ pageSize: 2 }), ({ id }) => id);
      expect(ids).toHaveLength(5);
      expect(ids).toEqual([...new Set(ids)].toSorted((left, right) => left - right));
    });

    test('brings both sides of a trade with oneself', async () => {
      await valueOf(alice.addOrder({ ...BUY, type: 'sell' }));
      await valueOf(alice.addOrder(BUY));
      const sides = await collect(alice.iterateTrades({ pageSize: 1 }), ({ side }) => side);
      expect(sides.toSorted()).toEqual(['buy', 'sell']);
    });

    test('walks the transactions of a wallet by page, newest first', async () => {
      for (const [src, dst] of [
        ['spot', 'margin'],
        ['margin', 'spot'],
        ['spot', 'margin'],
      ] as const) {
        await valueOf(alice.transfer({ currency: 'usdt', amount: '5', src, dst }));
      }
      const wallet =
        (await valueOf(alice.walletsList())).find(({ currency }) => currency === 'usdt')?.id ?? 0;
      const walked = alice.iteratePages('walletTransactions', { wallet, pageSize: 3 });
      expect(await collect(walked, ({ amount }) => amount)).toEqual(['-5', '5', '-5', '1000000']);
    });
  });

  describe('a look-up', () => {
    test('that finds nothing is a refusal, for orders, cancels and withdrawals', async () => {
      const notFound = { code: 'NotFound', httpStatus: 404, outcome: 'none' };
      expect(await refusalOf(alice.orderStatus({ id: 1 }))).toMatchObject(notFound);
      expect(await refusalOf(alice.orderStatus({ clientOrderId: 'nobody' }))).toMatchObject(notFound);
      expect(await refusalOf(alice.updateOrderStatus({ order: 1, status: 'canceled' }))).toMatchObject(
        notFound,
      );
      expect(await refusalOf(alice.withdrawal({ id: 'CW999999' }))).toMatchObject(notFound);
    });

    test('by client id works for a cancel too, and a cancel that comes too late brings the order', async () => {
      await valueOf(alice.addOrder({ ...BUY, clientOrderId: 'mine-1' }));
      const { updatedStatus, order } = await valueOf(
        alice.updateOrderStatus({ clientOrderId: 'mine-1', status: 'canceled' }),
      );
      expect([updatedStatus, order?.clientOrderId]).toEqual(['Canceled', 'mine-1']);
      const late = await refusalOf(alice.updateOrderStatus({ order: order?.id ?? 0, status: 'canceled' }));
      expect(late).toMatchObject({
        code: 'NotApplied',
        updatedStatus: 'Canceled',
        order: { clientOrderId: 'mine-1' },
      });
    });

    test('of a refused order says why and echoes its client id', async () => {
      const refused = await refusalOf(
        alice.addOrder({ ...BUY, amount: '0.000001', clientOrderId: 'small-1' }),
      );
      expect(refused).toMatchObject({ code: 'SmallOrder', clientOrderId: 'small-1', outcome: 'none' });
    });
  });
}
