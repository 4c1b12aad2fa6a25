import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runOnBooks, runStrategy, type ScriptedRun } from '../../src/testing.ts';
import type { StrategyContext } from '../../src/strategy/context.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';

type Wish = (ctx: StrategyContext) => void;

const MINUTE_MS = 60_000;

/** Prices are whole tenths, and limits lie between two of them, so that none is ever touched and not passed. */
const WISHES: readonly (readonly [what: string, wish: Wish])[] = [
  ['vwap', (ctx) => ctx.vwap('buy', { amount: 10, overMs: 5 * MINUTE_MS, profile: [1, 4, 0, 3, 2] })],
  ['vwap', (ctx) => ctx.vwap('buy', { value: 900, overMs: 8 * MINUTE_MS, profile: [5, 1, 2, 7] })],
  ['ladder', (ctx) => ctx.ladder('buy', { amount: 4, from: 99.55, to: 97.55, orders: 5 })],
  ['ladder', (ctx) => ctx.ladder('buy', { value: 900, from: 99.85, to: 96.85, orders: 4, scale: 'linear' })],
  ['dca', (ctx) => ctx.dca({ value: 100, everyMs: 2 * MINUTE_MS, times: 6 })],
  [
    'dca',
    (ctx) =>
      ctx.dca({
        value: 100,
        everyMs: 3 * MINUTE_MS,
        times: 5,
        steps: [
          { belowPercent: 0.4, factor: 1.5 },
          { belowPercent: 1, factor: 3 },
        ],
      }),
  ],
];

/** Wants it once, at its first close. */
const strategyOf = (wish: Wish) =>
  defineStrategy({
    name: 'slow',
    params: z.strictObject({}),
    state: z.strictObject({ isBegun: z.boolean().default(false) }),
    data: ({ market }) => ({ bars: market.candles('1m') }),
    on: {
      bars(ctx) {
        if (ctx.state.isBegun) return;
        ctx.setState({ isBegun: true });
        wish(ctx as StrategyContext);
      },
    },
  });

const STEP_MS = 10_000;

/** Six prices a minute, of which the first two and the last two are those of its ends. */
function minutesOf(moves: readonly (readonly [number, number, number])[]): readonly (readonly number[])[] {
  let tenths = 1_000;
  return moves.map((steps) => {
    const first = tenths;
    const inside = steps.map((move) => (tenths += move) / 10);
    return [first / 10, first / 10, ...inside, tenths / 10];
  });
}

/** Every order, and what it filled; at which time it did is some seconds later in a poll. */
const decisionsOf = ({ orders, fills }: ScriptedRun): readonly string[] => [
  ...orders.map(({ side, execution, price, amount }) => `${side} ${execution} ${amount} at ${price}`),
  ...fills.map(({ side, price, amount }) => `filled ${side} ${amount} at ${price}`),
];

const move = fc.integer({ min: -4, max: 4 });
const path = fc.array(fc.tuple(move, move, move), { minLength: 16, maxLength: 24, size: 'max' });

/** Minutes in which nothing moves, so that what is under way at the end ends. */
const STILL = [[0, 0, 0]] as const;

test.each(WISHES)('%s decides and fills alike on candles and on polled books (%#)', async (_, wish) => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(path, async (moves) => {
      const minutes = minutesOf([...moves, ...STILL]);
      const onBars = runStrategy(strategyOf(wish), {
        timeframe: '1m',
        bars: minutes.map((prices) => ({
          open: prices[0]!,
          high: Math.max(...prices),
          low: Math.min(...prices),
          close: prices.at(-1)!,
        })),
      });
      const onBooks = await runOnBooks(strategyOf(wish), {
        stepMs: STEP_MS,
        books: minutes.flat().map((price) => ({
          bid: (price * 100 - 1) / 100,
          ask: price,
          trades: [{ side: 'buy', price }],
        })),
      });
      decided += onBars.orders.length;
      expect(decisionsOf(onBooks)).toEqual(decisionsOf(onBars));
    }),
    { numRuns: 6 },
  );
  expect(decided).toBeGreaterThan(10);
});
