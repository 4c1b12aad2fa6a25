import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { SCRIPT_START_MS } from '../../src/backtest/scripted-market.ts';
import type { ScriptedRun } from '../../src/testing.ts';
import { defineStrategy } from '../../src/strategy/definition.ts';
import { expectAlike, MINUTE_MS, minutesOf, movesOf, onBarsAndBooks } from '../support/on-bars-and-books.ts';
import { deepRuns } from '../support/deep-runs.ts';

/** Rules of locks. No drawdown: between closes a polling bot sees falls that candles do not show. */
const RULES: readonly (readonly unknown[])[] = [
  [{ kind: 'cooldown', for: '2m' }],
  [{ kind: 'stops', stops: 1, within: '20m', for: '3m' }],
  [{ kind: 'low-profit', below: 0, trades: 2, within: '20m', for: '4m' }],
  [{ kind: 'hours', open: ['03:30-03:36', '03:40-03:45', '03:50-24:00'] }],
];

/** A strategy that enters at a close whenever it holds nothing, with an exit at two levels. */
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

/** Lines of all orders without their times, which are some seconds later in a poll. */
const decisionsOf = ({ orders }: ScriptedRun): readonly string[] =>
  orders.map(({ side, execution, price, stopPrice }) => `${side} ${execution} at ${price} stop ${stopPrice}`);

/** Minutes in which it bought, which the locks decide. */
const boughtOf = ({ fills }: ScriptedRun): readonly number[] =>
  fills
    .filter(({ side }) => side === 'buy')
    .map(({ timeMs }) => Math.floor((timeMs - SCRIPT_START_MS) / MINUTE_MS));

const namesOf = ({ locks }: ScriptedRun): readonly string[] =>
  locks.map(({ name, market, strategy }) => `${name} ${market} ${strategy}`);

/** Orders that may be under way at the end: an entry and the pair of its exit. */
const UNDER_WAY = 3;

test('locks hold alike on candles and on polled books of the same closes', async () => {
  let held = 0;
  await fc.assert(
    fc.asyncProperty(
      movesOf({ reach: 4, minutes: [15, 40] }),
      fc.constantFrom(...RULES),
      async (moves, locks) => {
        const runs = await onBarsAndBooks(strategy, minutesOf(moves), { locks });
        held += runs.onBars.locks.length;
        for (const linesOf of [namesOf, decisionsOf, boughtOf])
          expectAlike<unknown>(runs, linesOf, UNDER_WAY);
      },
    ),
    { numRuns: deepRuns(5, 8) },
  );
  expect(held).toBeGreaterThan(1);
});
