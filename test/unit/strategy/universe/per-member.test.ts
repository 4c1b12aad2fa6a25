import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, type StrategyDefinition } from '../../../../src/strategy/definition.ts';
import { sma } from '../../../../src/strategy/indicators/averages.ts';
import { StrategyRunner } from '../../../../src/strategy/runner.ts';
import type { StrategyEvent } from '../../../../src/strategy/strategy-event.ts';
import type { UniverseState } from '../../../../src/strategy/rank-markets.ts';
import { closedCandle, engineView, ownOrder, text } from '../engine-view.ts';
import { runnerOn } from '../../../support/runner-on.ts';

const HOUR_MS = 3_600_000;
const universe = { quote: 'rls', rankBy: 'volume24h', take: 2, reserve: 1 } as const;

const stateOf = (members: readonly string[], kept: readonly string[] = []): UniverseState => ({
  rankBy: 'volume24h',
  members: members.map((market, index) => ({ market, rank: index + 1, sinceMs: 0 })),
  kept,
  out: {},
  rankedAtMs: 0,
});

const TRANSFER = { currency: 'usdt', amount: 1, from: 'spot', to: 'margin' } as const;

const runnerOf = (strategy: StrategyDefinition): StrategyRunner =>
  runnerOn(strategy, 'BTCIRT', '1h', {
    knownMarkets: new Set(['BTCIRT', 'ETHIRT', 'XRPIRT', 'BTCUSDT']),
    universe,
  });

/** Makes a runner of a strategy in a universe, with functions that send it events. */
function world(strategy: StrategyDefinition) {
  const runner = runnerOf(strategy);
  let state = stateOf([]);
  let hour = 0;
  const tell = (event: StrategyEvent, orders = [ownOrder('e1', { market: 'ETHIRT' })]) => {
    const intents = runner.handle(event, engineView({ universe: state, orders, nowMs: 7 }));
    expect(runner.failure).toBeNull();
    return intents;
  };
  return {
    runner,
    tell,
    /** Sets the members and those kept; returns the intents that the strategy answers with. */
    are: (members: readonly string[], kept: readonly string[] = []) => {
      const before = state.members.map(({ market }) => market);
      state = stateOf(members, kept);
      return tell({
        kind: 'universe',
        name: 'members',
        entered: members.filter((market) => !before.includes(market)),
        left: before.filter((market) => !members.includes(market)),
        universe: state,
        follows: [...members, ...kept],
        past: [],
      });
    },
    bar: (market: string, close: number) =>
      tell({ kind: 'candle', candle: closedCandle(close, { market, openTimeMs: (hour += 1) * HOUR_MS }) }),
  };
}

/** Makes a strategy that records its events, and buys with each bar. */
function noting(seen: unknown[]) {
  return defineStrategy({
    name: 'noting',
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market, markets, timeframe, timer }) => ({
      bars: market.candles(timeframe, { history: 2 }),
      dollar: markets.of('BTCUSDT').candles('4h'),
      noon: timer('0 12 * * *'),
    }),
    indicators: ({ bars }) => ({ average: sma(bars, 2) }),
    on: {
      start: (ctx, { isRestart }) => void seen.push(`start ${ctx.market} ${isRestart}`),
      stop: (ctx) => void seen.push(`stop ${ctx.market}`),
      noon: (ctx) => void seen.push(`noon ${ctx.market} ${ctx.state.bars}`),
      dollar: (ctx, { close }) => void seen.push(`dollar ${ctx.market} ${close}`),
      bars(ctx, { close, market }) {
        ctx.setState({ bars: ctx.state.bars + 1 });
        const orders = ctx.orders.map(({ clientOrderId }) => clientOrderId).join();
        const { length } = ctx.history.bars;
        seen.push(
          `${market} ${ctx.market} ${ctx.base} ${close} ${ctx.indicators.average} ${ctx.data.bars?.close} ${length} ${orders}`,
        );
        ctx.buy({ amount: 1 });
      },
      fill: (ctx) => void seen.push(`fill ${ctx.market}`),
      reject: (ctx, { reason }) => void seen.push(`reject ${ctx.market} ${reason}`),
    },
  });
}

const rejected = (more: object): StrategyEvent => ({
  kind: 'reject',
  rejection: {
    intent: null,
    clientOrderId: null,
    market: null,
    side: null,
    tag: null,
    exit: null,
    code: 'unknown',
    reason: 'none',
    ...more,
  },
});

