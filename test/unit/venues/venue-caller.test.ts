import { beforeEach, describe, expect, test } from 'vitest';
import { sendCall } from '../../support/send-call.ts';
import { createVenueCaller, type VenueCaller } from '../../../src/venues/venue-caller.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { OcoRequest, OrderRequest, VenueAnswer, VenueCall } from '../../../src/venues/port.ts';
import { BotWorld } from '../daemon/bot-world.ts';
import { venueOrderId, type VenueWalletId } from '../../../src/domain/order.ts';
import { orderIdOf } from '../../../src/venues/read-records.ts';

const ORDER: OrderRequest = {
  clientOrderId: 'bot-a-1',
  base: 'btc',
  quote: 'usdt',
  side: 'buy',
  execution: 'limit',
  amount: parseUnits('0.001'),
  price: parseUnits('64900'),
  stopPrice: null,
};

const PAIR: OcoRequest = {
  clientOrderId: 'bot-a-2',
  base: 'btc',
  quote: 'usdt',
  side: 'sell',
  amount: parseUnits('0.001'),
  price: parseUnits('65100'),
  stopPrice: parseUnits('64800'),
  stopLimitPrice: parseUnits('64790'),
};

let world: BotWorld;
let caller: VenueCaller;

const ask = async (call: VenueCall): Promise<VenueAnswer> => (await sendCall(caller, call)).answer;
const valueOf = async (call: VenueCall): Promise<unknown> => {
  const answer = await ask(call);
  return answer.outcome === 'value' ? answer.value : answer;
};

beforeEach(() => {
  world = new BotWorld();
  caller = createVenueCaller(world.client);
});

