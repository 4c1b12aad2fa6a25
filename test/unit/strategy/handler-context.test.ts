import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { OrderState } from '../../../src/records/order.ts';
import type { ShownLock, OwnOrderState } from '../../../src/strategy/strategy-event.ts';
import type { StrategyContext } from '../../../src/strategy/context.ts';
import type { BookData, CandleData, StatsData, TickerData } from '../../../src/strategy/data/data.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { defineStrategy, sma } from '../../../src/strategy/sdk.ts';
import { bookEvent, closedCandle, engineView, ownOrder, text } from './engine-view.ts';
import { runnerOn } from '../../support/runner-on.ts';

/** Functions that do not compile if one of the two types has a word that the other lacks. */
const toEngine = (state: OwnOrderState): OrderState => state;
const fromEngine = (state: OrderState): OwnOrderState => state;

type Looked = {
  readonly book: BookData;
  readonly hours: CandleData;
  readonly other: CandleData;
  readonly price: TickerData;
  readonly day: StatsData;
};
type Context = StrategyContext<unknown, unknown, Looked, object>;

/** Makes a strategy that calls `look` with each book. */
const looker = (look: (ctx: Context) => unknown, seen: unknown[]) =>
  defineStrategy({
    name: 'looking',
    params: z.strictObject({ size: z.number().default(3) }),
    state: z.strictObject({ begun: z.boolean().default(true) }),
    data: ({ market, markets, timer }) => ({
      book: market.book(),
      hours: market.candles('1h', { history: 3 }),
      other: markets.of('ETHIRT').candles('5m', { history: 1 }),
      price: market.ticker(),
      day: market.stats(),
      tape: market.trades(),
      noon: timer('0 12 * * *'),
    }),
    indicators: ({ hours, other }) => ({ hourly: sma(hours, 2), other: sma(other, 2) }),
    beforeWarm: 'call',
    on: { book: (ctx) => void seen.push(look(ctx)) },
  });

function looking(look: (ctx: Context) => unknown): {
  readonly runner: StrategyRunner;
  readonly seen: unknown[];
} {
  const seen: unknown[] = [];
  return {
    runner: runnerOn(looker(look, seen), 'BTCIRT', '1h'),
    seen,
  };
}

