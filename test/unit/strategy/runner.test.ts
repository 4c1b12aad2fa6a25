import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { HandlerResult, StrategyDefinition } from '../../../src/strategy/definition.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { buy, cancel, candles, Decimal, decimal, defineStrategy, quotes, sma } from '../../../src/strategy/sdk.ts';
import { closedCandle, engineView } from './engine-view.ts';

const MARKET = 'BTCIRT';
const view = engineView();

/** A runner of a strategy that returns what it is told to, as an author in JavaScript may. */
function runnerOf(
  handler: (context: { readonly state: unknown }) => unknown,
  init: unknown = { seen: 0 },
): StrategyRunner {
  const definition: StrategyDefinition = {
    name: 'sample',
    params: z.strictObject({}),
    subscribe: ({ market, timeframe }) => [candles(market, timeframe)],
    init: () => init,
    onCandle: (context) => handler(context) as HandlerResult<unknown>,
  };
  return new StrategyRunner(definition, { market: MARKET, timeframe: '1h' });
}

const candle = (close: string, openTimeMs: number) => closedCandle(close, { timeframe: '15m', openTimeMs });
const tell = (runner: StrategyRunner) => runner.handle({ kind: 'candle', candle: closedCandle('12600000000') }, view);

const averaging = (params: Readonly<Record<string, unknown>> = {}) => {
  const values: unknown[] = [];
  const definition = defineStrategy({
    name: 'averaging',
    params: z.strictObject({ length: z.int().positive().default(3), share: decimal().prefault('0.1') }),
    subscribe: ({ market, timeframe }) => [candles(market, timeframe)],
    indicators: ({ params: { length } }) => ({ average: sma(length) }),
    init: () => null,
    onCandle({ indicators, params: { share } }) {
      values.push([indicators['average'], share]);
      return {};
    },
  });
  return { runner: new StrategyRunner(definition, { market: MARKET, timeframe: '15m', params }), values };
};

describe('a strategy at work', () => {
  test('keeps the state that a handler returns and hands it to the next', () => {
    const seen: unknown[] = [];
    const runner = runnerOf(({ state }) => {
      seen.push(state);
      return { state: { seen: (state as { seen: number }).seen + 1 } };
    });
    tell(runner);
    tell(runner);
    expect(seen).toEqual([{ seen: 0 }, { seen: 1 }]);
  });

  test.each([
    ['a number', 5, 'was 5'],
    ['a list', [buy(MARKET, { amount: '1' })], 'expected { state, intents }'],
    ['a promise', Promise.resolve({}), 'was a promise'],
  ])('stops when a handler returns %s', (_, result, message) => {
    const runner = runnerOf(() => result);
    expect(tell(runner)).toEqual([]);
    expect(runner.failure).toContain(message);
  });

  test.each([
    [5, 'an indicator such as sma(20)'],
    [null, 'an indicator such as sma(20)'],
    [{ kind: 'ema', params: { length: 3 } }, 'an indicator such as sma(20)'],
    [sma(0), 'length of sma to be a whole number from 1 to 499, was 0'],
    [sma(1_000), 'length of sma to be a whole number from 1 to 499, was 1000'],
  ])('is not made with %j for an indicator', (spec, message) => {
    const definition: StrategyDefinition = {
      name: 'sample',
      params: z.strictObject({}),
      subscribe: ({ market, timeframe }) => [candles(market, timeframe)],
      indicators: () => ({ odd: spec as ReturnType<typeof sma> }),
      init: () => null,
    };
    expect(() => new StrategyRunner(definition, { market: MARKET, timeframe: '1h' })).toThrow(message);
  });

  test('leaves the state as it is when a handler returns none', () => {
    const seen: unknown[] = [];
    const runner = runnerOf(({ state }) => {
      seen.push(state);
      return undefined;
    });
    tell(runner);
    tell(runner);
    expect(seen).toEqual([{ seen: 0 }, { seen: 0 }]);
  });

  test('hands out intents as they were meant', () => {
    const wanted = [
      buy(MARKET, { amount: '0.5', price: new Decimal('12600000000') }),
      cancel('sarraf-sample-1'),
      quotes(MARKET, [{ side: 'sell', price: '12700000000', amount: '0.1' }]),
    ];
    const runner = runnerOf(() => ({ intents: wanted }));
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
    expect(runner.failure).toBe('onCandle: divided by the moon');
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
    const runner = runnerOf(() => ({ state }));
    expect(tell(runner)).toEqual([]);
    expect(runner.failure).toContain(message);
  });

  test('keeps no intents of an answer whose state is no JSON', () => {
    const runner = runnerOf(() => ({ state: { last: undefined }, intents: [buy(MARKET, { amount: '1' })] }));
    expect(tell(runner)).toEqual([]);
  });

  test.each([
    ['a text', 'buy', 'intents: '],
    ['a list of texts', ['buy', 'sell'], 'intents.0: '],
    ['an unknown kind', [{ kind: 'pray', market: MARKET }], 'intents.0'],
    ['an amount that is no number', [buy(MARKET, { amount: 'NaN' })], 'intents.0.amount: expected a positive decimal'],
    ['a negative amount', [buy(MARKET, { amount: '-1' })], 'intents.0.amount: expected a positive decimal'],
    ['an amount as a float', [{ ...buy(MARKET, { amount: '1' }), amount: 1.5 }], 'intents.0.amount'],
    ['a price of nothing', [buy(MARKET, { amount: '1', price: '0' })], 'intents.0.price: expected a positive decimal'],
    ['no side', [{ kind: 'place', market: MARKET, amount: '1' }], 'intents.0.side'],
    ['a wrong quote', [quotes(MARKET, [{ side: 'buy', price: '', amount: '1' }])], 'intents.0.quotes.0.price'],
    ['more intents than any sense', Array.from({ length: 101 }, () => cancel('x')), 'intents: '],
  ])('stops when it returns %s as intents', (_, intents, message) => {
    const runner = runnerOf(() => ({ intents }));
    expect(tell(runner)).toEqual([]);
    expect(runner.failure).toContain(message);
  });
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
    const definition = { ...(averaging().runner as unknown as { definition: StrategyDefinition }).definition, name };
    expect(() => new StrategyRunner(definition, { market: MARKET, timeframe: '1h' })).toThrow(
      'expected a strategy name',
    );
  });

  test('takes decimals as text or number and keeps every digit', () => {
    expect(decimal().parse('0.12345678901234567890')).toBe('0.1234567890123456789');
    expect(decimal().parse(0.5)).toBe('0.5');
    expect(() => decimal().parse('half')).toThrow('expected a decimal number');
  });
});
