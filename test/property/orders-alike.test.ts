import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ScriptedRun } from '../../src/testing.ts';
import type { StrategyContext } from '../../src/strategy/context.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';
import { expectAlike, MINUTE_MS, minutesOf, movesOf, onBarsAndBooks } from '../support/on-bars-and-books.ts';
import { deepRuns } from '../support/deep-runs.ts';

type Wish = (ctx: StrategyContext) => void;

/** Orders whose limits lie between two prices (whole tenths), so that a limit touched is always passed. */
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

/** A strategy that makes the request once, at its first close. */
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

/** Lines of all orders and fills without their times, which are some seconds later in a poll. */
const decisionsOf = ({ orders, fills }: ScriptedRun): readonly string[] => [
  ...orders.map(({ side, execution, price, amount }) => `${side} ${execution} ${amount} at ${price}`),
  ...fills.map(({ side, price, amount }) => `filled ${side} ${amount} at ${price}`),
];

/** Minutes without a move, so that orders under way at the end can end. */
const STILL = [[0, 0, 0]] as const;

test.each(WISHES)('%s decides and fills alike on candles and on polled books (%#)', async (_, wish) => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(movesOf({ reach: 4, minutes: [16, 24] }), async (moves) => {
      const runs = await onBarsAndBooks(strategyOf(wish), minutesOf([...moves, ...STILL]));
      decided += runs.onBars.orders.length;
      expectAlike(runs, decisionsOf, 0);
    }),
    { numRuns: deepRuns(2, 3) },
  );
  expect(decided).toBeGreaterThan(2);
});
