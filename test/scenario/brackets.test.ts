import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/definition.ts';
import type { BracketWish } from '../../src/strategy/intents.ts';
import type { BarRules } from '../../src/venues/bars/bar-rules.ts';
import { runBars, TETHER } from '../unit/backtest/candle-run.ts';
import { fillsByBar, tableOfBars } from '../unit/backtest/hourly-bars.ts';

const HOUR_MS = 3_600_000;

/** Enters a bracket at the close of its first bar. */
function entering(wish: BracketWish): StrategyDefinition {
  return defineStrategy({
    name: 'script',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market }) => ({ bars: market.candles('1h') }),
    trailing: { most: 1 },
    on: {
      bars(ctx) {
        if (ctx.state.bars === 0) ctx.bracket(wish);
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

/** Of `worst-first`, which is the default. Entry at the open of the second bar, or at its own limit. */
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
];

describe('a bracket in candles', () => {
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
