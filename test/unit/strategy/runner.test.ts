import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { present } from '../../../src/domain/errors.ts';
import type { StrategyDefinition } from '../../../src/strategy/definition.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { buy, cancel, quotes } from '../../support/intents.ts';
import { Decimal, decimal, defineStrategy, sma, type StrategyContext } from '../../../src/strategy/sdk.ts';
import { candles } from '../../../src/strategy/subscriptions.ts';
import { issue } from '../../support/issue.ts';
import { LATE, usesOf } from '../../support/late-uses.ts';
import { closedCandle, engineView } from './engine-view.ts';
import { MARKET_NAMES } from '../../../src/exchange/market-names.ts';
import { runnerOn } from '../../support/runner-on.ts';
import { scenarios } from '../../support/scenarios.ts';

const MARKET = 'BTCIRT';
const SETUP = {
  marketNames: MARKET_NAMES,
  market: MARKET,
  timeframe: '1h',
  knownMarkets: new Set([MARKET, 'ETHIRT']),
} as const;
const BARS = { kind: 'candles', from: candles(MARKET, '1h') } as const;
const view = engineView();

const STATE = z.object({ seen: z.number().default(0), odd: z.any().default(null) });

/** Members of a context; an object is named by one of its own members. */
const MEMBERS = `
  params.size state setState nowMs data.bars data.price history.bars log orders indicators.average
  market base quote position inventory freeBase freeQuote equity rules isTradable locks ages.book
  exact.position plot markets.of buy sell oco target quotes twap vwap ladder peg dca iceberg bracket
  protect exit cancel cancelAll replace targets transfer
`
  .trim()
  .split(/\s+/);

type Context = StrategyContext<unknown, z.output<typeof STATE>>;

/** Makes the runner of a strategy that calls `handler`, as an author in JavaScript may. */
function runnerOf(handler: (ctx: Context) => unknown): StrategyRunner {
  const definition: StrategyDefinition = {
    name: 'sample',
    params: z.strictObject({}),
    state: STATE,
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: { bars: (ctx) => handler(ctx as Context) },
  };
  return new StrategyRunner(definition, SETUP);
}

/** Context functions without types, as an author in JavaScript may call them. */
type Untyped = Readonly<Record<string, (...given: readonly unknown[]) => void>>;
const untyped = (ctx: Context): Untyped => ctx as unknown as Untyped;

const candle = (close: string, openTimeMs: number) => closedCandle(close, { timeframe: '15m', openTimeMs });
const tell = (runner: StrategyRunner) =>
  runner.handle({ kind: 'candle', candle: closedCandle('12600000000') }, view);

const averaging = (params: Readonly<Record<string, unknown>> = {}, beforeWarm: 'wait' | 'call' = 'call') => {
  const values: unknown[] = [];
  const definition = defineStrategy({
    name: 'averaging',
    params: z.strictObject({ length: z.int().positive().default(3), share: decimal().prefault('0.1') }),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    indicators: ({ bars }, { params: { length } }) => ({ average: sma(bars, length) }),
    beforeWarm,
    on: { bars: ({ indicators, params: { share } }) => void values.push([indicators.average, share]) },
  });
  return {
    runner: runnerOn(definition, MARKET, '15m', { params }),
    values,
  };
};

/** Sends a bar whose market is the only member of a universe. */
function tellAsMember(runner: StrategyRunner): void {
  const members = [{ market: MARKET, rank: 1, sinceMs: 0 }];
  const universe = { rankBy: 'volume24h', members, kept: [], out: {}, rankedAtMs: 0 } as const;
  runner.follow('members', [MARKET]);
  runner.handle({ kind: 'candle', candle: closedCandle('1') }, engineView({ universe }));
}

