import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BUY, OCO } from '../world.ts';
import type { OrderFacts, PlaceFields, TradingPort } from './trading-port.ts';
import type { TestClock } from './venue.ts';

/** An exchange to trade on, through any adapter. */
export interface TradingVenue {
  readonly clock: TestClock;
  readonly alice: TradingPort;
  readonly bob: TradingPort;
  close(): Promise<void>;
}

const { price: _, ...MARKET_BUY } = BUY;
const STOP_BUY = { ...MARKET_BUY, execution: 'stop_market', stopPrice: '12700000000' } as const;

/** Places an order that must be accepted. */
async function placed(
  trader: TradingPort,
  order: PlaceFields,
): Promise<OrderFacts & { readonly id: number }> {
  const [first] = await bothPlaced(trader, order);
  return first;
}

async function bothPlaced(
  trader: TradingPort,
  order: PlaceFields,
): Promise<readonly [OrderFacts & { readonly id: number }, OrderFacts | undefined]> {
  const result = await trader.place(order);
  if (typeof result === 'string') throw new Error(`expected an order, was the refusal ${result}`);
  const [first, second] = result;
  if (first === undefined || first.id === null) throw new Error('expected an order with an id');
  return [{ ...first, id: first.id }, second];
}

/** Tests what every adapter must do with orders. */
export function tradingSuite(open: () => Promise<TradingVenue>): void {
  let venue: TradingVenue;
  let alice: TradingPort;
  let bob: TradingPort;

  beforeEach(async () => {
    venue = await open();
    ({ alice, bob } = venue);
  });

  afterEach(() => venue.close());

  describe('an order', () => {
    test('rests, is listed, holds its worth, and frees it when cancelled', async () => {
      const order = await placed(alice, { ...BUY, clientOrderId: 'a-1' });
      expect(order).toMatchObject({
        side: 'buy',
        execution: 'limit',
        status: 'Active',
        price: '12500000000',
        matchedAmount: '0',
        createdAtMs: venue.clock.nowMs,
        clientOrderId: 'a-1',
        pairId: null,
      });
      expect(await alice.balance('rls')).toEqual(['1000000000000', '12500000']);
      expect(await alice.list({})).toEqual([order]);
      expect(await alice.byClientId('a-1')).toEqual(order);
      expect(await alice.cancel(order.id)).toBe('Canceled');
      expect(await alice.balance('rls')).toEqual(['1000000000000', '0']);
      expect(await alice.list({})).toEqual([]);
      expect(await alice.order(order.id)).toEqual({ ...order, status: 'Canceled' });
      expect(await alice.byClientId('a-1')).toBeNull();
      expect(await alice.cancel(order.id)).toBe('Canceled');
    });

    test('fills in parts at the prices of the book, each side paying its fee in what it receives', async () => {
      await placed(bob, { ...BUY, type: 'sell', price: '12500000000', amount: '0.0006' });
      await placed(bob, { ...BUY, type: 'sell', price: '12500000010', amount: '0.0006' });
      const order = await placed(alice, { ...BUY, price: '12600000000' });
      // 0.0006 x 12500000000 + 0.0004 x 12500000010 = 12500000.004; the fee is 0.25 % of 0.001.
      expect(order).toMatchObject({
        status: 'Done',
        matchedAmount: '0.001',
        total: '12500000.004',
        fee: '0.0000025',
      });
      expect(await alice.balance('rls')).toEqual(['999987499999.996', '0']);
      expect(await alice.balance('btc')).toEqual(['10.0009975', '0']);
      // Sold for 12500000.004 less 0.2 %, with 0.0002 still on offer.
      expect(await bob.balance('rls')).toEqual(['1000012475000.003992', '0']);
      expect(await bob.balance('btc')).toEqual(['9.999', '0.0002']);
      const mine = await alice.trades();
      expect(mine.map(({ price, amount, total, fee }) => [price, amount, total, fee])).toEqual([
        ['12500000000', '0.0006', '7500000', '0.0000015'],
        ['12500000010', '0.0004', '5000000.004', '0.000001'],
      ]);
      expect(mine.every(({ orderId, side }) => orderId === order.id && side === 'buy')).toBe(true);
      expect((await bob.trades()).map(({ side, fee }) => [side, fee])).toEqual([
        ['sell', '15000'],
        ['sell', '10000.000008'],
      ]);
    });

    test('of the better price goes first, and of the same price the older', async () => {
      const worse = await placed(bob, { ...BUY, type: 'sell', price: '12500000010' });
      const older = await placed(bob, { ...BUY, type: 'sell', price: '12500000000' });
      const younger = await placed(bob, { ...BUY, type: 'sell', price: '12500000000', pro: true });
      await placed(alice, { ...BUY, amount: '0.0015', price: '12500000010' });
      const matched = await Promise.all([worse, older, younger].map(({ id }) => bob.order(id)));
      expect(matched.map(({ matchedAmount }) => matchedAmount)).toEqual(['0', '0.001', '0.0005']);
    });

    test('has its rest cancelled after a part, with what was traded kept', async () => {
      await placed(bob, { ...BUY, type: 'sell', amount: '0.0004' });
      const order = await placed(alice, BUY);
      expect(order).toMatchObject({ status: 'Active', matchedAmount: '0.0004' });
      await alice.cancel(order.id);
      expect(await alice.order(order.id)).toMatchObject({ status: 'Canceled', matchedAmount: '0.0004' });
      expect(await alice.balance('rls')).toEqual(['999995000000', '0']);
      expect((await alice.list({ status: 'done' })).map(({ id }) => id)).toEqual([order.id]);
    });

    test('at the market ends at once and goes no further than one percent', async () => {
      await placed(bob, { ...BUY, type: 'sell', price: '12600000000', amount: '0.0005' });
      await placed(bob, { ...BUY, type: 'sell', price: '12726000010', amount: '0.0005' });
      const order = await placed(alice, { ...MARKET_BUY, execution: 'market' });
      expect(order).toMatchObject({
        execution: 'market',
        status: 'Canceled',
        matchedAmount: '0.0005',
        price: null,
      });
      expect(await alice.balance('rls')).toEqual(['999993700000', '0']);
    });

    test('at the market with a price goes one percent beyond that price', async () => {
      await placed(bob, { ...BUY, type: 'sell', price: '12625000000', amount: '0.0005' });
      await placed(bob, { ...BUY, type: 'sell', price: '12625000010', amount: '0.0005' });
      const order = await placed(alice, { ...BUY, execution: 'market' });
      expect(order).toMatchObject({ matchedAmount: '0.0005', total: '6312500' });
    });

    test('with a stop wakes when the price gets there', async () => {
      const stop = {
        ...BUY,
        execution: 'stop_limit',
        stopPrice: '12650000000',
        price: '12660000000',
      } as const;
      const order = await placed(alice, stop);
      expect(order).toMatchObject({ status: 'Inactive', execution: 'stop_limit', stopPrice: '12650000000' });
      await placed(bob, { ...BUY, type: 'sell', price: '12650000000', amount: '0.002' });
      expect(await alice.order(order.id)).toMatchObject({ status: 'Inactive' });
      await placed(alice, { ...BUY, price: '12650000000', amount: '0.0005' });
      expect(await alice.order(order.id)).toMatchObject({
        status: 'Done',
        matchedAmount: '0.001',
        total: '12650000',
      });
    });

    test('of an OCO pair ends the other when it fills, and when it is cancelled', async () => {
      const [limit, stop] = await bothPlaced(alice, { ...OCO, clientOrderId: 'oco-1' });
      expect(limit).toMatchObject({ status: 'Active', pairId: stop?.id, clientOrderId: 'oco-1' });
      expect(stop).toMatchObject({
        status: 'Inactive',
        execution: 'stop_limit',
        price: '12750000000',
        stopPrice: '12700000000',
        pairId: limit.id,
        clientOrderId: null,
      });
      expect(await alice.balance('rls')).toEqual(['1000000000000', '12750000']);
      await placed(bob, { ...BUY, type: 'sell' });
      expect(await alice.order(limit.id)).toMatchObject({ status: 'Done' });
      expect(await alice.order(stop?.id ?? 0)).toMatchObject({ status: 'Canceled' });
      // The last price is 12500000000 now.
      const [other, otherStop] = await bothPlaced(alice, { ...OCO, price: '12400000000' });
      await alice.cancel(otherStop?.id ?? 0);
      expect(await alice.order(other.id)).toMatchObject({ status: 'Canceled' });
      expect(await alice.balance('rls')).toEqual(['999987500000', '0']);
    });

    test('of an OCO pair ends when the stop of the other is reached', async () => {
      const [limit, stop] = await bothPlaced(alice, OCO);
      await placed(bob, { ...BUY, type: 'sell', price: '12700000000', amount: '0.002' });
      await placed(alice, { ...BUY, price: '12700000000', amount: '0.0005' });
      expect(await alice.order(limit.id)).toMatchObject({ status: 'Canceled', matchedAmount: '0' });
      expect(await alice.order(stop?.id ?? 0)).toMatchObject({ status: 'Done', total: '12700000' });
      expect(await alice.balance('rls')).toEqual(['999980950000', '0']);
    });

    test('that was sent twice is placed once, unless pro', async () => {
      await placed(alice, BUY);
      expect(await alice.place(BUY)).toBe('DuplicateOrder');
      await placed(alice, { ...BUY, pro: true });
      venue.clock.nowMs += 10_000;
      await placed(alice, BUY);
      expect(await alice.list({})).toHaveLength(3);
    });

    test.each([
      ['SmallOrder', { ...BUY, amount: '0.00024' }],
      ['OverValueOrder', { ...BUY, amount: '80.000001' }],
      ['BadPrice', { ...BUY, price: '8819999990' }],
      ['PriceConditionFailed', { ...OCO, stopLimitPrice: '12690000000' }],
    ] as const)('is refused with %s and holds nothing', async (code, order) => {
      expect(await alice.place(order)).toBe(code);
      expect(await alice.list({ status: 'all' })).toEqual([]);
      expect(await alice.balance('rls')).toEqual(['1000000000000', '0']);
    });

    test('in a market of 1e-8 tether keeps every digit', async () => {
      const order = {
        srcCurrency: 'shib',
        dstCurrency: 'usdt',
        amount: '1234567',
        price: '0.00002731',
      } as const;
      await placed(bob, { ...order, type: 'sell' });
      expect(await placed(alice, { ...order, type: 'buy' })).toMatchObject({
        status: 'Done',
        total: '33.71602477',
        fee: '1604.9371',
      });
      expect(await alice.balance('usdt')).toEqual(['999966.28397523', '0']);
      expect(await alice.balance('shib')).toEqual(['1001232962.0629', '0']);
    });
  });

  describe('lists', () => {
    test('are filtered by status, side, kind and market', async () => {
      await placed(alice, BUY);
      await placed(alice, { ...BUY, type: 'sell', price: '12700000000' });
      await placed(alice, { ...BUY, dstCurrency: 'usdt', price: '69000' });
      await placed(alice, STOP_BUY);
      const filters = [
        [{}, 4],
        [{ type: 'sell' }, 1],
        [{ execution: 'stop_market' }, 1],
        [{ dstCurrency: 'usdt' }, 1],
        [{ srcCurrency: 'shib' }, 0],
        [{ tradeType: 'spot' }, 4],
        [{ tradeType: 'margin' }, 0],
        [{ status: 'close' }, 0],
        [{ status: 'done' }, 0],
      ] as const;
      for (const [filter, count] of filters) expect(await alice.list(filter)).toHaveLength(count);
    });

    test('lose the active orders of an age to cancel-old, but no waiting stop', async () => {
      await placed(alice, BUY);
      const stop = await placed(alice, STOP_BUY);
      venue.clock.nowMs += 3_600_000;
      const young = await placed(alice, { ...BUY, price: '12500000010' });
      await alice.cancelOld(0.5);
      expect((await alice.list({})).map(({ id }) => id)).toEqual([stop.id, young.id]);
      await alice.cancelOld(null);
      expect((await alice.list({})).map(({ id }) => id)).toEqual([stop.id]);
    });
  });
}
