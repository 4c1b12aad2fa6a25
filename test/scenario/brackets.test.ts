import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/definition.ts';
import type { BracketWish, LeaveWish } from '../../src/strategy/intents.ts';
import type { BarRules } from '../../src/venues/fill-rules.ts';
import { runBars, TETHER } from '../unit/backtest/candle-run.ts';
import { fillsByBar, tableOfBars } from '../unit/backtest/hourly-bars.ts';

const HOUR_MS = 3_600_000;

/** A strategy that enters a bracket at the close of its first bar, and exits at the closes of others. */
function entering(wish: BracketWish, exits: Readonly<Record<number, LeaveWish>> = {}): StrategyDefinition {
  return defineStrategy({
    name: 'script',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market }) => ({ bars: market.candles('1h') }),
    trailing: { most: 1 },
    on: {
      bars(ctx) {
        if (ctx.state.bars === 0) ctx.bracket(wish);
        const exit = exits[ctx.state.bars];
        if (exit !== undefined) ctx.exit(exit);
        ctx.setState({ bars: ctx.state.bars + 1 });
      },
    },
  });
}

const BOTH: BracketWish = {
  entry: { amount: '1' },
  takeProfit: { price: 110 },
  stopLoss: { price: 90 },
  stopSlip: 2,
};
const LIMIT: BracketWish = { ...BOTH, entry: { amount: '1', price: 98 } };
const TRAIL: BracketWish = { entry: { amount: '1' }, trail: { by: { distance: 5 } } };

/** The stop begins to follow the price at 108. */
const LATE_TRAIL: BracketWish = {
  entry: { amount: '1' },
  stopLoss: { distance: 10 },
  trail: { by: { distance: 5 }, after: { distance: 8 } },
};
/** The target falls from 110 to 104 after two hours, and to 100 after three. */
const FALLING: BracketWish = {
  entry: { amount: '1' },
  takeProfit: { distance: 10 },
  laterTargets: [
    { afterMs: 2 * HOUR_MS, distance: 4 },
    { afterMs: 3 * HOUR_MS, percent: 0 },
  ],
};

