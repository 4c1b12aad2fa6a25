import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { CandleRun } from '../../src/backtest/candle-runner.ts';
import type { CandleColumns } from '../../src/domain/candle-columns.ts';
import { formatUnits } from '../../src/domain/money.ts';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/definition.ts';
import type { StrategyContext } from '../../src/strategy/context.ts';
import { FROM_MS, runBars, TETHER } from '../unit/backtest/candle-run.ts';

const HOUR_MS = 3_600_000;

/** Hourly bars of whole dollars, `open high low close`. */
function hours(table: string): CandleColumns {
  const rows = table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .split(/\s+/)
        .map((price) => Number(price) * 100),
    );
  const column = (at: number): Float64Array => Float64Array.from(rows, (cells) => cells[at] ?? Number.NaN);
  return {
    market: TETHER.symbol,
    timeframe: '1h',
    length: rows.length,
    openTimeMs: Float64Array.from(rows, (_, index) => FROM_MS + index * HOUR_MS),
    priceDecimals: 2,
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volumeDecimals: 0,
    volume: Float64Array.from(rows, () => 1_000),
  };
}

type Wish = (ctx: StrategyContext, bar: number) => unknown;

/** Wants something at the close of its first bar, or of the one that the row names. */
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

/** `buy 1 at 100, bar 1`: bars count from 0, and a fill within a bar has a `+`. */
const fillsOf = ({ fills }: CandleRun): string =>
  fills
    .map(({ side, amount, price, atMs }) => {
      const bar = (atMs - FROM_MS) / HOUR_MS;
      const place = Number.isInteger(bar) ? String(bar) : `${Math.floor(bar)}+`;
      return `${side} ${formatUnits(amount)} at ${formatUnits(price)}, bar ${place}`;
    })
    .join('; ');

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
      columns: hours(bars),
      strategy: wanting(wish),
      cash: '100000',
      feeMillionths: 0,
    });
    expect(fillsOf(run)).toBe(fills);
  });
});