describe('the venue caller', () => {
  test('places an order, finds it by either id, and cancels it', async () => {
    expect(await valueOf({ kind: 'place', order: ORDER })).toMatchObject({
      clientOrderId: 'bot-a-1',
      status: 'Active',
    });
    const venueId = orderIdOf(world.botOrders()[0]!.id);
    const found = { id: venueId };
    expect(await valueOf({ kind: 'order', market: 'BTCUSDT', venueId, clientOrderId: null })).toMatchObject(
      found,
    );
    const byName = { market: 'BTCUSDT', venueId: null, clientOrderId: 'bot-a-1' };
    expect(await valueOf({ kind: 'order', ...byName })).toMatchObject(found);
    const canceled = await valueOf({
      kind: 'cancel',
      market: 'BTCUSDT',
      venueId: null,
      clientOrderId: 'bot-a-1',
    });
    expect(canceled).toMatchObject({ status: 'Canceled', order: { id: venueId, matchedAmount: 0n } });
  });

  test.each(['f0e1', '', '-7', '9007199254740993'])('asks for no order under the id %j', async (text) => {
    const asked = await ask({
      kind: 'order',
      market: 'BTCUSDT',
      venueId: venueOrderId(text),
      clientOrderId: null,
    });
    expect(asked).toMatchObject({ outcome: 'failed', code: 'INVALID_REQUEST', effect: 'none' });
  });

  test('gives both legs of a pair', async () => {
    world.other('buy', '0.01', '65000');
    world.other('sell', '0.01', '65010');
    expect(await valueOf({ kind: 'place-oco', order: PAIR })).toMatchObject([
      { clientOrderId: 'bot-a-2', execution: 'limit', price: parseUnits('65100') },
      { execution: 'stop_limit', stopPrice: parseUnits('64800'), status: 'Inactive' },
    ]);
  });

  test('says with what status a cancel did not apply', async () => {
    await ask({ kind: 'place', order: ORDER });
    const venueId = orderIdOf(world.botOrders()[0]!.id);
    await ask({ kind: 'cancel', market: 'BTCUSDT', venueId, clientOrderId: null });
    expect(await ask({ kind: 'cancel', market: 'BTCUSDT', venueId, clientOrderId: null })).toMatchObject({
      outcome: 'refused',
      code: 'NotApplied',
      effect: 'none',
      status: 'Canceled',
      order: { id: venueId },
    });
  });

  test('hands on a refusal with its code', async () => {
    const order = { ...ORDER, amount: parseUnits('0.0001') };
    expect(await ask({ kind: 'place', order })).toMatchObject({
      outcome: 'refused',
      code: 'SmallOrder',
      effect: 'none',
    });
  });

  test('leaves the effect of a placement open when its reply is lost, and that of a read is none', async () => {
    world.losesReply = () => true;
    const placed = await sendCall(caller, { kind: 'place', order: ORDER });
    expect(placed.answer).toMatchObject({ outcome: 'failed', code: 'CONNECTION_LOST', effect: 'unknown' });
    expect(placed.error).toBeInstanceOf(SarrafError);
    expect(world.botOrders()).toHaveLength(1);
    expect(await ask({ kind: 'wallets' })).toMatchObject({ outcome: 'failed', effect: 'none' });
  });

  test('has the reply to a call about one order as it came, and of no other call', async () => {
    const placed = await sendCall(caller, { kind: 'place', order: ORDER });
    expect(placed.reply).toMatchObject({ endpoint: 'addOrder', httpStatus: 200 });
    expect(JSON.parse(placed.reply?.body ?? '')).toMatchObject({ order: { clientOrderId: 'bot-a-1' } });
    expect(placed.reply?.bodyLength).toBe(placed.reply?.body.length);
    const refused = await sendCall(caller, { kind: 'place', order: ORDER });
    expect(refused.reply?.body).toContain('DuplicateClientOrderId');
    expect(
      await sendCall(caller, { kind: 'orders', status: 'open', market: null, from: null }),
    ).not.toHaveProperty('reply');
    world.losesReply = () => true;
    expect(await sendCall(caller, { kind: 'place', order: ORDER })).not.toHaveProperty('reply');
  });

  test('has the beginning of a reply that nobody can read, and how long it was', async () => {
    const page = `<html><title>502 Bad Gateway</title>${'<!-- padding -->'.repeat(1_000)}</html>`;
    world.onReply = (response) => ({ ...response, status: 502, body: page });
    const { answer, reply } = await sendCall(caller, {
      kind: 'cancel',
      market: 'BTCUSDT',
      venueId: null,
      clientOrderId: 'a',
    });
    expect(answer).toMatchObject({ outcome: 'failed' });
    expect(reply).toEqual({
      endpoint: 'updateOrderStatus',
      httpStatus: 502,
      body: page.slice(0, 4_096),
      bodyLength: page.length,
    });
  });

  test('hands on a mistake in the program as a throw', async () => {
    world.beforeSend = () => {
      throw new TypeError('a mistake');
    };
    await expect(ask({ kind: 'wallets' })).rejects.toThrow('a mistake');
  });

  test('reads orders and trades by rising id from a cursor, with all their details', async () => {
    for (const price of ['64900', '64901', '64902']) {
      const clientOrderId = `bot-a-${price}`;
      await ask({ kind: 'place', order: { ...ORDER, clientOrderId, price: parseUnits(price) } });
    }
    const ids = world.botOrders().map(({ id }) => orderIdOf(id));
    const all = await valueOf({ kind: 'orders', status: 'all', market: null, from: Number(ids[1]) });
    expect(all).toMatchObject({
      items: [{ id: ids[1], status: 'Active', fee: parseUnits('0') }, { id: ids[2] }],
    });
    expect(await valueOf({ kind: 'orders', status: 'open', market: null, from: null })).toMatchObject({
      items: ids.map((id) => ({ id })),
    });
    world.other('sell', '0.003', '64900');
    const trades = await valueOf({ kind: 'trades', market: null, from: 0 });
    expect(trades).toMatchObject({
      items: [{ price: parseUnits('64902') }, { price: parseUnits('64901') }, { price: parseUnits('64900') }],
    });
    const [, second] = (trades as { readonly items: readonly { readonly id: string }[] }).items;
    expect(await valueOf({ kind: 'trades', market: null, from: Number(second!.id) })).toMatchObject({
      items: [{ price: parseUnits('64901') }, { price: parseUnits('64900') }],
    });
  });

  test('reads wallets and what came into them', async () => {
    world.other('sell', '0.001', '64900');
    await ask({ kind: 'place', order: ORDER });
    await ask({ kind: 'place', order: { ...ORDER, clientOrderId: 'bot-a-3', price: parseUnits('60000') } });
    type Wallets = readonly { readonly currency: string; readonly walletId: VenueWalletId }[];
    const wallets = (await valueOf({ kind: 'wallets' })) as Wallets;
    expect(wallets).toContainEqual(
      expect.objectContaining({ currency: 'usdt', total: parseUnits('9935.1'), held: parseUnits('60') }),
    );
    const { walletId } = wallets.find(({ currency }) => currency === 'usdt')!;
    const lines = await valueOf({ kind: 'transactions', walletId, page: 1 });
    expect(lines).toMatchObject({
      items: [
        { currency: 'usdt', amount: parseUnits('-64.9'), atMs: world.nowMs },
        { amount: parseUnits('10000') },
      ],
    });
  });

  test('reads market data of one market and of all', async () => {
    world.other('buy', '0.01', '65000');
    world.other('sell', '0.01', '65000');
    world.other('sell', '0.02', '65010');
    const book = { asks: [['65010', '0.02']] };
    expect(await valueOf({ kind: 'book', market: 'BTCUSDT' })).toMatchObject(book);
    expect(await valueOf({ kind: 'books' })).toMatchObject({ BTCUSDT: book });
    expect(await valueOf({ kind: 'stats', base: ['btc'], quote: ['usdt'] })).toMatchObject([
      { latest: '65000' },
    ]);
    expect(await valueOf({ kind: 'public-trades', market: 'BTCUSDT' })).toMatchObject([{ amount: '0.01' }]);
    expect(await valueOf({ kind: 'options' })).toEqual([
      { symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001', minOrderValue: '11' },
    ]);
  });

  test('reads pools, margin wallets and the delegation limit', async () => {
    expect(await valueOf({ kind: 'pools' })).toEqual([
      { currency: 'btc', capacity: '1000', filledCapacity: '0', availableBalance: '1000' },
    ]);
    expect(await valueOf({ kind: 'margin-wallets' })).toEqual([]);
    await world.client.transfer({ currency: 'usdt', amount: '12.5', src: 'spot', dst: 'margin' });
    expect(await valueOf({ kind: 'margin-wallets' })).toMatchObject([
      { currency: 'usdt', total: parseUnits('12.5'), held: 0n },
    ]);
    const back = { kind: 'transfer', currency: 'usdt', from: 'margin' } as const;
    expect(await ask({ ...back, amount: parseUnits('2.5') })).toEqual({ outcome: 'value', value: null });
    expect(await valueOf({ kind: 'margin-wallets' })).toMatchObject([{ total: parseUnits('10') }]);
    expect(await ask({ ...back, amount: parseUnits('10.5') })).toMatchObject({
      outcome: 'refused',
      code: 'InsufficientBalance',
      effect: 'none',
    });
    expect(await valueOf({ kind: 'delegation-limit', currency: 'rls' })).toBe('5000000000');
    expect(await ask({ kind: 'delegation-limit', currency: 'doge' })).toMatchObject({ outcome: 'refused' });
  });

  test('reads bars that begin before a time, and not the one that begins at it', async () => {
    world.other('buy', '0.01', '65000');
    world.other('sell', '0.01', '65000');
    const barMs = Math.floor(world.nowMs / 60_000) * 60_000;
    const bars = { kind: 'candles', market: 'BTCUSDT', timeframe: '1m', count: 5 } as const;
    expect(await valueOf({ ...bars, toMs: barMs + 1 })).toMatchObject([
      { openTimeMs: barMs, close: '65000' },
    ]);
    expect(await valueOf({ ...bars, toMs: barMs })).toEqual([]);
  });

  test('knows the budget, the credential and the time-out of each call', () => {
    const cancel: VenueCall = {
      kind: 'cancel',
      market: 'BTCUSDT',
      venueId: orderIdOf(1),
      clientOrderId: null,
    };
    expect(caller.budgetOf(cancel)).toBe('orders/update-status');
    expect(caller.credentialOf(cancel)).toBe('with');
    expect(caller.timeoutMsOf(cancel)).toBe(15_000);
    expect(caller.endpointOf({ kind: 'books' })).toBe('allOrderBooks');
    expect(caller.budgetOf({ kind: 'books' })).toBe(caller.budgetOf({ kind: 'book', market: 'BTCUSDT' }));
    expect(caller.credentialOf({ kind: 'books' })).toBe('none');
  });
});
