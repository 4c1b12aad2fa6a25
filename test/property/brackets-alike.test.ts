import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runOnBooks, runStrategy, type ScriptedRun } from '../../src/testing.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';
import type { ExitWish } from '../../src/strategy/intents.ts';

/** Prices are whole tenths, and levels lie between two of them, so that none is ever touched and not passed. */
const WISHES: readonly ExitWish[] = [
  { takeProfit: { distance: 3.05 }, stopLoss: { distance: 2.05 } },
  { stopLoss: { distance: 2.05 } },
  { takeProfit: { distance: 2.05 } },
  { trail: { by: { distance: 2.05 } } },
  { takeProfit: { distance: 4.05 }, trail: { by: { distance: 2.05 }, minStep: 0.5 } },
  { stopLoss: { distance: 3.05 }, breakEvenAt: { distance: 1.55 }, takeProfit: { distance: 5.05 } },
  { stopLoss: { distance: 3.05 }, timeStopMs: 480_000 },
];

/** Enters at a close whenever nothing is held. */
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

/** What was decided: every order but when it was placed, which is some seconds later in a poll. */
const decisionsOf = ({ orders }: ScriptedRun): readonly string[] =>
  orders.map(
    ({ side, execution, price, stopPrice, amount, state }) =>
      `${side} ${execution} ${amount} at ${price} stop ${stopPrice}: ${state}`,
  );

const move = fc.integer({ min: -4, max: 4 });
const path = fc.array(fc.tuple(move, move, move), { minLength: 15, maxLength: 40, size: 'max' });

test('brackets decide alike on candles and on polled books of the same closes', async () => {
  let moved = 0;
  await fc.assert(
    fc.asyncProperty(path, fc.constantFrom(...WISHES), async (moves, wish) => {
      const minutes = minutesOf(moves);
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
      const [bars, books] = [decisionsOf(onBars), decisionsOf(onBooks)];
      moved += bars.length;
      // The last of either may be under way as its data ends.
      const both = Math.min(bars.length, books.length) - 3;
      expect(books.slice(0, Math.max(0, both))).toEqual(bars.slice(0, Math.max(0, both)));
      expect(Math.abs(bars.length - books.length)).toBeLessThan(4);
    }),
    { numRuns: 25 },
  );
  expect(moved).toBeGreaterThan(100);
});
