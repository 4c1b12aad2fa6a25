import { expect, test, beforeEach } from 'vitest';
import type { PlaceOrder } from '../../../../src/simulator/requests.ts';
import { createBareExchange, fund, NO_FEES } from '../../../support/bare-exchange.ts';
import { Trader, type SimulatedOrder } from '../../../../src/simulator/market-state.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import type { SimulatedExchange } from '../../../../src/simulator/exchange.ts';

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

const MARKETS = [{ market: 'BTCUSDT', priceStep: '1', amountStep: '1', initialPrice: '100' }];

function createMarket() {
  const { exchange } = createBareExchange({ markets: MARKETS, trading: { ordersKept: 1 } });
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
  const sale = { side: 'sell', amount: 2_000_000, price: 320_000_000 } as const;
  exchange.trading.place(1, { ...ORDER, market: market.rules.symbol, ...sale }, 0);
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

test('orders that are New when their market closes wait until it opens, and trade at that time', () => {
  const { exchange } = createBareExchange({ markets: MARKETS, trading: { newForMs: 1_000 } });
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

test('a market buy whose money runs out never pays more than it has, where a total rounds up against the one before', () => {
  // A price step times an amount step is half a unit: one at 101 costs 50.5, cut to 50; three cost 151.5,
  // rounded to 152.
  const { exchange } = createBareExchange({
    markets: [
      { market: 'BTCUSDT', priceStep: '0.0000000005', amountStep: '0.1', initialPrice: '0.00000005' },
    ],
  });
  fund(exchange, 1, 'usdt', '0.0000000151');
  fund(exchange, 2, 'btc', '10');
  const sale = { ...ORDER, side: 'sell', price: 101 } as const;
  exchange.trading.place(2, sale, 0);
  exchange.trading.place(2, { ...sale, amount: 2 }, 0);
  const bought = exchange.trading.place(1, { ...ORDER, execution: 'market', amount: 3 }, 0);
  if (!bought.ok) throw new Error(`expected an accepted order, was ${bought.code}`);
  expect(bought.value[0]).toMatchObject({ status: 'Canceled', matched: 2, total: 101n, held: 0n });
  expect(exchange.accounts.find(1, 'usdt')).toMatchObject({ total: 50n, held: 0n });
  expect(exchange.accounts.imbalanceOf('usdt')).toBe(0n);
});

const BUYER = 1;
const SELLER = 2;
let exchange: SimulatedExchange;
beforeEach(() => {
  ({ exchange } = createBareExchange({ markets: MARKETS }));
  fund(exchange, BUYER, 'usdt', '1000');
  fund(exchange, SELLER, 'btc', '1000');
});

function place(userId: number, order: Partial<PlaceOrder>): readonly SimulatedOrder[] {
  const placed = exchange.trading.place(userId, { ...ORDER, amount: 2, price: 90, ...order }, 0);
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
