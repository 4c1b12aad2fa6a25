import { describe, expect, test } from 'vitest';
import { decimalText, ZERO } from '../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../src/domain/market.ts';
import type { Amount, Price } from '../../../src/domain/money.ts';
import type { VenueOrder } from '../../../src/domain/order.ts';
import { ClientOrderIds } from '../../../src/execution/client-order-id.ts';
import { changesFor } from '../../../src/execution/desired-quotes.ts';
import { isLive, type OwnOrder } from '../../../src/execution/own-order.ts';
import { OwnOrders } from '../../../src/execution/own-orders.ts';

const market = createMarket({ market: 'BTCUSDT', priceStep: '0.01', amountStep: '0.000001' });

function ownOrder(change: Partial<OwnOrder> = {}): OwnOrder {
  return {
    clientOrderId: 'bot-sample-x-1',
    strategy: 'sample',
    market: 'BTCUSDT',
    side: 'buy',
    execution: 'limit',
    price: 6_500_000 as Price,
    amount: 1_000 as Amount,
    plannedAtMs: 0,
    stage: 'sending',
    venueId: null,
    status: null,
    matched: 0 as Amount,
    filled: 0 as Amount,
    isCancelling: false,
    ...change,
  };
}

function record(change: Partial<VenueOrder> = {}): VenueOrder {
  return {
    id: 5,
    side: 'buy',
    execution: 'limit',
    tradeKind: 'Spot',
    market,
    price: decimalText('65000'),
    stopPrice: null,
    amount: decimalText('0.001'),
    matchedAmount: ZERO,
    unmatchedAmount: null,
    total: null,
    orderTotal: null,
    fee: null,
    averagePrice: null,
    status: 'Active',
    partial: null,
    createdAtMs: 0,
    clientOrderId: null,
    pairId: null,
    ...change,
  };
}

function entered(): { readonly orders: OwnOrders; readonly order: OwnOrder } {
  const orders = new OwnOrders(new Map([['BTCUSDT', market]]));
  const order = ownOrder();
  orders.add(order);
  return { orders, order };
}

const steps = (amount: number): Amount => amount as Amount;

describe('an order of ours', () => {
  test('counts as live before anything is known of it, and is found by either id once it is', () => {
    const { orders, order } = entered();
    expect(isLive(order)).toBe(true);
    expect(orders.findByVenueId(5)).toBeUndefined();
    expect(orders.onRecord(order, record())).toBe(true);
    expect(orders.findByVenueId(5)).toBe(order);
    expect(orders.findByClientId('bot-sample-x-1')).toBe(order);
    expect(order.stage).toBe('open');
  });

  test('settles until its fills add up to its matched amount', () => {
    const { orders, order } = entered();
    orders.onRecord(order, record({ status: 'Done', matchedAmount: decimalText('0.001') }));
    expect([order.stage, isLive(order), orders.unfinished()]).toEqual(['settling', false, [order]]);
    orders.onFilled(order, steps(600));
    expect(order.stage).toBe('settling');
    orders.onFilled(order, steps(400));
    expect([order.stage, orders.unfinished()]).toEqual(['ended', []]);
  });

  test('ends as soon as it is closed when its fills were read first', () => {
    const { orders, order } = entered();
    orders.onRecord(order, record());
    orders.onFilled(order, steps(1_000));
    expect([order.stage, order.matched]).toEqual(['open', 1_000]);
    orders.onRecord(order, record({ status: 'Done', matchedAmount: decimalText('0.001') }));
    expect(order.stage).toBe('ended');
  });

  test('ends at once when it is canceled without a fill', () => {
    const { orders, order } = entered();
    orders.onRecord(order, record({ status: 'Canceled' }));
    expect([order.stage, order.status]).toEqual(['ended', 'Canceled']);
  });

  test('counts as closed under a status word that nobody knows', () => {
    const { orders, order } = entered();
    orders.onRecord(order, record({ status: 'Rejected' }));
    expect([order.stage, order.status]).toEqual(['ended', 'Rejected']);
  });

  test('does not open again, nor lose what was matched, by a list that lags behind', () => {
    const { orders, order } = entered();
    orders.onRecord(order, record({ status: 'Canceled', matchedAmount: decimalText('0.0004') }));
    expect(orders.onRecord(order, record({ status: 'Active', matchedAmount: ZERO }))).toBe(false);
    expect([order.stage, order.status, order.matched]).toEqual(['settling', 'Canceled', 400]);
  });

  test('says whether a record changed anything', () => {
    const { orders, order } = entered();
    expect(orders.onRecord(order, record())).toBe(true);
    expect(orders.onRecord(order, record())).toBe(false);
    expect(orders.onRecord(order, record({ matchedAmount: decimalText('0.0001') }))).toBe(true);
  });

  test('is gone when the exchange refuses it', () => {
    const { orders, order } = entered();
    orders.onRefused(order, 'OverValueOrder');
    expect([order.stage, order.status, orders.unfinished()]).toEqual(['refused', 'OverValueOrder', []]);
  });

  test('stops everything when it would be filled beyond its amount', () => {
    const { orders, order } = entered();
    orders.onRecord(order, record());
    expect(() => orders.onFilled(order, steps(1_001))).toThrow(expect.objectContaining({ code: 'INVARIANT' }));
  });

  test('can not be entered twice under one id', () => {
    const { orders } = entered();
    expect(() => orders.add(ownOrder())).toThrow('expected a new clientOrderId');
  });

  test('is kept while it is live, however many came after it', () => {
    const { orders, order } = entered();
    for (let count = 0; count < 20_000; count += 1) {
      const other = ownOrder({ clientOrderId: `other-${count}` });
      orders.add(other);
      orders.onRecord(other, record({ id: 100 + count, status: 'Canceled' }));
    }
    expect(orders.findByClientId(order.clientOrderId)).toBe(order);
    expect(orders.findByClientId('other-0')).toBeUndefined();
    expect(orders.findByVenueId(100)).toBeUndefined();
    expect(orders.findByVenueId(100 + 19_999)).toBeDefined();
  });
});

