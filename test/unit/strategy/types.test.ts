import { expect, test } from 'vitest';
import { z } from 'zod';
import { bollinger, defineRules, defineStrategy, sma } from '#sdk';

/** Tests of types: each line marked as an error must be one, or the type check fails. */
const base = { name: 'typed', params: z.strictObject({ length: z.int().default(3) }) };

export const refused = [
  defineStrategy({
    name: 'typed',
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars(ctx, { close }) {
        // @ts-expect-error a parameter, where there are none
        ctx.buy({ amount: ctx.params.amount, price: close });
      },
    },
  }),
  defineStrategy({
    ...base,
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      // @ts-expect-error a handler without data
      book: () => undefined,
    },
  }),
  defineStrategy({
    ...base,
    // @ts-expect-error a name of the strategy's own life
    data: ({ timer }) => ({ fill: timer('@daily') }),
    on: {},
  }),
  defineStrategy({
    ...base,
    data: ({ market, params }) => ({
      // @ts-expect-error a parameter that there is none of
      bars: market.candles('1h', { history: params.size }),
      // @ts-expect-error a timeframe that there is none of
      odd: market.candles('7m'),
    }),
    on: {},
  }),
  defineStrategy({
    ...base,
    state: z.strictObject({ side: z.enum(['flat', 'long']).default('flat') }),
    data: ({ market }) => ({ bars: market.candles('1h'), book: market.book() }),
    indicators: ({ bars }) => ({
      average: sma(bars, 20),
    }),
    on: {
      bars(ctx, bar) {
        const average: number = ctx.indicators.average;
        // @ts-expect-error an indicator that was not declared
        void ctx.indicators.slow;
        // @ts-expect-error a value that the state can not have
        ctx.setState({ side: 'short' });
        // @ts-expect-error a field that the state has not
        ctx.setState({ sides: 'long' });
        // @ts-expect-error a misspelt field of an order
        ctx.buy({ amount: 1, prize: bar.close });
        // @ts-expect-error two sizes
        ctx.buy({ amount: 1, value: average });
        // @ts-expect-error no size
        ctx.sell({ price: 5 });
        // @ts-expect-error data without a history
        void ctx.history.book;
        // @ts-expect-error a field that a bar has not
        void bar.price;
        const endsAtMs: number | undefined = ctx.locks[0]?.endsAtMs;
        // @ts-expect-error locks are made by rules and by hand, not by a strategy
        ctx.locks.push({ ...ctx.locks[0], endsAtMs: endsAtMs ?? 0 });
        // @ts-expect-error a kind that there is none of
        void ctx.locks.some(({ kind }) => kind === 'cool-down');
      },
      start(ctx) {
        // @ts-expect-error an indicator may have no value yet when the strategy starts
        const average: number = ctx.indicators.average;
        ctx.log(String(average));
      },
    },
  }),
  defineStrategy({
    ...base,
    data: ({ market }) => ({ bars: market.candles('1h') }),
    indicators: ({ bars }) => ({ average: sma(bars, 20) }),
    beforeWarm: 'call',
    on: {
      bars(ctx) {
        // @ts-expect-error called before it is warm, the value may be null
        const average: number = ctx.indicators.average;
        ctx.log(String(average));
      },
    },
  }),
  defineStrategy({
    ...base,
    data: ({ market }) => ({ book: market.book() }),
    on: {
      // @ts-expect-error a handler that waits
      async book() {
        await Promise.resolve();
      },
    },
  }),
  defineStrategy({
    ...base,
    data: ({ market }) => ({ book: market.book() }),
    indicators: ({ book }) => ({
      // @ts-expect-error an indicator of a book
      odd: sma(book, 20),
    }),
    on: {},
  }),
  defineStrategy({
    ...base,
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {},
    // @ts-expect-error a part that a strategy has not
    onCandle: () => undefined,
  }),
  defineRules({
    ...base,
    data: ({ market }) => ({ hours: market.candles('1h'), days: market.candles('1d') }),
    indicators: ({ hours, days }, { params }) => ({
      band: bollinger(hours),
      trend: sma(days, params.length),
    }),
    // @ts-expect-error a series that there is none of
    enter: ({ bandd }) => bandd.isAbove(1),
    // @ts-expect-error a parameter that there is none of
    exit: ({ trend }, { params }) => trend.isAbove(params.lenght),
    size: { equityShare: 0.1 },
  }),
  defineRules({
    ...base,
    data: ({ market }) => ({ hours: market.candles('1h') }),
    indicators: ({ hours }) => ({ band: bollinger(hours) }),
    // @ts-expect-error an indicator of several values is no series itself
    enter: ({ band }) => band.isAbove(1),
    // @ts-expect-error the position, which is known to exit only
    size: ({ hours }, { position }) => ({ amount: position.barsHeld.times(hours.close) }),
  }),
];

test('what the compiler refuses is made of strategies', () => {
  expect(refused.every(({ name }) => name === 'typed')).toBe(true);
});
