import { beforeEach, expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import type { SimulatedExchange } from '../../../../src/simulator/exchange.ts';
import type { PlaceOrder } from '../../../../src/simulator/requests.ts';
import { createBareExchange, fund } from '../../../support/bare-exchange.ts';
import type { SimulatedOrder } from '../../../../src/simulator/market-state.ts';

const BUYER = 1;
const SELLER = 2;
let exchange: SimulatedExchange;
beforeEach(() => {
  ({ exchange } = createBareExchange({
    markets: [{ market: 'BTCUSDT', priceStep: '1', amountStep: '1', initialPrice: '100' }],
  }));
  fund(exchange, BUYER, 'usdt', '1000');
  fund(exchange, SELLER, 'btc', '1000');
});

function place(userId: number, order: Partial<PlaceOrder>): readonly SimulatedOrder[] {
  const placed = exchange.trading.place(
    userId,
    {
      market: 'BTCUSDT' as PlaceOrder['market'],
      side: 'buy',
      execution: 'limit',
      mode: 'default',
      amount: 2,
      price: 90,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: null,
      pro: true,
      ...order,
    },
    0,
  );
  if (!placed.ok) throw new Error(`expected an accepted order, was ${placed.code}`);
  return placed.value;
}

const placeOco = (): readonly SimulatedOrder[] =>
  place(BUYER, { mode: 'oco', stopPrice: 110, stopLimitPrice: 120 });
const held = () => exchange.accounts.find(BUYER, 'usdt')?.held;

test('an OCO holds for the dearer of its orders', () => {
  placeOco();
  expect(held()).toBe(parseUnits('240'));
});

test.each([0, 1])('rejecting order %i of an OCO cancels the other, and nothing stays held', (index) => {
  const legs = placeOco();
  exchange.trading.reject(legs[index]!, 0);
  expect(legs[index]?.status).toBe('Rejected');
  expect(legs[1 - index]?.status).toBe('Canceled');
  expect(held()).toBe(0n);
  place(SELLER, { side: 'sell', price: 115 });
  place(BUYER, { price: 115 });
  expect(held()).toBe(0n);
});

test('the first fill of an OCO sets free what was held for its dearer order', () => {
  const [first, second] = placeOco();
  place(SELLER, { side: 'sell', price: 90, amount: 1 });
  expect(second?.status).toBe('Canceled');
  expect(first?.remaining).toBe(1);
  expect(held()).toBe(parseUnits('90'));
});