/** Cases of `worst-first`, the default. The entry is at the second bar's open, or at its own limit. */
const ROWS: readonly (readonly [what: string, wish: BracketWish, bars: string, fills: string])[] = [
  [
    'the target in a later bar',
    BOTH,
    `100 100 100 100
     100 105 95 104
     104 112 103 111`,
    'buy 1 at 100, bar 1; sell 1 at 110, bar 2+',
  ],
  [
    'the stop in a later bar',
    BOTH,
    `100 100 100 100
     100 105 95 96
     96 97 85 86`,
    'buy 1 at 100, bar 1; sell 1 at 90, bar 2+',
  ],
  [
    'both in one later bar: the worst first',
    BOTH,
    `100 100 100 100
     100 105 95 100
     100 112 88 100`,
    'buy 1 at 100, bar 1; sell 1 at 90, bar 2+',
  ],
  [
    'the target in the bar of the entry',
    BOTH,
    `100 100 100 100
     100 112 95 104`,
    'buy 1 at 100, bar 1; sell 1 at 110, bar 1+',
  ],
  [
    'both in the bar of the entry: the worst first',
    BOTH,
    `100 100 100 100
     100 112 88 104`,
    'buy 1 at 100, bar 1; sell 1 at 90, bar 1+',
  ],
  [
    'the target for certain: the bar of an entry inside it closes beyond the target',
    LIMIT,
    `100 100 100 100
     100 113 97 112
     112 112 112 112`,
    'buy 1 at 98, bar 1+; sell 1 at 110, bar 1+',
  ],
  [
    'the stop for certain: the bar of an entry inside it closes beyond the stop',
    LIMIT,
    `100 100 100 100
     100 101 87 89
     89 89 89 89`,
    'buy 1 at 98, bar 1+; sell 1 at 90, bar 1+',
  ],
  [
    'nothing in the bar of an entry inside it that closes short of both: nobody knows what came after',
    LIMIT,
    `100 100 100 100
     100 113 87 110
     110 111 109 110`,
    'buy 1 at 98, bar 1+; sell 1 at 110, bar 2+',
  ],
  [
    'an open between the stop and its limit',
    BOTH,
    `100 100 100 100
     100 105 95 96
     89 92 85 91`,
    'buy 1 at 100, bar 1; sell 1 at 89, bar 2',
  ],
  [
    'an open beyond the limit of the stop: it is sold at the market there',
    BOTH,
    `100 100 100 100
     100 105 95 96
     80 82 75 78`,
    'buy 1 at 100, bar 1; sell 1 at 80, bar 2',
  ],
  [
    'an open beyond the target',
    BOTH,
    `100 100 100 100
     100 105 95 104
     115 116 114 115`,
    'buy 1 at 100, bar 1; sell 1 at 115, bar 2',
  ],
  [
    'a limit entry in a bar whose rest may not serve the exit',
    LIMIT,
    `100 100 100 100
     100 111 97 105
     105 106 104 105
     105 112 104 111`,
    'buy 1 at 98, bar 1+; sell 1 at 110, bar 3+',
  ],
  [
    'a trail that follows closes, and not highs',
    TRAIL,
    `100 100 100 100
     100 109 99 104
     104 104 98 98.5
     98 98 94 94`,
    'buy 1 at 100, bar 1; sell 1 at 99, bar 2+',
  ],
  [
    'a trail that follows highs',
    { ...TRAIL, trail: { by: { distance: 5 }, on: 'high' } },
    `100 100 100 100
     100 109 99 106
     106 106 103 105`,
    'buy 1 at 100, bar 1; sell 1 at 104, bar 2+',
  ],
  [
    'a trail that follows a high so far above the close that the stop is passed: it is sold at the next open',
    { ...TRAIL, trail: { by: { distance: 5 }, on: 'high' } },
    `100 100 100 100
     100 112 99 104
     103 104 102 103`,
    'buy 1 at 100, bar 1; sell 1 at 103, bar 2',
  ],
  [
    'a trail that begins after a gain',
    LATE_TRAIL,
    `100 100 100 100
     100 107 100 107
     107 107 96 97
     97 109 97 109
     109 109 103 103`,
    'buy 1 at 100, bar 1; sell 1 at 104, bar 4+',
  ],
  [
    'the first stop of a trail that has not begun',
    LATE_TRAIL,
    `100 100 100 100
     100 107 100 107
     107 107 89 90`,
    'buy 1 at 100, bar 1; sell 1 at 90, bar 2+',
  ],
  [
    'a target that has fallen',
    FALLING,
    `100 100 100 100
     100 105 99 102
     102 105 101 102
     102 105 101 103`,
    'buy 1 at 100, bar 1; sell 1 at 104, bar 3+',
  ],
  [
    'a target that falls below the price: it is sold at the next open',
    FALLING,
    `100 100 100 100
     100 107 99 106
     106 107 105 106
     106 106 105 105`,
    'buy 1 at 100, bar 1; sell 1 at 106, bar 3',
  ],
  [
    'a target that falls to what was paid',
    FALLING,
    `100 100 100 100
     100 100 95 96
     96 97 95 96
     96 99 95 96
     96 101 95 96`,
    'buy 1 at 100, bar 1; sell 1 at 100, bar 4+',
  ],
];

