import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SarrafError } from '../../../src/domain/errors.ts';
import type { MarketStats } from '../../../src/domain/order-book.ts';
import type { StrategyDefinition } from '../../../src/strategy/definition.ts';
import { StrategyRunner, type RunnerSetup } from '../../../src/strategy/runner.ts';
import { buy } from '../../support/intents.ts';
import { atr, ema, sma, type StrategyContext } from '../../../src/strategy/sdk.ts';
import { candles } from '../../../src/strategy/subscriptions.ts';
import type { StrategyEvent } from '../../../src/strategy/strategy-event.ts';
import type { CandleData } from '../../../src/strategy/data/data.ts';
import { bookEvent, closedCandle, engineView, text, fill, rejectionOf } from './engine-view.ts';
import { emptyStats } from '../../support/recorded-rows.ts';
import { runnerOn } from '../../support/runner-on.ts';

const MARKET = 'BTCIRT';
const view = engineView();

const STATE = z.strictObject({ count: z.number().default(0) });

type Context = StrategyContext<unknown, z.output<typeof STATE>>;

/** A handler that counts its calls in the state. */
const counting = (ctx: StrategyContext): void => {
  const { state, setState } = ctx as Context;
  setState({ count: state.count + 1 });
};

function definitionOf(parts: Partial<StrategyDefinition> = {}): StrategyDefinition {
  return {
    name: 'sample',
    params: z.strictObject({}),
    state: STATE,
    data: ({ market }) => ({ book: market.book() }),
    on: {},
    ...parts,
  };
}

const runnerOf = (
  parts: Partial<StrategyDefinition> = {},
  setup: Partial<RunnerSetup> = {},
): StrategyRunner => runnerOn(definitionOf(parts), MARKET, '1h', { ...setup });

const look = (runner: StrategyRunner) => runner.handle(bookEvent('1', '2'), view);

const statistics: MarketStats = { ...emptyStats(MARKET), latest: text('5') };

const rejection = rejectionOf(buy(MARKET, { amount: '1' }));

const level = (price: number) => ({ price, amount: 1, exact: { price: String(price), amount: '1' } });

const EVENTS: readonly (readonly [event: StrategyEvent, handler: string, seen: object])[] = [
  [{ kind: 'start', isRestart: true }, 'start', { isRestart: true }],
  [{ kind: 'stop', reason: 'SIGTERM' }, 'stop', { reason: 'SIGTERM' }],
  [{ kind: 'candle', candle: closedCandle('5') }, 'bars', { market: MARKET, close: 5, missedBefore: 0 }],
  [bookEvent('1', '2'), 'book', { market: MARKET, bids: [level(1)], asks: [level(2)], updatedAtMs: 5 }],
  [bookEvent('1', '2', 'ETHIRT'), 'price', { market: 'ETHIRT', bid: 1, ask: 2, middle: 1.5, source: 'book' }],
  [
    { kind: 'trades', market: MARKET, trades: [], hasGap: true, seenAtMs: 9 },
    'tape',
    { market: MARKET, trades: [], hasGap: true, seenAtMs: 9 },
  ],
  [
    { kind: 'stats', stats: statistics, seenAtMs: 9 },
    'day',
    { market: MARKET, latest: 5, exact: { latest: '5' } },
  ],
  [{ kind: 'timer', name: 'daily', dueMs: 7 }, 'daily', { name: 'daily', dueMs: 7 }],
  [
    { kind: 'fill', fill },
    'fill',
    { clientOrderId: 'a', price: 1, fee: 0, exact: { fee: '0' }, tag: 'x', exit: null },
  ],
  [
    {
      kind: 'order',
      order: { clientOrderId: 'a', market: MARKET, status: 'Done', code: null, tag: null, exit: null },
    },
    'order',
    { clientOrderId: 'a', market: MARKET, status: 'Done', code: null, tag: null, exit: null },
  ],
  [{ kind: 'reject', rejection }, 'reject', rejection],
];

/** Declares all kinds of data. */
const everything: StrategyDefinition['data'] = ({ market, markets, timer }) => ({
  bars: market.candles('1h'),
  book: market.book(),
  price: markets.of('ETHIRT').ticker(),
  tape: market.trades(),
  day: market.stats(),
  daily: timer('@daily'),
});

const bar = (close: number, openTimeMs: number) => closedCandle(close, { openTimeMs });

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

afterEach(() => {
  process.off('unhandledRejection', onUnhandled);
});