describe('a strategy at work', () => {
  test('keeps what a handler changes of its state and hands it to the next', () => {
    const seen: unknown[] = [];
    const runner = runnerOf(({ state, setState }) => {
      seen.push(state.seen);
      setState({ seen: state.seen + 1 });
    });
    tell(runner);
    tell(runner);
    expect(seen).toEqual([0, 1]);
    expect(runner.stateJson()).toBe('{"seen":2,"odd":null}');
  });

  test('shows a changed state within the same call', () => {
    const seen: unknown[] = [];
    const runner = runnerOf((ctx) => {
      ctx.setState({ seen: 7 });
      seen.push(ctx.state.seen);
    });
    tell(runner);
    expect(seen).toEqual([7]);
  });

  test.each([
    [
      'another type',
      { seen: '5' },
      'ctx.setState: state.seen: Invalid input: expected number, received string',
    ],
    ['an unknown field', { sen: 5 }, 'ctx.setState: state.sen: expected a field of the schema, was another'],
    ['undefined', { seen: undefined }, 'ctx.setState: state.seen: expected a value, was undefined'],
    ['no fields', 5, 'ctx.setState: expected fields of the state'],
  ])('stops when its state is changed to %s', (_, change, message) => {
    const runner = runnerOf((ctx) => untyped(ctx)['setState']?.(change));
    expect(tell(runner)).toEqual([]);
    expect(runner.failure).toContain(message);
    expect(runner.stateJson()).toBe('{"seen":0,"odd":null}');
  });

  test.each([
    ['a number', 5, 'was 5'],
    ['intents', { intents: [] }, 'place orders with ctx.buy and the like'],
    ['what `position === 0 && buy(…)` is', false, 'was false: put its body in braces, and return nothing'],
    ['a promise', Promise.resolve({}), 'was a promise: leave out "async" and "await"'],
  ])('stops when a handler returns %s', (_, result, message) => {
    const runner = runnerOf(() => result);
    expect(tell(runner)).toEqual([]);
    expect(runner.failure).toContain(message);
  });

  test.each([
    [5, 'an indicator such as sma(bars, 20)'],
    [null, 'an indicator such as sma(bars, 20)'],
    [{ kind: 'ema', params: { length: 3 } }, 'declared candles as the first argument of ema, was undefined'],
    [sma(BARS, 0), 'length of sma to be a whole number from 1 to 499, was 0'],
    [sma(BARS, 1_000), 'length of sma to be a whole number from 1 to 499, was 1000'],
  ])('is not made with %j for an indicator', (spec, message) => {
    const definition: StrategyDefinition = {
      name: 'sample',
      params: z.strictObject({}),
      data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
      indicators: () => ({ odd: spec as ReturnType<typeof sma> }),
      on: {},
    };
    expect(() => new StrategyRunner(definition, SETUP)).toThrow(message);
  });

  test('hands out intents as they were meant', () => {
    const wanted = [
      buy(MARKET, { amount: '0.5', price: new Decimal('12600000000') }),
      cancel('sarraf-sample-1'),
      quotes(MARKET, [{ side: 'sell', price: '12700000000', amount: '0.1' }]),
    ];
    const runner = runnerOf((ctx) => issue(ctx, wanted));
    expect(tell(runner)).toEqual([{ ...wanted[0], price: '12600000000' }, ...wanted.slice(1)]);
    expect(runner.failure).toBeNull();
  });

  test('stops when a handler throws, and gets no further events', () => {
    let calls = 0;
    const runner = runnerOf(() => {
      calls += 1;
      throw new RangeError('divided by the moon');
    });
    expect(tell(runner)).toEqual([]);
    expect(tell(runner)).toEqual([]);
    expect(runner.failure).toBe('on.bars: divided by the moon');
    expect(calls).toBe(1);
  });

  test.each([
    ['NaN', { price: Number.NaN }, 'was NaN at "price"'],
    ['a Decimal', { price: new Decimal(1) }, 'was Decimal at "price"'],
    ['a Date', { at: new Date(0) }, 'was Date at "at"'],
    ['a Map', { levels: new Map() }, 'was Map at "levels"'],
    ['undefined', { deep: [{ last: undefined }] }, 'was undefined at "last"'],
    ['a bigint', { amount: 1n }, 'was bigint at "amount"'],
  ])('stops when its state holds %s', (_, state, message) => {
    const runner = runnerOf((ctx) => ctx.setState({ odd: state }));
    expect(tell(runner)).toEqual([]);
    expect(runner.failure).toContain(message);
  });

  test('keeps no intents of a call that throws after them', () => {
    const runner = runnerOf((ctx) => {
      ctx.buy({ amount: 1 });
      ctx.setState({ odd: { last: undefined } });
    });
    expect(tell(runner)).toEqual([]);
  });

  test.each([
    ['of one market', null],
    ['of a member of a universe', { quote: 'rls', rankBy: 'volume24h', take: 1, reserve: 0 } as const],
  ])('refuses every use of a context %s after the call, but for what is always the same', (_, universe) => {
    const kept: object[] = [];
    const definition: StrategyDefinition = {
      name: 'keeping',
      state: STATE,
      params: z.strictObject({ size: z.number().default(3) }),
      data: ({ market, timeframe }) => ({ bars: market.candles(timeframe), price: market.ticker() }),
      indicators: ({ bars }) => ({ average: sma(bars as typeof BARS, 2) }),
      beforeWarm: 'call',
      on: { bars: (ctx) => void kept.push({ ctx, own: ctx.markets.of(MARKET) }) },
    };
    const runner = new StrategyRunner(definition, { ...SETUP, universe });
    tellAsMember(runner);
    expect([runner.failure, kept.length]).toEqual([null, 1]);
    const said = usesOf(present(kept[0], 'what the handler kept'));
    expect(Object.keys(said)).toEqual(expect.arrayContaining(MEMBERS.map((name) => `ctx.${name}`)));
    const constant = new Set(['params.size', 'market', 'base', 'quote']);
    for (const [name, words] of Object.entries(said))
      expect([name, words]).toEqual([name, constant.has(name.replace(/^(ctx|own)\./, '')) ? 'shown' : LATE]);
  });

  test('refuses late looks at members of a universe, by what it kept of them', () => {
    const kept: object[] = [];
    const definition: StrategyDefinition = {
      name: 'keeping',
      params: z.strictObject({}),
      data: ({ universe, timeframe }) => {
        const members = universe({ quote: 'rls', rankBy: 'volume24h', take: 1 });
        return { members, bars: members.candles(timeframe, { history: 2 }) };
      },
      indicators: ({ bars }) => ({ average: sma(bars as typeof BARS, 2) }),
      beforeWarm: 'call',
      on: {
        bars: ({ data, history, indicators }) =>
          void kept.push({
            data,
            last: Reflect.get(data, 'bars'),
            past: Reflect.get(history, 'bars'),
            average: Reflect.get(Object(indicators), 'average'),
          }),
      },
    };
    const runner = new StrategyRunner(definition, SETUP);
    tellAsMember(runner);
    expect(runner.failure).toBeNull();
    expect(usesOf(present(kept[0], 'what the handler kept'))).toEqual({
      'data.members': LATE,
      'data.bars': LATE,
      'last.of': LATE,
      'past.of': LATE,
      'average.of': LATE,
    });
  });

  scenarios<(ctx: Untyped) => unknown>((message, want) => {
    const runner = runnerOf((ctx) => void want(untyped(ctx)));
    expect(tell(runner)).toEqual([]);
    expect(runner.failure).toContain(message);
  }, 'stops when it wants %s')`
    a text ${(ctx) => ctx['buy']?.('much')}: ctx.buy: expected an order such as { amount: 0.01 }, was "much"
    a number ${(ctx) => ctx['sell']?.(0.1)}: ctx.sell: expected an order such as { amount: 0.01 }, was 0.1
    nothing ${(ctx) => ctx['buy']?.()}: ctx.buy: expected an order such as { amount: 0.01 }, was undefined
    an order without a size ${(ctx) => ctx['buy']?.({})}: expected one of amount, value, equityShare, was none
    an amount of NaN ${(ctx) => ctx['buy']?.({ amount: Number.NaN })}
      ctx.buy.amount: expected a positive number
    a negative amount ${(ctx) => ctx['sell']?.({ amount: -1 })}: ctx.sell.amount: expected a positive number
    a price of nothing ${(ctx) => ctx['buy']?.({ amount: 1, price: 0 })}
      ctx.buy.price: expected a positive number
    a field of another tool ${(ctx) => ctx['buy']?.({ qty: 1 })}
      expireAfterMs, postOnly, was "qty": it is called amount here
    a change of what it was given ${(ctx) => Object.assign(Object(ctx['state']), { seen: 1 })}
      what a handler gets can not be changed, and ctx.setState changes the state
    no side ${(ctx) => ctx['oco']?.({ amount: 1 })}: ctx.oco.side: expected "buy" or "sell"
    a wrong quote ${(ctx) => ctx['quotes']?.([{ side: 'buy', price: '', amount: 1 }])}
      ctx.quotes.0.price: expected a positive number
    more intents than any sense ${(ctx) => Array.from({ length: 101 }, () => ctx['cancel']?.('x'))}
      expected at most 100 at once, were 101
  `;
});