describe('the context of a handler', () => {
  test('shows what the engine knows of the strategy’s own market, as numbers and with every digit', () => {
    const { runner, seen } = looking((ctx) => {
      const { params, state, market, base, quote, nowMs, position, freeBase, freeQuote, equity, orders } =
        ctx;
      const { exact } = ctx;
      const texts = [exact.position, exact.freeBase, exact.freeQuote, exact.equity];
      return {
        params,
        state,
        market,
        base,
        quote,
        nowMs,
        position,
        freeBase,
        freeQuote,
        equity,
        orders,
        texts,
      };
    });
    const matched = { matchedAmount: text('0.3') };
    const orders = [ownOrder('a', { tag: 'entry', state: 'unknown', ageMs: 40, ...matched })];
    const position = '0.1234567890';
    runner.handle(
      bookEvent('1', '2'),
      engineView({ nowMs: 12, position, free: { rls: '7' }, equity: '9', orders }),
    );
    expect(runner.failure).toBeNull();
    expect(seen).toEqual([
      {
        params: { size: 3 },
        state: { begun: true },
        market: 'BTCIRT',
        base: 'btc',
        quote: 'rls',
        nowMs: 12,
        position: 0.123456789,
        freeBase: 0,
        freeQuote: 7,
        equity: 9,
        orders: [
          {
            ...orders[0],
            price: 100,
            amount: 1,
            matchedAmount: 0.3,
            remainingAmount: 0.7,
            exact: {
              price: '100',
              stopPrice: null,
              amount: '1',
              matchedAmount: '0.3',
              remainingAmount: '0.7',
            },
          },
        ],
        texts: ['0.123456789', '0', '7', '9'],
      },
    ]);
  });

  test('asks the engine for nothing that the handler does not look at', () => {
    const asked: string[] = [];
    const { runner } = looking(({ nowMs, state, markets, buy }) => [nowMs, state, markets.of('ETHIRT'), buy]);
    runner.handle(bookEvent('1', '2'), engineView({}, asked));
    expect(asked).toEqual([]);
  });

  test('shows other markets as the same objects', () => {
    const asked: string[] = [];
    const { runner, seen } = looking(({ markets, ages }) => {
      const { position, equity, ages: others, market } = markets.of('ETHIRT');
      const own = [ages.book, ages.trades, ages.stats, ages.orders, ages.fills, ages.balances];
      return [market, position, equity, others.candles, ...own];
    });
    runner.handle(bookEvent('1', '2'), engineView({ position: '4' }, asked));
    expect(seen).toEqual([['ETHIRT', 4, null, 7, 7, 7, 7, null, null, null]]);
    expect(asked).toEqual([
      'position ETHIRT',
      'equity ETHIRT',
      'age of book BTCIRT',
      'age of trades BTCIRT',
      'age of stats BTCIRT',
      'age of orders',
      'age of fills',
      'age of balances',
      'age of candles ETHIRT',
    ]);
  });

  test('shows the locks of its market and of others as they are', () => {
    const asked: string[] = [];
    const locks: readonly ShownLock[] = [
      {
        name: 'news',
        kind: 'hand',
        market: 'BTCIRT',
        strategy: null,
        reason: 'a speech',
        beganAtMs: 5,
        endsAtMs: 9,
        entries: 'keep',
      },
    ];
    const { runner, seen } = looking((ctx) => [ctx.locks, ctx.markets.of('ETHIRT').locks]);
    runner.handle(bookEvent('1', '2'), engineView({ locks }, asked));
    expect(seen).toEqual([[locks, locks]]);
    expect(asked).toEqual(['locks BTCIRT', 'locks ETHIRT']);
  });

  test('wants things of its own market and of others by the same functions', () => {
    const { runner } = looking(({ buy, markets, cancelAll }) => {
      buy({ value: 5 });
      markets.of('BTCIRT').sell({ amount: 1, price: 3 });
      markets.of('ETHIRT').target({ position: 0 });
      cancelAll();
    });
    expect(runner.handle(bookEvent('1', '2'), engineView())).toEqual([
      { kind: 'place', market: 'BTCIRT', side: 'buy', value: '5' },
      { kind: 'place', market: 'BTCIRT', side: 'sell', amount: '1', price: '3' },
      { kind: 'target', market: 'ETHIRT', position: '0' },
      { kind: 'cancel-all' },
    ]);
  });

  test('shows the rules of its market and of others, and what is enough for an order by them', () => {
    const asked: string[] = [];
    const { runner, seen } = looking(({ markets, isTradable }) => [
      markets.of('ETHIRT').rules.priceStep,
      isTradable(0.05, 100.01),
      isTradable(0.05, 100),
      isTradable(0.000_000_9, 100_000_000),
    ]);
    runner.handle(bookEvent('1', '2'), engineView({}, asked));
    expect(seen).toEqual([[0.01, true, false, false]]);
    expect(asked).toEqual(['rules ETHIRT', 'rules BTCIRT', 'rules BTCIRT', 'rules BTCIRT']);
  });

  test('shows as many bars as the strategy asked for, the last of each data, and each indicator of its own candles', () => {
    const { runner, seen } = looking(({ history, data, indicators }) => [
      Object.fromEntries(
        Object.entries(history).map(([name, bars]) => [name, bars.map(({ close }) => close)]),
      ),
      Object.keys(data),
      data.other,
      data.day,
      data.price,
      { ...indicators },
    ]);
    const bars = [10, 20, 30, 40].map((close, openTimeMs) => closedCandle(close, { openTimeMs }));
    for (const bar of bars) runner.warmUp(bar);
    for (const close of [7, 9]) {
      const candle = closedCandle(close, { market: 'ETHIRT', timeframe: '5m', openTimeMs: close });
      runner.handle({ kind: 'candle', candle }, engineView());
    }
    const event = bookEvent('1', '2');
    runner.handle(event, engineView({ book: event.kind === 'book' ? event.book : null }));
    expect(seen).toMatchObject([
      [
        { hours: [20, 30, 40], other: [9] },
        ['book', 'hours', 'other', 'price', 'day'],
        { close: 9, exact: { close: '9' } },
        null,
        { bid: 1, ask: 2, middle: 1.5 },
        { hourly: 35, other: 8 },
      ],
    ]);
  });

  test('knows the states of orders by the words that the engine has for them', () => {
    expect(fromEngine(toEngine('settling'))).toBe('settling');
  });
});
