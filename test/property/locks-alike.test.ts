import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { SCRIPT_START_MS } from '../../src/backtest/script/scripted-market.ts';
import { runOnBooks, runStrategy, type ScriptedRun } from '../../src/testing.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';

/** Not drawdown: between closes a bot that polls sees falls of equity that candles do not show. */
const RULES: readonly (readonly unknown[])[] = [
  [{ kind: 'cooldown', for: '2m' }],
  [{ kind: 'stops', stops: 1, within: '20m', for: '3m' }],
  [{ kind: 'low-profit', below: 0, trades: 2, within: '20m', for: '4m' }],
  [{ kind: 'hours', open: ['03:30-03:36', '03:40-03:45', '03:50-24:00'] }],
];

/** Enters at a close whenever nothing is held, with an exit at two levels. */
const strategy = defineStrategy({
  name: 'entering',
  params: z.strictObject({}),
  data: ({ market }) => ({ bars: market.candles('1m') }),
  on: {
    bars(ctx, { close }) {
      if (ctx.isTradable(ctx.position, close) || ctx.orders.length > 0) return;
      ctx.bracket({ entry: { amount: 1 }, takeProfit: { distance: 2.05 }, stopLoss: { distance: 1.05 } });
    },
  },
});

const STEP_MS = 10_000;
const MINUTE_MS = 60_000;

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
  orders.map(({ side, execution, price, stopPrice }) => `${side} ${execution} at ${price} stop ${stopPrice}`);

/** The minutes in which it bought: what a lock decides. */
const boughtOf = ({ fills }: ScriptedRun): readonly number[] =>
  fills
    .filter(({ side }) => side === 'buy')
    .map(({ timeMs }) => Math.floor((timeMs - SCRIPT_START_MS) / MINUTE_MS));

const namesOf = ({ locks }: ScriptedRun): readonly string[] =>
  locks.map(({ name, market, strategy }) => `${name} ${market} ${strategy}`);

const move = fc.integer({ min: -4, max: 4 });
const path = fc.array(fc.tuple(move, move, move), { minLength: 15, maxLength: 40, size: 'max' });

test('locks hold alike on candles and on polled books of the same closes', async () => {
  let held = 0;
  await fc.assert(
    fc.asyncProperty(path, fc.constantFrom(...RULES), async (moves, locks) => {
      const minutes = minutesOf(moves);
      const onBars = runStrategy(strategy, {
        timeframe: '1m',
        locks,
        bars: minutes.map((prices) => ({
          open: prices[0]!,
          high: Math.max(...prices),
          low: Math.min(...prices),
          close: prices.at(-1)!,
        })),
      });
      const onBooks = await runOnBooks(strategy, {
        stepMs: STEP_MS,
        locks,
        books: minutes.flat().map((price) => ({
          bid: (price * 100 - 1) / 100,
          ask: price,
          trades: [{ side: 'buy', price }],
        })),
      });
      held += onBars.locks.length;
      for (const partOf of [namesOf, decisionsOf, boughtOf]) {
        const [bars, books] = [partOf(onBars), partOf(onBooks)];
        // The last may be under way as the data end.
        const both = Math.max(0, Math.min(bars.length, books.length) - 2);
        expect(books.slice(0, both)).toEqual(bars.slice(0, both));
        expect(Math.abs(bars.length - books.length)).toBeLessThan(4);
      }
    }),
    { numRuns: 15 },
  );
  expect(held).toBeGreaterThan(5);
});
