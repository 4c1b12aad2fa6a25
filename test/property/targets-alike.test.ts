import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../../src/strategy/definition.ts';
import type { ScriptedRun } from '../../src/testing.ts';
import { expectAlike, minutesOf, movesOf, onBarsAndBooks } from '../support/on-bars-and-books.ts';

/** No round numbers, so that no amount lies just at a step. */
const SHARES = [0.403_7, 0.118_3, 0.771_9, 0, 0.551_3, 0.548_1];

/** Says another share at each close. */
const strategyOf = (band: number) =>
  defineStrategy({
    name: 'sharing',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market }) => ({ bars: market.candles('1m') }),
    on: {
      bars(ctx) {
        ctx.setState({ bars: ctx.state.bars + 1 });
        ctx.targets({ [ctx.market]: SHARES[ctx.state.bars % SHARES.length]! }, { band });
      },
    },
  });

/** The least that two prices of a book can be apart, so that its middle is the close. */
const TERMS = { priceStep: 0.000_001, amountStep: 0.01, minOrderValue: 10 };

const decisionsOf = ({ orders }: ScriptedRun): readonly string[] =>
  orders.map(({ side, execution, amount, state }) => `${side} ${execution} ${amount}: ${state}`);

/** A sale and the purchase after it. */
const UNDER_WAY = 2;

test('shares are reached alike on candles and on polled books of the same closes', async () => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(
      movesOf({ reach: 9, minutes: [15, 40] }),
      fc.constantFrom(0, 0.01, 0.1),
      async (moves, band) => {
        const runs = await onBarsAndBooks(strategyOf(band), minutesOf(moves), TERMS);
        decided += runs.onBars.orders.length;
        expectAlike(runs, decisionsOf, UNDER_WAY);
      },
    ),
    { numRuns: 15 },
  );
  expect(decided).toBeGreaterThan(60);
});
