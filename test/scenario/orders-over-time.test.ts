import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/definition.ts';
import type { StrategyContext } from '../../src/strategy/context.ts';
import { runBars, TETHER } from '../unit/backtest/candle-run.ts';
import { fillsByBar, tableOfBars } from '../unit/backtest/hourly-bars.ts';

const HOUR_MS = 3_600_000;

type Wish = (ctx: StrategyContext, bar: number) => unknown;

/** A strategy that makes a request at the close of its first bar, or of the bar that the row names. */
function wanting(wish: Wish): StrategyDefinition {
  return defineStrategy({
    name: 'script',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars(ctx) {
        wish(ctx as StrategyContext, ctx.state.bars);
        ctx.setState({ bars: ctx.state.bars + 1 });
      },
    },
  });
}

type Row = readonly [what: string, wish: Wish, bars: string, fills: string];

const VWAP: readonly Row[] = [
  [
    'each slice at the open that follows its time',
    (ctx, bar) => bar === 0 && ctx.vwap('buy', { amount: 4, overMs: 2 * HOUR_MS, profile: [1, 3] }),
    `100 100 100 100
     101 102 99 102
     103 104 101 103`,
    'buy 1 at 101, bar 1; buy 3 at 103, bar 2',
  ],
  [
    'a limit slice that does not fill goes into the next',
    (ctx, bar) =>
      bar === 0 && ctx.vwap('buy', { amount: 4, overMs: 2 * HOUR_MS, profile: [1, 3], price: 98 }),
    `100 100 100 100
     100 102 99 102
     102 102 97 98`,
    'buy 4 at 98, bar 2+',
  ],
];

const LADDER: readonly Row[] = [
  [
    'rungs fill as the price comes to them, and none twice',
    (ctx, bar) => bar === 0 && ctx.ladder('buy', { amount: 3, from: 99, to: 95, orders: 3 }),
    `100 100 100 100
     100 101 98 100
     100 100 96 100
     100 101 94 100`,
    'buy 1 at 99, bar 1+; buy 1 at 97, bar 2+; buy 1 at 95, bar 3+',
  ],
  [
    'linear rungs, of which the last expires',
    (ctx, bar) => {
      if (bar === 0) ctx.buy({ amount: 6 });
      if (bar !== 1) return;
      ctx.ladder('sell', {
        amount: 6,
        from: 101,
        to: 105,
        orders: 3,
        scale: 'linear',
        expireAfterMs: 2 * HOUR_MS,
      });
    },
    `100 100 100 100
     100 100 100 100
     100 104 99 103
     103 104 101 104
     104 106 103 105`,
    'buy 6 at 100, bar 1; sell 1 at 101, bar 2+; sell 2 at 103, bar 2+',
  ],
];

const PEG: readonly Row[] = [
  [
    'a step below the close, which it follows, and fills where the price comes back',
    (ctx, bar) => bar === 0 && ctx.peg('buy', { amount: 1, bound: 200 }),
    `100 100 100 100
     101 105 101 105
     106 106 104 105`,
    'buy 1 at 104.99, bar 2+',
  ],
  [
    'never beyond its bound',
    (ctx, bar) => bar === 0 && ctx.peg('buy', { amount: 1, bound: 101 }),
    `100 100 100 100
     102 105 101.5 105
     105 106 102 105
     105 105 100 100`,
    'buy 1 at 101, bar 3+',
  ],
];

const DCA: readonly Row[] = [
  [
    'the same value at each time',
    (ctx, bar) => bar === 0 && ctx.dca({ value: 100, everyMs: 2 * HOUR_MS, times: 2 }),
    `100 100 100 100
     100 101 98 100
     100 100 96 80
     80 81 79 80`,
    'buy 1 at 100, bar 1; buy 1.25 at 80, bar 3',
  ],
  [
    'more far below the highest price',
    (ctx, bar) =>
      bar === 0 &&
      ctx.dca({
        value: 100,
        everyMs: 2 * HOUR_MS,
        times: 2,
        steps: [
          { belowPercent: 10, factor: 1.5 },
          { belowPercent: 15, factor: 2 },
        ],
      }),
    `100 100 100 100
     100 101 98 100
     100 100 79 80
     80 81 79 80`,
    'buy 1 at 100, bar 1; buy 2.5 at 80, bar 3',
  ],
  [
    'what a purchase has cost beyond its value is taken off the next',
    (ctx, bar) => bar === 0 && ctx.dca({ value: 100, everyMs: 2 * HOUR_MS, times: 2 }),
    `100 100 100 100
     110 112 109 110
     125 125 125 125
     125 125 125 125`,
    'buy 1 at 110, bar 1; buy 0.72 at 125, bar 3',
  ],
];

const ENDING: readonly Row[] = [
  [
    'expireAfterMs: canceled before the price comes',
    (ctx, bar) => bar === 0 && ctx.buy({ amount: 1, price: 95, expireAfterMs: HOUR_MS }),
    `100 100 100 100
     100 101 96 100
     100 101 94 100`,
    '',
  ],
  [
    'expireAfterMs: what fills before stays',
    (ctx, bar) => bar === 0 && ctx.buy({ amount: 1, price: 95, expireAfterMs: 2 * HOUR_MS }),
    `100 100 100 100
     100 101 96 100
     100 101 94 100`,
    'buy 1 at 95, bar 2+',
  ],
  [
    'postOnly: refused at the close, taken a step below',
    (ctx, bar) => {
      if (bar > 0) return;
      ctx.buy({ amount: 1, price: 100, postOnly: true });
      ctx.buy({ amount: 2, price: 99.99, postOnly: true });
    },
    `100 100 100 100
     100 101 99 100`,
    'buy 2 at 99.99, bar 1+',
  ],
];

describe.each([
  ['an order that ends or only rests', ENDING],
  ['vwap', VWAP],
  ['ladder', LADDER],
  ['peg', PEG],
  ['dca', DCA],
])('%s in candles', (_, rows) => {
  test.each(rows)('%s', (_what, wish, bars, fills) => {
    const run = runBars({
      market: TETHER,
      columns: tableOfBars(bars),
      strategy: wanting(wish),
      cash: '100000',
      feeMillionths: 0,
    });
    expect(fillsByBar(run)).toBe(fills);
  });
});