const foreign: StrategyDefinition['data'] = ({ markets }) => ({ book: markets.of('FOOIRT').book() });

describe('a strategy', () => {
  test.each(EVENTS)('gets %j in its handler alone', (event, handler, seen) => {
    const received: unknown[] = [];
    const runner = runnerOf({
      data: everything,
      on: {
        [handler]: (ctx: StrategyContext, what: unknown) => {
          received.push(what);
          ctx.buy({ amount: 1 });
        },
      },
    });
    for (const [other] of EVENTS) if (other !== event) expect(runner.handle(other, view)).toEqual([]);
    expect(runner.wants(event.kind)).toBe(true);
    expect(received).toEqual([]);
    expect(runner.handle(event, view)).toEqual([buy(MARKET, { amount: '1' })]);
    expect(received).toMatchObject([seen]);
  });

  test('is called once in each handler of the same data, and shares one subscription', () => {
    const received: string[] = [];
    const runner = runnerOf({
      data: ({ market }) => ({
        book: market.book({ everyMs: 5_000, maxAgeMs: 20_000 }),
        price: market.ticker(),
      }),
      on: { price: () => void received.push('price'), book: () => void received.push('book') },
    });
    expect(runner.subscriptions).toEqual([
      { kind: 'book', market: MARKET, everyMs: 2_000, maxAgeMs: 20_000 },
    ]);
    look(runner);
    expect(received).toEqual(['price', 'book']);
    runner.handle(bookEvent('1', null), view);
    expect(received).toEqual(['price', 'book', 'book']);
  });

  test('gets each in a list of data in one handler', () => {
    const received: unknown[] = [];
    const runner = runnerOf({
      data: ({ markets }) => ({
        bars: ['BTCIRT', 'ETHIRT'].map((symbol) => markets.of(symbol).candles('1h')),
      }),
      on: { bars: ({ data }) => void received.push({ ...data }) },
    });
    for (const market of ['ETHIRT', 'BTCIRT'])
      runner.handle({ kind: 'candle', candle: closedCandle('5', { market }) }, view);
    const [bitcoin, ether] = [{ market: 'BTCIRT' }, { market: 'ETHIRT' }];
    expect(received).toMatchObject([{ bars: [null, ether] }, { bars: [bitcoin, ether] }]);
  });

  test.each([
    [
      { on: { bok: () => undefined } },
      'on.bok: expected a handler of declared data or of the strategy’s life (book,',
    ],
    [
      { data: () => ({ start: { kind: 'timer', from: { kind: 'timer', cron: '@daily' } } as const }) },
      'data.start',
    ],
    [{ data: () => ({ book: 5 }) as never }, 'data.book: expected data such as market.candles'],
    [{ data: () => null as never }, 'data: expected data by name'],
    [
      { state: z.strictObject({ count: z.number() }) },
      'state of sample: expected a default for each field; state.count',
    ],
    [
      { onBook: () => undefined } as never,
      'expected the parts of a strategy (name, params, state, migrate, data',
    ],
  ] satisfies readonly (readonly [Partial<StrategyDefinition>, string])[])(
    'is not made with %j',
    (parts, message) => {
      expect(() => runnerOf(parts)).toThrow(message.replace('’', "'"));
    },
  );

  test('runs twice under names of their own, each with its own state', () => {
    const parts: Partial<StrategyDefinition> = { on: { book: counting } };
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
    expect(() => runnerOf({ data: foreign }, { knownMarkets })).toThrow('data.book.market: ');
    const runner = runnerOf(
      { on: { book: ({ markets }) => markets.of('FOOIRT').buy({ amount: 1 }) } },
      { knownMarkets },
    );
    expect(look(runner)).toEqual([]);
    expect(runner.failure).toBe(
      'on.book: ctx.markets.of: expected one of the markets ETHIRT, BTCIRT, was "FOOIRT": declare data of a market, and the bot follows it',
    );
  });
});

