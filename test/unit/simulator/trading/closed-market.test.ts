import { expect, test } from 'vitest';
import type { PlaceOrder } from '../../../../src/simulator/requests.ts';
import { createBareExchange, fund } from '../../../support/bare-exchange.ts';

const ORDER: PlaceOrder = {
  market: 'BTCUSDT' as PlaceOrder['market'],
  side: 'buy',
  execution: 'limit',
  mode: 'default',
  amount: 1,
  price: 100,
  stopPrice: null,
  stopLimitPrice: null,
  clientOrderId: null,
  pro: true,
};

test('orders that are New when their market closes wait until it opens, and trade at that time', () => {
  const { exchange } = createBareExchange({
    markets: [{ market: 'BTCUSDT', priceStep: '1', amountStep: '1', initialPrice: '100' }],
    trading: { newForMs: 1_000 },
  });
  fund(exchange, 1, 'usdt', '1000');
  fund(exchange, 2, 'btc', '1000');
  exchange.trading.place(2, { ...ORDER, side: 'sell' }, 0);
  const bought = exchange.trading.place(1, ORDER, 500);
  if (!bought.ok) throw new Error(`expected an accepted order, was ${bought.code}`);
  const market = exchange.markets.get(ORDER.market)!;
  market.isClosed = true;
  exchange.trading.advance(5_000);
  expect(bought.value[0]).toMatchObject({ status: 'New', matched: 0 });
  expect(exchange.trading.activate(bought.value[0]!, 5_000)).toBe(false);
  market.isClosed = false;
  exchange.trading.advance(6_000);
  expect(bought.value[0]).toMatchObject({ status: 'Done', matched: 1 });
  expect(market.tape.at(-1)?.timeMs).toBe(5_000);
});
