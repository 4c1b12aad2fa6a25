import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../../src/strategy/definition.ts';
import type { ScriptedRun } from '../../src/testing.ts';
import { expectAlike, minutesOf, movesOf, onBarsAndBooks } from '../support/on-bars-and-books.ts';
import { deepRuns } from '../support/deep-runs.ts';

/** Target shares: no round numbers, so that no amount lies exactly on a step. */
const SHARES = [0.403_7, 0.118_3, 0.771_9, 0, 0.551_3, 0.548_1];

/** A strategy that sets another share at each close. */
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

/** The smallest price step, so that the middle of a book is nearly the close. */
const TERMS = { priceStep: 0.000_001, amountStep: 0.01, minOrderValue: 10 };

const decisionsOf = ({ orders }: ScriptedRun) =>
  orders.map(({ market, side, execution, amount, state }) => {
    return { decision: `${market} ${side} ${execution}: ${state}`, amount };
  });

/**
 * Allows some steps of difference: the middle of a book is half its spread below the close, so a position
 * almost on a step can be one step smaller, and the orders around it differ by that.
 */
const withinSteps = ({ decision, amount }: ReturnType<typeof decisionsOf>[number]) => {
  return { decision, amount: expect.closeTo(amount, -Math.log10(5 * TERMS.amountStep)) as number };
};

/** Orders that may be under way at the end: a sale and the purchase after it. */
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
        expectAlike(runs, decisionsOf, UNDER_WAY, withinSteps);
      },
    ),
    { numRuns: deepRuns(15, 4) },
  );
  expect(decided).toBeGreaterThan(deepRuns(60, 10));
});

/** Sets of shares, one for each minute: together at most the whole, sometimes 0 for a market. */
const SETS: readonly (readonly [number, number, number])[] = [
  [0.303_7, 0.218_3, 0.251_9],
  [0.118_3, 0.531_9, 0],
  [0, 0.331_3, 0.441_7],
  [0.653_3, 0.101_9, 0.152_1],
  [0.203_1, 0, 0],
  [0.251_9, 0.301_3, 0.198_7],
];

/** Other markets in the same quote currency, and the tenths at which the price of each begins. */
const OTHERS = [
  { market: 'ETHUSDT', firstTenths: 1_373 },
  { market: 'LTCUSDT', firstTenths: 2_111 },
] as const;

interface Rules {
  readonly band: number;
  readonly atOnce: number;
  /** Index of the market whose closes it acts on. */
  readonly at: number;
  readonly count: number;
}

/** A strategy that sets other shares for all its markets at each close of one of them. */
const spreadOver = ({ band, atOnce, at, count }: Rules) => {
  const markets = ['BTCUSDT', ...OTHERS.map(({ market }) => market)].slice(0, count);
  return defineStrategy({
    name: 'spreading',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ markets: { of } }) => ({
      says: of(markets[at % count]!).candles('1m'),
      second: of(markets[(at + 1) % count]!).candles('1m'),
      third: of(markets[(at + 2) % count]!).candles('1m'),
    }),
    on: {
      says(ctx) {
        ctx.setState({ bars: ctx.state.bars + 1 });
        const shares = SETS[ctx.state.bars % SETS.length]!;
        const wish = markets.map((symbol, index) => [symbol, shares[index]!] as const);
        ctx.targets(Object.fromEntries(wish), { band, atOnce });
      },
    },
  });
};

const rules = fc.record({
  band: fc.constantFrom(0, 0.01, 0.1),
  atOnce: fc.integer({ min: 1, max: 3 }),
  at: fc.integer({ min: 0, max: 2 }),
  count: fc.constantFrom(2, 3),
});

/** Minutes of each market. Their moves differ, or the test could not see which price is whose. */
const LENGTH = 20;
const manyMoves = fc.array(movesOf({ reach: 9, minutes: [LENGTH, LENGTH] }), { minLength: 3, maxLength: 3 });

test('shares of several markets are reached alike on candles and on polled books', async () => {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(manyMoves, rules, async ([first, ...rest], rule) => {
      const others = OTHERS.slice(0, rule.count - 1).map(({ market, firstTenths }, index) => {
        return { ...TERMS, market, minutes: minutesOf(rest[index]!, firstTenths) };
      });
      const runs = await onBarsAndBooks(spreadOver(rule), minutesOf(first!), { ...TERMS, others });
      decided += runs.onBars.orders.length;
      expect(runs.onBars.refusals).toEqual([]);
      expect(runs.onBooks.refusals.filter((refusal) => !refusal.endsWith('the run is ending'))).toEqual([]);
      expectAlike(runs, decisionsOf, UNDER_WAY * rule.count, withinSteps);
    }),
    { numRuns: deepRuns(10, 4) },
  );
  expect(decided).toBeGreaterThan(deepRuns(60, 10));
});
