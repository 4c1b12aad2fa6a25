import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { OrderState } from '../../../src/execution/order-record.ts';
import type {
  HandlerResult,
  OwnOrderState,
  StrategyContext,
  StrategyDefinition,
} from '../../../src/strategy/definition.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { book, candles, isTradable, sma } from '../../../src/strategy/sdk.ts';
import { bookEvent, closedCandle, engineView, ownOrder } from './engine-view.ts';

/** The compiler refuses these when one side has a word that the other has not. */
const toEngine = (state: OwnOrderState): OrderState => state;
const fromEngine = (state: OrderState): OwnOrderState => state;

type Context = StrategyContext<unknown, unknown>;

/** A runner whose handler looks at what a test tells it to. */
function looking(look: (context: Context) => unknown): { readonly runner: StrategyRunner; readonly seen: unknown[] } {
  const seen: unknown[] = [];
  const definition: StrategyDefinition = {
    name: 'looking',
    params: z.strictObject({ size: z.number().default(3) }),
    subscribe: ({ market }) => [
      book(market),
      candles(market, '1h', { warmUp: 3 }),
      candles('ETHIRT', '5m', { warmUp: 1 }),
    ],
    indicators: () => ({ hourly: sma(2), other: sma(2, { market: 'ETHIRT' }) }),
    init: () => 'begun',
    onBook(context): HandlerResult<unknown> {
      seen.push(look(context));
      return {};
    },
  };
  return { runner: new StrategyRunner(definition, { market: 'BTCIRT', timeframe: '1h' }), seen };
}

describe('the context of a handler', () => {
  test('shows what the engine knows of the strategy’s own market', () => {
    const { runner, seen } = looking(
      ({ params, state, market, nowMs, position, free, equity, orders, book, stats }) => ({
        params,
        state,
        market,
        nowMs,
        position,
        free,
        equity,
        orders,
        book,
        stats,
      }),
    );
    const orders = [ownOrder('a', { tag: 'entry', state: 'unknown', ageMs: 40 })];
    runner.handle(
      bookEvent('1', '2'),
      engineView({ nowMs: 12, position: '0.5', free: { rls: '7' }, equity: '9', orders }),
    );
    expect(runner.failure).toBeNull();
    expect(seen).toEqual([
      {
        params: { size: 3 },
        state: 'begun',
        market: 'BTCIRT',
        nowMs: 12,
        position: '0.5',
        free: { rls: '7' },
        equity: '9',
        orders,
        book: null,
        stats: null,
      },
    ]);
  });

  test('asks the engine for nothing that the handler does not look at', () => {
    const asked: string[] = [];
    const { runner } = looking(({ nowMs, state }) => [nowMs, state]);
    runner.handle(bookEvent('1', '2'), engineView({}, asked));
    expect(asked).toEqual([]);
  });

  test('shows other markets by functions that may be taken out of it', () => {
    const asked: string[] = [];
    const { runner, seen } = looking(({ positionOf, equityOf, bookOf, statsOf, agesOf, ages }) => [
      positionOf('ETHIRT'),
      equityOf('ETHIRT'),
      bookOf('ETHIRT'),
      statsOf('ETHIRT'),
      agesOf('ETHIRT').candles,
      ages.book,
      ages.trades,
      ages.stats,
      ages.orders,
      ages.fills,
      ages.balances,
    ]);
    runner.handle(bookEvent('1', '2'), engineView({ position: '4' }, asked));
    expect(seen).toEqual([['4', null, null, null, 7, 7, 7, 7, null, null, null]]);
    expect(asked).toEqual([
      'position ETHIRT',
      'equity ETHIRT',
      'book ETHIRT',
      'stats ETHIRT',
      'age of candles ETHIRT',
      'age of book BTCIRT',
      'age of trades BTCIRT',
      'age of stats BTCIRT',
      'age of orders',
      'age of fills',
      'age of balances',
    ]);
  });

  test('shows the rules of its market and of others, and what is enough for an order by them', () => {
    const asked: string[] = [];
    const { runner, seen } = looking(({ rules, rulesOf }) => [
      rulesOf('ETHIRT')?.priceStep,
      isTradable(rules, '0.05', '100.01'),
      isTradable(rules, '0.05', '100'),
      isTradable(rules, '0.0000009', '100000000'),
    ]);
    runner.handle(bookEvent('1', '2'), engineView({}, asked));
    expect(seen).toEqual([['0.01', true, false, false]]);
    expect(asked).toEqual(['rules BTCIRT', 'rules ETHIRT']);
  });

  test('shows as many bars as the strategy asked for, and each indicator of its own candles', () => {
    const { runner, seen } = looking(({ history, historyOf, indicators }) => [
      history.map(({ close }) => close),
      historyOf('ETHIRT', '5m').map(({ close }) => close),
      historyOf('ETHIRT', '1h'),
      { ...indicators },
    ]);
    const bars = [10, 20, 30, 40].map((close, openTimeMs) => closedCandle(close, { openTimeMs }));
    for (const bar of bars) runner.warmUp(bar);
    for (const close of [7, 9]) {
      const candle = closedCandle(close, { market: 'ETHIRT', timeframe: '5m', openTimeMs: close });
      runner.handle({ kind: 'candle', candle }, engineView());
    }
    runner.handle(bookEvent('1', '2'), engineView());
    expect(seen).toEqual([[['20', '30', '40'], ['9'], [], { hourly: 35, other: 8 }]]);
  });

  test('knows the states of orders by the words that the engine has for them', () => {
    expect(fromEngine(toEngine('settling'))).toBe('settling');
  });
});