describe('the setup of a strategy', () => {
  test('feeds indicators with the candles of the past and with each new one before its handler', () => {
    const { runner, values } = averaging();
    runner.warmUp(candle('10', 1));
    runner.handle({ kind: 'candle', candle: candle('20', 2) }, view);
    runner.handle({ kind: 'candle', candle: candle('60', 3) }, view);
    runner.handle({ kind: 'candle', candle: candle('40', 4) }, view);
    expect(values).toEqual([
      [null, '0.1'],
      [30, '0.1'],
      [40, '0.1'],
    ]);
  });

  test('waits with its handlers until each indicator has a value, where it says nothing else', () => {
    const { runner, values } = averaging({}, 'wait');
    for (const close of [10, 20, 60, 70])
      runner.handle({ kind: 'candle', candle: candle(String(close), close) }, view);
    expect(values).toEqual([
      [30, '0.1'],
      [50, '0.1'],
    ]);
  });

  test('subscribes with the timeframe of the run', () => {
    expect(averaging().runner.subscriptions).toEqual([candles(MARKET, '15m')]);
  });

  test('refuses parameters that the schema does not take, and names each', () => {
    expect(() => averaging({ length: -1, shares: 1 })).toThrow(
      expect.objectContaining({
        code: 'INVALID_STRATEGY',
        message: expect.stringMatching(/^parameters of averaging: .*length.*shares/s),
      }),
    );
  });

  test.each(['Capital', 'thirteen-long', 'under_score', '-a', ''])('refuses the name %j', (name) => {
    const definition = {
      ...(averaging().runner as unknown as { definition: StrategyDefinition }).definition,
      name,
    };
    expect(() => new StrategyRunner(definition, SETUP)).toThrow('expected a strategy name');
  });

  test('takes decimals as text or number and keeps every digit', () => {
    expect(decimal().parse('0.12345678901234567890')).toBe('0.1234567890123456789');
    expect(decimal().parse(0.5)).toBe('0.5');
    expect(() => decimal().parse('half')).toThrow('expected a decimal number');
  });
});
