import { expect, test } from 'vitest';
import { createBareExchange, fund } from '../../../support/bare-exchange.ts';
import type { PlaceOrder } from '../../../../src/simulator/requests.ts';

const ORDER: PlaceOrder = {
  market: 'BTCUSDT' as PlaceOrder['market'],
  side: 'sell',
  execution: 'limit',
  mode: 'default',
  amount: 1,
  price: 101,
  stopPrice: null,
  stopLimitPrice: null,
  clientOrderId: null,
  pro: true,
};

test('a market buy whose money runs out never pays more than it has, where a total rounds up against the one before', () => {
  // A step of price times a step of amount is half a unit: one at 101 costs 50.5, cut to 50; three cost
  // 151.5, rounded to 152.
  const { exchange } = createBareExchange({
    markets: [
      { market: 'BTCUSDT', priceStep: '0.0000000005', amountStep: '0.1', initialPrice: '0.00000005' },
    ],
  });
  fund(exchange, 1, 'usdt', '0.0000000151');
  fund(exchange, 2, 'btc', '10');
  exchange.trading.place(2, ORDER, 0);
  exchange.trading.place(2, { ...ORDER, amount: 2 }, 0);
  const bought = exchange.trading.place(
    1,
    { ...ORDER, side: 'buy', execution: 'market', amount: 3, price: 100 },
    0,
  );
  if (!bought.ok) throw new Error(`expected an accepted order, was ${bought.code}`);
  expect(bought.value[0]).toMatchObject({ status: 'Canceled', matched: 2, total: 101n, held: 0n });
  expect(exchange.accounts.find(1, 'usdt')).toMatchObject({ total: 50n, held: 0n });
  expect(exchange.accounts.imbalanceOf('usdt')).toBe(0n);
});