describe('a strategy that is declared per member', () => {
  test('sees the market of each event as its own, with its indicators, history and orders', () => {
    const seen: unknown[] = [];
    const { are, bar } = world(noting(seen));
    are(['BTCIRT', 'ETHIRT']);
    bar('BTCIRT', 10);
    expect(bar('ETHIRT', 1)).toEqual([]);
    const [bought] = bar('ETHIRT', 3);
    bar('BTCIRT', 20);
    expect(bought).toMatchObject({ kind: 'place', side: 'buy', market: 'ETHIRT' });
    expect(seen).toEqual([
      'start BTCIRT false',
      'start ETHIRT false',
      'ETHIRT ETHIRT eth 3 2 3 2 e1',
      'BTCIRT BTCIRT btc 20 15 20 2 ',
    ]);
  });

  test('is called for each member by timers, by data of another market, at a start and at a stop', () => {
    const seen: unknown[] = [];
    const { are, bar, tell } = world(noting(seen));
    tell({ kind: 'start', isRestart: false });
    are(['BTCIRT', 'ETHIRT']);
    for (const close of [1, 2]) for (const market of ['BTCIRT', 'ETHIRT']) bar(market, close);
    are(['ETHIRT'], ['BTCIRT']);
    seen.length = 0;
    tell({ kind: 'timer', name: 'noon', dueMs: 0 });
    tell({ kind: 'candle', candle: closedCandle(9, { market: 'BTCUSDT', timeframe: '4h' }) });
    tell({ kind: 'stop', reason: 'end' });
    expect(seen).toEqual([
      'noon ETHIRT 1',
      'noon BTCIRT 1',
      'dollar ETHIRT 9',
      'dollar BTCIRT 9',
      'stop ETHIRT',
      'stop BTCIRT',
    ]);
  });

  test('finds the state of a market that returns, after a restart too', () => {
    const seen: unknown[] = [];
    const { runner, are, bar } = world(noting(seen));
    are(['BTCIRT', 'ETHIRT']);
    for (const close of [1, 2, 3]) bar('BTCIRT', close);
    expect(JSON.parse(runner.stateJson())).toEqual({ BTCIRT: { bars: 2 } });
    are(['ETHIRT']);
    are(['ETHIRT', 'BTCIRT']);
    expect(seen.at(-1)).toBe('start BTCIRT true');
    const again = world(noting(seen));
    again.runner.restore(runner.stateJson());
    again.are(['BTCIRT']);
    for (const close of [1, 2]) again.bar('BTCIRT', close);
    expect(JSON.parse(again.runner.stateJson())).toEqual({ BTCIRT: { bars: 3 } });
  });

  test('takes no state of a run in one market for its own, nor the other way round', () => {
    const { runner } = world(noting([]));
    expect(() => runner.restore('{"bars":5}')).toThrow(
      /state\.bars: expected states by market, such as BTCIRT, was another name/,
    );
    expect(() => runner.restore('{"BTCIRT":{"bars":"many"}}')).toThrow(
      /state\.BTCIRT\.bars: .*expected number/,
    );
    const alone = runnerOn(noting([]), 'BTCIRT', '1h');
    expect(() => alone.restore('{"BTCIRT":{"bars":5}}')).toThrow(/does not fit its schema/);
  });

  test('migrates each market’s state by itself', () => {
    const strategy = { ...noting([]), migrate: (stored: unknown) => ({ bars: Object(stored).count }) };
    const { runner } = world(strategy);
    runner.restore('{"BTCIRT":{"count":5},"ETHIRT":{"bars":2}}');
    expect(JSON.parse(runner.stateJson())).toEqual({ BTCIRT: { bars: 5 }, ETHIRT: { bars: 2 } });
    expect(() => runner.restore('{"count":5}')).toThrow(/state of noting after migrate/);
  });

  test('is told of fills and refusals in their market, and of an unknown order where it was asked for', () => {
    const seen: unknown[] = [];
    const strategy = {
      ...noting(seen),
      on: {
        ...noting(seen).on,
        bars: (ctx: { cancel: (id: string) => void }) => ctx.cancel('gone'),
      },
    };
    const { are, bar, tell } = world(strategy);
    are(['BTCIRT', 'ETHIRT']);
    bar('ETHIRT', 1);
    bar('ETHIRT', 2);
    seen.length = 0;
    const intent = { kind: 'cancel', clientOrderId: 'gone' } as const;
    tell(rejected({ intent, reason: 'first' }));
    tell(rejected({ market: 'BTCIRT', reason: 'second' }));
    const fill = {
      clientOrderId: 'a',
      market: 'ETHIRT',
      timeMs: 1,
      side: 'buy',
      feeCurrency: null,
      tag: null,
      exit: null,
    } as const;
    const [price, amount, total, fee] = [text('1'), text('1'), text('1'), text('0')];
    tell({ kind: 'fill', fill: { ...fill, price, amount, total, fee } });
    // It is not known which market this intent was for.
    tell(rejected({ intent, reason: 'again' }));
    expect(seen).toEqual([
      'reject ETHIRT first',
      'reject BTCIRT second',
      'fill ETHIRT',
      'reject BTCIRT again',
      'reject ETHIRT again',
    ]);
  });

  test.for([
    [(ctx: Acting) => ctx.markets.of('ETHIRT'), 'ctx.markets.of: expected BTCIRT, was "ETHIRT"'],
    [(ctx: Acting) => ctx.cancelAll('ETHIRT'), 'ctx.cancelAll: expected BTCIRT, was "ETHIRT"'],
    [(ctx: Acting) => ctx.targets({ ETHIRT: 0.1 }), 'ctx.targets: expected BTCIRT, was "ETHIRT"'],
    [(ctx: Acting) => ctx.cancel('e1'), 'ctx.cancel: expected BTCIRT, was "ETHIRT"'],
    [(ctx: Acting) => ctx.transfer(TRANSFER), 'ctx.transfer: expected a strategy that moves money once'],
  ] as const)('does not reach into another market: %s', ([act, message]) => {
    const { runner, are } = world(acting(act));
    are(['BTCIRT', 'ETHIRT']);
    const view = engineView({
      universe: stateOf(['BTCIRT', 'ETHIRT']),
      orders: [ownOrder('e1', { market: 'ETHIRT' })],
    });
    runner.handle({ kind: 'candle', candle: closedCandle(1, { openTimeMs: HOUR_MS }) }, view);
    expect(runner.failure).toContain(message);
  });

  test('ends all orders of its own market, and logs which that is', () => {
    const { runner, are, bar } = world(
      acting((ctx) => {
        ctx.cancelAll();
        ctx.log('done', { close: 1 });
      }),
    );
    are(['ETHIRT']);
    expect(bar('ETHIRT', 1)).toEqual([{ kind: 'cancel-all', market: 'ETHIRT' }]);
    expect(runner.drainLog()).toEqual([{ text: 'done', fields: { market: 'ETHIRT', close: 1 } }]);
  });

  test('plans a trailing stop for each market that it may hold', () => {
    const strategy = { ...noting([]), trailing: { most: 2 } };
    expect(runnerOf(strategy).trailing).toEqual({ most: 6, everyMs: HOUR_MS });
  });

  test.for([
    ['stats', 'market.stats: expected a strategy that declares candles, book and ticker of its market'],
    ['trades', 'market.trades: expected a strategy that declares candles, book and ticker of its market'],
    ['symbol', 'market.symbol: expected a strategy'],
    ['list', 'data.some: expected data of one name each, was a list'],
    ['members', 'data.members: expected another name'],
    ['universe', 'universe(...): expected a strategy of one market'],
    ['stray', 'on.nothing: expected a handler of declared data'],
    ['state', 'expected a default for each field; state.count'],
  ] as const)('is refused where it can not be: %s', ([what, message]) => {
    const strategy = defineStrategy({
      name: 'refused',
      ...(what === 'state' ? { state: z.strictObject({ count: z.int() }) } : {}),
      data: ({ market, timeframe, universe: choose }) => {
        if (what === 'stats') return { some: market.stats() };
        if (what === 'trades') return { some: market.trades() };
        if (what === 'symbol') return { some: market.candles(market.symbol === 'BTCIRT' ? '1h' : '4h') };
        if (what === 'list') return { some: [market.candles('1h'), market.candles('4h')] };
        if (what === 'members') return { members: market.candles('1h') };
        if (what === 'universe') return { some: choose(universe) };
        return { some: market.candles(timeframe) };
      },
      on: {},
    });
    const written = what === 'stray' ? { ...strategy, on: { nothing: () => undefined } } : strategy;
    expect(() => runnerOf(written)).toThrow(message);
  });
});

interface Acting {
  readonly markets: { readonly of: (symbol: string) => unknown };
  readonly cancelAll: (market?: string) => void;
  readonly targets: (shares: Readonly<Record<string, number>>) => void;
  readonly cancel: (id: string) => void;
  readonly transfer: (wish: typeof TRANSFER) => void;
  readonly log: (text: string, fields: Readonly<Record<string, unknown>>) => void;
}

function acting(act: (ctx: Acting) => unknown): StrategyDefinition {
  return defineStrategy({
    name: 'acting',
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: { bars: (ctx) => void act(ctx) },
  });
}
