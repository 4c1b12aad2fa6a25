import { expect, test } from 'vitest';
import type { PlaceOrder } from '../../../../src/simulator/requests.ts';
import { createBareExchange, fund, NO_FEES } from '../../../support/bare-exchange.ts';
import { Trader } from '../../../../src/simulator/market-state.ts';

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

function createMarket() {
  const { exchange } = createBareExchange({
    markets: [{ market: 'BTCUSDT', priceStep: '1', amountStep: '1', initialPrice: '100' }],
    trading: { ordersKept: 1 },
  });
  fund(exchange, 1, 'usdt', '1000');
  fund(exchange, 1, 'btc', '1000');
  fund(exchange, 2, 'usdt', '1000');
  return exchange;
}

test('a closed order is found by its user after others have placed more than the exchange keeps for all', () => {
  const { trading } = createMarket();
  const first = trading.place(1, ORDER, 0);
  if (!first.ok) throw new Error('expected an accepted order');
  const [order] = first.value;
  trading.cancel(order!, 0);
  for (let count = 0; count < 3_000; count += 1) {
    const other = trading.place(2, ORDER, 0);
    if (other.ok) trading.cancel(other.value[0]!, 0);
  }
  expect(trading.find(1, { id: order!.id, clientOrderId: null })).toBe(order);
  expect(trading.find(2, { id: order!.id, clientOrderId: null })).toBeUndefined();
});

test('the duplicate check remembers a bounded number of orders, though time stands still', () => {
  const trader = new Trader({ userId: 1, fees: NO_FEES, historyKept: 1 });
  const window = { timeMs: 0, lengthMs: 10_000 };
  for (let count = 0; count <= 10_000; count += 1) trader.remember(String(count), window);
  expect(trader.isDuplicate('0', window)).toBe(false);
  expect(trader.isDuplicate('1', window)).toBe(true);
  expect(trader.isDuplicate('10000', window)).toBe(true);
});

test('steps so fine that a price or an amount would be no exact number are refused, and nothing changes', () => {
  const { exchange } = createBareExchange({
    markets: [{ market: 'BTCIRT', priceStep: '10', amountStep: '1', initialPrice: '3200000000' }],
  });
  fund(exchange, 1, 'btc', '2000000');
  const market = exchange.markets.get('BTCIRT' as PlaceOrder['market'])!;
  exchange.trading.place(
    1,
    { ...ORDER, market: market.rules.symbol, side: 'sell', amount: 2_000_000, price: 320_000_000 },
    0,
  );
  const { rules, grid } = market;
  expect(() => market.changeRules({ priceStep: '0.0000000001' })).toThrow(/at most 2\^53/);
  expect(() => market.changeRules({ amountStep: '0.0000000001' })).toThrow(/at most 2\^53/);
  expect(market.rules).toBe(rules);
  expect(market.grid).toBe(grid);
  expect(market.book.sells.best).toMatchObject({ price: 320_000_000, amount: 2_000_000 });
});

test('a stop-market order with a price better than its stop is BadPrice, as a stop-limit order is', () => {
  const { trading } = createMarket();
  const stop = { ...ORDER, side: 'sell', execution: 'stop_market', stopPrice: 95 } as const;
  expect(trading.place(1, { ...stop, price: 1_000_000 }, 0)).toMatchObject({ ok: false, code: 'BadPrice' });
  expect(trading.place(1, { ...stop, price: 94 }, 0).ok).toBe(true);
});
