import { gridOf, UTC_BARS } from '../../../src/domain/candle.ts';
import { Decimal as Shared } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { columnsOf } from '../../../src/domain/candle-columns.ts';
import type { MarketSymbol } from '../../../src/domain/market-symbol.ts';
import type { SeenMargin } from '../../../src/records/margin.ts';
import type { MarketStats } from '../../../src/domain/order-book.ts';
import { ColumnCandle } from '../../../src/strategy/column-candle.ts';
import type { StrategyDefinition } from '../../../src/strategy/definition.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { quotes } from '../../support/intents.ts';
import { bollinger, Decimal, defineStrategy, macd, sma, TIMEFRAMES } from '../../../src/strategy/sdk.ts';
import type { StrategyContext } from '../../../src/strategy/context.ts';
import type { EngineView, StrategyEvent } from '../../../src/strategy/strategy-event.ts';
import { vandalize } from '../../support/vandal.ts';
import { bookEvent, closedCandle, engineView, ownOrder, text, fill, rejectionOf } from './engine-view.ts';
import { emptyStats } from '../../support/recorded-rows.ts';
import { runnerOn } from '../../support/runner-on.ts';

const MARKET = 'BTCIRT';

const statistics: MarketStats = { ...emptyStats(MARKET), bestSell: text('3'), latest: text('5') };

const seenBook = {
  bids: [
    [text('2'), text('1')],
    [text('1'), text('4')],
  ] as const,
  asks: [
    [text('3'), text('1')],
    [text('4'), text('2')],
  ] as const,
  updatedAtMs: 5,
};

const seenPools: SeenMargin = {
  reading: {
    kind: 'pools',
    pools: [{ currency: 'btc', capacity: text('10'), filledCapacity: text('4'), availableBalance: null }],
  },
  seenAtMs: 9,
};

/** The view of the engine, which strategies must not be able to change. */
const view: EngineView = {
  ...engineView({
    nowMs: 9,
    position: '1',
    free: { rls: '7', btc: '1' },
    book: seenBook,
    stats: statistics,
    margin: seenPools,
  }),
  // The engine makes its list of orders anew for each reader.
  orders: () => [ownOrder('a', { tag: 'entry' }), ownOrder('b')],
};

const rejection = rejectionOf(quotes(MARKET, [{ side: 'buy', price: '1', amount: '2' }]));

/** A bar as backtests make them, on columns. */
const columnBar = new ColumnCandle(
  {
    columns: columnsOf({ market: 'BTCIRT' as MarketSymbol, timeframe: '1h' }, [closedCandle('5')]),
    timeframe: '1h',
    grid: gridOf('1h', UTC_BARS),
    seenAtMs: null,
  },
  0,
);

const EVENTS: readonly StrategyEvent[] = [
  { kind: 'start', isRestart: true },
  { kind: 'candle', candle: closedCandle('5', { openTimeMs: 100 }) },
  { kind: 'candle', candle: columnBar },
  { kind: 'book', market: MARKET, book: seenBook, seenAtMs: 9 },
  {
    kind: 'trades',
    market: MARKET,
    trades: [{ timeMs: 1, price: text('1'), amount: text('2'), side: 'buy' }],
    hasGap: false,
    seenAtMs: 9,
  },
  { kind: 'stats', stats: statistics, seenAtMs: 9 },
  { kind: 'margin', seen: seenPools },
  {
    kind: 'transfer',
    transfer: { id: 'i1', currency: 'usdt', amount: text('2'), from: 'spot', to: 'margin', status: 'done' },
  },
  { kind: 'timer', name: 'daily', dueMs: 7 },
  { kind: 'fill', fill },
  {
    kind: 'order',
    order: { clientOrderId: 'a', market: MARKET, status: 'Done', code: null, tag: null, exit: null },
  },
  { kind: 'reject', rejection },
  { kind: 'stop', reason: 'over' },
];

/** Makes a strategy with all kinds of data, where every handler calls `handle`. */
function strategyOf(handle: (context: object, what: object) => void): StrategyDefinition {
  return defineStrategy({
    name: 'arguments',
    params: z.strictObject({ sizes: z.array(z.number()).default([1, 2]), more: z.any().optional() }),
    state: z.strictObject({ list: z.array(z.any()).default([1, { deep: true }]) }),
    data: ({ market, margin, timer }) => ({
      bars: market.candles('1h', { history: 3 }),
      book: market.book(),
      price: market.ticker(),
      tape: market.trades(),
      day: market.stats(),
      pools: margin.pools(),
      daily: timer('@daily'),
    }),
    indicators: ({ bars }) => ({
      average: sma(bars, 2),
      bands: bollinger(bars, 2, 2),
      cross: macd(bars, { fast: 1, slow: 2, signal: 1 }),
    }),
    on: {
      start: handle,
      stop: handle,
      bars: handle,
      book: handle,
      tape: handle,
      day: handle,
      pools: handle,
      daily: handle,
      fill: handle,
      order: handle,
      transfer: handle,
      reject: handle,
    },
  });
}

const SHOWN = [
  'state',
  'params',
  'position',
  'equity',
  'freeQuote',
  'rules',
  'exact',
  'ages',
  'orders',
] as const;