describe('ids of our orders', () => {
  test('are never the same twice and keep to the rule of the interface', () => {
    const ids = new ClientOrderIds({ instance: 'bot', run: 'm8k2' });
    const made = Array.from({ length: 2_000 }, () => ids.next('market-maker'));
    expect(new Set(made).size).toBe(2_000);
    expect(made.filter((id) => !/^[a-z0-9-]{1,32}$/.test(id))).toEqual([]);
    expect(made[0]).toBe('bot-market-maker-m8k2-1');
  });

  test('are refused when they would be longer', () => {
    const ids = new ClientOrderIds({ instance: 'bot', run: 'a'.repeat(20) });
    expect(() => ids.next('market-maker')).toThrow('expected at most 32');
  });
});

const quote = (side: 'buy' | 'sell', price: number) => ({ side, price: price as Price, amount: steps(1_000) });
const open = (side: 'buy' | 'sell', price: number, change: Partial<OwnOrder> = {}) =>
  ownOrder({ side, price: price as Price, stage: 'open', clientOrderId: `${side}-${price}`, ...change });

describe('a desired set of quotes', () => {
  test('is placed whole when nothing rests', () => {
    const wanted = [quote('buy', 99), quote('sell', 101)];
    expect(changesFor([], wanted)).toEqual({ cancel: [], place: wanted });
  });

  test('leaves an order that is wanted in its place, whatever is left of it', () => {
    const resting = [open('buy', 99, { filled: steps(900) }), open('sell', 101)];
    expect(changesFor(resting, [quote('buy', 99), quote('sell', 101)])).toEqual({ cancel: [], place: [] });
  });

  test('cancels what is not wanted, and places nothing on its side before it is gone', () => {
    const old = open('buy', 98);
    const wanted = [quote('buy', 99), quote('sell', 101)];
    expect(changesFor([old], wanted)).toEqual({ cancel: [old], place: [quote('sell', 101)] });
    expect(changesFor([{ ...old, stage: 'ended' }], wanted)).toEqual({ cancel: [], place: wanted });
  });

  test('waits for an order whose fate or cancel is not known yet', () => {
    const sending = open('buy', 98, { stage: 'sending' });
    const leaving = open('sell', 102, { isCancelling: true });
    expect(changesFor([sending, leaving], [quote('buy', 99), quote('sell', 101)])).toEqual({ cancel: [], place: [] });
  });

  test('is empty to clear both sides', () => {
    const resting = [open('buy', 99), open('sell', 101)];
    expect(changesFor(resting, [])).toEqual({ cancel: resting, place: [] });
  });

  test('takes two orders at one price as two', () => {
    const resting = [open('buy', 99), open('buy', 99, { clientOrderId: 'twin' })];
    expect(changesFor(resting, [quote('buy', 99)]).cancel).toEqual([resting[1]]);
  });
});
