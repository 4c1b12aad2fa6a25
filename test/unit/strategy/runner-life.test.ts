import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { MarketStats } from '../../../src/domain/market-stats.ts';
import type { HandlerResult, StrategyDefinition } from '../../../src/strategy/definition.ts';
import { StrategyRunner, type RunnerSetup } from '../../../src/strategy/runner.ts';
import { atr, book, buy, candles, ema, sma } from '../../../src/strategy/sdk.ts';
import type { Rejection, StrategyEvent } from '../../../src/strategy/strategy-event.ts';
import { bookEvent, closedCandle, engineView, text } from './engine-view.ts';

const MARKET = 'BTCIRT';
const view = engineView();

function definitionOf(parts: Partial<StrategyDefinition> = {}): StrategyDefinition {
  return {
    name: 'sample',
    params: z.strictObject({}),
    subscribe: ({ market }) => [book(market)],
    init: () => ({ count: 0 }),
    ...parts,
  };
}

const runnerOf = (parts: Partial<StrategyDefinition> = {}, setup: Partial<RunnerSetup> = {}): StrategyRunner =>
  new StrategyRunner(definitionOf(parts), { market: MARKET, timeframe: '1h', ...setup });

const look = (runner: StrategyRunner) => runner.handle(bookEvent('1', '2'), view);

const statistics: MarketStats = {
  market: { symbol: MARKET, base: 'btc', quote: 'rls', pair: 'BTC-RLS', statsKey: 'btc-rls' } as MarketStats['market'],
  isClosed: false,
  closedReason: null,
  bestSell: null,
  bestBuy: null,
  volumeSrc: null,
  volumeDst: null,
  latest: text('5'),
  mark: null,
  dayLow: null,
  dayHigh: null,
  dayOpen: null,
  dayClose: null,
  dayChange: null,
};

const fill = {
  clientOrderId: 'a',
  market: MARKET,
  timeMs: 1,
  side: 'buy',
  price: text('1'),
  amount: text('1'),
  total: text('1'),
  fee: text('0'),
  tag: 'x',
} as const;

const rejection: Rejection = {
  intent: buy(MARKET, { amount: '1' }),
  clientOrderId: null,
  market: MARKET,
  side: 'buy',
  tag: null,
  code: 'fit',
  reason: 'too small',
};

const EVENTS: readonly (readonly [event: StrategyEvent, handler: keyof StrategyDefinition, seen: unknown])[] = [
  [{ kind: 'start', isRestart: true }, 'onStart', { isRestart: true }],
  [{ kind: 'stop', reason: 'SIGTERM' }, 'onStop', { reason: 'SIGTERM' }],
  [{ kind: 'candle', candle: closedCandle('5') }, 'onCandle', closedCandle('5')],
  [
    bookEvent('1', '2'),
    'onBook',
    { market: MARKET, bids: [['1', '1']], asks: [['2', '1']], updatedAtMs: 5, seenAtMs: 9 },
  ],
  [
    { kind: 'trades', market: MARKET, trades: [], hasGap: true, seenAtMs: 9 },
    'onTrades',
    { market: MARKET, trades: [], hasGap: true, seenAtMs: 9 },
  ],
  [{ kind: 'stats', stats: statistics, seenAtMs: 9 }, 'onStats', { ...statistics, seenAtMs: 9 }],
  [{ kind: 'timer', name: 'daily', dueMs: 7 }, 'onTimer', { name: 'daily', dueMs: 7 }],
  [{ kind: 'fill', fill }, 'onFill', fill],
  [
    { kind: 'order', order: { clientOrderId: 'a', market: MARKET, status: 'Done', code: null, tag: null } },
    'onOrder',
    { clientOrderId: 'a', market: MARKET, status: 'Done', code: null, tag: null },
  ],
  [{ kind: 'reject', rejection }, 'onReject', rejection],
];

const bar = (close: number, openTimeMs: number) => closedCandle(close, { openTimeMs });

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

afterEach(() => {
  process.off('unhandledRejection', onUnhandled);
});