/** Cases that other programs decide otherwise, or alike; each with the kind of exit of its sale. */
const EXITS: readonly (readonly [
  what: string,
  wish: BracketWish,
  exits: Readonly<Record<number, LeaveWish>>,
  bars: string,
  fills: string,
])[] = [
  [
    'the stop in the bar of the entry',
    BOTH,
    {},
    `100 100 100 100
     100 105 85 104`,
    'buy 1 at 100, bar 1; sell 1 at 90, bar 1+; stop-loss',
  ],
  [
    'the target in a bar that ends a trail which has not begun',
    { ...LATE_TRAIL, takeProfit: { distance: 7 } },
    {},
    `100 100 100 100
     100 105 99 104
     104 109 91 95`,
    'buy 1 at 100, bar 1; sell 1 at 107, bar 2+; take-profit',
  ],
  [
    'an open below a trail: it is sold there, whatever the bar comes to later',
    { ...LATE_TRAIL, takeProfit: { distance: 12 } },
    {},
    `100 100 100 100
     100 109 100 109
     102 113 101 112`,
    'buy 1 at 100, bar 1; sell 1 at 102, bar 2; trail',
  ],
  [
    'a trail by highs: the high of a bar counts once it has closed',
    { entry: { amount: '1' }, trail: { by: { distance: 5 }, on: 'high' } },
    {},
    `100 100 100 100
     100 108 97 106
     106 107 102 105`,
    'buy 1 at 100, bar 1; sell 1 at 103, bar 2+; trail',
  ],
  [
    'a time that ends with a bar: the open of the next',
    { entry: { amount: '1' }, stopLoss: { distance: 50 }, timeStopMs: 2 * HOUR_MS },
    {},
    `100 100 100 100
     100 103 99 102
     102 104 98 101
     97 99 92 93`,
    'buy 1 at 100, bar 1; sell 1 at 97, bar 3; time-stop',
  ],
  [
    'a time that ends inside a bar: the open of the next, and not its low',
    { entry: { amount: '1' }, stopLoss: { distance: 50 }, timeStopMs: 1.5 * HOUR_MS },
    {},
    `100 100 100 100
     100 103 99 102
     102 104 98 101
     97 99 92 93`,
    'buy 1 at 100, bar 1; sell 1 at 97, bar 3; time-stop',
  ],
  [
    'a target that falls inside a bar that closes above it: the open of the next',
    { ...FALLING, laterTargets: [{ afterMs: 1.5 * HOUR_MS, distance: 4 }] },
    {},
    `100 100 100 100
     100 103 99 102
     102 107 101 106
     107 109 103 104`,
    'buy 1 at 100, bar 1; sell 1 at 107, bar 3; take-profit',
  ],
  [
    'a target that falls to below the close, before an open below it: the target, once it is reached',
    { ...FALLING, laterTargets: [{ afterMs: 2 * HOUR_MS, distance: 4 }] },
    {},
    `100 100 100 100
     100 103 99 102
     102 107 101 106
     102 103 101 102
     102 109 101 104`,
    'buy 1 at 100, bar 1; sell 1 at 104, bar 4+; take-profit',
  ],
  [
    'the same before a bar with the stop in it, too: the worst first',
    { ...FALLING, stopLoss: { distance: 10 }, laterTargets: [{ afterMs: 2 * HOUR_MS, distance: 4 }] },
    {},
    `100 100 100 100
     100 103 99 102
     102 107 101 106
     102 109 89 104`,
    'buy 1 at 100, bar 1; sell 1 at 90, bar 3+; stop-loss',
  ],
  [
    'the same before an open between target and close: that open',
    { ...FALLING, stopLoss: { distance: 10 }, laterTargets: [{ afterMs: 2 * HOUR_MS, distance: 4 }] },
    {},
    `100 100 100 100
     100 103 99 102
     102 107 101 106
     105 109 89 104`,
    'buy 1 at 100, bar 1; sell 1 at 105, bar 3; take-profit',
  ],
  [
    'a target that falls far below the close: the open, at the market',
    { ...FALLING, laterTargets: [{ afterMs: 2 * HOUR_MS, distance: 4 }], takeProfit: { distance: 50 } },
    {},
    `100 100 100 100
     100 103 99 102
     102 117 101 116
     102 109 101 104`,
    'buy 1 at 100, bar 1; sell 1 at 102, bar 3; take-profit',
  ],
  [
    'a decision: the next open',
    BOTH,
    { 2: {} },
    `100 100 100 100
     100 103 99 102
     102 104 101 103
     104 105 103 104`,
    'buy 1 at 100, bar 1; sell 1 at 104, bar 3; decision',
  ],
  [
    'a decision at the close of a bar with the stop in it: the stop was before',
    BOTH,
    { 2: {} },
    `100 100 100 100
     100 103 99 102
     102 104 88 103
     104 105 103 104`,
    'buy 1 at 100, bar 1; sell 1 at 90, bar 2+; stop-loss',
  ],
  [
    'a decision before a bar with the stop in it: the open was before',
    BOTH,
    { 2: {} },
    `100 100 100 100
     100 103 99 102
     102 104 101 103
     104 105 80 82`,
    'buy 1 at 100, bar 1; sell 1 at 104, bar 3; decision',
  ],
  [
    'a decision at the close of a bar with the target in it: the target was before',
    BOTH,
    { 2: {} },
    `100 100 100 100
     100 103 99 102
     102 113 101 103
     104 105 103 104`,
    'buy 1 at 100, bar 1; sell 1 at 110, bar 2+; take-profit',
  ],
  [
    'a decision at a limit below the open: the open',
    BOTH,
    { 1: { price: 95 } },
    `100 100 100 100
     100 103 99 102
     101 104 93 94`,
    'buy 1 at 100, bar 1; sell 1 at 101, bar 2; decision',
  ],
  [
    'a decision at a limit that nothing reaches: it is held at the end',
    BOTH,
    { 1: { price: 108 } },
    `100 100 100 100
     100 103 99 102
     102 104 98 101`,
    'buy 1 at 100, bar 1',
  ],
  [
    'a decision at a limit that a later one moves',
    BOTH,
    { 1: { price: 108 }, 2: { price: 103 } },
    `100 100 100 100
     100 103 99 102
     102 104 98 101
     99 105 98 104`,
    'buy 1 at 100, bar 1; sell 1 at 103, bar 3+; decision',
  ],
  [
    'a limit entry that nothing reaches, canceled with its time',
    { ...LIMIT, entry: { amount: '1', price: 94, expireAfterMs: HOUR_MS } },
    {},
    `100 100 100 100
     100 103 97 99
     98 99 91 92`,
    '',
  ],
  [
    'a limit entry above the open: the open',
    { ...BOTH, entry: { amount: '1', price: 105 } },
    {},
    `100 100 100 100
     101 107 99 106
     106 111 105 110`,
    'buy 1 at 101, bar 1; sell 1 at 110, bar 2+; take-profit',
  ],
];