describe('the state of a strategy', () => {
  const parts: Partial<StrategyDefinition> = {
    data: ({ market, timer }) => ({ book: market.book(), day: market.stats(), a: timer('@daily') }),
    on: {
      book: counting,
      a: ({ setState }) => setState({}),
      day: (ctx) => ctx.setState({ ...(ctx as Context).state }),
      start: () => undefined,
    },
  };

  test('is taken when it has changed, and only then', () => {
    const runner = runnerOf(parts);
    expect(runner.drainChangedState()).toBeNull();
    look(runner);
    expect([runner.drainChangedState(), runner.drainChangedState()]).toEqual(['{"count":1}', null]);
    runner.handle({ kind: 'timer', name: 'a', dueMs: 0 }, view);
    runner.handle({ kind: 'start', isRestart: false }, view);
    runner.handle({ kind: 'stats', stats: statistics, seenAtMs: 0 }, view);
    expect(runner.drainChangedState()).toBeNull();
    look(runner);
    look(runner);
    expect([runner.stateJson(), runner.drainChangedState()]).toEqual(['{"count":3}', '{"count":3}']);
  });

  test('goes on after a restart where it was', () => {
    const runner = runnerOf(parts);
    runner.restore('{"count":41}');
    expect([runner.stateJson(), runner.drainChangedState()]).toEqual(['{"count":41}', null]);
    look(runner);
    expect(runner.drainChangedState()).toBe('{"count":42}');
  });

  test.each(['', '{"count":', 'undefined'])('is not restored from %j', (json) => {
    const runner = runnerOf(parts);
    expect(() => runner.restore(json)).toThrow(
      expect.objectContaining({
        code: 'INVALID_STRATEGY',
        message: `expected the stored state of sample as JSON, was ${JSON.stringify(json)}`,
      }),
    );
    expect(runner.stateJson()).toBe('{"count":0}');
  });

  test.each([
    ['another type', '{"count":"5"}', 'state.count: Invalid input: expected number, received string'],
    ['a field that is gone', '{"count":5,"side":"long"}', 'Unrecognized key: "side"'],
    ['nothing of it', '7', 'state: Invalid input: expected object, received number'],
  ])('is refused at a restart when it has %s, and says how to go on', (_, json, why) => {
    const runner = runnerOf(parts);
    const said = `the stored state of sample does not fit its schema: `;
    expect(() => runner.restore(json)).toThrow(said);
    expect(() => runner.restore(json)).toThrow(why);
    expect(() => runner.restore(json)).toThrow(
      'return the state made of the stored one, or {} to begin anew',
    );
    expect(runner.stateJson()).toBe('{"count":0}');
  });

  test('is refused where a lenient schema would lose a part of it', () => {
    const runner = runnerOf({ state: z.object({ deep: z.object({ a: z.number() }).default({ a: 1 }) }) });
    expect(() => runner.restore('{"deep":{"a":2,"b":3}}')).toThrow(
      'state.deep.b: expected a field of the schema',
    );
  });

  test('of another shape is made anew by migrate, and stored', () => {
    const runner = runnerOf({ ...parts, migrate: (stored) => ({ count: Number(Object(stored).seen) }) });
    runner.restore('{"seen":41}');
    expect([runner.drainChangedState(), runner.drainChangedState()]).toEqual(['{"count":41}', null]);
    const anew = runnerOf({ ...parts, migrate: () => ({}) });
    anew.restore('{"seen":41}');
    expect(anew.drainChangedState()).toBe('{"count":0}');
    const wrong = runnerOf({ ...parts, migrate: () => ({ count: 'many' }) });
    expect(() => wrong.restore('{"seen":41}')).toThrow('state of sample after migrate: state.count');
  });

  test('that fits is not migrated', () => {
    const runner = runnerOf({ ...parts, migrate: () => ({ count: 0 }) });
    runner.restore('{"count":41}');
    expect(runner.stateJson()).toBe('{"count":41}');
  });

  test('can not be changed in place, since such a change would be lost', () => {
    const runner = runnerOf({
      on: {
        book(ctx) {
          (ctx.state as { count: number }).count += 1;
        },
      },
    });
    look(runner);
    expect(runner.failure).toMatch(/^on\.book: Cannot assign to read only property 'count'/);
    expect(runner.stateJson()).toBe('{"count":0}');
  });
});

