import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../src/domain/money.ts';
import { createBareExchange, fund } from '../support/bare-exchange.ts';
import { runTable } from './trading-table.ts';
import { scenarios } from '../support/scenarios.ts';

describe('placement', () => {
  scenarios(runTable)`
    takes prices up to thirty percent from the last one
      a buy limit 1 @70 => Active
      a buy limit 1 @69.99 => BadPrice
      a sell limit 1 @130 => Active
      a sell limit 1 @130.01 => BadPrice

    refuses what it does not know or can not price
      a buy limit 1 @99 on NOPEIRT => InvalidMarketPair
      a buy limit 1 => InvalidOrderPrice
      a buy stop_limit 1 @106 => InvalidOrderPrice
      a sell stop_market 1 => InvalidOrderPrice
      a buy limit 0 @99 => ParseError

    refuses an identical order for ten seconds after an accepted one, whatever its client id
      at 1000
      a buy limit 1 @99 once id one => Active
      a buy limit 1 @99 once id two => DuplicateOrder
      a buy limit 1 @98 once => Active
      b buy limit 1 @99 once => Active
      a buy limit 1 @99 => Active
      at 10999
      a buy limit 1 @99 once => DuplicateOrder
      at 11000
      a buy limit 1 @99 once => Active

    lets an order be resent after a refusal
      fund a usdt 98
      a buy limit 1 @99 once => OverValueOrder
      fund a usdt 1
      a buy limit 1 @99 once => Active

    keeps client ids unique among the open orders of a user only
      a buy limit 1 @99 id x-1 => Active
      a buy limit 1 @98 id x-1 => DuplicateClientOrderId
      b buy limit 1 @98 id x-1 => Active
      cancel 1 => ok
      a buy limit 1 @98 id x-1 => Active

    refuses orders while the market is closed, and cancels are still taken
      a buy limit 1 @99 => Active
      close
      a buy limit 1 @98 => MarketClosed
      cancel 1 => ok
      open
      a buy limit 1 @98 => Active

    keeps an order New for as long as it is configured to ${{ newForMs: 500 }}
      at 0
      a sell limit 1 @99 => New
      book |
      wallet a btc 1000 held 1
      b buy limit 1 @99 => New
      at 500
      trades 1x2 1@99
      order 1 Done 1

    can reject an order after accepting it, in a word that nobody knows
      a buy limit 2 @99 => Active
      b sell limit 1 @99 => Done
      reject 1
      order 1 Rejected 1
      wallet a usdt 999901 held 0
      cancel 1 => no
  `;

  test('needs a value above the minimum, not at it', () => {
    const { exchange, markets } = createBareExchange({
      markets: [
        {
          market: 'BTCUSDT',
          priceStep: '0.01',
          amountStep: '0.001',
          minOrderValue: '11',
          initialPrice: '100',
        },
      ],
    });
    fund(exchange, 1, 'usdt', '1000');
    const request = {
      market: markets[0]!.symbol,
      side: 'buy',
      execution: 'limit',
      mode: 'default',
      price: 11_000,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: null,
      pro: true,
    } as const;
    expect(exchange.trading.place(1, { ...request, amount: 100 }, 0)).toMatchObject({
      ok: false,
      code: 'SmallOrder',
    });
    expect(exchange.trading.place(1, { ...request, amount: 101 }, 0)).toMatchObject({ ok: true });
  });

  test('makes no wallet for an order that it refuses', () => {
    const { exchange, markets } = createBareExchange({
      markets: [{ market: 'BTCUSDT', priceStep: '0.01', amountStep: '0.001', initialPrice: '100' }],
    });
    const order = {
      market: markets[0]!.symbol,
      side: 'sell',
      execution: 'limit',
      mode: 'default',
      amount: 1,
      price: 10_000,
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: null,
      pro: false,
    } as const;
    expect(exchange.trading.place(1, order, 0)).toMatchObject({ ok: false, code: 'OverValueOrder' });
    expect(exchange.accounts.walletsOf(1)).toEqual([]);
  });
});

/** Creates a market with these steps, a buyer (1) and a seller (2). */
function marketOfSteps(priceStep: string, amountStep: string) {
  const { exchange, markets } = createBareExchange({
    markets: [{ market: 'BTCUSDT', priceStep, amountStep, initialPrice: '100' }],
  });
  fund(exchange, 1, 'usdt', '1000');
  fund(exchange, 2, 'btc', '10');
  const { symbol } = markets[0]!;
  const state = exchange.markets.get(symbol)!;
  const base = {
    market: symbol,
    execution: 'limit',
    mode: 'default',
    stopPrice: null,
    stopLimitPrice: null,
    clientOrderId: null,
    pro: true,
  } as const;
  return { exchange, state, base };
}

describe('a change of steps while orders rest', () => {
  test('to finer ones keeps every price and amount', () => {
    const { exchange, state, base } = marketOfSteps('0.1', '0.01');
    exchange.trading.place(1, { ...base, side: 'buy', price: 995, amount: 200 }, 0);
    state.changeRules({ priceStep: '0.01', amountStep: '0.001' });
    const sell = exchange.trading.place(2, { ...base, side: 'sell', price: 9_949, amount: 1_500 }, 1);
    expect(sell).toMatchObject({ ok: true, value: [{ status: 'Done' }] });
    expect(exchange.accounts.find(1, 'btc')?.total).toBe(parseUnits('1.5'));
    expect(exchange.accounts.find(2, 'usdt')?.total).toBe(parseUnits('149.25'));
    expect(exchange.accounts.find(1, 'usdt')?.held).toBe(parseUnits('49.75'));
  });

  test('to coarser ones leaves resting orders between the new steps', () => {
    const { exchange, state, base } = marketOfSteps('0.01', '0.001');
    exchange.trading.place(1, { ...base, side: 'buy', price: 9_953, amount: 1_005 }, 0);
    state.changeRules({ priceStep: '0.5', amountStep: '0.1' });
    const sell = exchange.trading.place(2, { ...base, side: 'sell', price: 199, amount: 10 }, 1);
    expect(sell).toMatchObject({ ok: true, value: [{ status: 'Done' }] });
    expect(exchange.accounts.find(2, 'usdt')?.total).toBe(parseUnits('99.53'));
    expect(state.rules.version).toBe(2);
  });
});