describe('a bracket in candles', () => {
  test.each(EXITS)('%s', (_, wish, exits, bars, fills) => {
    const run = runBars({
      market: TETHER,
      columns: tableOfBars(bars),
      strategy: entering(wish, exits),
      cash: '100000',
      feeMillionths: 0,
    });
    const sold = run.orders.filter(({ side, filled }) => side === 'sell' && filled > 0n);
    expect([fillsByBar(run), ...sold.map(({ exit }) => exit)].join('; ')).toBe(fills);
  });

  test.each(ROWS)('%s', (_, wish, bars, fills) => {
    const run = runBars({
      market: TETHER,
      columns: tableOfBars(bars),
      strategy: entering(wish),
      cash: '100000',
      feeMillionths: 0,
    });
    expect(fillsByBar(run)).toBe(fills);
  });

  test.each<readonly [exit: string, wish: BracketWish, bars: string, exits: string]>([
    [
      'target',
      BOTH,
      `100 100 100 100
       100 112 95 104`,
      'take-profit in part: filled; stop-loss in part: cancelled',
    ],
    [
      'stop that followed the price',
      TRAIL,
      `100 100 100 100
       100 109 99 104
       104 104 98 98.5`,
      'trail in part: cancelled; trail in part: filled',
    ],
    [
      'stop at what was paid',
      { entry: { amount: '1' }, stopLoss: { distance: 5 }, breakEvenAt: { distance: 3 } },
      `100 100 100 100
       100 109 99 104
       104 104 98 98.5`,
      'stop-loss in part: cancelled; break-even in part: filled',
    ],
    [
      'end by time',
      { entry: { amount: '1' }, stopLoss: { distance: 50 }, timeStopMs: HOUR_MS },
      `100 100 100 100
       100 109 99 104
       104 104 98 98.5
       98 98 98 98`,
      'stop-loss in part: cancelled; time-stop in part: filled',
    ],
  ])('says of each order which exit it is: %s', (_, wish, bars, exits) => {
    const run = runBars({
      market: TETHER,
      columns: tableOfBars(bars),
      strategy: entering({ ...wish, tag: 'in part' }),
      cash: '100000',
      feeMillionths: 0,
    });
    expect(run.orders[0]).toMatchObject({ side: 'buy', exit: null, tag: 'in part' });
    const said = run.orders.slice(1).map(({ exit, tag, state }) => `${exit} ${tag}: ${state}`);
    expect(said.join('; ')).toBe(exits);
  });

  test('entered at the close just seen has its exit in the next bar', () => {
    const rules: Partial<BarRules> = { arrival: 'this-close' };
    const run = runBars({
      market: TETHER,
      columns: tableOfBars(`100 100 100 100
                      100 112 95 104`),
      strategy: entering(BOTH),
      cash: '100000',
      feeMillionths: 0,
      rules,
    });
    expect(fillsByBar(run)).toBe('buy 1 at 100, bar 1; sell 1 at 110, bar 1+');
  });
});
