import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ScriptedRun } from '../../src/testing.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';
import type { ExitWish } from '../../src/strategy/intents.ts';
import { expectAlike, minutesOf, movesOf, onBarsAndBooks } from '../support/on-bars-and-books.ts';
import { deepRuns } from '../support/deep-runs.ts';

/** Exits whose levels lie between two prices (whole tenths), so that a level touched is always passed. */
const WISHES: readonly ExitWish[] = [
  { takeProfit: { distance: 3.05 }, stopLoss: { distance: 2.05 } },
  { stopLoss: { distance: 2.05 } },
  { takeProfit: { distance: 2.05 } },
  { trail: { by: { distance: 2.05 } } },
  { takeProfit: { distance: 4.05 }, trail: { by: { distance: 2.05 }, minStep: 0.5 } },
  { stopLoss: { distance: 3.05 }, breakEvenAt: { distance: 1.55 }, takeProfit: { distance: 5.05 } },
  { stopLoss: { distance: 3.05 }, timeStopMs: 480_000 },
];

/** A strategy that enters at a close whenever it holds nothing. */
const strategyOf = (wish: ExitWish) =>
  defineStrategy({
    name: 'entering',
    params: z.strictObject({}),
    data: ({ market }) => ({ bars: market.candles('1m') }),
    trailing: { most: 1 },
    on: {
      bars(ctx, { close }) {
        if (ctx.isTradable(ctx.position, close) || ctx.orders.length > 0) return;
        ctx.bracket({ entry: { amount: 1 }, ...wish });
      },
    },
  });

/** Lines of all orders without their times, which are some seconds later in a poll. */
const decisionsOf = ({ orders }: ScriptedRun): readonly string[] =>
  orders.map(
    ({ side, execution, price, stopPrice, amount, state }) =>
      `${side} ${execution} ${amount} at ${price} stop ${stopPrice}: ${state}`,
  );

/** Orders that may be under way at the end: an entry and the pair of its exit. */
const UNDER_WAY = 3;

test('brackets decide alike on candles and on polled books of the same closes', async () => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(
      movesOf({ reach: 4, minutes: [15, 40] }),
      fc.constantFrom(...WISHES),
      async (moves, wish) => {
        const runs = await onBarsAndBooks(strategyOf(wish), minutesOf(moves));
        decided += runs.onBars.orders.length;
        expectAlike(runs, decisionsOf, UNDER_WAY);
      },
    ),
    { numRuns: deepRuns(25, 6) },
  );
  expect(decided).toBeGreaterThan(deepRuns(25, 4));
});
