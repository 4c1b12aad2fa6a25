import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { OrderBook } from '../../../src/domain/order-book.ts';
import { OrderDesk } from '../../../src/daemon/order-desk.ts';
import { ClientOrderIds } from '../../../src/execution/client-order-id.ts';
import { OwnOrders } from '../../../src/execution/own-orders.ts';
import { buy, cancel, quotes, sell, type Intent } from '../../../src/strategy/sdk.ts';
import { createBotWorld, type BotWorld } from './bot-world.ts';

const MARKET = 'BTCUSDT';
const book: OrderBook = {
  bids: [[decimalText('64990'), decimalText('1')]],
  asks: [[decimalText('65010'), decimalText('1')]],
  updatedAtMs: null,
};

const at = (side: 'buy' | 'sell', price: string) => ({ side, price, amount: '0.001' });

let world: BotWorld;
let orders: OwnOrders;
let desk: OrderDesk;
let codes: (string | null)[];

const want = (intent: Intent, seen: OrderBook | null = book): Promise<void> => desk.carryOut('sample', intent, seen);
const placements = (): number => world.sent.filter((path) => path === '/market/orders/add').length;

beforeEach(() => {
  world = createBotWorld();
  const markets = new Map<string, BotWorld['market']>([[MARKET, world.market]]);
  orders = new OwnOrders(markets);
  codes = [];
  const ids = new ClientOrderIds({ instance: 'bot', run: 'test' });
  desk = new OrderDesk({ ...world, orders, markets, ids, onOrder: (_, code) => codes.push(code) });
});

afterEach(() => world.close());

describe('the order desk', () => {
  test('places what is wanted on the grid of the market, under an id of its own', async () => {
    await want(buy(MARKET, { amount: '0.0012345678', price: '60000.005' }));
    expect(world.botOrders()).toMatchObject([
      { side: 'buy', amount: 1_234, price: 6_000_000, clientOrderId: 'bot-sample-test-1', status: 'Active' },
    ]);
    expect(orders.unfinished()).toMatchObject([{ stage: 'open', venueId: world.botOrders()[0]!.id }]);
  });

  test('writes an order to the mirror before its request leaves', async () => {
    const rows: unknown[] = [];
    world.beforeSend = () => rows.push(...world.mirror.orders.all());
    await want(buy(MARKET, { amount: '0.001', price: '60000' }));
    expect(rows).toMatchObject([
      { clientOrderId: 'bot-sample-test-1', stage: 'sending', price: '60000', amount: '0.001' },
    ]);
    expect(world.mirror.orders.all()).toMatchObject([{ stage: 'open', status: 'Active' }]);
  });

  test('bounds a market order by the price it meets', async () => {
    world.other('sell', '1', '65010');
    await want(buy(MARKET, { amount: '0.001' }));
    expect(world.botOrders()).toMatchObject([{ execution: 'market', registeredPrice: 6_501_000, status: 'Done' }]);
  });

  test('sends no market order before a book was seen', async () => {
    await want(buy(MARKET, { amount: '0.001' }), null);
    expect([placements(), world.told.notices]).toEqual([0, ['sample: no book yet to price a market order by']]);
  });

  test('holds an identical order back until the exchange would not take it for a repetition', async () => {
    const intent = buy(MARKET, { amount: '0.001', price: '60000' });
    await want(intent);
    await world.clock.sleepUntil(world.clock.now() + 10_400);
    await want(intent);
    expect(placements()).toBe(1);
    await world.clock.sleepUntil(world.clock.now() + 200);
    await want(intent);
    expect(world.botOrders().map(({ status }) => status)).toEqual(['Active', 'Active']);
  });

  test('tells the code of a refusal and sends the order no second time', async () => {
    await want(sell(MARKET, { amount: '5', price: '66000' }));
    expect([placements(), codes, world.told.orders]).toEqual([1, ['OverValueOrder'], ['sell refused OverValueOrder']]);
    expect(orders.unfinished()).toEqual([]);
    expect(world.mirror.orders.all()).toMatchObject([{ stage: 'refused', status: 'OverValueOrder' }]);
  });

  test('sends nothing for a wish that can be no order', async () => {
    await want(buy(MARKET, { amount: '0.0000001', price: '60000' }));
    await want(buy('ETHUSDT', { amount: '1', price: '3000' }));
    expect([placements(), world.told.notices]).toEqual([
      0,
      [
        'sample: buy BTCUSDT refused: nothing is left after rounding to the steps of the market',
        'sample: expected one of BTCUSDT, was ETHUSDT',
      ],
    ]);
  });

  test('counts an order as live when its reply is lost, and never sends it again', async () => {
    world.losesReply = () => true;
    await want(buy(MARKET, { amount: '0.001', price: '60000' }));
    expect(orders.unfinished()).toMatchObject([{ stage: 'sending', venueId: null }]);
    await world.clock.sleepUntil(world.clock.now() + 60_000);
    expect([placements(), world.botOrders().length]).toEqual([1, 1]);
  });

  test('gives an order up when its request certainly never left', async () => {
    world.beforeSend = () => {
      throw new SarrafError('CONNECTION_REFUSED', 'nobody is there');
    };
    await want(buy(MARKET, { amount: '0.001', price: '60000' }));
    expect([orders.unfinished(), codes]).toEqual([[], ['CONNECTION_REFUSED']]);
  });

  test('cancels an order of the strategy, and no other', async () => {
    await want(buy(MARKET, { amount: '0.001', price: '60000' }));
    await desk.carryOut('stranger', cancel('bot-sample-test-1'), book);
    expect(world.botOrders()[0]!.status).toBe('Active');
    await want(cancel('bot-sample-test-1'));
    expect([world.botOrders()[0]!.status, orders.unfinished()]).toEqual(['Canceled', []]);
    expect(world.told.notices).toEqual(['stranger: no order bot-sample-test-1 of its own to cancel']);
  });

  test('takes a cancel that came too late for what it is', async () => {
    await want(buy(MARKET, { amount: '0.001', price: '60000' }));
    world.other('sell', '1', '60000');
    await want(cancel('bot-sample-test-1'));
    const [order] = orders.unfinished();
    expect([order?.isCancelling, world.botOrders()[0]!.status]).toEqual([false, 'Done']);
  });

  test('leaves right quotes in their place and moves the others', async () => {
    await want(quotes(MARKET, [at('buy', '64000'), at('sell', '66000')]));
    await want(quotes(MARKET, [at('buy', '64000'), at('sell', '66100')]));
    expect(world.botOrders().map(({ side, price, status }) => [side, price, status])).toEqual([
      ['buy', 6_400_000, 'Active'],
      ['sell', 6_600_000, 'Canceled'],
      ['sell', 6_610_000, 'Active'],
    ]);
    await want(quotes(MARKET, []));
    expect(world.botOrders().filter(({ isOpen }) => isOpen)).toEqual([]);
  });

  test('places no quote beside one whose cancel got no answer', async () => {
    await want(quotes(MARKET, [at('buy', '64000')]));
    world.beforeSend = ({ path }) => {
      if (path.includes('update-status')) throw new SarrafError('TIMED_OUT', 'no answer');
    };
    await want(quotes(MARKET, [at('buy', '64100')]));
    expect(world.botOrders().map(({ price, status }) => [price, status])).toEqual([[6_400_000, 'Active']]);
  });
});