describe('a strategy', () => {
  test.each(EVENTS)('is told of %j by its handler alone', (event, handler, seen) => {
    const told: unknown[] = [];
    const runner = runnerOf({
      [handler](_: unknown, what: unknown): HandlerResult<unknown> {
        told.push(what);
        return { intents: [buy(MARKET, { amount: '1' })] };
      },
    });
    for (const [other] of EVENTS) {
      expect(runner.wants(other.kind)).toBe(other === event);
      if (other !== event) expect(runner.handle(other, view)).toEqual([]);
    }
    expect(told).toEqual([]);
    expect(runner.handle(event, view)).toEqual([buy(MARKET, { amount: '1' })]);
    expect(told).toEqual([seen]);
  });

  test('runs twice under names of their own, each with its own state', () => {
    const parts: Partial<StrategyDefinition> = {
      onBook: ({ state }) => ({ state: { count: (state as { count: number }).count + 1 } }),
    };
    const [one, other] = [runnerOf(parts), runnerOf(parts, { name: 'sample-2' })];
    look(one);
    look(one);
    look(other);
    expect([one.name, one.stateJson(), other.name, other.stateJson()]).toEqual([
      'sample',
      '{"count":2}',
      'sample-2',
      '{"count":1}',
    ]);
    expect(() => runnerOf(parts, { name: 'Sample 2' })).toThrow('expected a strategy name');
  });

  test('is not made for a market, a subscription or an intent that there is not', () => {
    const knownMarkets = new Set(['ETHIRT', MARKET]);
    expect(() => runnerOf({}, { market: 'FOOIRT', knownMarkets })).toThrow(
      'of the markets ETHIRT, BTCIRT, was "FOOIRT"',
    );
    expect(() => runnerOf({ subscribe: () => [book('FOOIRT')] }, { knownMarkets })).toThrow('subscribe.0.market: ');
    const runner = runnerOf({ onBook: () => ({ intents: [buy('FOOIRT', { amount: '1' })] }) }, { knownMarkets });
    expect(look(runner)).toEqual([]);
    expect(runner.failure).toBe('onBook: intents.0.market: expected one of the markets ETHIRT, BTCIRT, was "FOOIRT"');
  });
});

describe('the state of a strategy', () => {
  const counting: Partial<StrategyDefinition> = {
    onBook: ({ state }) => ({ state: { count: (state as { count: number }).count + 1 } }),
    onTimer: ({ state }) => ({ state }),
    onStats: ({ state }) => ({ state: { ...(state as object) } }),
    onStart: () => ({}),
  };

  test('is taken when it has changed, and only then', () => {
    const runner = runnerOf(counting);
    expect(runner.takeChangedState()).toBeNull();
    look(runner);
    expect([runner.takeChangedState(), runner.takeChangedState()]).toEqual(['{"count":1}', null]);
    runner.handle({ kind: 'timer', name: 'a', dueMs: 0 }, view);
    runner.handle({ kind: 'start', isRestart: false }, view);
    runner.handle({ kind: 'stats', stats: statistics, seenAtMs: 0 }, view);
    expect(runner.takeChangedState()).toBeNull();
    look(runner);
    look(runner);
    expect([runner.stateJson(), runner.takeChangedState()]).toEqual(['{"count":3}', '{"count":3}']);
  });

  test('goes on after a restart where it was', () => {
    const runner = runnerOf(counting);
    runner.restore('{"count":41}');
    expect([runner.stateJson(), runner.takeChangedState()]).toEqual(['{"count":41}', null]);
    look(runner);
    expect(runner.takeChangedState()).toBe('{"count":42}');
  });

  test.each(['', '{"count":', 'undefined'])('is not restored from %j', (json) => {
    const runner = runnerOf(counting);
    expect(() => runner.restore(json)).toThrow(
      expect.objectContaining({
        code: 'INVALID_STRATEGY',
        message: `expected the stored state of sample as JSON, was ${JSON.stringify(json)}`,
      }),
    );
    expect(runner.stateJson()).toBe('{"count":0}');
  });

  test('can not be changed in place, since such a change would be lost', () => {
    const runner = runnerOf({
      onBook({ state }) {
        (state as { count: number }).count += 1;
        return { state };
      },
    });
    look(runner);
    expect(runner.failure).toMatch(/^onBook: Cannot assign to read only property 'count'/);
    expect(runner.stateJson()).toBe('{"count":0}');
  });
});

