import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, sma } from '#sdk';
import { runOnBooks, runStrategy, type ScriptedSignal } from '#testing';

/** Buys and sells as its signals say, and logs each signal with its time. */
const follow = defineStrategy({
  name: 'follow',
  state: z.strictObject({ told: z.array(z.string()).default([]) }),
  data: ({ market, signal }) => ({
    price: market.ticker(),
    alert: signal(z.strictObject({ side: z.enum(['buy', 'sell']) })),
  }),
  on: {
    price: (ctx) => ctx.log('price'),
    alert(ctx, { id, payload: { side }, seenAtMs, source }) {
      ctx.log(side, {
        hour: new Date(seenAtMs).getUTCHours(),
        price: ctx.data.price?.middle ?? null,
        source,
      });
      ctx.setState({ told: [...ctx.state.told, id] });
      if (side === 'buy') ctx.buy({ amount: 1 });
      else ctx.sell({ amount: 1 });
    },
  },
});

const bars = [100, 101, 102, 103, 104];
const say = (after: number, side: string, more: Partial<ScriptedSignal> = {}): ScriptedSignal => ({
  after,
  payload: { side },
  ...more,
});

describe('a signal of a run on bars', () => {
  test('is told after the bars of its moment, and its order fills at the next open', () => {
    const { log, fills, state } = runStrategy(follow, { bars, signals: [say(2, 'buy'), say(4, 'sell')] });
    expect(log).toEqual(['price', 'price', 'buy', 'price', 'price', 'sell', 'price']);
    expect(fills.map(({ side, price }) => [side, price])).toEqual([
      ['buy', 101],
      ['sell', 103],
    ]);
    expect(state).toEqual({ told: ['signal-0', 'signal-1'] });
  });

  test('is told once for its id, and what does not fit is refused with its reason', () => {
    const { state, refusals } = runStrategy(follow, {
      bars,
      signals: [
        say(1, 'buy', { id: 'a' }),
        say(2, 'buy', { id: 'a' }),
        say(3, 'hold'),
        say(3, 'buy', { payload: { side: 'buy', price: 1 }, name: 'alert' }),
      ],
    });
    expect(state).toEqual({ told: ['a'] });
    expect(refusals).toEqual(['invalid: alert: payload.side: Invalid option: expected one of "buy"|"sell"']);
  });

  test('is told alike in a bot that is killed on the way, as often and with the same orders', () => {
    const signals = [say(1, 'buy'), say(2, 'buy', { id: 'b' }), say(3, 'sell'), say(3, 'buy', { id: 'b' })];
    const whole = runStrategy(follow, { bars, signals });
    expect(whole.fills).toHaveLength(3);
    for (const restartAfter of [[1], [2], [3], [1, 2, 3, 4]]) {
      const { orders, fills, state } = runStrategy(follow, { bars, signals, restartAfter });
      expect({ orders, fills, state }).toEqual({
        orders: whole.orders,
        fills: whole.fills,
        state: whole.state,
      });
    }
  });

  test('is dropped before indicators have a value', () => {
    const warm = defineStrategy({
      name: 'warm',
      data: ({ market, timeframe, signal }) => ({ bars: market.candles(timeframe), alert: signal(z.null()) }),
      indicators: ({ bars: of }) => ({ average: sma(of, 3) }),
      on: { alert: (ctx) => ctx.log(ctx.indicators.average.toFixed(0)) },
    });
    const signals = [1, 3].map((after) => ({ after, payload: null }));
    const { log, refusals } = runStrategy(warm, { bars, signals });
    expect(log).toEqual(['101']);
    expect(refusals).toEqual(['not-ready: alert: its indicators have no values yet']);
    expect(runStrategy(warm, { bars, signals: [{ after: 0, payload: null }], past: 3 }).log).toEqual(['101']);
  });

  test.each([
    [say(6, 'buy'), 'signals: expected after to be a whole number from 0 to 5, was 6'],
    [say(0.5, 'buy'), 'was 0.5'],
    [say(1, 'buy', { name: 'other' }), 'signals.0: expected one of the declared signals (follow alert)'],
  ])('of no moment, or that is not declared, is an error: %j', (signal, part) => {
    expect(() => runStrategy(follow, { bars, signals: [signal] })).toThrow(part);
  });
});

test('a signal of a run on books is told by the whole bot, which has started by then', async () => {
  const books = [100, 101, 102, 103].map((bid) => ({ bid, ask: bid + 1 }));
  const { log, fills, state } = await runOnBooks(follow, {
    books,
    signals: [say(0, 'buy'), say(2, 'buy'), say(3, 'sell')],
  });
  // The first signal comes while the bot starts, and waits until it has started.
  expect(state).toEqual({ told: ['signal-0', 'signal-1', 'signal-2'] });
  expect(log.filter((text) => text !== 'price')).toEqual(['buy', 'buy', 'sell']);
  expect(fills.map(({ side, price }) => [side, price])).toEqual([
    ['buy', 101],
    ['buy', 103],
    ['sell', 103],
  ]);
});
