import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../../src/strategy/definition.ts';
import { runOnBooks, runStrategy, type ScriptedRun } from '../../src/testing.ts';

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

const STEP_MS = 10_000;
/** The least that two prices of a book can be apart, so that its middle is the close. */
const TERMS = { priceStep: 0.000_001, amountStep: 0.01, minOrderValue: 10 };

/** Six prices a minute, of which the first two and the last two are those of its ends. */
function minutesOf(moves: readonly (readonly [number, number, number])[]): readonly (readonly number[])[] {
  let tenths = 1_000;
  return moves.map((steps) => {
    const first = tenths;
    const inside = steps.map((move) => (tenths += move) / 10);
    return [first / 10, first / 10, ...inside, tenths / 10];
  });
}

const decisionsOf = ({ orders }: ScriptedRun): readonly string[] =>
  orders.map(({ side, execution, amount, state }) => `${side} ${execution} ${amount}: ${state}`);

const move = fc.integer({ min: -9, max: 9 });
const path = fc.array(fc.tuple(move, move, move), { minLength: 15, maxLength: 40, size: 'max' });

test('shares are reached alike on candles and on polled books of the same closes', async () => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(path, fc.constantFrom(0, 0.01, 0.1), async (moves, band) => {
      const minutes = minutesOf(moves);
      const onBars = runStrategy(strategyOf(band), {
        ...TERMS,
        timeframe: '1m',
        bars: minutes.map((prices) => ({
          open: prices[0]!,
          high: Math.max(...prices),
          low: Math.min(...prices),
          close: prices.at(-1)!,
        })),
      });
      const onBooks = await runOnBooks(strategyOf(band), {
        ...TERMS,
        stepMs: STEP_MS,
        books: minutes.flat().map((price) => ({
          bid: (price * 1_000_000 - 1) / 1_000_000,
          ask: price,
          trades: [{ side: 'buy', price }],
        })),
      });
      const [bars, books] = [decisionsOf(onBars), decisionsOf(onBooks)];
      decided += bars.length;
      // The last of either may be under way as its data ends.
      const both = Math.max(0, Math.min(bars.length, books.length) - 2);
      expect(books.slice(0, both)).toEqual(bars.slice(0, both));
      expect(Math.abs(bars.length - books.length)).toBeLessThan(3);
    }),
    { numRuns: 15 },
  );
  expect(decided).toBeGreaterThan(100);
});