/** Returns all that a strategy can see, as text. */
function everything(context: object, what: object): string {
  const parts = context as Record<string, object>;
  const seen = SHOWN.map((name) => [name, parts[name]]);
  const lasting = ['data', 'history', 'indicators'].map((name) => ({ ...parts[name] }));
  const other = (parts['markets'] as { of: (market: string) => { position: number } }).of('ETHIRT');
  return JSON.stringify([seen, lasting, other.position, what]);
}

describe('what a handler gets', () => {
  const given = { more: { nested: [1, 2, { three: 3 }] } };
  const runnerOf = (handle: (context: object, what: object) => void): StrategyRunner => {
    const runner = runnerOn(strategyOf(handle), MARKET, '1h', { params: given });
    for (const close of [1, 2, 3]) runner.warmUp(closedCandle(close, { openTimeMs: close }));
    return runner;
  };

  test.each(EVENTS)('can not be changed for anybody else, nor for the next call: %j', (event) => {
    const seen: string[] = [];
    const witness = runnerOf((context, what) => void seen.push(everything(context, what)));
    let isVandal = true;
    let paths: readonly string[] = [];
    const before = JSON.stringify([
      event,
      seenBook,
      statistics,
      seenPools,
      given,
      view.free(),
      view.rules(MARKET),
    ]);
    const vandal = runnerOf((context, what) => {
      if (isVandal) paths = vandalize(context).paths.concat(vandalize(what).paths);
      else seen.push(everything(context, what));
    });
    witness.handle(event, view);
    vandal.handle(event, view);
    const clean = runnerOf((context, what) => void seen.push(everything(context, what)));
    clean.handle(event, view);
    witness.handle(event, view);
    isVandal = false;
    vandal.clearFailure();
    vandal.handle(event, view);
    expect([vandal.failure, witness.failure, clean.failure]).toEqual([null, null, null]);
    expect(seen).toHaveLength(4);
    expect(new Set(seen).size).toBe(1);
    expect(
      JSON.stringify([event, seenBook, statistics, seenPools, given, view.free(), view.rules(MARKET)]),
    ).toBe(before);
    for (const path of [
      '.data.book.bids',
      '.data.price.exact',
      '.data.day.exact',
      '.markets.of',
      '.buy',
      '.exact',
      '.rules.exact',
      '.history.bars.0.exact',
      '.indicators.bands',
      '.params.more.nested.2',
      '.state.list.1',
      '.orders.0.exact',
      '.ages.[[Prototype]]',
      '.[[Prototype]]',
    ])
      expect(paths).toContain(path);
  });

  test('are settings of decimals of their own', () => {
    const before = new Shared('1').dividedBy(3).toString();
    Decimal.set({ precision: 2 });
    try {
      expect(new Decimal('1').dividedBy(3).toString()).toBe('0.33');
      expect(new Shared('1').dividedBy(3).toString()).toBe(before);
    } finally {
      Decimal.set({ precision: 20 });
    }
  });

  test('are lengths of candles that stay as they are', () => {
    expect(() => ((TIMEFRAMES as unknown as string[])[0] = '1d')).toThrow('read only');
  });
});

function runnerOfWishes(want: (ctx: StrategyContext) => void): StrategyRunner {
  return runnerOn(
    strategyOf((ctx) => want(ctx as StrategyContext)),
    MARKET,
    '1h',
  );
}

/** Returns the intents of a warm strategy; handlers of data wait until indicators have values. */
function wishesOf(want: (ctx: StrategyContext) => void): readonly Intent[] {
  const runner = runnerOfWishes(want);
  for (const close of [1, 2, 3]) runner.warmUp(closedCandle(close, { openTimeMs: close }));
  return runner.handle(bookEvent('1', '2'), view);
}

describe('what a strategy wished', () => {
  test('is taken as it was then, whatever becomes of it', () => {
    const price = new Decimal('12.50');
    const order = { amount: '1', price };
    const list = [{ side: 'sell' as const, price: '3', amount: new Decimal('0.10') }];
    const taken = wishesOf((ctx) => {
      ctx.buy(order);
      ctx.quotes(list);
      order.amount = '1000';
      list.reverse();
    });
    const was = JSON.stringify(taken);
    (price as unknown as { e: number }).e = 9;
    list[0] = { side: 'sell', price: '1', amount: new Decimal('1000') };
    expect(JSON.stringify(taken)).toBe(was);
    expect(taken).toEqual([
      { kind: 'place', market: MARKET, side: 'buy', amount: '1', price: '12.5' },
      { kind: 'quotes', market: MARKET, quotes: [{ side: 'sell', price: '3', amount: '0.1' }] },
    ]);
    for (const intent of taken) vandalize(intent);
    expect(JSON.stringify(taken)).toBe(was);
  });

  test('is checked as it is taken: a field that answers otherwise at each look is looked at once', () => {
    let looks = 0;
    const order = {
      get amount() {
        looks += 1;
        return looks === 1 ? '1' : '-5';
      },
    };
    expect(wishesOf((ctx) => ctx.buy(order))).toMatchObject([{ amount: '1' }]);
    expect(looks).toBe(1);
  });
});