describe('the indicators of a strategy', () => {
  const parts: Partial<StrategyDefinition> = {
    subscribe: ({ market }) => [candles(market, '1h'), candles(market, '5m', { warmUp: 40 }), candles('ETHIRT', '1h')],
    indicators: () => ({ slow: sma(20), short: sma(3, { timeframe: '5m' }), long: ema(30, { market: 'ETHIRT' }) }),
  };

  test('ask for the bars that they need, or for more where the subscription does', () => {
    const runner = runnerOf(parts);
    const lengths = runner.subscriptions.map((wanted) =>
      wanted.kind === 'candles' ? runner.warmUpLength(wanted) : -1,
    );
    expect(lengths).toEqual([20, 40, 109]);
    expect(runner.warmUpLength(candles('FOOIRT', '1h'))).toBe(0);
  });

  test('are fed while the strategy stands still, and by each bar once', () => {
    const values: unknown[] = [];
    let isBroken = true;
    const runner = runnerOf({
      subscribe: ({ market }) => [candles(market, '1h')],
      indicators: () => ({ average: sma(2), range: atr(1) }),
      onCandle({ indicators }) {
        if (isBroken) throw new Error('not now');
        values.push({ ...indicators });
      },
    });
    runner.warmUp(bar(10, 1));
    runner.handle({ kind: 'candle', candle: bar(20, 2) }, view);
    expect(runner.failure).toBe('onCandle: not now');
    runner.handle({ kind: 'candle', candle: bar(40, 3) }, view);
    runner.handle({ kind: 'candle', candle: bar(40, 3) }, view);
    runner.handle({ kind: 'candle', candle: bar(90, 2) }, view);
    expect([values, runner.wants('candle')]).toEqual([[], true]);
    isBroken = false;
    runner.clearFailure();
    runner.handle({ kind: 'candle', candle: bar(60, 4) }, view);
    expect([values, runner.failure]).toEqual([[{ average: 50, range: 20 }], null]);
  });

  test('are wanted for without a handler of candles', () => {
    expect(runnerOf(parts).wants('candle')).toBe(true);
    expect(runnerOf({ subscribe: ({ market }) => [candles(market, '1h')] }).wants('candle')).toBe(false);
  });

  test.each([
    [sma(3, { timeframe: '15m' }), 'expected a subscription to candles 15m for the indicator odd'],
    [sma(3, { market: 'FOOIRT' }), 'expected a subscription to candles FOOIRT for the indicator odd'],
  ])('are refused where the strategy does not subscribe to the candles of %j', (spec, message) => {
    expect(() => runnerOf({ ...parts, indicators: () => ({ odd: spec }) })).toThrow(message);
  });
});

describe('a handler that fails', () => {
  test.each([
    ['an error', new Error('no'), 'onBook: no'],
    ['a text', 'no', 'onBook: no'],
    ['nothing', undefined, 'onBook: undefined'],
    ['what can not be said', Object.create(null), 'onBook: threw something that can not be said'],
  ])('by throwing %s stops its strategy alone', (_, thrown, failure) => {
    const runner = runnerOf({
      onBook() {
        throw thrown;
      },
    });
    expect(look(runner)).toEqual([]);
    expect(runner.failure).toBe(failure);
  });

  test('in another thread of time ends nothing', async () => {
    process.on('unhandledRejection', onUnhandled);
    const runner = runnerOf({
      onBook: (async () => {
        await Promise.resolve();
        throw new Error('later');
      }) as unknown as NonNullable<StrategyDefinition['onBook']>,
    });
    expect(look(runner)).toEqual([]);
    expect(runner.failure).toContain('was a promise');
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  test('because an invariant of the engine broke hides nothing', () => {
    const runner = runnerOf({ onBook: ({ position }) => ({ state: position }) });
    const broken = {
      ...view,
      position: () => {
        throw new SarrafError('INVARIANT', 'the books do not balance');
      },
    };
    expect(() => runner.handle(bookEvent('1', '2'), broken)).toThrow('the books do not balance');
    expect(runner.failure).toBeNull();
  });

  test('leaves its state as it was before', () => {
    const runner = runnerOf({ onBook: () => ({ state: { count: 5 }, intents: 'many' as never }) });
    look(runner);
    expect([runner.failure, runner.stateJson()]).toEqual([
      'onBook: intents: expected a list of intents, was "many"',
      '{"count":0}',
    ]);
  });
});