describe('the indicators of a strategy', () => {
  const parts: Partial<StrategyDefinition> = {
    data: ({ market, markets }) => ({
      hours: market.candles('1h'),
      minutes: market.candles('5m', { history: 40 }),
      other: markets.of('ETHIRT').candles('1h'),
    }),
    indicators: ({ hours, minutes, other }) => ({
      slow: sma(hours as CandleData, 20),
      short: sma(minutes as CandleData, 3),
      long: ema(other as CandleData, 30),
    }),
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
      data: ({ market }) => ({ bars: market.candles('1h') }),
      indicators: ({ bars }) => ({ average: sma(bars as CandleData, 2), range: atr(bars as CandleData, 1) }),
      on: {
        bars({ indicators }) {
          if (isBroken) throw new Error('not now');
          values.push({ ...Object(indicators) });
        },
      },
    });
    runner.warmUp(bar(10, 1));
    runner.handle({ kind: 'candle', candle: bar(20, 2) }, view);
    expect(runner.failure).toBe('on.bars: not now');
    runner.handle({ kind: 'candle', candle: bar(40, 3) }, view);
    runner.handle({ kind: 'candle', candle: bar(40, 3) }, view);
    runner.handle({ kind: 'candle', candle: bar(90, 2) }, view);
    expect([values, runner.wants('candle')]).toEqual([[], true]);
    isBroken = false;
    runner.clearFailure();
    runner.handle({ kind: 'candle', candle: bar(60, 4) }, view);
    expect([values, runner.failure]).toEqual([[{ average: 50, range: 20 }], null]);
  });

  test('and bars are wanted for without a handler of candles', () => {
    expect(runnerOf(parts).wants('candle')).toBe(true);
    expect(runnerOf().wants('candle')).toBe(false);
  });

  test('are refused where the strategy does not declare their candles', () => {
    const foreign: CandleData = { kind: 'candles', from: candles('FOOIRT', '1h') };
    expect(() => runnerOf({ ...parts, indicators: () => ({ odd: sma(foreign, 3) }) })).toThrow(
      'indicators.odd: expected candles that data declares, was of candles FOOIRT 1h, which it does not',
    );
  });
});

describe('a handler that fails', () => {
  test.each([
    ['an error', new Error('no'), 'on.book: no'],
    ['a text', 'no', 'on.book: no'],
    ['nothing', undefined, 'on.book: undefined'],
    ['what can not be said', Object.create(null), 'on.book: threw something that can not be said'],
  ])('by throwing %s stops its strategy alone', (_, thrown, failure) => {
    const runner = runnerOf({
      on: {
        book() {
          throw thrown;
        },
      },
    });
    expect(look(runner)).toEqual([]);
    expect(runner.failure).toBe(failure);
  });

  test('in another thread of time ends nothing', async () => {
    process.on('unhandledRejection', onUnhandled);
    const runner = runnerOf({
      on: {
        book: async () => {
          await Promise.resolve();
          throw new Error('later');
        },
      },
    });
    expect(look(runner)).toEqual([]);
    expect(runner.failure).toContain('was a promise');
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  test('because an invariant of the engine broke hides nothing', () => {
    const runner = runnerOf({ on: { book: ({ position }) => void position } });
    const broken = {
      ...view,
      positionNumber: () => {
        throw new SarrafError('INVARIANT', 'the books do not balance');
      },
    };
    expect(() => runner.handle(bookEvent('1', '2'), broken)).toThrow('the books do not balance');
    expect(runner.failure).toBeNull();
  });

  test('because an event cannot be shown to it ends nothing else', () => {
    const runner = runnerOf({ data: everything, on: { tape: () => undefined } });
    const torn: unknown = { kind: 'trades', market: MARKET, trades: null, hasGap: false, seenAtMs: 9 };
    expect(runner.handle(torn as StrategyEvent, view)).toEqual([]);
    expect(runner.failure).toMatch(/^on\.tape: /);
  });

  test('leaves its state as it was before', () => {
    const runner = runnerOf({
      on: {
        book(ctx) {
          ctx.setState({ count: 5 });
          ctx.buy({ amount: -1 });
        },
      },
    });
    look(runner);
    expect([runner.failure, runner.stateJson()]).toEqual([
      'on.book: ctx.buy.amount: expected a positive number, decimal text or Decimal, was -1',
      '{"count":0}',
    ]);
  });
});

test('a parameter without a default has to be set', () => {
  const needs = { ...definitionOf(), params: z.strictObject({ length: z.number() }) };
  expect(() => runnerOn(needs, MARKET, '1h', { params: {} })).toThrow(
    'parameters of sample: length: expected a number, was none: set it, or give it a default in params',
  );
});

test('a strategy without a schema of parameters takes none', () => {
  const { params: _, ...plain } = definitionOf();
  const begin = (params: Record<string, unknown>): StrategyRunner =>
    runnerOn(plain, MARKET, '1h', { params });
  expect(begin({}).params).toEqual({});
  expect(() => begin({ amount: 1 })).toThrow(
    'parameters of sample: amount: expected the name of a parameter (it has none), was amount',
  );
});
